/// What to do with sensitive values when an archive is turned into text.
public enum SensitiveValues: Sendable {
  /// Write them.
  case reveal
  /// Write null in their place; the text then no longer stands for the archive.
  case redact
}
