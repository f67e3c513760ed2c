import RestorationArchive

/// The open file in which a launch records its progress.
///
/// The first page contains the launch record; the record of a signal or `exit` handler follows it. The file has its
/// full size from the start, so that a full disk does not prevent writing.
final class Breadcrumb: Sendable {
  static let fileName = "breadcrumb"
  private static let byteCount = ExitRecord.offset + ExitRecord.byteCount

  private let folder: StoreFolder
  let file: OpenFile

  /// Opens the file, creating it if necessary.
  init(in folder: StoreFolder) throws(FileSystemError) {
    self.folder = folder
    let (file, status) = try folder.openOwn(Self.fileName)
    do throws(FileSystemError) {
      if status.byteCount < Self.byteCount {
        try folder.write([UInt8](repeating: 0, count: Self.byteCount - status.byteCount), to: file, at: status.byteCount)
      }
    } catch {
      folder.system.close(file)
      throw error
    }
    self.file = file
  }

  deinit {
    // Must precede the close, after which another file could get the same descriptor.
    if isOfSystem { ExitRecorder.end(file.descriptor) }
    folder.system.close(file)
  }

  /// Whether the file is on the real file system, so that signal handlers can write to it.
  var isOfSystem: Bool { folder.system is SystemFileSystem }

  /// Reads the records of the previous process; each is nil if missing or unreadable.
  func read() -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    Self.read(file, in: folder)
  }

  /// Reads the records of the previous process without opening the file for writing.
  static func read(in folder: StoreFolder) -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    guard let (file, _) = try? folder.open(fileName, .read) else { return (nil, nil) }
    defer { folder.system.close(file) }
    return read(file, in: folder)
  }

  private static func read(_ file: OpenFile, in folder: StoreFolder) -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    func read(_ offset: Int, _ count: Int) -> [UInt8] {
      (try? folder.again { () throws(FileSystemError) in try folder.system.read(file, at: offset, count: count) }) ?? []
    }
    return (BreadcrumbRecord(read(0, BreadcrumbRecord.maximumByteCount)), ExitRecord(read(ExitRecord.offset, ExitRecord.byteCount)))
  }

  /// Overwrites the launch record.
  func write(_ record: BreadcrumbRecord) throws(FileSystemError) {
    try folder.write(record.encoded, to: file, at: 0)
  }

  /// Clears the record of a signal or `exit` handler.
  func clearExit() throws(FileSystemError) {
    try folder.write([UInt8](repeating: 0, count: ExitRecord.byteCount), to: file, at: ExitRecord.offset)
  }

  /// Flushes the record to disk, so that it survives a system crash too.
  func flush() throws(FileSystemError) {
    try folder.again { () throws(FileSystemError) in try folder.system.flush(file) }
  }
}

/// An observer that records in a store, before each call into the app, which node is being restored.
final class BreadcrumbObserver: RestorationObserver {
  private let store: RestorationStore
  private let generation: Generation
  /// The app's own observer.
  private let next: (any RestorationObserver)?

  init(store: RestorationStore, generation: Generation, next: (any RestorationObserver)? = nil) {
    self.store = store
    self.generation = generation
    self.next = next
  }

  /// Records the call with one write of about a hundred bytes and the path.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath) {
    store.note(phase, path: path, in: generation)
    next?.restorationWillCall(phase, path: path)
  }
}
