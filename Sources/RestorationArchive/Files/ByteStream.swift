#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Byte streams that are read to their end, such as standard input or a pipe.
package enum ByteStream {
  /// Returns the kind of file at `path`, following links; nil if there is none.
  package static func kind(ofPath path: String) -> FileKind? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? FileKind(mode: UInt32(status.st_mode)) : nil
  }

  /// The kind of file that standard input is; nil if it is closed.
  package static var kindOfStandardInput: FileKind? {
    var status = stat()
    return unsafe fstat(STDIN_FILENO, &status) == 0 ? FileKind(mode: UInt32(status.st_mode)) : nil
  }

  /// The identity of a file, whatever its names: its device, and its number there.
  package struct Identity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// Finds the file at `path`, following links; nil if there is none.
    package init?(ofPath path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    /// The file that is standard input.
    package static var ofStandardInput: Identity? {
      var status = stat()
      return unsafe fstat(STDIN_FILENO, &status) == 0 ? Identity(status) : nil
    }

    private init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// Reads standard input to its end.
  ///
  /// - Throws: `input-output`, also for more than `limit` bytes.
  package static func readStandardInput(atMost limit: Int) throws(ArchiveError) -> [UInt8] {
    try readAll(STDIN_FILENO, atMost: limit)
  }

  /// Opens a pipe, waits for its writer, and reads it to its end.
  ///
  /// - Throws: `input-output`, also for more than `limit` bytes.
  package static func readAll(path: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
    let descriptor = unsafe systemOpen(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw FileByteSource.error("opening", code: errno) }
    defer { close(descriptor) }
    return try readAll(descriptor, atMost: limit)
  }

  private static func readAll(_ descriptor: Int32, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let result = unsafe chunk.withUnsafeMutableBytes { buffer in
        guard let address = buffer.baseAddress else { return 0 }
        return unsafe systemRead(descriptor, address, buffer.count)
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw FileByteSource.error("reading", code: errno) }
      if result == 0 { return bytes }
      guard result <= limit - bytes.count else { throw FileByteSource.error("reading", "is longer than \(limit) bytes") }
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
