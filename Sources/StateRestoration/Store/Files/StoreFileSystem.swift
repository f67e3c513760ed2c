package import RestorationArchive

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
  let identity: FileStatus.Identity
  let seconds: Int
  let nanoseconds: Int
}

/// The status of a file.
package struct FileStatus: Sendable {
  /// The identity of a file, unique among all files that exist at the same time, whatever their names.
  package struct Identity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Creates an identity from the device number and the file number.
    package init(device: UInt64, number: UInt64) {
      self.device = device
      self.number = number
    }
  }

  /// The kind of the file.
  package let kind: FileKind
  /// The length in bytes of a regular file.
  package let byteCount: Int
  /// The identity of the file.
  package let identity: Identity

  /// Creates a status.
  package init(kind: FileKind, byteCount: Int, identity: Identity) {
    self.kind = kind
    self.byteCount = byteCount
    self.identity = identity
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
