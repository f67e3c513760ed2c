import ArchiveFormat
import FoundationValues
import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestoration

/// An input file from the command line, or standard input.
struct InputFile {
  /// The name as the user typed it.
  let name: String
  /// The faults of a file that is imported that are read nevertheless.
  let tolerance: ImportTolerance
  /// Whether objects of well-known classes in a file that is imported become readable values.
  let isReadable: Bool

  init(name: String, _ arguments: CommandArguments? = nil, readable: Bool = false) {
    self.name = name
    isReadable = readable && arguments?.has(CommandOption.plumbing.name) != true
    tolerance = arguments?.has(CommandOption.strict.name) == true ? .strict : .oddities
  }

  /// The name in messages.
  var displayName: String { name == "-" ? "standard input" : name.escapedForDisplay }

  /// What to do about a path that leads nowhere.
  var treeHint: String { "`restoration tree \(name.escapedForDisplay)` shows all paths" }

  /// Returns the failure of a verb that found a problem in the input.
  func problem(_ message: String, hint: String? = nil) -> ToolFailure {
    ToolFailure(status: .problems, message: "\(displayName): \(message)", hint: hint)
  }

  /// The identity of the file, whatever its names; nil if there is no such file.
  var identity: FileIdentity? { name == "-" ? .ofStandardInput : FileIdentity(ofPath: name) }

  private var path: String { name == "-" ? "/dev/stdin" : name }

  /// The limit for standard input and pipes, which have no known length and may never end.
  private static let maximumStreamed = 1 << 28

  /// Whether the input is read as a stream: standard input or a pipe.
  ///
  /// A device is streamed only as standard input, which may be a terminal.
  private var isStream: Bool {
    name == "-" ? ByteStream.kindOfStandardInput != .file : ByteStream.kind(ofPath: path) == .pipe
  }

  /// Reads all bytes of the input.
  func bytes() throws(ToolFailure) -> [UInt8] {
    do throws(ArchiveError) {
      if name == "-", isStream { return try ByteStream.readStandardInput(atMost: Self.maximumStreamed) }
      if isStream { return try ByteStream.readAll(path: path, atMost: Self.maximumStreamed) }
      let source = try FileByteSource(path: path)
      if try source.byteCount() <= FileByteSource.maximumByteCount { return try source.readAll() }
      // Longer than any archive: opening it gives the reason, and reads almost nothing.
      if let error = try ArchiveReader(inspectingFile: path).openingErrors.first { throw error }
      return try source.readAll()
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  /// Opens the input as an archive that is read on demand, or one that is imported, and returns the import.
  ///
  /// With the arguments of the verb, a link or a folder stands for the archive of its chain.
  func archiveWithImport(
    _ arguments: CommandArguments? = nil, _ console: Console? = nil
  ) throws(ToolFailure) -> (archive: ArchiveReader, imported: ImportedArchive?) {
    if let chain = try chain(arguments, console) { return (try opened(chain.bytes), nil) }
    if isStream || isImported {
      let content = try content()
      if content.isImported {
        let imported = try imported(content)
        return (try opened(encoded(imported)), imported)
      }
      return (noted(try opened(content.bytes), arguments, console), nil)
    }
    let archive = Result { () throws(ArchiveError) in try ArchiveReader(inspectingFile: path) }
    return (noted(try archive.mapError { ToolFailure($0, file: displayName, content: head) }.get(), arguments, console), nil)
  }

  /// Whether the input is a folder, or a file that begins as those do that are imported.
  private var isImported: Bool {
    if ByteStream.kind(ofPath: path) == .folder { return true }
    guard ImportedArchive.beginsAsSource(head), let source = try? FileByteSource(path: path), let count = try? source.byteCount(),
      let tail = try? source.read(max(count - ArchivePrefix.byteCount, 0)..<count)
    else { return ImportedArchive.beginsAsSource(head) }
    return !ArchivePrefix.isAtEnd(tail.span, of: count)
  }

  /// The first bytes of a file; empty if it cannot be read.
  private var head: [UInt8] {
    guard let source = try? FileByteSource(path: path), let count = try? source.byteCount() else { return [] }
    return (try? source.read(0..<min(count, PropertyList.headByteCount + 1))) ?? []
  }

  // MARK: Chains

  /// Reads the archive that the input is or stands for: of a link or a folder with links, of a JSON form, or of a file
  /// or folder that is imported.
  func wholeArchive(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> WholeArchive {
    let content = try content(arguments, console)
    if content.isImported {
      let imported = try imported(content)
      return WholeArchive(bytes: try encoded(imported), imported: imported, isConverted: true, sourceByteCount: content.byteCount)
    }
    guard ArchiveConversion.form(of: content.bytes) == .json else {
      return WholeArchive(bytes: content.bytes, imported: nil, isConverted: false, sourceByteCount: content.byteCount)
    }
    let bytes = try Result { () throws(ArchiveConversion.Refusal) in
      try ArchiveConversion.convert(content.bytes, to: .archive, sensitive: nil).bytes
    }.mapError { if case .unreadable(let error) = $0 { ToolFailure(error, file: displayName) } else { problem("\($0)") } }.get()
    noted(try opened(bytes), arguments, console)
    return WholeArchive(bytes: bytes, imported: nil, isConverted: true, sourceByteCount: content.byteCount)
  }

  /// Returns the archive that the input stands for, or nil if it is an archive itself, which can be read on demand.
  func standIn(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> WholeArchive? {
    let isLink = !arguments.has("link") && isLink
    if !isLink { noteLinks(arguments, console) }
    guard isLink || isImported || ArchiveConversion.form(of: head) == .json else { return nil }
    return try wholeArchive(arguments, console)
  }

  /// Whether the input is a link, or is named as a link of a store.
  private var isLink: Bool {
    let isNamed = GenerationFile(fileName: ChainFiles.name(of: name))?.isLink == true && ByteStream.kind(ofPath: path) == .file
    return isNamed || (try? ArchiveReader(link: FileByteSource(path: path)).isLink) == true
  }

  /// The paths of the files that are read besides the file that is the input: the others of the chain of a link, and the list
  /// of windows beside a log of AppKit.
  func companions(_ arguments: CommandArguments) -> [String] {
    guard name != "-", ByteStream.kind(ofPath: name) == .file else { return [] }
    if !arguments.has("link"), isLink { return (try? ChainFiles(before: name)).map { [$0.base] + $0.links } ?? [] }
    return head.starts(with: SavedStateRecord.magic) ? [windowsBeside].compactMap { $0 } : []
  }

  /// Returns the archive that the input stands for if it is a link or a folder, and says so.
  func chain(_ arguments: CommandArguments?, _ console: Console?) throws(ToolFailure) -> ChainFiles.Resolved? {
    guard let arguments, let console, let resolved = try findChain(arguments, console) else { return nil }
    guard let loss = resolved.loss else {
      console.report("\(displayName): \(resolved.words)", hint: sceneHint(resolved.scenes))
      return resolved
    }
    throw ToolFailure(
      loss.error, file: loss.path,
      hint: "`restoration check \(displayName)` lists what is lost, `restoration salvage \(displayName)` rescues the rest")
  }

  /// Resolves the chain of the input as far as its links can be applied if it is a link or a folder, and says so.
  func resolvedChain(
    _ arguments: CommandArguments, _ console: Console, isCheck: Bool = false
  ) throws(ToolFailure) -> ChainFiles.Resolved? {
    guard let resolved = try findChain(arguments, console) else { return nil }
    // A check lists the fault among its findings, and the scenes as files of their own.
    console.report("\(displayName): \(resolved.words)", hint: isCheck ? nil : resolved.loss?.words ?? sceneHint(resolved.scenes))
    return resolved
  }

  /// Says which scenes of a store the archive of the app leaves out; nil without scenes.
  private func sceneHint(_ scenes: [String]) -> String? {
    if scenes.isEmpty { return nil }
    let names = scenes.prefix(4).map { "\(displayName)@\($0.escapedForDisplay)" } + (scenes.count > 4 ? ["…"] : [])
    let count = ArchiveOverview.counted(scenes.count, "scene")
    return "without the \(count) of the store, each of which can be named instead: \(names.joined(separator: ", "))"
  }

  /// The archives of a store that a launch would try; nil if the input is no store.
  func archivesOfStore() throws(ToolFailure) -> [ChainFiles.Scene]? {
    guard !isStream, ByteStream.kind(ofPath: path) == .folder, !isStateFolder else { return nil }
    let archives = try Result { () throws(ChainFiles.Failure) in try ChainFiles.archives(inStore: path) }.mapError(failure).get()
    return archives.isEmpty ? nil : archives
  }

  /// The files of the archives of a store, which stand for it; nil if the input is no store, or has one archive.
  var filesOfStore: [String]? {
    guard let archives = try? archivesOfStore(), archives.count > 1 else { return nil }
    return archives.map(\.path)
  }

  private func findChain(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ChainFiles.Resolved? {
    if isStream || name == "-" || arguments.has("link") { return nil }
    let isFolder = ByteStream.kind(ofPath: path) == .folder
    if isFolder, isStateFolder { return nil }
    guard isFolder || isLink else {
      noteLinks(arguments, console)
      return nil
    }
    let folder = isFolder ? path : ArchiveFile.folder(of: path)
    let unreadable = ChainFiles.unreadableNames(in: folder)
    if let name = unreadable.first {
      let files = unreadable.count == 1 ? "" : ", one of \(unreadable.count) such files,"
      console.report("\(folder.escapedForDisplay): \(name.escapedForDisplay)\(files) is not read: its name is not UTF-8")
    }
    return try Result { () throws(ChainFiles.Failure) in
      try (isFolder ? ChainFiles(inFolder: path) : ChainFiles(before: path)).resolved()
    }.mapError(failure).get()
  }

  /// Says so if links follow the input, a base in the folder of a store.
  private func noteLinks(_ arguments: CommandArguments, _ console: Console) {
    guard !isStream, !arguments.has("link"), let links = ChainFiles.links(after: path) else { return }
    let follow = links.count == 1 ? "1 link follows" : "\(links.count) links follow"
    console.report("\(displayName): \(follow) with later saves; for the newest state, name \(links.last.escapedForDisplay)")
  }

  /// Returns the archive, and says so if it is a link without the files before it, as one from a pipe is.
  @discardableResult
  func noted(_ archive: ArchiveReader, _ arguments: CommandArguments?, _ console: Console?) -> ArchiveReader {
    if let arguments, archive.isLink, !arguments.has("link") {
      console?.report("\(displayName): is a link, and has only what changed since the file before it", hint: Self.linkHint)
    }
    return archive
  }

  /// What to do with a link that is read without the files before it.
  static let linkHint = "`restoration apply` makes the whole archive; so does any verb that is given the link in the folder of its chain"

  /// Returns the failure for an input without a chain.
  private func failure(_ failure: ChainFiles.Failure) -> ToolFailure {
    let store = "`restoration store \(displayName)` lists everything in the folder of a store"
    switch failure {
    case .file(let path, let error): return ToolFailure(error, file: path)
    case .noChain:
      guard FileManager.default.isReadableFile(atPath: path) else {
        return ToolFailure(status: .inputOutput, message: "\(displayName): permission denied")
      }
      return ToolFailure(
        status: .inputOutput, message: "\(displayName): is a directory without an archive, or with several",
        hint: "name a file, or the folder of an app")
    case .store(let error): return ToolFailure(status: .inputOutput, message: "\(displayName): \(error)")
    case .noArchive(let scenes):
      guard let first = scenes.first else {
        return problem("the store has no archive that a launch would restore", hint: store)
      }
      let names = scenes.map(\.archive.description).joined(separator: ", ")
      let scene = "\(displayName)@\(first.archive.scene?.escapedForDisplay ?? "")"
      return problem(
        "the store has no archive of the app itself, only of \(names)",
        hint: "name a file, such as \(first.path.escapedForDisplay), or a scene: \(scene)")
    }
  }

  /// The nodes of the archive that a launch leaves out because they killed the app; none outside of a store.
  var quarantine: [QuarantinedNode] {
    let (file, isFolder) = (ChainFiles.name(of: name), ByteStream.kind(ofPath: name) == .folder)
    let archive = isFolder ? ArchiveName.application : Generation(fileName: file)?.archive ?? GenerationFile(fileName: file)?.archive
    guard !isStream, let archive else { return [] }
    let folder = isFolder ? name : ArchiveFile.folder(of: name)
    return (try? RestorationStore(folder: folder, access: .reading))?.quarantinedNodes(of: archive) ?? []
  }

  /// Returns the reason why `bytes` cannot be opened as an archive, or nil if they can.
  func failure(opening bytes: [UInt8]) -> ToolFailure? {
    if case .failure(let failure) = Result(catching: { () throws(ToolFailure) in try opened(bytes) }) { failure } else { nil }
  }

  /// Opens an archive that was read from the input.
  ///
  /// - Throws: The reason why the bytes cannot be opened; if they are something else, one that says what.
  func opened(_ bytes: [UInt8]) throws(ToolFailure) -> ArchiveReader {
    try Result { () throws(ArchiveError) in try ArchiveReader(inspecting: bytes) }
      .mapError { ToolFailure($0, file: displayName, content: bytes) }.get()
  }

  /// Runs a query on the archive, which may throw because of damage.
  func reading<Value>(_ body: () throws(ArchiveError) -> Value) throws(ToolFailure) -> Value {
    try Result(catching: body).mapError {
      ToolFailure(status: ExitStatus($0), message: "\(displayName): \($0)")
    }.get()
  }
}

/// An archive for a full inspection, with all of its bytes.
struct WholeArchive {
  let bytes: [UInt8]
  let imported: ImportedArchive?
  /// Whether the file itself has other bytes: it is a JSON form, or is imported.
  let isConverted: Bool
  /// The length of the file, or of all files of a state.
  let sourceByteCount: Int

  /// Checks every byte, and reports the first finding and what an import lost.
  ///
  /// - Returns: The resulting exit status.
  func reportProblems(of file: InputFile, _ console: Console) -> ExitStatus {
    let status = console.report(imported, of: file)
    guard let finding = ArchiveCheck(bytes).findings.first else { return status }
    console.report("\(file.displayName): \(finding)", hint: "`restoration check` lists all that is wrong")
    return status.or(.problems)
  }
}

extension Console {
  /// Reports the errors in a file that was read in part.
  ///
  /// - Returns: The resulting exit status.
  func report(_ errors: some Sequence<ArchiveError>, of file: InputFile) -> ExitStatus {
    let errors = Array(errors)
    for (place, error) in errors.enumerated() {
      let hint = place == errors.count - 1 && error.kind != .inputOutput ? "`restoration check` lists all that is wrong" : nil
      report("\(file.displayName): \(error)", hint: hint)
    }
    return errors.reduce(.fine) { $0.or(ExitStatus($1)) }
  }
}
