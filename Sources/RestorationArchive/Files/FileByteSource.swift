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

  /// Opens a file.
  ///
  /// - Throws: `input-output` if it cannot be opened, or is a directory.
  public init(path: String) throws(ArchiveError) {
    // What has no descriptor yet has no deinitialization, so that nothing is closed twice.
    descriptor = try Self.open(path)
  }

  private static func open(_ path: String) throws(ArchiveError) -> Int32 {
    let descriptor = unsafe systemOpen(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error("opening", code: errno) }
    var status = stat()
    let code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
    guard code == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw error("opening", code: code == 0 ? EISDIR : code)
    }
    return descriptor
  }

  deinit {
    close(descriptor)
  }

  static func error(_ action: String, code: Int32) -> ArchiveError {
    let words = unsafe String(cString: strerror(code))
    return ArchiveError(FormatError(.inputOutput, at: nil, "\(action) the file", found: .text(words.lowercased())))
  }

  /// The length of the file now; 0 for what is no file, such as a pipe, of which some systems say how much is waiting in it.
  public func byteCount() throws(ArchiveError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error("examining", code: errno) }
    return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
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
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
  unsafe open(path, flags)
}

@unsafe
private func systemRead(_ descriptor: Int32, _ address: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, address, count)
}
