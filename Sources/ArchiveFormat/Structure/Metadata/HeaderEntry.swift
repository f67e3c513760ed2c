/// A key of the header and its value (Spec §4.3.2).
package struct HeaderEntry: Sendable {
  /// The key.
  package var key: String
  /// The value.
  package var value: HeaderScalar

  /// Makes an entry.
  package init(key: String, value: HeaderScalar) {
    self.key = key
    self.value = value
  }

  /// The registered key, if it is one.
  package var registeredKey: RegisteredHeaderKey? { RegisteredHeaderKey(rawValue: key) }
}
