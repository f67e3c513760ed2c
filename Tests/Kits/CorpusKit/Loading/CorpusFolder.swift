#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files under one folder of the disk, by their paths below it.
struct CorpusFolder: Sendable {
  /// The folder on disk.
  let root: String

  /// `Corpus` in the package that this source file belongs to.
  static let standard = CorpusFolder(root: #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined() + "/Corpus")

  /// The paths of all files, at any depth, in ascending order of their bytes.
  func paths() -> [String] {
    var found: [String] = []
    collect("", into: &found)
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The bytes of a file, or nil if there is none.
  func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: root + "/" + path).map { [UInt8]($0) }
  }

  /// The text of a file, or nil if there is none or it is no UTF-8.
  func text(_ path: String) -> String? {
    read(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The expectation of the file with a stem; nil if there is none.
  func expectation(beside stem: String) throws -> Expectation? {
    guard let text = text(stem + ".expect") else { return nil }
    do {
      return try Expectation(parsing: text)
    } catch {
      throw CorpusError(path: stem + ".expect", problem: "\(error)")
    }
  }

  /// Writes a file, and the folders above it.
  func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  /// Writes a file, and the folders above it.
  func write(_ bytes: [UInt8], to path: String) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: root + "/" + folder, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: root + "/" + path, contents: Data(bytes)) else {
      throw CorpusError(path: path, problem: "cannot be written")
    }
  }

  /// Removes a file.
  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: root + "/" + path)
  }

  private func collect(_ folder: String, into found: inout [String]) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? root : root + "/" + folder)) ?? []
    for name in names where !name.hasPrefix(".") {
      let path = folder.isEmpty ? name : folder + "/" + name
      var isFolder = false
      #if canImport(FoundationEssentials)
        _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
      #else
        var flag: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &flag)
        isFolder = flag.boolValue
      #endif
      if isFolder {
        collect(path, into: &found)
      } else {
        found.append(path)
      }
    }
  }
}
