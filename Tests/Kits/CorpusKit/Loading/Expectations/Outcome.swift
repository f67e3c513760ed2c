/// The expected outcome for a file: `valid`, or the kind of the first finding (Spec chapter 12).
public enum Outcome: String, Sendable, CaseIterable {
  /// The file satisfies every rule.
  case valid
  /// The bytes have no readable structure.
  case malformed
  /// A checksum does not match.
  case damaged
  /// The file is readable, but breaks a rule.
  case invalid
  /// The file exceeds a limit of the format.
  case limit
  /// The file has a version or a part that a reader of version 1.0 does not support.
  case unsupported
}
