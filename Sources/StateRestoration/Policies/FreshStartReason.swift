/// Why the app starts without restored state.
public enum FreshStartReason: String, Sendable {
  /// Nothing was saved.
  case noState = "no-state"
  /// The user, or the host, wants it so.
  case chosen
  /// A policy or the delegate declined the archive.
  case declined
  /// What was saved could not be restored, and what is shown instead is only a fallback.
  ///
  /// Saves then keep what was saved before, until ``RestorableApplication/userChangedState()`` is called.
  case fallback
}
