/// The primitives of Spec chapters 1.2 and 5, as bytes.
enum Bytes {
  /// An unsigned integer in `size` bytes, the least significant first.
  static func little(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// A u16.
  static func u16(_ value: Int) -> [UInt8] { little(UInt64(value), size: 2) }

  /// A u32.
  static func u32(_ value: Int) -> [UInt8] { little(UInt64(value), size: 4) }

  /// A u64.
  static func u64(_ value: UInt64) -> [UInt8] { little(value, size: 8) }

  /// A varint (Spec 5.1) in its only valid form; larger values than the format allows are written too.
  static func varint(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// A string (Spec 5.2): its length and its UTF-8.
  static func string(_ text: String) -> [UInt8] {
    varint(text.utf8.count) + Array(text.utf8)
  }

  /// An unsigned integer, the least significant byte first, in decimal digits.
  static func number(_ bytes: [UInt8]) -> String {
    "\(bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
  }

  /// Whether the first text comes before the second (R-1.3-1).
  static func ascends(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
