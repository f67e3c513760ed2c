/// The decision of a delegate or policy about a saved state.
public enum RestoreDecision: String, Sendable {
  /// Restore it.
  case restore
  /// Start fresh; the archive stays current and is offered again.
  case notNow = "not-now"
  /// Start fresh; the archive is set aside and not offered again.
  case never
}
