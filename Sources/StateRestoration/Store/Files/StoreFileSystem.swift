package import RestorationArchive

/// The calls that the store makes to the system, one for each that can fail.
///
/// Tests put a system in its place of which every call can be made to fail, and which forgets what was not flushed.
package protocol StoreFileSystem: Sendable {
  /// Makes a folder that only its owner can look into; one that exists is fine.
  ///
  /// Its name need not be on the disk before the folder above it was flushed.
  func makeFolder(_ path: String) throws(FileSystemError)
  /// The names of the files in a folder, in any order.
  func names(in folder: String) throws(FileSystemError) -> [String]
  /// Opens a file; never follows a symbolic link, and never waits for the other end of a pipe.
  func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile
  /// What an open file is.
  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus
  /// What stands at a path; a symbolic link is not followed.
  func status(at path: String) throws(FileSystemError) -> FileStatus
  /// Reads up to `count` bytes at an offset; none at the end.
  func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileSystemError) -> [UInt8]
  /// Writes bytes at an offset and returns how many were written, at least one.
  func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileSystemError) -> Int
  /// Makes the content of a file last.
  func flush(_ file: OpenFile) throws(FileSystemError)
  /// Closes a file.
  func close(_ file: OpenFile)
  /// Gives a file another name in one step; what had that name is gone.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)
  /// Removes a file.
  func remove(_ path: String) throws(FileSystemError)
  /// Makes the names in a folder last.
  func flushFolder(_ path: String) throws(FileSystemError)
  /// Makes all files and names last that the system has; it cannot fail.
  func flushEverything()
  /// Locks an open file for this process, until it is closed or the process ends; returns false if another holds it.
  func lock(_ file: OpenFile) throws(FileSystemError) -> Bool
}

/// What the system says of a file.
package struct FileStatus: Sendable {
  /// Tells a file from every other one that exists at the same time, whatever their names.
  package struct Identity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Makes one of the numbers of the device and of the file on it.
    package init(device: UInt64, number: UInt64) {
      self.device = device
      self.number = number
    }
  }

  /// Whether it is a file at all.
  package let kind: FileKind
  /// The number of bytes, if it is one.
  package let byteCount: Int
  /// Which file it is.
  package let identity: Identity

  /// Makes one of what the system says.
  package init(kind: FileKind, byteCount: Int, identity: Identity) {
    self.kind = kind
    self.byteCount = byteCount
    self.identity = identity
  }
}

/// What a file is opened for.
package enum FileAccess: Sendable {
  /// Reading a file that exists.
  case read
  /// Writing a file that must not exist.
  case create
  /// Reading and writing a file that is made if need be.
  case update
}

/// An open file.
package struct OpenFile: Sendable, Hashable {
  /// What the system calls it.
  package let descriptor: Int32
  /// The path by which it was opened, for errors.
  package let path: String

  /// Makes one of what the system gave.
  package init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }
}
