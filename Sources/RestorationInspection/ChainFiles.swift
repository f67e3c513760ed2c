import ArchiveFormat
import FoundationValues
package import RestorationArchive
package import StateRestoration

/// The files of a chain: a base and its links (Spec §15).
///
/// In the folder of a store they are found by their names, elsewhere by their content digests.
package struct ChainFiles: Sendable {
  package let base: String
  package private(set) var links: [String]
  /// The identifiers of the store's scenes, which are in none of these files.
  private var scenes: [String] = []
  /// The same links as files of a store, whose places say which of them lead to the last save; empty elsewhere.
  private var places: [GenerationFile] = []

  private var folder: String { ArchiveFile.folder(of: base) }

  package enum Failure: Error {
    /// A file cannot be read, or its chain is incomplete.
    case file(path: String, ArchiveError)
    /// The folder of a store has no archive that a launch would try; with the newest file of each scene.
    case noArchive(scenes: [Scene])
    /// The folder is neither that of a store nor that of a chain.
    case noChain
    /// The store in the folder cannot be read.
    case store(StoreError)
  }

  package struct Scene: Sendable {
    package let archive: ArchiveName
    /// The path of its newest whole file.
    package let base: String

    /// The path of its newest file: the last link, if there are links.
    package var path: String { ChainFiles.links(after: base)?.last ?? base }
  }

  // MARK: Finding

  /// Finds the files before a link.
  ///
  /// Outside of a store, only the prefixes and metadata of the other files are read.
  ///
  /// - Throws: ``Failure``: `missing-link` if no file of the folder has the digest that a link names; `chain-length`,
  ///   also if files name each other in a circle; `input-output`, and an error for a file that cannot be opened.
  package init(before path: String) throws(Failure) {
    let folder = ArchiveFile.folder(of: path)
    if let link = GenerationFile(fileName: Self.name(of: path)), link.isLink {
      let catalog = GenerationCatalog(names: Self.names(in: folder))
      if let base = catalog.generations.last(where: { $0.archive == link.archive && $0.number == link.generation }) {
        self.init(base, in: folder, catalog, upTo: link.place)
        return
      }
    }
    try self.init(before: path, among: Self.digests(in: folder, Self.names(in: folder)))
  }

  private init(before path: String, among digests: [ContentDigest: String]) throws(Failure) {
    var paths = [path]
    while let digest = try Self.base(of: paths[0]) {
      guard paths.count <= ArchiveLink.maximumCount else {
        let error = FormatError(.chainLength, at: nil, "chain", expected: "at most \(ArchiveLink.maximumCount) links")
        throw .file(path: path, ArchiveError(error))
      }
      guard let previous = digests[digest] else {
        let error = FormatError(
          .missingLink, at: nil, "file before \(Self.name(of: paths[0]))",
          expected: "one with the content digest \(digest) in the same folder")
        throw .file(path: path, ArchiveError(error))
      }
      paths.insert(previous, at: 0)
    }
    (base, links) = (paths[0], Array(paths.dropFirst()))
  }

  /// Finds the chain that a folder stands for.
  ///
  /// - The folder of a store stands for the generation of the app's archive that a launch would try first. The store's
  ///   own files and those set aside are not considered.
  /// - Another folder with a link stands for its newest chain: of the files that no other one names, the last by name.
  ///
  /// - Throws: ``Failure``.
  package init(inFolder folder: String) throws(Failure) {
    let names = Self.names(in: folder)
    let catalog = GenerationCatalog(names: names)
    if !catalog.generations.isEmpty || !catalog.links.isEmpty {
      try self.init(inStore: folder, catalog)
      return
    }
    let digests = Self.digests(in: folder, names.filter { !StoreFileName.isLedger($0) })
    var named: Set<ContentDigest> = []
    for path in digests.values {
      if let digest = try? Self.base(of: path) { named.insert(digest) }
    }
    let last = digests.filter { !named.contains($0.key) }.values.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard let last, !named.isEmpty || Self.isNumbered(last) else {
      throw names.contains(where: StoreFileName.isLedger) ? .noArchive(scenes: []) : .noChain
    }
    try self.init(before: last, among: digests)
  }

  /// Finds the generation that a launch would try first.
  private init(inStore folder: String, _ catalog: GenerationCatalog) throws(Failure) {
    do throws(StoreError) {
      let store = try RestorationStore(folder: folder, access: .reading)
      if let base = try store.load().candidates.first?.generation {
        self.init(base, in: folder, catalog, upTo: .max)
        scenes = try store.archives().compactMap(\.scene)
        return
      }
    } catch {
      throw .store(error)
    }
    throw .noArchive(scenes: try Self.archives(inStore: folder))
  }

  /// Lists the archives of a store that a launch would try: the app's and the scenes', the one last written first.
  package static func archives(inStore folder: String) throws(Failure) -> [Scene] {
    try Result { () throws(StoreError) in
      let store = try RestorationStore(folder: folder, access: .reading)
      var archives: [Scene] = []
      for archive in try store.archivesWithFiles() {
        guard let file = try store.load(archive).candidates.first?.generation else { continue }
        archives.append(Scene(archive: archive, base: path(of: file.fileName, in: folder)))
      }
      return archives
    }.mapError { Failure.store($0) }.get()
  }

  /// Collects the links of a generation, up to the one at a place.
  private init(_ base: Generation, in folder: String, _ catalog: GenerationCatalog, upTo last: Int) {
    self.base = Self.path(of: base.fileName, in: folder)
    places = catalog.links(of: base).filter { $0.place <= last }
    links = places.map { Self.path(of: $0.fileName, in: folder) }
  }

  /// Returns the number of links that follow a base in the folder of a store, and the path of the last one; nil if there
  /// are none.
  ///
  /// The folder is listed once, and no file is read.
  package static func links(after path: String) -> (count: Int, last: String)? {
    guard let base = Generation(fileName: name(of: path)) else { return nil }
    let folder = ArchiveFile.folder(of: path)
    let links = GenerationCatalog(names: names(in: folder)).links(of: base)
    return links.last.map { (links.count, self.path(of: $0.fileName, in: folder)) }
  }

  // MARK: Resolving

  /// The archive that the files of a chain stand for, as far as the links can be applied.
  package struct Resolved: Sendable {
    /// The bytes of the archive after the applied links.
    package let bytes: [UInt8]
    package let base: String
    /// The path of the newest file that the archive is made of: the last link that is applied, or the base.
    package let newest: String
    /// The identifiers of the store's scenes, which are not in the archive.
    package let scenes: [String]
    /// The number of links up to that one: in a store, an archive has the changes of all of them.
    package let appliedCount: Int
    /// The reason why the other links were not applied; nil if all were.
    package let loss: Loss?

    /// The base and the applied links, which have lost no content; empty if no link was applied.
    package let files: [(path: String, bytes: [UInt8])]
    /// The links that lead from a damaged base to the last save, with their paths; none if the base is intact.
    package let unapplied: [(path: String, link: ArchiveLink)]

    package var linkCount: Int { appliedCount + (loss?.saveCount ?? 0) }

    /// Returns the remaining loss if a salvage of the base could add the first `count` of the unapplied links.
    package func loss(afterAdding count: Int) -> Loss? {
      guard var left = loss, count > 0 else { return loss }
      let last = unapplied[count - 1].path
      left.links = Array(left.links.drop { $0 != last }.dropFirst())
      left.saveCount -= GenerationFile(fileName: ChainFiles.name(of: last))?.place ?? count
      return left.links.isEmpty ? nil : left
    }

    /// The base and the applied links in words.
    package var words: String {
      guard let loss else {
        return base.escapedForDisplay + (appliedCount == 0 ? "" : " with \(ArchiveOverview.counted(appliedCount, "link"))")
      }
      let links = "\(ArchiveOverview.counted(linkCount, "link"))"
      if loss.isOfBase { return "\(base.escapedForDisplay) is damaged, so that a launch cannot use its \(links)" }
      return "\(base.escapedForDisplay) with \(appliedCount) of its \(links); \(loss.saves) cannot be used"
    }
  }

  /// The links of a chain that cannot be applied.
  package struct Loss: Sendable {
    /// The file at fault: the base, or the first of the links.
    package let path: String
    package let error: ArchiveError
    package let isOfBase: Bool
    package fileprivate(set) var links: [String]
    /// The number of lost saves, including those of missing links.
    fileprivate(set) var saveCount: Int

    /// The fault in words, with the name of its file.
    package var words: String { "\(path.escapedForDisplay): \(error.kind == .inputOutput ? error.found : "\(error)")" }
    /// The lost saves in words.
    package var saves: String { saveCount == 1 ? "the last save" : "the last \(saveCount) saves" }
  }

  /// Resolves the chain, as far as its links can be applied.
  ///
  /// - Throws: ``Failure`` if the base cannot be read.
  package func resolved() throws(Failure) -> Resolved {
    let bytes = try Self.reading(base) { () throws(ArchiveError) in try FileByteSource(path: base).readAll() }
    guard !places.isEmpty else {
      let checked = links.map { Self.link(at: $0) }
      let chain = ArchiveChain(base: bytes, checked: checked)
      let fault = chain.error.map { chain.isBaseAtFault ? GenerationChain.Fault.base($0) : .link($0) }
      return resolved(bytes, chain.bytes, chain.appliedCount, fault, Array(zip(links, checked)))
    }
    let chain = GenerationChain(bytes, places) { Self.link(at: Self.path(of: $0.fileName, in: folder)) }
    let way = chain.way.map { way in (links[places.count { $0.place < way.place }], way.link) }
    return resolved(bytes, chain.bytes, chain.lastPlace, chain.fault, way)
  }

  private func resolved(
    _ first: [UInt8], _ bytes: [UInt8], _ count: Int, _ fault: GenerationChain.Fault?, _ way: [(path: String, link: ArchiveLink)]
  ) -> Resolved {
    let applied = places.isEmpty ? links.prefix(count) : links.prefix(places.count { $0.place <= count })
    let lost = links.dropFirst(applied.count)
    let saveCount = places.last.map { $0.place - count } ?? lost.count
    let loss: Loss? =
      switch fault {
      case .base(let error): Loss(path: base, error: error, isOfBase: true, links: Array(lost), saveCount: saveCount)
      case .link(let error): Loss(path: lost.first ?? base, error: error, isOfBase: false, links: Array(lost), saveCount: saveCount)
      case .missing:
        // Only the links of a store are known by their places.
        Loss(
          path: places.first.map { Self.path(of: GenerationFile($0.archive, $0.generation, count + 1).fileName, in: folder) } ?? base,
          error: ArchiveError(.missingLink, "link"), isOfBase: false, links: Array(lost), saveCount: saveCount)
      case nil: nil
      }
    let newest = applied.last ?? base
    if loss?.isOfBase == true {
      return Resolved(
        bytes: bytes, base: base, newest: newest, scenes: scenes, appliedCount: count, loss: loss, files: [], unapplied: way)
    }
    let used = way.prefix { applied.contains($0.path) }.compactMap { way in way.link.bytes.map { (way.path, $0) } }
    return Resolved(
      bytes: bytes, base: base, newest: newest, scenes: scenes, appliedCount: count, loss: loss,
      files: used.isEmpty ? [] : [(base, first)] + used, unapplied: [])
  }

  /// Reads a link.
  private static func link(at path: String) -> ArchiveLink {
    do throws(ArchiveError) {
      let source = try FileByteSource(path: path)
      // A large file that is no link is not read as a whole.
      _ = try ArchiveReader(link: source)
      return ArchiveLink(try source.readAll())
    } catch {
      return ArchiveLink(unreadable: error)
    }
  }

  // MARK: Files

  private static func reading<Value>(_ path: String, _ body: () throws(ArchiveError) -> Value) throws(Failure) -> Value {
    try Result(catching: body).mapError { Failure.file(path: path, $0) }.get()
  }

  /// Returns the digest that a file names as the one before it; nil for an archive that is no link.
  private static func base(of path: String) throws(Failure) -> ContentDigest? {
    try reading(path) { () throws(ArchiveError) in try ArchiveReader(link: FileByteSource(path: path)).header.baseContentDigest }
  }

  /// Returns the names in a folder, sorted; none if it cannot be read.
  static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Returns the names in a folder that are not UTF-8: as strings they lead to no file.
  package static func unreadableNames(in folder: String) -> [String] {
    names(in: folder).filter { $0.unicodeScalars.contains("\u{FFFD}") && ByteStream.kind(ofPath: path(of: $0, in: folder)) == nil }
  }

  /// Returns the paths of the archives of a folder, by the digests in their prefixes.
  ///
  /// Two files with the same digest have the same content.
  private static func digests(in folder: String, _ names: [String]) -> [ContentDigest: String] {
    var result: [ContentDigest: String] = [:]
    for name in names where !name.hasPrefix(".") {
      let path = path(of: name, in: folder)
      guard let prefix = try? FileByteSource(path: path).read(0..<FormatVersion.prefixByteCount),
        FormatVersion.isLater(prefix: prefix) == false, let digest = ContentDigest(ofArchive: Data(prefix))
      else { continue }
      result[digest] = result[digest] ?? path
    }
    return result
  }

  /// Whether a file is numbered with ten digits, as in a store.
  private static func isNumbered(_ path: String) -> Bool {
    name(of: path).split(separator: ".").contains { $0.utf8.count == 10 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  package static func path(of name: String, in folder: String) -> String {
    folder == "." ? name : folder.hasSuffix("/") ? "\(folder)\(name)" : "\(folder)/\(name)"
  }

  /// Returns the last component of a path.
  package static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
