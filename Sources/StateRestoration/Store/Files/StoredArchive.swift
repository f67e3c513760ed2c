import RestorationArchive
import Locking

/// The content of a generation's file, read only as far as its archive extends.
///
/// Any process can add a file of any length, even one that takes no disk space. So the length is trusted only as far as
/// an intact prefix and intact metadata confirm it.
enum StoredArchive {
  /// Bytes that may be an archive and must be checked; `tail` is an error if the file continues after them.
  case bytes([UInt8], tail: ArchiveError?)
  /// The file cannot be opened as an archive.
  case refused(ArchiveError)

  /// Files up to this length are read directly, which is cheaper than inspecting the metadata first.
  private static let shortLength = 1 << 16

  /// Reads the file of a generation.
  ///
  /// - Throws: The system's error; a file-kind error if it is not a regular file.
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

  /// The first finding; nil for a valid archive.
  var firstFinding: ArchiveError? {
    switch self {
    case .refused(let error): error
    case .bytes(let bytes, let tail): tail ?? ArchiveCheck(bytes).findings.first
    }
  }

  /// A reader of the archive, possibly damaged; nil if it cannot be opened.
  var reader: ArchiveReader? {
    guard case .bytes(let bytes, _) = self else { return nil }
    return try? ArchiveReader(bytes, toleratesLength: true)
  }
}

/// An open file of a store that is read on demand.
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
