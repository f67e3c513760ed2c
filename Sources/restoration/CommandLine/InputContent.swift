import KeyedArchive
import RestorationArchive
import RestorationInspection

/// The content of an input: an archive, or a file or folder that is imported.
struct InputContent {
  /// The bytes of the file; of a saved state, those of `data.data`, or none if there is no such file.
  let bytes: [UInt8]
  /// Whether the input is a saved state without `data.data`.
  var isLogMissing = false
  /// The bytes of `windows.plist`, if the input is a saved state of AppKit.
  var windows: [UInt8]?
  /// The name of the file with the keys, if the input is a log of AppKit with the file beside it.
  var keyFile: String?

  var isImported: Bool { windows != nil || ImportedArchive.isSource(bytes) }

  var byteCount: Int { bytes.count + (windows?.count ?? 0) }

  func imported(_ tolerance: ImportTolerance, readable: Bool) throws(KeyedArchiveError) -> ImportedArchive {
    guard let windows else { return try ImportedArchive(decoding: bytes, tolerance: tolerance, interpretsKnownClasses: readable) }
    var imported = try ImportedArchive(
      windows: windows, data: isLogMissing ? nil : bytes, tolerance: tolerance, interpretsKnownClasses: readable)
    // A salvage lists losses, not sources.
    if let keyFile, tolerance != .salvage { imported.note("the keys of the records are from \(keyFile.escapedForDisplay)") }
    return imported
  }
}

extension InputFile {
  /// Reads the content of a file, or of a folder with a state of UIKit or AppKit.
  ///
  /// With the arguments of the verb, a link or another folder stands for the archive of its chain.
  func content(_ arguments: CommandArguments? = nil, _ console: Console? = nil) throws(ToolFailure) -> InputContent {
    if let chain = try chain(arguments, console) { return InputContent(bytes: chain.bytes) }
    guard name != "-", ByteStream.kind(ofPath: name) == .folder else {
      let content = try contentWithKeys()
      if let archive = try? ArchiveReader(link: content.bytes) { noted(archive, arguments, console) }
      return content
    }
    // A folder without a state gives the error that any folder gives.
    guard isStateFolder else { return InputContent(bytes: try bytes()) }
    let (windows, data) = (partOfState("windows.plist"), partOfState("data.data"))
    return InputContent(bytes: try data?.bytes() ?? [], isLogMissing: data == nil, windows: try windows?.bytes())
  }

  /// Returns a file of a state of UIKit or AppKit in the folder that is the input; nil if there is none.
  private func partOfState(_ part: String) -> InputFile? {
    ByteStream.kind(ofPath: "\(name)/\(part)") == .file ? InputFile(name: "\(name)/\(part)") : nil
  }

  /// Reads the content of a file; that of a log of AppKit with the list of windows in the same folder, which has the
  /// keys.
  private func contentWithKeys() throws(ToolFailure) -> InputContent {
    let bytes = try bytes()
    guard name != "-", bytes.starts(with: SavedStateRecord.magic), let windows = windowsBeside else { return InputContent(bytes: bytes) }
    return InputContent(bytes: bytes, windows: try InputFile(name: windows).bytes(), keyFile: "windows.plist in the same folder")
  }

  /// The path of the list of windows in the folder of the input; nil if there is none.
  var windowsBeside: String? {
    let windows = ChainFiles.path(of: "windows.plist", in: ArchiveFile.folder(of: name))
    return ByteStream.kind(ofPath: windows) == .file ? windows : nil
  }

  /// Whether the input is a folder with a state of UIKit or AppKit.
  var isStateFolder: Bool { partOfState("windows.plist") != nil || partOfState("data.data") != nil }

  func imported(_ content: InputContent) throws(ToolFailure) -> ImportedArchive {
    try Result { () throws(KeyedArchiveError) in try content.imported(tolerance, readable: isReadable) }
      .mapError { ToolFailure($0, file: displayName) }.get()
  }

  /// Throws if all of the source is lost: an empty archive means that an empty state was saved (R-K2-8).
  func expectContent(of imported: ImportedArchive, _ words: String) throws(ToolFailure) {
    let isEmpty = imported.tree.nodes.isEmpty && imported.tree.applicationState.isEmpty
    guard isEmpty, let loss = imported.notes.first(where: \.isLoss) else { return }
    throw ToolFailure(status: .unreadable, message: "\(displayName): nothing \(words): \(loss)")
  }

  /// Returns the bytes of an imported archive.
  func encoded(_ imported: ImportedArchive) throws(ToolFailure) -> [UInt8] {
    try Result { () throws(ArchiveError) in [UInt8](try imported.tree.encoded()) }
      .mapError { problem("cannot be an archive: \($0)") }.get()
  }
}

extension Console {
  /// Reports what an import found besides values.
  ///
  /// - Returns: The resulting exit status.
  func report(_ imported: ImportedArchive?, of file: InputFile) -> ExitStatus {
    guard let imported else { return .fine }
    for note in imported.notes { report("\(file.displayName): \(note)") }
    return imported.notes.contains(where: \.isLoss) ? .problems : .fine
  }
}
