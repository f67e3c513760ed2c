/// Checks for well-formed UTF-8, after the table "Well-Formed UTF-8 Byte Sequences" of the Unicode Standard (R-5.2-1).
enum SlowUTF8 {
  /// Returns the index of the first byte of the first ill-formed sequence, the end of the longest well-formed prefix
  /// (Spec 7.3).
  static func firstIllFormed(in bytes: ArraySlice<UInt8>) -> Int? {
    var position = bytes.startIndex
    let end = bytes.endIndex
    while position < end {
      let first = bytes[position]
      if first < 0x80 {
        position += 1
        continue
      }
      guard let form = form(of: first), form.size <= end - position else { return position }
      guard form.second.contains(bytes[position + 1]) else { return position }
      for place in 2..<max(2, form.size) where !(0x80...0xbf).contains(bytes[position + place]) {
        return position
      }
      position += form.size
    }
    return nil
  }

  /// Returns the length of the sequence that a first byte from `80` on begins, and the range of its second byte; nil if
  /// it begins none.
  private static func form(of first: UInt8) -> (size: Int, second: ClosedRange<UInt8>)? {
    switch first {
    case 0xc2...0xdf: return (2, 0x80...0xbf)
    case 0xe0: return (3, 0xa0...0xbf)  // lower ones are overlong
    case 0xe1...0xec, 0xee...0xef: return (3, 0x80...0xbf)
    case 0xed: return (3, 0x80...0x9f)  // higher ones are surrogates
    case 0xf0: return (4, 0x90...0xbf)  // lower ones are overlong
    case 0xf1...0xf3: return (4, 0x80...0xbf)
    case 0xf4: return (4, 0x80...0x8f)  // higher ones are above U+10FFFF
    default: return nil
    }
  }
}
