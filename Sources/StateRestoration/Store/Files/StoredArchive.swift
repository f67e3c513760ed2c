import FoundationValues
import Locking
import RestorationArchive

/// The content of a generation: its archive with its links applied, read only as far as these extend.
///
/// Any process can add a file of any length, even one that takes no disk space. So the length is trusted only as far as
/// an intact prefix and intact metadata confirm it; links together are no longer than the archive, or than a short one.
enum StoredArchive {
  /// Bytes that may be an archive and must be checked; `tail` is an error if the file continues after them.
  case bytes([UInt8], tail: ArchiveError?, links: StoredLinks)
  /// The file cannot be opened as an archive.
  case refused(ArchiveError)

  /// Files up to this length are read directly, which is cheaper than inspecting the metadata first.
  static let shortLength = 1 << 16

  /// Reads the files of a generation.
  ///
  /// - Parameters:
  ///   - generation: The generation.
  ///   - links: The links of the generation, listed before: files of a generation that is being removed are gone by the
  ///     time that the archive is opened, not missing.
  ///   - folder: The folder of the store.
  ///   - count: The place of the last link to apply.
  /// - Throws: The system's error; a file-kind error if it is not a regular file.
  init(_ generation: Generation, _ links: [GenerationFile], in folder: StoreFolder, applying count: Int) throws(FileSystemError) {
    let archive = try Self.archive(generation, in: folder)
    // A `switch` with several cases would hold the bytes too, which would then be copied to be changed.
    guard !links.isEmpty, count > 0, case .bytes(let base, let tail, _) = archive else {
      self = archive
      return
    }
    if tail == nil {
      self = try Self.resolved(base, links.filter { $0.place <= count }, in: folder)
    } else {
      // Links name the archive by its digest, so a file that does not end where it should is none of theirs.
      let lost = StoredLinks.Lost(
        files: links.map(\.fileName), count: links.last?.place ?? 0, reason: "the archive that they follow is damaged")
      self = .bytes(base, tail: tail, links: StoredLinks(lost: lost))
    }
  }

  private static func archive(_ generation: Generation, in folder: StoreFolder) throws(FileSystemError) -> StoredArchive {
    let (file, status) = try folder.open(generation.fileName, .read)
    defer { folder.system.close(file) }
    guard status.byteCount > Self.shortLength else {
      return .bytes(try folder.read(file, 0..<status.byteCount), tail: nil, links: StoredLinks())
    }
    let source = OpenFileSource(folder: folder, file: file, length: status.byteCount)
    do throws(ArchiveError) {
      let reader = try ArchiveReader(inspecting: source)
      let length = min(reader.byteCount, status.byteCount)
      let tail = reader.openingErrors.first { $0.code == .trailingBytes }
      return .bytes(try source.read(0..<length), tail: tail, links: StoredLinks())
    } catch {
      if let failure = source.failure { throw failure }
      return .refused(error)
    }
  }

  /// Returns the header of a file, of which only the two ends are read.
  static func header(of name: String, in folder: StoreFolder) throws -> ArchiveHeader {
    let (file, status) = try folder.open(name, .read)
    defer { folder.system.close(file) }
    return try ArchiveReader(link: OpenFileSource(folder: folder, file: file, length: status.byteCount)).header
  }

  /// Applies the links that lead to the last save that can be used.
  private static func resolved(
    _ base: consuming [UInt8], _ links: [GenerationFile], in folder: StoreFolder
  ) throws(FileSystemError) -> StoredArchive {
    var room = 2 * max(shortLength, base.count)
    let chain = try GenerationChain(base, links) { (link) throws(FileSystemError) in
      do throws(FileSystemError) {
        let bytes = try folder.read(link.fileName, atMost: room)
        room -= bytes.count
        return ArchiveLink(bytes)
      } catch {
        // Its generation is being removed.
        if error.isAbsence { throw error }
        return ArchiveLink(unreadable: FileByteSource.error("reading", "\(error)"))
      }
    }
    var used = StoredLinks(applied: chain.lastPlace, lastDigest: chain.lastDigest)
    if let fault = chain.fault {
      let lost = links.filter { $0.place > chain.lastPlace }
      let reason =
        switch fault {
        case .missing: "a file between them is missing"
        case .link(let error), .base(let error): error.kind == .inputOutput ? error.found : "\(error)"
        }
      used.lost = StoredLinks.Lost(files: lost.map(\.fileName), count: (lost.last?.place ?? 0) - chain.lastPlace, reason: reason)
    }
    return .bytes(chain.bytes, tail: nil, links: used)
  }

  /// Whether all content is intact, though a copy of a part may be damaged.
  var isWhole: Bool {
    if case .bytes(let bytes, nil, let links) = self { links.applied > 0 || ArchiveCheck(bytes).isWhole } else { false }
  }

  /// The first finding; nil for a valid archive.
  var firstFinding: ArchiveError? {
    switch self {
    case .refused(let error): error
    case .bytes(let bytes, let tail, let links): tail ?? (links.applied > 0 ? nil : ArchiveCheck(bytes).findings.first)
    }
  }

  /// A reader of the archive, possibly damaged; nil if it cannot be opened.
  var reader: ArchiveReader? {
    guard case .bytes(let bytes, _, _) = self else { return nil }
    return try? ArchiveReader(inspecting: bytes)
  }

  /// The use of the links.
  var links: StoredLinks {
    if case .bytes(_, _, let links) = self { links } else { StoredLinks() }
  }
}

/// The later saves of a generation: the number of those in its content, and the lost ones.
package struct StoredLinks: Sendable {
  /// The last saves of a generation, which could not be used: a link that is missing or damaged, and those that follow it.
  package struct Lost: Sendable, CustomStringConvertible {
    /// The names of the files, in the order of the saves.
    package let files: [String]
    /// The number of lost saves, including those of missing files.
    let count: Int
    /// The reason why the first of them could not be used.
    package let reason: String

    /// The number of saves that are lost, the first file of them, and the reason.
    package var description: String {
      let first = files.first ?? ""
      return "\(count == 1 ? "the last save (\(first))" : "the last \(count) saves (from \(first) on)") cannot be used: \(reason)"
    }
  }

  /// The number of saves after the first that the content has: the place of the last link applied.
  var applied = 0
  /// The saves that could not be used; nil if all could.
  var lost: Lost?
  /// The digest of the last link applied; nil if there is none.
  var lastDigest: ContentDigest?
}

/// An open file of a store that is read on demand.
private final class OpenFileSource: ArchiveByteSource {
  private let folder: StoreFolder
  private let file: OpenFile
  private let length: Int
  private let firstFailure = Lock<FileSystemError?>(nil)

  init(folder: StoreFolder, file: OpenFile, length: Int) {
    (self.folder, self.file, self.length) = (folder, file, length)
  }

  /// The first error of the system.
  var failure: FileSystemError? { firstFailure.withLock { $0 } }

  func byteCount() throws(ArchiveError) -> Int { length }

  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    do throws(FileSystemError) {
      return try folder.read(file, range.clamped(to: 0..<length))
    } catch {
      firstFailure.withLock { $0 = $0 ?? error }
      throw FileByteSource.error("reading", "\(error)")
    }
  }
}
