import FoundationValues

/// A folder of notes, one text file each.
///
/// The notes are independent of the app's restorable state.
struct NoteLibrary {
  private let folder: URL

  /// Opens the library in a folder, and adds sample notes to a new one.
  ///
  /// - Throws: The error of the file system.
  init(folder: URL) throws {
    self.folder = folder
    if FileManager.default.fileExists(atPath: folder.path) { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write("Dear Ada,\n\nthe engine runs. It even\n", to: "letter")
    try write("- a terminal app that comes back\n- 和文メモ\n- שלום\n", to: "ideas")
    try write("[ ] bread\n[ ] kill -9 this app\n[x] start it again\n", to: "todo")
  }

  /// The names of all notes, in order.
  var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.filter(Self.isName).sorted()
  }

  func contains(_ name: String) -> Bool { names.contains(name) }

  /// Returns the text of a note, or an empty string if there is none.
  func text(_ name: String) -> String { (try? Data(contentsOf: file(name))).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Writes a note atomically: at every moment the file has the old text or the new text.
  func write(_ text: String, to name: String) throws {
    guard Self.isName(name) else { throw NotesError("\(name.debugDescription) cannot name a note") }
    try Data(text.utf8).write(to: file(name), options: .atomic)
  }

  func delete(_ name: String) throws { try FileManager.default.removeItem(at: file(name)) }

  /// Makes the app trap when it restores a note, to demonstrate that the other notes still come back.
  func poison(_ name: String) throws { try Data().write(to: folder.appendingPathComponent("\(name).poison")) }

  func isPoisoned(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.appendingPathComponent("\(name).poison").path) }

  private func file(_ name: String) -> URL { folder.appendingPathComponent("\(name).txt") }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 60 && !name.hasPrefix(".") && !name.contains { $0 == "/" || $0.isWhitespace || $0.isNewline }
  }
}

/// A refused request, described in one line.
struct NotesError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
