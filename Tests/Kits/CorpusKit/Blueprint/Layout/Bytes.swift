/// The primitives of Spec chapters 1.2 and 5, as bytes.
enum Bytes {
  /// Returns an unsigned integer in `size` bytes, the least significant first.
  static func little(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// Returns a u16.
  static func u16(_ value: Int) -> [UInt8] { little(UInt64(value), size: 2) }

  /// Returns a u32.
  static func u32(_ value: Int) -> [UInt8] { little(UInt64(value), size: 4) }

  /// Returns a u64.
  static func u64(_ value: UInt64) -> [UInt8] { little(value, size: 8) }

  /// Returns a varint (Spec 5.1) in its only valid form; values larger than the format allows are encoded too.
  static func varint(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns a string (Spec 5.2): its length and its UTF-8.
  static func string(_ text: String) -> [UInt8] {
    varint(text.utf8.count) + Array(text.utf8)
  }

  /// Returns the decimal digits of an unsigned integer with the least significant byte first.
  static func number(_ bytes: [UInt8]) -> String {
    "\(bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
  }

  /// Returns whether the first text precedes the second (R-1.3-1).
  static func ascends(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
