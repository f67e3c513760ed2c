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
/// an error.
public final class FileByteSource: ArchiveByteSource {
  private let descriptor: Int32
  private let path: String

  /// Opens a file.
  ///
  /// - Throws: `input-output` if it cannot be opened, or is a directory.
  public init(path: String) throws(ArchiveError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error("opening", code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.error("opening", code: code)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw Self.error("opening", code: EISDIR)
    }
  }

  deinit {
    close(descriptor)
  }

  static func error(_ action: String, code: Int32) -> ArchiveError {
    let words = unsafe String(cString: strerror(code))
    return ArchiveError(FormatError(.inputOutput, at: nil, "\(action) the file", found: .text(words.lowercased())))
  }

  /// The length of the file now.
  public func byteCount() throws(ArchiveError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error("examining", code: errno) }
    return Int(status.st_size)
  }

  /// Reads the bytes at `range`; fewer, if the file ends before.
  public func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        guard let address = buffer.baseAddress else { return }
        let result = unsafe pread(descriptor, address + count, range.count - count, off_t(range.lowerBound + count))
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

  /// Reads the whole file, also one that has no length, such as a pipe.
  public func readAll() throws(ArchiveError) -> [UInt8] {
    let count = try byteCount()
    var bytes = try count > 0 ? read(0..<count) : []
    guard bytes.count == count, count == 0 else { return bytes }
    // A pipe or a device: what comes until the end.
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let result = unsafe chunk.withUnsafeMutableBytes { buffer in
        guard let address = buffer.baseAddress else { return 0 }
        return unsafe systemRead(descriptor, address, buffer.count)
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw Self.error("reading", code: errno) }
      if result == 0 { return bytes }
      bytes += chunk[..<result]
    }
  }
}

@unsafe
private func systemRead(_ descriptor: Int32, _ address: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, address, count)
}
