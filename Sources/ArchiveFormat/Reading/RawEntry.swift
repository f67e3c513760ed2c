/// An entry of a state record or dictionary as it lies in the bytes (Spec §6.2).
package struct RawEntry: Sendable {
  /// The index at which it begins.
  package let start: Int
  /// Its key.
  package let key: KeyReference
  /// Whether tools should hide its value.
  package let isSensitive: Bool
  /// The index at which its value begins, a mark included.
  package let valueStart: Int
  /// Its value.
  package let value: RawValue
}
