import FoundationValues
import StateRestoration

/// A pane that shows a note: the reading position, and the draft that is not written to the note yet.
@MainActor
final class Editor: @MainActor Restorable {
  static let restorationType = "Editor", restorationSchemaVersion = 2
  let note: String
  let library: NoteLibrary
  /// The edited text; nil if nothing was typed.
  @Restored var draft: String?
  @Restored var cursor = 0
  @Restored var scroll = 0

  init(_ note: String, in library: NoteLibrary) {
    self.note = note
    self.library = library
  }

  /// The note's name is unique: only one pane of a window shows it.
  var restorationIdentifier: String? { note }
  var text: String { draft ?? library.text(note) }

  func decodeRestorableState(with coder: StateDecoder) throws {
    if library.isPoisoned(note) { fatalError("the note \(note) is poisoned") }
    try decodeRestoredProperties(with: coder)
  }

  func type(_ typed: String) {
    var characters = Array(text)
    cursor = min(cursor, characters.count)
    characters.insert(contentsOf: typed, at: cursor)
    cursor += typed.count
    draft = String(characters)
  }

  func deleteBackward() {
    var characters = Array(text)
    guard cursor > 0, cursor <= characters.count else { return }
    characters.remove(at: cursor - 1)
    cursor -= 1
    draft = String(characters)
  }

  /// Moves the cursor by characters and by lines, within the column limits of each line.
  func move(_ characters: Int, lines: Int = 0) {
    cursor = min(max(cursor + characters, 0), text.count)
    guard lines != 0 else { return }
    let (row, column) = cursorPlace
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    let target = min(max(row + lines, 0), rows.count - 1)
    cursor = rows[..<target].reduce(0) { $0 + $1.count + 1 } + min(column, rows[target].count)
  }

  /// The cursor's line, and its character position in that line.
  var cursorPlace: (row: Int, column: Int) {
    let before = text.prefix(cursor).split(separator: "\n", omittingEmptySubsequences: false)
    return (max(before.count - 1, 0), before.last?.count ?? 0)
  }
}

/// The list of notes beside the panes.
@MainActor
final class NoteList: @MainActor Restorable {
  let restorationIdentifier: String? = "list"
  @Restored var selected = ""
  @Restored var scroll = 0
}

/// A pane of a plug-in that may be missing at some launches.
@MainActor
final class Calendar: @MainActor Restorable {
  static let restorationType = "Calendar"
  let restorationIdentifier: String? = "calendar"
  @Restored var day = 1
}

/// A window: the list of notes, and panes side by side.
@MainActor
final class NotesWindow: @MainActor Restorable {
  static let restorationType = "Window"
  let name: String
  let list = NoteList()
  var panes: [Editor] = []
  var calendar: Calendar?
  /// The note of the pane that has the focus.
  @Restored var front = ""

  init(_ name: String) { self.name = name }

  var restorationIdentifier: String? { name }
  var restorationChildren: [any Restorable] { [list] + panes + (calendar.map { [$0] } ?? []) }
  var editor: Editor? { panes.first { $0.note == front } ?? panes.first }

  func decodeRestorableState(with coder: StateDecoder) throws {
    panes = try coder.restoredChildren(of: Editor.self)
    calendar = try coder.restoredChild("calendar") ?? calendar
    try decodeRestoredProperties(with: coder)
  }
}

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
    if !library.contains(note) { try library.write("", to: note) }
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
    window.panes.removeAll { $0 === editor }
    window.front = window.panes.first?.note ?? ""
  }

  /// Deletes a note and closes the panes that show it.
  func delete(_ note: String) throws {
    guard library.contains(note) else { throw NotesError("there is no note \(note)") }
    try library.delete(note)
    for window in windows { window.panes.removeAll { $0.note == note } }
  }

  /// Writes the draft of the front pane to its note.
  func keepDraft() throws {
    guard let editor, let draft = editor.draft else { throw NotesError("there is no draft") }
    try library.write(draft, to: editor.note)
    editor.draft = nil
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
