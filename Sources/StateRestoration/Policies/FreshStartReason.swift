/// Why the app starts without restored state.
public enum FreshStartReason: String, Sendable, CaseIterable {
  /// Nothing was saved.
  case nothingSaved = "nothing-saved"
  /// Nothing of what was saved can be read.
  case allDamaged = "all-damaged"
  /// What was saved is of a later version of the format, or of values that only such a version has.
  case laterVersion = "later-version"
  /// A policy or the delegate refused what was saved.
  case refused
  /// What was saved is offered to the user instead.
  case offered
  /// The app has newer state in memory than what was saved.
  case newerState = "newer-state"
  /// The app, its user or its host wants it so.
  case chosen
}
