/// A fault found by a check: the error, and the node and key it concerns, if known.
package struct Finding: Sendable {
  /// The error.
  package let error: FormatError
  /// The index of the node record.
  package let node: Int?
  /// The outermost key, for findings in a state record.
  package let key: String?

  /// Creates a finding.
  package init(_ error: FormatError, node: Int? = nil, key: String? = nil) {
    self.error = error
    self.node = node
    self.key = key
  }
}
