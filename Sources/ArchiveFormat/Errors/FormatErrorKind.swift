/// The sorts of faults that an error can report (Spec §12).
package enum FormatErrorKind: String, Sendable, CaseIterable {
  /// The bytes have no structure that could be read.
  case malformed
  /// A checksum does not match.
  case damaged
  /// Readable, but against a rule.
  case invalid
  /// More than the format or this reader allows.
  case limit
  /// Of a version, or with a part, that this reader does not know.
  case unsupported
  /// The file is fine; the question does not fit it.
  case mismatch
  /// The bytes could not be had.
  case inputOutput = "input-output"
}
