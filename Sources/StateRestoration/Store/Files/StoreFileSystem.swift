/// The calls that the store makes to the system, one for each that can fail.
///
/// Tests put a system in its place of which every call can be made to fail, and which forgets what was not flushed.
package protocol StoreFileSystem: Sendable {
  /// Makes a folder that only its owner can look into; one that exists is fine.
  func makeFolder(_ path: String) throws(FileSystemError)
  /// The names of the files in a folder, in any order.
  func names(in folder: String) throws(FileSystemError) -> [String]
  /// Opens a file; never follows a symbolic link for writing.
  func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile
  /// The length of an open file.
  func length(of file: OpenFile) throws(FileSystemError) -> Int
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
  /// Locks an open file for this process, until it is closed or the process ends; returns false if another holds it.
  func lock(_ file: OpenFile) throws(FileSystemError) -> Bool
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
