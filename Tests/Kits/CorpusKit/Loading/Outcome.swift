/// The verdict on a file: `valid`, or the kind of the first finding (Spec chapter 12).
public enum Outcome: String, Sendable, CaseIterable {
  /// The file keeps every rule.
  case valid
  /// The bytes have no structure that could be read.
  case malformed
  /// A checksum does not match.
  case damaged
  /// Readable, but against a rule.
  case invalid
  /// More than the format allows.
  case limit
  /// Of a version, or with a part, that a reader of version 1.0 does not know.
  case unsupported
}
