#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension UUID {
  /// The sixteen bytes as two little-endian integers, the form of the format layer.
  var words: (UInt64, UInt64) {
    let bytes = uuid
    return (
      Self.word(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7),
      Self.word(bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
    )
  }

  /// Creates a UUID from its bytes as two little-endian integers.
  init(_ first: UInt64, _ second: UInt64) {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word &>> (8 &* index)) }
    self.init(
      uuid: (
        byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4), byte(first, 5), byte(first, 6), byte(first, 7),
        byte(second, 0), byte(second, 1), byte(second, 2), byte(second, 3), byte(second, 4), byte(second, 5), byte(second, 6),
        byte(second, 7)
      ))
  }

  private static func word(
    _ b0: UInt8, _ b1: UInt8, _ b2: UInt8, _ b3: UInt8, _ b4: UInt8, _ b5: UInt8, _ b6: UInt8, _ b7: UInt8
  ) -> UInt64 {
    let low = UInt64(b0) | UInt64(b1) << 8 | UInt64(b2) << 16 | UInt64(b3) << 24
    let high = UInt64(b4) | UInt64(b5) << 8 | UInt64(b6) << 16 | UInt64(b7) << 24
    return low | high << 32
  }
}
