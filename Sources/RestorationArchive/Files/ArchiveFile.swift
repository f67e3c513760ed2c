#if !os(Windows) && !os(WASI) && !NO_FILES
  import ArchiveFormat
  public import FoundationValues
  import SystemLibrary

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
    public static func write(_ bytes: some ContiguousBytes, to path: String, replacement: Replacement) throws(ArchiveError) {
      try write(to: path, replacement: replacement) { temporary throws(ArchiveError) in try temporary.append(bytes) }
    }

    /// Writes a file like ``write(_:to:replacement:)``, piece by piece: `pieces` receives a function that appends text to
    /// the file.
    ///
    /// - Throws: `input-output`, as for whole files; the error of `pieces`. An existing file is then unchanged, unless
    ///   only flushing the folder failed.
    package static func write(
      to path: String, replacement: Replacement, pieces: ((String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
      try write(to: path, replacement: replacement) { temporary throws(ArchiveError) in
        try pieces { piece throws(ArchiveError) in try temporary.append(Array(piece.utf8)) }
      }
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
      if replacement == .refused { return try publish(temporary, asNew: path) }
      guard unsafe rename(temporary, path) == 0 else { throw FileByteSource.error("replacing", code: errno) }
    }

    /// Gives a whole file its name, unless that exists, even when other processes race for it.
    ///
    /// On a file system without hard links, such as FAT, an empty file takes the name, and the whole one replaces it. Others may see
    /// the empty one, and a kill between the two steps leaves it; what another process puts there in between is replaced.
    ///
    /// - Parameters:
    ///   - temporary: The path of the file, which is then absent.
    ///   - path: The path that the file gets.
    ///   - linking: The system's call, which gives a file a second name, and returns 0 or the system's error number.
    /// - Throws: `input-output`, also if the name exists.
    package static func publish(
      _ temporary: String, asNew path: String, linking: (String, String) -> Int32 = { unsafe link($0, $1) == 0 ? 0 : errno }
    ) throws(ArchiveError) {
      let code = linking(temporary, path)
      if code == 0 {
        _ = unsafe unlink(temporary)
        return
      }
      let claim = code == EEXIST ? -1 : unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard claim >= 0 else { throw FileByteSource.error("creating", code: code == EEXIST ? code : errno) }
      close(claim)
      guard unsafe rename(temporary, path) == 0 else {
        let code = errno
        _ = unsafe unlink(path)
        throw FileByteSource.error("creating", code: code)
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
    package static func folder(of path: String) -> String {
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

    /// Opens an archive in a file for inspection, like one in memory; the file is read on demand.
    ///
    /// - Throws: `input-output`, also if the path is not a regular file; the reason, if no part of the archive can be read.
    public init(inspectingFile path: String) throws(ArchiveError) { try self.init(inspecting: FileByteSource(path: path)) }
  }

  /// A new, uniquely named file in the folder of the file that it will replace.
  struct TemporaryFile: ~Copyable {
    /// The path of the temporary file.
    let path: String
    private let descriptor: Int32

    /// Creates the file.
    init(beside target: String, mode: mode_t) throws(ArchiveError) {
      var failure = EEXIST
      for _ in 0..<100 {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let candidate = "\(ArchiveFile.folder(of: target))/.restoration-\(number).tmp"
        // Variadic arguments promote the mode to an int.
        let opened = unsafe open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if opened >= 0 {
          descriptor = opened
          path = candidate
          _ = fchmod(opened, mode)
          return
        }
        failure = errno
        if failure != EEXIST && failure != EINTR { break }
      }
      throw FileByteSource.error("creating", code: failure)
    }

    deinit {
      close(descriptor)
    }

    /// Appends bytes.
    borrowing func append(_ bytes: some ContiguousBytes) throws(ArchiveError) {
      var failure: Int32 = 0
      unsafe bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count, let base = buffer.baseAddress {
          // Some systems reject writes of more than two gigabytes.
          let result = unsafe write(descriptor, base + written, min(buffer.count - written, 1 << 30))
          if result > 0 {
            written += result
          } else if result == 0 || errno != EINTR {
            failure = result == 0 ? ENOSPC : errno
            return
          }
        }
      }
      guard failure == 0 else { throw FileByteSource.error("writing", code: failure) }
    }

    /// Makes the content durable.
    borrowing func flush() throws(ArchiveError) {
      var code = EINTR
      while code == EINTR { code = DiskFlush.flush(descriptor) }
      guard code == 0 else { throw FileByteSource.error("flushing", code: code) }
    }
  }

  /// The system call that makes written data survive a loss of power.
  package enum DiskFlush {
    /// Makes the content of an open file, or the names in an open folder, durable.
    ///
    /// On Apple's systems, `fsync` hands the bytes to the drive, which may cache them and write them in any order.
    /// `F_FULLFSYNC` makes the drive write them. Some file systems, mostly on networks, refuse it and offer only `fsync`.
    ///
    /// - Returns: 0, or the system's error number.
    package static func flush(_ descriptor: Int32) -> Int32 {
      #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        // A failing or full drive is not a refusal: `fsync` might succeed there although nothing is on disk.
        let failures = [EINTR, EIO, ENXIO, ENOSPC, EDQUOT, EROFS, EBADF]
        if failures.contains(errno) { return errno }
      #endif
      return fsync(descriptor) == 0 ? 0 : errno
    }
  }

  /// An app's own cryptography around whole archives (Spec §11).
  ///
  /// The checksums of an archive detect accidents only: an attacker with write access can recompute them. An app that
  /// must authenticate or encrypt its archives conforms a type to this protocol, and uses it at the one place where
  /// archives leave and enter the app:
  ///
  ///     try seal.seal(writer.finish()).write(to: file)
  ///     let archive = try ArchiveReader(sealed: Data(contentsOf: file), by: seal)
  ///
  /// Use authenticated encryption or a message authentication code over all bytes, with a key that is unavailable to
  /// anyone with write access to the file. A sealed file is opened as a whole, so nothing is read on demand. A seal does
  /// not detect replay of an old file: if that matters, bind it to a counter stored elsewhere.
  public protocol ArchiveSeal {
    /// Seals an archive.
    func seal(_ archive: Data) throws -> Data
    /// Opens the result of ``seal(_:)``, and throws if it has been changed in any way.
    func open(_ sealed: Data) throws -> Data
  }

  extension ArchiveReader {
    /// Opens a sealed archive.
    ///
    /// - Throws: The seal's error, or one for a fault in the prefix or metadata.
    public init(sealed: Data, by seal: some ArchiveSeal, limits: ReaderLimits = .standard) throws {
      try self.init(seal.open(sealed), limits: limits)
    }
  }
#endif
