import StateRestoration

/// Keeps what belongs to the app as a whole.
final class NotesDelegate: RestorationDelegate {
  var theme = "light"

  func willEncodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(theme, forKey: "theme")
  }

  func didDecodeRestorableState(with coder: StateDecoder) throws {
    theme = try coder.decode(String.self, forKey: "theme", default: theme)
  }
}
