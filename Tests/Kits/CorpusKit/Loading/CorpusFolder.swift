#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files under a folder on disk, by relative path.
struct CorpusFolder: Sendable {
  /// The folder on disk.
  let root: String

  /// The folder `Corpus` of the package that contains this source file.
  static let standard = CorpusFolder(root: #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined() + "/Corpus")

  /// Returns the paths of all files at any depth, in ascending byte order.
  func paths() -> [String] {
    var found: [String] = []
    collect("", into: &found)
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the bytes of a file, or nil if it does not exist.
  func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: root + "/" + path).map { [UInt8]($0) }
  }

  /// Returns the text of a file, or nil if it does not exist or is not UTF-8.
  func text(_ path: String) -> String? {
    read(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns the expectation of the file with a stem, or nil if there is none.
  func expectation(beside stem: String) throws -> Expectation? {
    guard let text = text(stem + ".expect") else { return nil }
    do {
      return try Expectation(parsing: text)
    } catch {
      throw CorpusError(path: stem + ".expect", problem: "\(error)")
    }
  }

  /// Writes a file, and creates its parent folders.
  func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  /// Writes a file, and creates its parent folders.
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
