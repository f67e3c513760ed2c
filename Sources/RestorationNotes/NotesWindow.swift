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
  /// The text of the note when the draft was begun.
  @Restored var original: String?

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
    (cursor, scroll) = (min(max(cursor, 0), text.count), min(max(scroll, 0), 1 << 30))  // A file may hold any numbers.
  }

  func type(_ typed: String) throws {
    try edit { characters in
      cursor = min(cursor, characters.count)
      characters.insert(contentsOf: typed, at: cursor)
      cursor += typed.count
    }
  }

  func deleteBackward() throws {
    guard cursor > 0, cursor <= text.count else { return }
    try edit { characters in
      cursor -= 1
      characters.remove(at: cursor)
    }
  }

  private func edit(_ change: (inout [Character]) -> Void) throws {
    guard draft != nil || library.canEdit(note) else { throw NotesError("\(note) is no text in UTF-8, or cannot be read") }
    if draft == nil { original = text }
    var characters = Array(text)
    change(&characters)
    draft = String(characters)
  }

  /// Writes the draft to the note; one that was changed since the draft was begun is replaced only if asked again.
  func keepDraft() throws {
    guard let draft else { throw NotesError("there is no draft") }
    let present = library.text(note)
    if let original, original != present {
      self.original = present
      throw NotesError("\(note) was changed since the draft was begun; keep again replaces it, discard shows it")
    }
    try library.write(draft, to: note)
    self.draft = nil
  }

  /// Moves the cursor by characters and by lines, within the column limits of each line.
  func move(_ characters: Int, lines: Int = 0) {
    cursor = min(max(cursor + characters, 0), text.count)
    guard lines != 0 else { return }
    let (row, column) = cursorPlace
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let target = min(max(row + lines, 0), rows.count - 1)
    cursor = rows[..<target].reduce(0) { $0 + $1.count + 1 } + min(column, rows[target].count)
  }

  /// The cursor's line, and its character position in that line.
  var cursorPlace: (row: Int, column: Int) {
    let before = text.prefix(cursor).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return (max(before.count - 1, 0), before.last?.count ?? 0)
  }
}

/// The list of notes beside the panes.
@MainActor
final class NoteList: @MainActor Restorable {
  let restorationIdentifier: String? = "list"
  @Restored var selected = ""
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
