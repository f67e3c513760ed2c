/// Basic operations of the slow reader on plain bytes.
///
/// None of them can trap, whatever the arguments.
enum SlowBytes {
  /// Returns up to `count` bytes from `offset` on.
  static func part(of bytes: [UInt8], at offset: Int, count: Int) -> ArraySlice<UInt8> {
    bytes.dropFirst(max(0, offset)).prefix(max(0, count))
  }

  /// Returns an unsigned little-endian integer (Spec 1.2) of up to eight bytes.
  static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var value: UInt64 = 0
    for byte in bytes.reversed() {
      value = value << 8 | UInt64(byte)
    }
    return value
  }

  /// R-1.3-1: whether `first` strictly precedes `second` in the order of unsigned bytes.
  static func areAscending(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.lexicographicallyPrecedes(second)
  }
}
