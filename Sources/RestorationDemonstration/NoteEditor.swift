import StateRestoration

/// An editor of one note, named after the note and not after its place.
final class NoteEditor: Restorable {
  static let restorationType = "Editor", restorationSchema = 1

  let note: Note
  var line = 1
  var draft = ""

  init(_ note: Note) {
    self.note = note
  }

  var restorationIdentifier: String? { "note \(note.name)" }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(note.name, forKey: "note")
    try coder.encode(line, forKey: "line")
    try coder.encode(draft, forKey: "draft", isSensitive: true)
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    line = try coder.decode(Int.self, forKey: "line", default: 1)
    draft = try coder.decode(String.self, forKey: "draft", default: "")
  }
}
