/// How an entry names its key (Spec §6.2): by its place in the key table, or in line.
@frozen @usableFromInline
package struct KeyReference: Sendable {
  /// The first byte of an inline key.
  @usableFromInline package static let inlineLead: UInt8 = 0x00
  /// How many places of the key table are named by one byte.
  @usableFromInline package static let oneByteCount = 239
  /// The least first byte of a reference of two bytes.
  @usableFromInline package static let twoByteLead: UInt8 = 0xF0

  /// The place in the key table, or -1 for an inline key.
  @usableFromInline package let index: Int
  /// Where the bytes of an inline key are; empty for others.
  @usableFromInline package let inlineRange: Range<Int>

  /// A reference into the key table.
  @inlinable @inline(__always)
  package init(index: Int) {
    self.index = index
    inlineRange = 0..<0
  }

  /// An inline key.
  package init(inline range: Range<Int>) {
    index = -1
    inlineRange = range
  }

  /// Whether the key stands in the entry itself.
  @inlinable @inline(__always)
  package var isInline: Bool {
    index < 0
  }
}
