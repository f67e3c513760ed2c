/// The open file in which a launch notes how far it has come.
final class Breadcrumb: Sendable {
  static let fileName = "breadcrumb"

  private let folder: StoreFolder
  private let file: OpenFile

  /// Opens the file; it is made if need be.
  init(in folder: StoreFolder) throws(FileSystemError) {
    self.folder = folder
    file = try folder.open(Self.fileName, .update)
  }

  deinit {
    folder.system.close(file)
  }

  /// What the process before has left; nil if there was none, or if it cannot be read.
  func read() -> BreadcrumbRecord? {
    let bytes = try? folder.again { () throws(FileSystemError) in
      try folder.system.read(file, at: 0, count: BreadcrumbRecord.mostBytes)
    }
    return bytes.flatMap { BreadcrumbRecord($0) }
  }

  /// Writes a record over the one before.
  func write(_ record: BreadcrumbRecord) throws(FileSystemError) {
    try folder.write(record.encoded, to: file, at: 0)
  }

  /// Makes the record survive the machine too.
  func flush() throws(FileSystemError) {
    try folder.again { () throws(FileSystemError) in try folder.system.flush(file) }
  }
}
