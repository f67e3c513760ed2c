import FoundationValues
import StateRestoration

/// The app: its windows and the app-wide state.
@MainActor
final class NotesApp: @MainActor RestorationDelegate {
  let library: NoteLibrary
  let hasCalendar: Bool
  var windows: [NotesWindow] = []
  @Restored var theme = "light"
  @Restored var frontWindow = ""
  static let themes = ["light", "dark", "amber"]

  init(_ library: NoteLibrary, hasCalendar: Bool) {
    self.library = library
    self.hasCalendar = hasCalendar
  }

  var window: NotesWindow? { windows.first { $0.name == frontWindow } ?? windows.first }
  var editor: Editor? { window?.editor }

  /// Opens a window, or brings the one with this name to the front.
  @discardableResult
  func openWindow(_ name: String) -> NotesWindow {
    frontWindow = name
    return makeWindow(name, hasCalendar ? Calendar() : nil)
  }

  /// Returns the window with a name, also for restoration; makes it if there is none.
  func makeWindow(_ name: String, _ calendar: Calendar? = nil) -> NotesWindow {
    if let window = windows.first(where: { $0.name == name }) { return window }
    let window = NotesWindow(name)
    window.calendar = calendar
    windows.append(window)
    return window
  }

  /// Shows a note in the front pane or in a new one, and creates the note if it does not exist.
  func open(_ note: String, inNewPane isNew: Bool) throws {
    if !library.contains(note) { try library.create(note) }
    let window = window ?? openWindow("main")
    if !window.panes.contains(where: { $0.note == note }) {
      let editor = Editor(note, in: library)
      let place = window.panes.firstIndex { $0 === window.editor }
      // A pane with a draft is not replaced by another note.
      if let place, !isNew, window.panes[place].draft == nil {
        window.panes[place] = editor
      } else {
        window.panes.insert(editor, at: place.map { $0 + 1 } ?? 0)
      }
    }
    (window.front, window.list.selected) = (note, note)
  }

  func closePane() throws {
    guard let window, let editor = window.editor else { throw NotesError("no pane is open") }
    if editor.draft != nil { throw NotesError("\(editor.note) has a draft: keep or discard it first") }
    window.panes.removeAll { $0 === editor }
    window.front = window.panes.first?.note ?? ""
  }

  /// Deletes a note and closes the panes that show it.
  func delete(_ note: String) throws {
    guard library.contains(note) else { throw NotesError("there is no note \(note)") }
    try library.delete(note)
    for window in windows { window.panes.removeAll { $0.note == note } }
  }
}

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

  private var files: [String]? { try? FileManager.default.contentsOfDirectory(atPath: folder.path) }

  /// The names of all notes, in order; none if the folder cannot be read.
  var names: [String] { (files ?? []).filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.filter(Self.isName).sorted() }

  func contains(_ name: String) -> Bool { Self.isName(name) && FileManager.default.fileExists(atPath: file(name).path) }

  /// Whether a note was deleted, and is not just out of reach.
  func hasLost(_ name: String) -> Bool { files != nil && !contains(name) }

  /// Returns the text of a note, or an empty string if there is none.
  func text(_ name: String) -> String { (try? Data(contentsOf: file(name))).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Whether a note has text that comes back the same; a note that cannot be read has none.
  func canEdit(_ name: String) -> Bool { (try? Data(contentsOf: file(name))).map { String(validating: $0, as: UTF8.self) != nil } ?? false }

  /// Creates an empty note; the file system may take the name for that of another one, which stays as it is.
  func create(_ name: String) throws {
    guard Self.isName(name) else { throw NotesError("\(name.debugDescription) cannot name a note") }
    try Data().write(to: file(name), options: .withoutOverwriting)
  }

  /// Writes a note atomically: at every moment the file has the old text or the new text.
  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name), options: .atomic) }

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
