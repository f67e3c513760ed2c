#if !os(Windows) && !os(WASI) && !NO_FILES
  import ArchiveFormat
  import SystemLibrary

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
      // If this throws, it has closed the descriptor. `deinit` does not run then, so the descriptor is not closed twice.
      descriptor = try Self.descriptor(ofPath: path)
    }

    private static func descriptor(ofPath path: String) throws(ArchiveError) -> Int32 {
      // Without `O_NONBLOCK`, opening a pipe waits for its other end.
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      let code = errno
      // A socket cannot be opened at all.
      let status = descriptor >= 0 ? stat(of: descriptor) : code == ENXIO ? stat(ofPath: path) : nil
      if descriptor >= 0, status?.kind == .file { return descriptor }
      let failure = status.map { error("opening", "is \($0.kind.words)") } ?? error("opening", code: descriptor >= 0 ? errno : code)
      if descriptor >= 0 { close(descriptor) }
      throw failure
    }

    deinit {
      close(descriptor)
    }

    static func error(_ action: String, code: Int32) -> ArchiveError {
      error(action, unsafe String(cString: strerror(code)).lowercased())
    }

    /// Creates an error about a file, in words.
    package static func error(_ action: String, _ words: String) -> ArchiveError {
      ArchiveError(.inputOutput, "\(action) the file", found: .text(words))
    }

    /// Returns the current length of the file.
    package func byteCount() throws(ArchiveError) -> Int {
      guard let status = stat(of: descriptor) else { throw Self.error("examining", code: errno) }
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
    package static let maximumByteCount = Int(clamping: FormatLimits.longestFile)

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
      guard let status = stat(ofPath: path), status.kind == .file || status.kind == .folder else { return nil }
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

  extension stat {
    /// Looks at the file at `path`, following links; nil if there is none.
    fileprivate init?(ofPath path: String) {
      self.init()
      if unsafe stat(path, &self) != 0 { return nil }
    }

    /// Looks at an open file; nil if that fails.
    fileprivate init?(of descriptor: Int32) {
      self.init()
      if unsafe fstat(descriptor, &self) != 0 { return nil }
    }

    fileprivate var kind: FileKind { FileKind(mode: UInt32(st_mode)) }
  }

  /// The kind of a directory entry.
  package enum FileKind: String, Sendable, CaseIterable {
    /// A regular file.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case link
    /// A named pipe.
    case pipe
    /// A device, such as a terminal.
    case device
    /// A socket, or a kind unknown to this package.
    case other

    /// Creates a kind from the system's file mode.
    package init(mode: UInt32) {
      // The type of a mode differs between systems.
      self =
        switch mode_t(truncatingIfNeeded: mode) & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        case S_IFIFO: .pipe
        case S_IFCHR, S_IFBLK: .device
        default: .other
        }
    }

    /// The kind as a noun with its article, for messages.
    package var words: String {
      switch self {
      case .file: "a file"
      case .folder: "a directory"
      case .link: "a symbolic link"
      case .pipe: "a pipe"
      case .device: "a device"
      case .other: "a socket or another special file"
      }
    }
  }

  /// The identity of a file, unique among all files that exist at the same time, whatever their names: its device, and its
  /// number there.
  package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Creates an identity from the device number and the file number.
    package init(device: some BinaryInteger, number: some BinaryInteger) {
      self.device = UInt64(truncatingIfNeeded: device)
      self.number = UInt64(truncatingIfNeeded: number)
    }

    /// Finds the file at `path`, following links; nil if there is none.
    package init?(ofPath path: String) {
      guard let status = stat(ofPath: path) else { return nil }
      self.init(device: status.st_dev, number: status.st_ino)
    }

    /// The file that is standard input.
    package static var ofStandardInput: FileIdentity? {
      stat(of: STDIN_FILENO).map { FileIdentity(device: $0.st_dev, number: $0.st_ino) }
    }
  }

  /// Byte streams that are read to their end, such as standard input or a pipe.
  package enum ByteStream {
    /// Returns the kind of file at `path`, following links; nil if there is none.
    package static func kind(ofPath path: String) -> FileKind? {
      stat(ofPath: path)?.kind
    }

    /// The kind of file that standard input is; nil if it is closed.
    package static var kindOfStandardInput: FileKind? { stat(of: STDIN_FILENO)?.kind }

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
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
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
          return unsafe read(descriptor, address, buffer.count)
        }
        if result < 0, errno == EINTR { continue }
        if result < 0, errno == EAGAIN {
          waitUntilReady(descriptor, for: POLLIN)
          continue
        }
        guard result >= 0 else { throw FileByteSource.error("reading", code: errno) }
        if result == 0 { return bytes }
        guard result <= limit - bytes.count else { throw FileByteSource.error("reading", "is longer than \(limit) bytes") }
        bytes += chunk[..<result]
      }
    }
  }
#endif
