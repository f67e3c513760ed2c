/// The decision of a delegate about an upcoming save.
public enum SaveDecision: String, Sendable {
  /// Save.
  case save
  /// Do not save now; keep the previous state.
  case keepPrevious = "keep-previous"
  /// Do not save, and delete the previous state.
  case forget
}
