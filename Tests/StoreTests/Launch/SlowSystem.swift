import EngineKit

@testable import StateRestoration

/// The calls of a store on a disk that takes its time: each flush waits while the gate is closed.
final class SlowSystem: StoreFileSystem {
  let system: FaultySystem
  let gate = Gate()

  init(_ system: FaultySystem) { self.system = system }

  func flush(_ file: OpenFile) throws(FileSystemError) {
    gate.pass()
    try system.flush(file)
  }

  func flushFolder(_ path: String) throws(FileSystemError) {
    gate.pass()
    try system.flushFolder(path)
  }

  func flushEverything() {
    gate.pass()
    system.flushEverything()
  }

  func makeFolder(_ path: String) throws(FileSystemError) { try system.makeFolder(path) }
  func names(in folder: String) throws(FileSystemError) -> [String] { try system.names(in: folder) }
  func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile { try system.open(path, access) }
  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus { try system.status(of: file) }
  func status(at path: String) throws(FileSystemError) -> FileStatus { try system.status(at: path) }
  func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileSystemError) -> [UInt8] {
    try system.read(file, at: offset, count: count)
  }
  func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileSystemError) -> Int {
    try system.write(bytes, to: file, at: offset)
  }
  func close(_ file: OpenFile) { system.close(file) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try system.rename(path, to: newPath) }
  func remove(_ path: String) throws(FileSystemError) { try system.remove(path) }
  func lock(_ file: OpenFile) throws(FileSystemError) -> Bool { try system.lock(file) }
}
