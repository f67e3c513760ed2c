/// The reason for starting without restored state.
public enum FreshStartReason: String, Sendable, CaseIterable {
  /// Nothing was saved.
  case nothingSaved = "nothing-saved"
  /// All saved state is damaged.
  case allDamaged = "all-damaged"
  /// The system could not read the saved state, also when asked again.
  case unreadable
  /// The saved state uses a later version of the format, or values that only a later version has.
  case laterVersion = "later-version"
  /// A policy or the delegate refused the saved state.
  case refused
  /// The saved state is offered to the user instead.
  case offered
  /// The state in the app's memory is newer than the saved state.
  case newerState = "newer-state"
  /// The app, the user or the host chose a fresh start.
  case chosen
}
