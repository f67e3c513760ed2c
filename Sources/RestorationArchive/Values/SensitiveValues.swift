/// The treatment of sensitive values when an archive is converted to text.
public enum SensitiveValues: Sendable {
  /// Writes sensitive values.
  case reveal
  /// Writes null instead of sensitive values; the text no longer represents the archive.
  case redact

  /// Returns whether the value of an entry is hidden.
  package func hides(_ isSensitive: Bool) -> Bool { isSensitive && self == .redact }
}
