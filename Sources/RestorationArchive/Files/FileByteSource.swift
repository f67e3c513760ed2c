#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import ArchiveFormat

/// An open file that an archive is read from on demand.
///
/// The file stays open as long as the source lives. It may be cut, overwritten or replaced meanwhile: a reader then gets the old content or
/// an error. Only a file will do, because a pipe or a device has no length and may never end.
public final class FileByteSource: ArchiveByteSource {
  private let descriptor: Int32

  /// Opens a file; never waits.
  ///
  /// - Throws: `input-output` if the file cannot be opened, or is a directory, a pipe or a device.
  public init(path: String) throws(ArchiveError) {
    // What has no descriptor yet has no deinitialization, so that nothing is closed twice.
    descriptor = try Self.open(path)
  }

  private static func open(_ path: String) throws(ArchiveError) -> Int32 {
    // Opening a pipe waits for its other end, unless told not to.
    let descriptor = unsafe systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw error("opening", code: errno) }
    var status = stat()
    let code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
    let kind = FileKind(mode: UInt32(status.st_mode))
    guard code == 0, kind == .file else {
      close(descriptor)
      throw code == 0 ? error("opening", "is \(kind.words)") : error("opening", code: code)
    }
    return descriptor
  }

  deinit {
    close(descriptor)
  }

  static func error(_ action: String, code: Int32) -> ArchiveError {
    error(action, unsafe String(cString: strerror(code)).lowercased())
  }

  /// An error about a file in words.
  package static func error(_ action: String, _ words: String) -> ArchiveError {
    ArchiveError(FormatError(.inputOutput, at: nil, "\(action) the file", found: .text(words)))
  }

  /// The length of the file now.
  public func byteCount() throws(ArchiveError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error("examining", code: errno) }
    return Int(clamping: status.st_size)
  }

  /// Reads the bytes at `range`; fewer, if the file ends before.
  public func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    var wanted = range.count
    // Memory is taken for bytes that are there; asking for each small piece would cost more than it saves.
    if wanted > 1 << 20 { wanted = try min(wanted, max(byteCount() - range.lowerBound, 0)) }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      while count < wanted {
        guard let address = buffer.baseAddress else { return }
        // Some systems refuse to read more than two gigabytes at once.
        let result = unsafe pread(descriptor, address + count, min(wanted - count, 1 << 30), off_t(range.lowerBound + count))
        if result < 0 {
          if errno == EINTR { continue }
          failure = errno
          return
        }
        if result == 0 { return }
        count += result
      }
    }
    guard failure == 0 else { throw Self.error("reading", code: failure) }
    return bytes
  }

  /// The greatest number of bytes that ``readAll(atMost:)`` reads if it is not told otherwise: as many as an archive may have (Spec §10).
  public static let mostBytes = Int(clamping: FileLayout.longestFile)

  /// Reads the whole file.
  ///
  /// - Parameter limit: How many bytes the file may have. A file that takes no space on the disk can have more than there is memory for.
  /// - Returns: Its bytes.
  /// - Throws: `input-output`, also if the file is longer than that.
  public func readAll(atMost limit: Int = FileByteSource.mostBytes) throws(ArchiveError) -> [UInt8] {
    let count = try byteCount()
    guard count <= limit else { throw Self.error("reading", "is longer than \(limit) bytes") }
    return try read(0..<count)
  }
}

@unsafe
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
  unsafe open(path, flags)
}
