#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// Atomic, durable file writes: at any moment, the path holds either the old file or the new one.
///
///     try ArchiveFile.write(writer.finish(), to: "notes.rsta", replacement: .allowed)
///
/// The bytes are written to a temporary file in the same folder and flushed to disk. The file then takes the name of
/// the target in one step, and the folder is flushed. Concurrent readers, and readers after a loss of power, see one of
/// the two files in full.
public enum ArchiveFile {
  /// The treatment of an existing file.
  public enum Replacement: Sendable {
    /// Replaces an existing file and keeps its permissions.
    case allowed
    /// Fails if the path exists, and writes nothing.
    case refused
  }

  /// Writes a file.
  ///
  /// A new file is readable only by its owner, because an archive describes what a user was doing. A symbolic link at
  /// the path is itself replaced, not its target.
  ///
  /// - Throws: `input-output`, also if the file exists and `replacement` is `refused`. An existing file is then
  ///   unchanged, unless only flushing the folder failed.
  public static func write(_ bytes: [UInt8], to path: String, replacement: Replacement) throws(ArchiveError) {
    try write(contents: bytes, to: path, replacement: replacement)
  }

  /// Writes a file like ``write(_:to:replacement:)-([UInt8],_,_)``, from the bytes that a writer returns.
  ///
  /// - Throws: `input-output`, also if the file exists and `replacement` is `refused`. An existing file is then
  ///   unchanged, unless only flushing the folder failed.
  public static func write(_ data: Data, to path: String, replacement: Replacement) throws(ArchiveError) {
    try write(contents: data, to: path, replacement: replacement)
  }

  /// Writes a file like ``write(_:to:replacement:)-([UInt8],_,_)``, piece by piece: `pieces` receives a function that
  /// appends text to the file.
  ///
  /// - Throws: `input-output`, as for whole files; the error of `pieces`. An existing file is then unchanged, unless
  ///   only flushing the folder failed.
  package static func write(
    to path: String, replacement: Replacement, pieces: ((String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    try write(to: path, replacement: replacement) { temporary throws(ArchiveError) in
      try pieces { piece throws(ArchiveError) in try temporary.write(Array(piece.utf8)) }
    }
  }

  private static func write(contents: some ContiguousBytes, to path: String, replacement: Replacement) throws(ArchiveError) {
    try write(to: path, replacement: replacement) { temporary throws(ArchiveError) in try temporary.write(contents) }
  }

  private static func write(
    to path: String, replacement: Replacement, _ body: (borrowing TemporaryFile) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    // An early check that saves work and gives a clear error; `publish` makes the decision.
    if replacement == .refused, unsafe access(path, F_OK) == 0 { throw FileByteSource.error("creating", code: EEXIST) }
    let temporary = try TemporaryFile(beside: path, mode: existingMode(of: path) ?? 0o600)
    do throws(ArchiveError) {
      try body(temporary)
      try temporary.flush()
      try publish(temporary.path, as: path, replacement)
    } catch {
      _ = unsafe unlink(temporary.path)
      throw error
    }
    try flushFolder(of: path)
  }

  private static func existingMode(of path: String) -> mode_t? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.st_mode & 0o777
  }

  private static func publish(_ temporary: String, as path: String, _ replacement: Replacement) throws(ArchiveError) {
    switch replacement {
    case .allowed:
      guard unsafe rename(temporary, path) == 0 else { throw FileByteSource.error("replacing", code: errno) }
    case .refused:
      // `link` fails if the name exists, even when other processes race for it.
      guard unsafe link(temporary, path) == 0 else { throw FileByteSource.error("creating", code: errno) }
      _ = unsafe unlink(temporary)
    }
  }

  /// Makes the new name durable.
  ///
  /// File systems that report that they cannot flush a folder have done all they can.
  private static func flushFolder(of path: String) throws(ArchiveError) {
    let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileByteSource.error("opening the folder of", code: errno) }
    defer { close(descriptor) }
    var code = EINTR
    while code == EINTR { code = DiskFlush.flush(descriptor) }
    guard code == 0 || code == EINVAL || code == ENOTSUP || code == ENOSYS else {
      throw FileByteSource.error("flushing the folder of", code: code)
    }
  }

  /// Returns the folder of the file at `path`.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension ArchiveReader {
  /// Opens an archive in a file, which stays open while the reader is in use.
  ///
  /// The file may be truncated, overwritten or replaced meanwhile: each read gives the content as of opening, or
  /// throws.
  ///
  /// - Throws: `input-output` if the file cannot be read, or is a pipe, device or directory; otherwise an error for a
  ///   fault in the prefix or metadata.
  public init(contentsOfFile path: String, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(from: FileByteSource(path: path), limits: limits)
  }
}
