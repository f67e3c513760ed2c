/// The open file in which a launch notes how far it has come.
///
/// One page has the record of the launch, and behind it lies what a handler of signals or of `exit` writes. The file has its full size from the
/// beginning, so that a full disk does not stop what is noted.
final class Breadcrumb: Sendable {
  static let fileName = "breadcrumb"
  private static let byteCount = ExitRecord.offset + ExitRecord.byteCount

  private let folder: StoreFolder
  let file: OpenFile

  /// Opens the file; it is made if need be.
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
    // Before another file can get its descriptor.
    if isOfSystem { ExitRecorder.end(file.descriptor) }
    folder.system.close(file)
  }

  /// Whether the file is one of this machine's, that handlers of signals can write to.
  var isOfSystem: Bool { folder.system is SystemFileSystem }

  /// What the process before has left; nil for what was not written, or cannot be read.
  func read() -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    Self.read(file, in: folder)
  }

  /// What the process before has left, for those who only look.
  static func read(in folder: StoreFolder) -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    guard let (file, _) = try? folder.open(fileName, .read) else { return (nil, nil) }
    defer { folder.system.close(file) }
    return read(file, in: folder)
  }

  private static func read(_ file: OpenFile, in folder: StoreFolder) -> (record: BreadcrumbRecord?, exit: ExitRecord?) {
    func read(_ offset: Int, _ count: Int) -> [UInt8] {
      (try? folder.again { () throws(FileSystemError) in try folder.system.read(file, at: offset, count: count) }) ?? []
    }
    return (BreadcrumbRecord(read(0, BreadcrumbRecord.mostBytes)), ExitRecord(read(ExitRecord.offset, ExitRecord.byteCount)))
  }

  /// Writes a record over the one before.
  func write(_ record: BreadcrumbRecord) throws(FileSystemError) {
    try folder.write(record.encoded, to: file, at: 0)
  }

  /// Removes what a handler of signals or of `exit` wrote.
  func clearExit() throws(FileSystemError) {
    try folder.write([UInt8](repeating: 0, count: ExitRecord.byteCount), to: file, at: ExitRecord.offset)
  }

  /// Makes the record survive the machine too.
  func flush() throws(FileSystemError) {
    try folder.again { () throws(FileSystemError) in try folder.system.flush(file) }
  }
}
