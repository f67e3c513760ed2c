/// What a delegate says when the state is about to be saved.
public enum SaveDecision: String, Sendable {
  /// Save.
  case save
  /// Do not save now; what was saved before stays.
  case keepPrevious = "keep-previous"
  /// Do not save, and let what was saved before be deleted.
  case forget
}
