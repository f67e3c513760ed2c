import Locking
package import RestorationArchive

/// The reader of a store: lists its folder, and opens the files of its generations.
///
/// It changes nothing, and knows nothing of a save.
package final class StoreReader: Sendable {
  /// The files as they were listed last.
  private struct Listing {
    let version: FolderVersion?
    /// The ``StoreFolder/changeCount`` before the listing.
    let changeCount: Int
    let catalog: GenerationCatalog
    let byArchive: [ArchiveName: GenerationCatalog]

    func files(of archive: ArchiveName) -> GenerationCatalog { byArchive[archive] ?? GenerationCatalog(names: []) }
  }

  let folder: StoreFolder
  private let listed = Lock<Listing?>(nil)

  init(_ folder: StoreFolder) { self.folder = folder }

  /// The files in the folder, or those of one archive.
  package func catalog(of archive: ArchiveName? = nil) throws(StoreError) -> GenerationCatalog {
    try system { () throws(FileSystemError) in
      let listing = try listing()
      return archive.map { listing.files(of: $0) } ?? listing.catalog
    }
  }

  /// Lists the folder, unless it is as it was when it was listed last.
  private func listing() throws(FileSystemError) -> Listing {
    let (changeCount, version) = (folder.changeCount, folder.system.version(ofFolder: folder.path))
    if let known = listed.withLock({ $0 }), known.version == version, known.changeCount == changeCount { return known }
    let catalog = try decidedFiles()
    let listing = Listing(version: version, changeCount: changeCount, catalog: catalog, byArchive: catalog.byArchive)
    listed.withLock { $0 = version == nil ? nil : listing }
    return listing
  }

  /// Lists the files as they are once a save that was begun is decided, and its removals are done (``SaveGroup``).
  private func decidedFiles() throws(FileSystemError) -> GenerationCatalog {
    var names = try folder.names()
    // The record goes when the save is complete: the names are then listed again.
    for _ in 0..<8 where names.contains(SaveGroup.fileName) {
      do throws(FileSystemError) {
        let group = SaveGroup(try folder.read(SaveGroup.fileName, atMost: SaveGroup.maximumByteCount)) ?? SaveGroup()
        return folder.catalog(of: names).after(group)
      } catch {
        guard error.isAbsence else { break }
        names = try folder.names()
      }
    }
    return folder.catalog(of: names)
  }

  /// Reads the files of a generation; applies at most `count` links.
  func stored(_ generation: Generation, links count: Int = .max) throws(FileSystemError) -> StoredArchive {
    let links = try listing().files(of: generation.archive).links(of: generation)
    return try StoredArchive(generation, links, in: folder, applying: count)
  }

  /// A generation as far as it can be opened.
  package struct Opened {
    /// The archive with its links applied, possibly damaged.
    package let reader: ArchiveReader
    /// Its bytes.
    package let bytes: [UInt8]
    /// The numbers of later saves in its content, and of lost ones.
    package let links: (applied: Int, lost: Int)
  }

  /// Opens a generation with its first `count` links, possibly damaged; nil if that is not possible.
  package func opened(_ generation: Generation, links count: Int = .max) -> Opened? {
    guard let stored = try? stored(generation, links: count), let reader = stored.reader,
      case .bytes(let bytes, _, let links) = stored
    else { return nil }
    return Opened(reader: reader, bytes: bytes, links: (links.applied, links.lost?.count ?? 0))
  }

  /// Returns the content digest of a file; nil if it cannot be read.
  func digest(of generation: Generation) -> ContentDigest? { (try? stored(generation))?.reader?.contentDigest }

  /// Returns the number of bytes in the files of a generation, its links included.
  func byteCount(of generation: Generation, _ catalog: GenerationCatalog) -> Int {
    let names = [generation.fileName] + catalog.links(of: generation).map(\.fileName)
    return names.reduce(0) { $0 + ((try? folder.system.status(at: folder.path(of: $1)).byteCount) ?? 0) }
  }

  /// The time at which the content of an archive was last found unchanged, if it is on record.
  func confirmation(of archive: ArchiveName) -> Confirmation? {
    let bytes = try? folder.readStart(of: Confirmation.fileName(for: archive), count: Confirmation.byteCount)
    return bytes.flatMap { Confirmation($0) }
  }

  /// Whether a file is of a later version of the format; nil if it is not of this format.
  func isOfLaterVersion(_ generation: Generation) throws(FileSystemError) -> Bool? {
    FormatVersion.isLater(prefix: try folder.readStart(of: generation.fileName, count: FormatVersion.prefixByteCount))
  }
}

/// Classifies file names as the store's own or foreign.
///
/// The folder belongs to the app, and any process can add files. Only a complete name that the store itself would give
/// is its own: a prefix alone does not justify removing a file.
package enum StoreFileName {
  /// Whether the store uses this name for saved content: an archive, a link, a confirmation, a launch ledger.
  static func isFinished(_ name: String) -> Bool {
    Generation(fileName: name) != nil || GenerationFile(fileName: name) != nil || Confirmation.isFileName(name)
      || isLedger(name)
  }

  /// Whether the store uses this name for its record of launches, which is an archive too.
  package static func isLedger(_ name: String) -> Bool { name == LaunchLedger.fileName || name == LaunchLedger.unreadableFileName }

  /// Whether the store uses this name for any file.
  package static func isOwn(_ name: String) -> Bool {
    isFinished(name) || isUnfinished(name) || name == ProgressFile.fileName || name == StoreWriter.lockName
      || name == SaveGroup.fileName
  }

  /// Whether the store uses this name for a file that is being written.
  static func isUnfinished(_ name: String) -> Bool {
    guard name.hasPrefix(StoreFolder.temporaryPrefix) else { return false }
    let finished = String(name.dropFirst(StoreFolder.temporaryPrefix.count))
    return Generation(fileName: finished) != nil || GenerationFile(fileName: finished) != nil
      || finished == LaunchLedger.fileName || finished == SaveGroup.fileName
  }
}
