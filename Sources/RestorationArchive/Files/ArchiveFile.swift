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
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes a whole file so that at every moment there is the old one or the new one, never less.
///
///     try ArchiveFile.write(writer.finish(), to: "notes.rsta", replacement: .allowed)
///
/// The bytes go into a temporary file beside the target, are flushed to the disk, and take the target's name in one step; then the folder
/// is flushed. Whoever reads meanwhile sees one of the two files whole, also after a loss of power.
public enum ArchiveFile {
  /// What stood at the path before.
  public enum Replacement: Sendable {
    /// A file may stand there; it is replaced, and its permissions are kept.
    case allowed
    /// If anything stands there, it stays, and nothing is written.
    case refused
  }

  /// Writes a file.
  ///
  /// A new file is readable by its owner alone, because an archive holds what a user was doing. A symbolic link at the path is replaced
  /// itself, not what it leads to.
  ///
  /// - Throws: `input-output`, also if a file stands there and `replacement` is `refused`. The target is then as it was.
  public static func write(_ bytes: [UInt8], to path: String, replacement: Replacement) throws(ArchiveError) {
    try write(contents: bytes, to: path, replacement: replacement)
  }

  /// Writes a file as ``write(_:to:replacement:)-([UInt8],_,_)`` does, of bytes as a writer returns them.
  ///
  /// - Throws: `input-output`, also if a file stands there and `replacement` is `refused`. The target is then as it was.
  public static func write(_ data: Data, to path: String, replacement: Replacement) throws(ArchiveError) {
    try write(contents: data, to: path, replacement: replacement)
  }

  private static func write(contents: some ContiguousBytes, to path: String, replacement: Replacement) throws(ArchiveError) {
    // Saves the work, and names the reason; the step that counts is `publish`.
    if replacement == .refused, unsafe access(path, F_OK) == 0 { throw FileByteSource.error("creating", code: EEXIST) }
    let temporary = try TemporaryFile(beside: path, mode: existingMode(of: path) ?? 0o600)
    do throws(ArchiveError) {
      try temporary.write(contents)
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
      // A link is made only if the name is free, whoever else tries at the same moment.
      guard unsafe link(temporary, path) == 0 else { throw FileByteSource.error("creating", code: errno) }
      _ = unsafe unlink(temporary)
    }
  }

  /// Makes the new name last.
  ///
  /// A file system that cannot flush a folder (it says so) has done what it can.
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

  /// The folder that a path names a file in.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
