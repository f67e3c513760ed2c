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

/// An open file from which an archive is read on demand.
///
/// The file stays open for the lifetime of the source. If it is truncated, overwritten or replaced meanwhile, a reader
/// gets the old content or an error. Pipes and devices are refused, because they have no length and may never end.
package final class FileByteSource: ArchiveByteSource {
  private let descriptor: Int32

  /// Opens a file without blocking.
  ///
  /// - Throws: `input-output` if the file cannot be opened, or is a directory, pipe or device.
  package init(path: String) throws(ArchiveError) {
    // If `open` throws, it has closed the descriptor. `deinit` does not run then, so the descriptor is not closed
    // twice.
    descriptor = try Self.open(path)
  }

  private static func open(_ path: String) throws(ArchiveError) -> Int32 {
    // Without `O_NONBLOCK`, opening a pipe waits for its other end.
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

  /// Creates an error about a file, in words.
  package static func error(_ action: String, _ words: String) -> ArchiveError {
    ArchiveError(FormatError(.inputOutput, at: nil, "\(action) the file", found: .text(words)))
  }

  /// Returns the current length of the file.
  package func byteCount() throws(ArchiveError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error("examining", code: errno) }
    return Int(clamping: status.st_size)
  }

  /// Reads the bytes at `range`, or fewer at the end of the file.
  package func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    var wanted = range.count
    // Memory is allocated only for bytes that exist. For small pieces, asking would cost more than it saves.
    if wanted > 1 << 20 { wanted = try min(wanted, max(byteCount() - range.lowerBound, 0)) }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      while count < wanted {
        guard let address = buffer.baseAddress else { return }
        // Some systems reject reads of more than two gigabytes.
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

  /// The default limit of ``readAll(atMost:)``: the maximum length of an archive (Spec §10).
  package static let maximumByteCount = Int(clamping: FileLayout.longestFile)

  /// Reads the whole file.
  ///
  /// - Parameter limit: The maximum length in bytes. A sparse file can be longer than the available memory.
  /// - Returns: The content of the file.
  /// - Throws: `input-output`, also if the file is longer than `limit`.
  package func readAll(atMost limit: Int = FileByteSource.maximumByteCount) throws(ArchiveError) -> [UInt8] {
    let count = try byteCount()
    guard count <= limit else { throw Self.error("reading", "is longer than \(limit) bytes") }
    return try read(0..<count)
  }
}

/// What tells whether a path leads to the same file or folder as before, with the same content.
package struct FileVersion: Equatable, Sendable {
  private let numbers: [Int64]

  /// Looks at a file or folder; nil if there is none, or if it is a pipe or device.
  package init?(ofPath path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    guard [FileKind.file, .folder].contains(FileKind(mode: UInt32(status.st_mode))) else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    numbers = [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size), Int64(time.tv_sec),
      Int64(time.tv_nsec),
    ]
  }
}

@unsafe
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
  unsafe open(path, flags)
}
