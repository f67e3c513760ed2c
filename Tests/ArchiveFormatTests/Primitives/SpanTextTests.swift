import ArchiveFormat
import TestStage
import Testing

/// The search for ill-formed UTF-8, compared with the standard library.
@Suite struct SpanTextTests {
  /// Bytes at and next to every boundary of table 3-7 of the Unicode Standard.
  private static let bytes: [UInt8] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3,
    0xF4,
    0xF5, 0xFF,
  ]

  /// The length of the longest well-formed prefix, or nil if the whole text is well-formed.
  private func expectedPlace(_ text: [UInt8]) -> Int? {
    if String(validating: text, as: UTF8.self) != nil { return nil }
    return (0..<text.count).last { String(validating: text.prefix($0), as: UTF8.self) != nil }
  }

  @Test("the first ill-formed sequence starts at the end of the longest well-formed prefix", arguments: bytes)
  func findsFirstIllFormedSequence(first: UInt8) {
    var mismatches: [[UInt8]] = []
    for second in Self.bytes {
      for third in TestStage.every(3, of: Self.bytes) {
        for fourth in TestStage.every(2, of: [0x41, 0x80, 0x7F, 0xBF, 0xC0] as [UInt8]) {
          // Shorter texts once for each of their bytes.
          for length in (second == 0 && third == 0 ? 1 : third == 0 ? 2 : fourth == 0x41 ? 3 : 4)...4 {
            let text = Array([first, second, third, fourth].prefix(length))
            if text.span.firstIllFormedUTF8() != expectedPlace(text) { mismatches.append(text) }
          }
        }
      }
    }
    #expect(mismatches.isEmpty)
  }

  @Test("an ill-formed sequence is found at any offset in ASCII and other text", arguments: 0...17)
  func findsPlaceAmongText(start: Int) {
    for around in ["a", "é", "𝄞"] {
      let filler = Array(String(repeating: around, count: start).utf8)
      for sequence in [[0xC3, 0xA9], [0xED, 0xA0, 0x80], [0xF0, 0x9D, 0x84], [0x80], [0xFF]] as [[UInt8]] {
        for end in [0, 1, 7, 8, 9, 17] {
          let text = filler + sequence + Array(repeating: 0x62, count: end)
          #expect(text.span.firstIllFormedUTF8() == expectedPlace(text), "\(text)")
          #expect(text.span.makeString() == String(validating: text, as: UTF8.self), "\(text)")
        }
      }
    }
  }
}
