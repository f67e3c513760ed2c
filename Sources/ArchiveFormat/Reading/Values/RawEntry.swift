/// An entry of a state record or dictionary, as stored in the bytes (Spec §6.2).
@frozen @usableFromInline
package struct RawEntry: Sendable {
  /// The index of its first byte.
  @usableFromInline package let start: Int
  /// Its key.
  @usableFromInline package let key: KeyReference
  /// Whether tools should hide its value.
  @usableFromInline package let isSensitive: Bool
  /// The index of its value, including its mark.
  @usableFromInline package let valueStart: Int
  /// The index of its value's tag, after any mark.
  @inlinable
  package var tagStart: Int {
    @inline(__always) get { valueStart &+ (isSensitive ? 1 : 0) }
  }
  /// Its value.
  @usableFromInline package let value: RawValue

  @inlinable @inline(__always)
  init(start: Int, key: KeyReference, isSensitive: Bool, valueStart: Int, value: RawValue) {
    self.start = start
    self.key = key
    self.isSensitive = isSensitive
    self.valueStart = valueStart
    self.value = value
  }
}
