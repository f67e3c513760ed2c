import StateRestoration

/// The list of notes: what is selected, and how far it is scrolled.
final class NoteList: Restorable {
  static let restorationType = "List"

  let restorationIdentifier: String? = "list"
  @Restored var selected = ""
  @Restored("scrollOffset") var offset = 0.0
}
