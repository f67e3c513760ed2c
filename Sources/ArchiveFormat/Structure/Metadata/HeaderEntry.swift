/// A key of the header and its value (Spec §4.3.2).
package struct HeaderEntry: Sendable {
  /// The key.
  package var key: String
  /// The value.
  package var value: HeaderScalar

  /// Creates an entry.
  package init(key: String, value: HeaderScalar) {
    self.key = key
    self.value = value
  }

  /// The registered key, or nil if the key is not registered.
  package var registeredKey: RegisteredHeaderKey? { RegisteredHeaderKey(rawValue: key) }
}
