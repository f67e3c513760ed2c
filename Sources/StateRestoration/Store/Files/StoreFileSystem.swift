package import RestorationArchive
import SystemLibrary

/// The system calls of a store that can fail.
///
/// Tests substitute an implementation whose calls can be made to fail, and which loses data that was not flushed.
package protocol StoreFileSystem: Sendable {
  /// Creates a folder accessible to its owner only, if it does not exist.
  ///
  /// Its name is durable only after the parent folder is flushed.
  func makeFolder(_ path: String) throws(FileSystemError)
  /// Returns the names of the files in a folder, in any order.
  func names(in folder: String) throws(FileSystemError) -> [String]
  /// Opens a file; never follows a symbolic link, and never blocks on a pipe.
  func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile
  /// Returns the status of an open file.
  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus
  /// Returns the status of the file at a path, without following a symbolic link.
  func status(at path: String) throws(FileSystemError) -> FileStatus
  /// Reads up to `count` bytes at an offset; none at the end of the file.
  func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileSystemError) -> [UInt8]
  /// Writes bytes at an offset and returns the number written, at least one.
  func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileSystemError) -> Int
  /// Flushes the content of a file to disk.
  func flush(_ file: OpenFile) throws(FileSystemError)
  /// Closes a file.
  func close(_ file: OpenFile)
  /// Renames a file atomically, replacing any file with the new name.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)
  /// Removes a file.
  func remove(_ path: String) throws(FileSystemError)
  /// Flushes the names in a folder to disk.
  func flushFolder(_ path: String) throws(FileSystemError)
  /// Flushes all files and names of the system; cannot fail.
  func flushEverything()
  /// Locks an open file for this process until it is closed or the process ends; returns false if another process holds
  /// it.
  func lock(_ file: OpenFile) throws(FileSystemError) -> Bool
  /// Maps the first page of an open file into memory; nil where a store to it could fail or cost more than itself.
  func sharedPage(of file: OpenFile) -> MappedPage?
  /// Returns what changes with the names in a folder; nil where two states of the folder could have the same version.
  func version(ofFolder path: String) -> FolderVersion?
}

/// A state of the names in a folder: as long as it is the same, listing the folder gives the same names.
package struct FolderVersion: Sendable, Hashable {
  let identity: FileIdentity
  let seconds: Int
  let nanoseconds: Int
}

/// The status of a file.
package struct FileStatus: Sendable {
  /// The kind of the file.
  package let kind: FileKind
  /// The length in bytes of a regular file.
  package let byteCount: Int
  /// The identity of the file.
  package let identity: FileIdentity

  /// Creates a status.
  package init(kind: FileKind, byteCount: Int, identity: FileIdentity) {
    (self.kind, self.byteCount, self.identity) = (kind, byteCount, identity)
  }
}

/// The mode in which a file is opened.
package enum FileAccess: Sendable {
  /// Reading an existing file.
  case read
  /// Writing a new file; the name must not exist.
  case create
  /// Reading and writing a file, created if missing.
  case update
}

/// An open file.
package struct OpenFile: Sendable, Hashable {
  /// The file descriptor.
  package let descriptor: Int32
  /// The path that was opened, for error messages.
  package let path: String

  /// Creates a value from an open descriptor.
  package init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}

/// The file system of this machine.
package struct SystemFileSystem: StoreFileSystem {
  /// Whether pages of files may be mapped into memory.
  private let mapsPages: Bool

  /// Creates a value.
  package init(mapsPages: Bool = true) {
    self.mapsPages = mapsPages
  }

  package func makeFolder(_ path: String) throws(FileSystemError) {
    if unsafe mkdir(path, 0o700) == 0 { return }
    let code = errno
    guard code == EEXIST, Self.isFolder(path) else { throw FileSystemError(.makeFolder, code: code, path: path) }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package func names(in folder: String) throws(FileSystemError) -> [String] {
    guard let stream = unsafe opendir(folder) else { throw FileSystemError(.list, code: errno, path: folder) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // Distinguishes the end of the folder from a failure; both return nil.
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      // Not copied: an entry is only as long as its name, so copying the whole array could read out of bounds.
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw FileSystemError(.list, code: errno, path: folder) }
    return names
  }

  package func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile {
    let flags =
      switch access {
      case .read: O_RDONLY | O_NOFOLLOW
      case .create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      case .update: O_RDWR | O_CREAT | O_NOFOLLOW
      }
    // The path may be any kind of file: do not block on a pipe, and do not acquire a controlling terminal.
    let descriptor = unsafe systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw FileSystemError(.open, code: errno, path: path) }
    return OpenFile(descriptor: descriptor, path: path)
  }

  package func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(file.descriptor, &status) == 0 else { throw FileSystemError(.examine, code: errno, path: file.path) }
    return Self.fileStatus(status)
  }

  package func status(at path: String) throws(FileSystemError) -> FileStatus {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw FileSystemError(.examine, code: errno, path: path) }
    return Self.fileStatus(status)
  }

  private static func fileStatus(_ status: stat) -> FileStatus {
    FileStatus(
      kind: FileKind(mode: UInt32(status.st_mode)), byteCount: Int(clamping: status.st_size),
      identity: FileIdentity(device: status.st_dev, number: status.st_ino))
  }

  package func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileSystemError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      guard let address = buffer.baseAddress else { return }
      let result = unsafe pread(file.descriptor, address, count, off_t(offset))
      if result < 0 { code = errno } else { filled = result }
    }
    guard code == 0 else { throw FileSystemError(.read, code: code, path: file.path) }
    return bytes
  }

  package func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileSystemError) -> Int {
    // The system ends a process that writes beyond its limit on the size of files.
    guard offset < Self.maximumFileLength || bytes.isEmpty else { throw FileSystemError(.write, code: EFBIG, path: file.path) }
    // Some systems refuse to write more than two gigabytes at once.
    let result = unsafe bytes.prefix(1 << 30).withUnsafeBytes { unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    guard result > 0 || bytes.isEmpty else {
      throw FileSystemError(.write, code: result == 0 ? ENOSPC : errno, path: file.path)
    }
    return result
  }

  /// The limit of this process on the size of files.
  private static var maximumFileLength: UInt64 {
    var limit = rlimit()
    #if canImport(Glibc)
      let result = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      let result = unsafe getrlimit(RLIMIT_FSIZE, &limit)
    #endif
    return result == 0 ? UInt64(limit.rlim_cur) : .max
  }

  package func flush(_ file: OpenFile) throws(FileSystemError) {
    let code = DiskFlush.flush(file.descriptor)
    guard code == 0 else { throw FileSystemError(.flush, code: code, path: file.path) }
  }

  package func close(_ file: OpenFile) {
    // A child process shares the descriptor between fork and exec; unlocking explicitly does not wait for that.
    _ = flock(file.descriptor, LOCK_UN)
    _ = systemClose(file.descriptor)
  }

  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    guard unsafe systemRename(path, newPath) == 0 else { throw FileSystemError(.rename, code: errno, path: path) }
  }

  package func remove(_ path: String) throws(FileSystemError) {
    guard unsafe unlink(path) == 0 else { throw FileSystemError(.remove, code: errno, path: path) }
  }

  package func flushFolder(_ path: String) throws(FileSystemError) {
    let descriptor = unsafe systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw FileSystemError(.flushFolder, code: errno, path: path) }
    defer { _ = systemClose(descriptor) }
    let code = DiskFlush.flush(descriptor)
    guard code == 0 else { throw FileSystemError(.flushFolder, code: code, path: path) }
  }

  package func flushEverything() {
    sync()
  }

  package func lock(_ file: OpenFile) throws(FileSystemError) -> Bool {
    if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw FileSystemError(.lock, code: errno, path: file.path)
  }

  package func version(ofFolder path: String) -> FolderVersion? {
    var (status, now) = (stat(), timespec())
    // Of the folder itself, if the path is that of a link to it.
    guard unsafe stat(path, &status) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    // The time of a change is that of the last tick of the system, or of a file system that counts in steps of up to two seconds:
    // two changes can have the same until the next one.
    let age = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - .seconds(changed.tv_sec) - .nanoseconds(changed.tv_nsec)
    guard age > (changed.tv_nsec == 0 ? .milliseconds(2500) : .milliseconds(50)) else { return nil }
    return FolderVersion(identity: Self.fileStatus(status).identity, seconds: changed.tv_sec, nanoseconds: changed.tv_nsec)
  }

  package func sharedPage(of file: OpenFile) -> MappedPage? {
    mapsPages && overwritesInPlace(file) ? MappedPage(of: file.descriptor) : nil
  }

  /// Whether the file system is known to be local and to write a page again where it is.
  ///
  /// One that copies on write may need space for that, and a store to a mapped page ends the process if there is none.
  private func overwritesInPlace(_ file: OpenFile) -> Bool {
    #if canImport(Darwin)
      var status = statfs()
      guard unsafe fstatfs(file.descriptor, &status) == 0 else { return false }
      let name = unsafe withUnsafeBytes(of: &status.f_fstypename) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return name == "hfs"
    #else
      var status = stat()
      guard unsafe fstat(file.descriptor, &status) == 0 else { return false }
      let device = UInt64(truncatingIfNeeded: status.st_dev)
      let (major, minor) = (device >> 8 & 0xFFF | device >> 32 & ~0xFFF, device & 0xFF | device >> 12 & ~0xFF)
      // A line such as "22 1 8:1 / /home rw - ext4 /dev/sda1 rw". A device that is in no line is that of a part of a mount.
      for line in mounts.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count > 3, words[2] == "\(major):\(minor)", let dash = words.firstIndex(of: "-"), dash + 1 < words.count else {
          continue
        }
        return ["ext2", "ext3", "ext4", "tmpfs"].contains(words[dash + 1])
      }
      return false
    #endif
  }

  #if !canImport(Darwin)
    private var mounts: String {
      guard let file = try? open("/proc/self/mountinfo", .read) else { return "" }
      defer { close(file) }
      var bytes: [UInt8] = []
      while bytes.count < 1 << 20, let part = try? read(file, at: bytes.count, count: 1 << 16), !part.isEmpty { bytes += part }
      return String(decoding: bytes, as: UTF8.self)
    }
  #endif
}

// Inside the type above, its methods shadow the system functions of the same names.

@unsafe private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
@unsafe private func systemRename(_ path: String, _ newPath: String) -> Int32 { unsafe rename(path, newPath) }
