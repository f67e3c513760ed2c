import RestorationArchive
import Locking

/// What is in a generation's file, read no further than an archive in it reaches.
///
/// Anybody can put a file of any length into the folder, which need take no space on the disk. So its length is believed only as far as an
/// intact prefix and intact metadata bear it out.
enum StoredArchive {
  /// Bytes that may be an archive, to be checked; and what is wrong with the length of the file, if it goes on behind them.
  case bytes([UInt8], tail: ArchiveError?)
  /// Nothing in the file can be opened as an archive.
  case refused(ArchiveError)

  /// Up to this length a file is read as it is: it costs less than looking before.
  private static let shortLength = 1 << 16

  /// Reads the file of a generation.
  ///
  /// - Throws: What the system refused; that something is no file.
  init(_ generation: Generation, in folder: StoreFolder) throws(FileSystemError) {
    let (file, status) = try folder.open(generation.fileName, .read)
    defer { folder.system.close(file) }
    guard status.byteCount > Self.shortLength else {
      self = .bytes(try folder.read(file, 0..<status.byteCount), tail: nil)
      return
    }
    let source = OpenFileSource(folder: folder, file: file, length: status.byteCount)
    do throws(ArchiveError) {
      let reader = try ArchiveReader(from: source, toleratesLength: true)
      let length = min(reader.byteCount, status.byteCount)
      let tail = reader.openingErrors.first { $0.code == .trailingBytes }
      self = .bytes(try source.read(0..<length), tail: tail)
    } catch {
      if let failure = source.failure { throw failure }
      self = .refused(error)
    }
  }

  /// What is wrong first; nil for a valid archive.
  var firstFinding: ArchiveError? {
    switch self {
    case .refused(let error): error
    case .bytes(let bytes, let tail): tail ?? ArchiveCheck(bytes).findings.first
    }
  }

  /// The archive, as far as it can be opened; nil if nothing of it can be read.
  var reader: ArchiveReader? {
    guard case .bytes(let bytes, _) = self else { return nil }
    return try? ArchiveReader(bytes, toleratesLength: true)
  }
}

/// An open file of a store, to be read on demand.
private final class OpenFileSource: ArchiveByteSource {
  private let folder: StoreFolder
  private let file: OpenFile
  private let length: Int
  private let firstFailure = Lock<FileSystemError?>(nil)

  init(folder: StoreFolder, file: OpenFile, length: Int) {
    self.folder = folder
    self.file = file
    self.length = length
  }

  /// What the system refused first.
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
