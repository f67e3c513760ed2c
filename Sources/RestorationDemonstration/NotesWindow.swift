import StateRestoration

/// A window of the small app: a list at its side, an editor for each open note.
final class NotesWindow: Restorable {
  static let restorationType = "Window", restorationSchema = 1

  let restorationIdentifier: String? = "main"
  let list = NoteList()
  var editors: [NoteEditor] = []
  var front: NoteEditor?
  var zoom = 1.0
  /// What a plug-in has put into the window.
  var panels: [any Restorable] = []

  var restorationChildren: [any Restorable] { [list] + editors + panels }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(zoom, forKey: "zoom")
    try coder.encode(reference: front, forKey: "front")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    zoom = try coder.decode(Double.self, forKey: "zoom", default: zoom)
    editors = try coder.restoredChildren(of: NoteEditor.self)
    front = try coder.decodeIfPresent(reference: "front")
  }
}
