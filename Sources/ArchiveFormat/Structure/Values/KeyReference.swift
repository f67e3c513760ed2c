/// A reference to the key of an entry: an index in the key table, or an inline key (Spec §6.2).
@frozen @usableFromInline
package struct KeyReference: Sendable {
  /// The first byte of an inline key.
  @usableFromInline package static let inlineLead: UInt8 = 0x00
  /// The number of table indexes that fit into one byte.
  @usableFromInline package static let oneByteCount = 239
  /// The lowest first byte of a two-byte reference.
  @usableFromInline package static let twoByteLead: UInt8 = 0xF0

  /// The index in the key table, or -1 for an inline key.
  ///
  /// While a record is being written, it is the number that the writer gave the key.
  @usableFromInline package let index: Int
  /// The range of the bytes of an inline key; empty for a table key.
  @usableFromInline package let inlineRange: Range<Int>

  /// Creates a reference into the key table.
  @inlinable @inline(__always)
  package init(index: Int) {
    self.index = index
    inlineRange = 0..<0
  }

  /// Creates a reference to an inline key.
  package init(inline range: Range<Int>) {
    index = -1
    inlineRange = range
  }

  /// Whether the entry contains the key itself.
  @inlinable @inline(__always)
  package var isInline: Bool {
    index < 0
  }
}
