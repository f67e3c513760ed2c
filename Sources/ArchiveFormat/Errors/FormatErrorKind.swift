/// The categories of faults (Spec §12).
package enum FormatErrorKind: String, Sendable, CaseIterable {
  /// Bytes without a readable structure.
  case malformed
  /// A checksum mismatch.
  case damaged
  /// A readable file that breaks a rule.
  case invalid
  /// More than the format or this reader allows.
  case limit
  /// A version or feature that this reader does not support.
  case unsupported
  /// A request that does not match the content of a valid file.
  case mismatch
  /// A failure to read or write the bytes.
  case inputOutput = "input-output"
}
