import Foundation

/// An entry in a store's folder that is not a file of a store.
enum HostileEntry: String, CaseIterable, Sendable {
  case emptyFile, text, folder, pipe, linkToEndlessDevice, linkToFolder, linkToNothing, linkToPipe, linkToFile
  case sparseFile, archiveWithSparseTail, unreadableFile

  /// 900 GB, which takes no space on disk.
  private static let farAway: UInt64 = 900_000_000_000

  /// Creates the entry at a path, replacing an existing one.
  func put(at path: String, archive: [UInt8]) throws {
    let files = FileManager.default
    if (try? files.attributesOfItem(atPath: path)) != nil { try files.removeItem(atPath: path) }
    switch self {
    case .emptyFile: try Data().write(to: URL(fileURLWithPath: path))
    case .text: try Data("Dear diary,\n".utf8).write(to: URL(fileURLWithPath: path))
    case .folder:
      try files.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
      try Data("kept".utf8).write(to: URL(fileURLWithPath: path + "/inside/file"))
    case .pipe: try Self.makePipe(path)
    case .linkToEndlessDevice: try files.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    case .linkToFolder: try files.createSymbolicLink(atPath: path, withDestinationPath: "/")
    case .linkToNothing: try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".nothing")
    case .linkToPipe:
      try Self.makePipe(path + ".pipe")
      try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".pipe")
    case .linkToFile:
      try Data(archive).write(to: URL(fileURLWithPath: path + ".file"))
      try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".file")
    case .sparseFile: try Self.makeSparse(path, [])
    case .archiveWithSparseTail: try Self.makeSparse(path, archive)
    case .unreadableFile:
      try Data("Dear diary,\n".utf8).write(to: URL(fileURLWithPath: path))
      try files.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    }
  }

  static func makePipe(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  static func makeSparse(_ path: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: farAway)
    try file.close()
  }
}
