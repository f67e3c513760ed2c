import ArchiveFormat
import Testing

/// The shortcut by which the checker passes over values, held against the reader that has the rules.
@Suite struct PlainValueTests {
  /// The bytes that may follow a tag, of every length that makes a difference.
  private static let payloads: [[UInt8]] = {
    let lengths = Array(0...9) + [15, 16, 17, 31, 32, 33, 47, 48, 49, 62, 63, 64]
    return lengths.flatMap { length -> [[UInt8]] in
      let same = [0, 1, 63, 64, 127, 128, 255].map { [UInt8](repeating: $0, count: length) }
      let different = (0..<length).flatMap { place in
        [0, 64, 200].map { (byte: UInt8) in
          var bytes = [UInt8](repeating: 97, count: length)
          bytes[place] = byte
          return bytes
        }
      }
      return same + different
    }
  }()

  @Test(
    "a value is passed over if and only if it is of a frequent kind, ASCII, and nothing is wrong with it",
    arguments: UInt8.min...UInt8.max)
  func agreesWithReader(tag: UInt8) {
    var mismatches: [[UInt8]] = []
    for payload in Self.payloads {
      // At and near the end of the bytes, where it is left to the reader, and with others behind them that do not belong to it.
      for (behind, count) in [(0 as UInt8, 0), (0, 79 - payload.count), (0, 80), (255, 78 - payload.count), (255, 79 - payload.count)] {
        let bytes = [tag] + payload + [UInt8](repeating: behind, count: count)
        var plain = ByteCursor(0..<(1 + payload.count), fileOffset: 0)
        var reader = plain
        let isPassed = plain.passPlainValue(in: bytes.span, by: .shared)
        let value = try? reader.readValue(in: bytes.span)
        let shouldPass = isPlain(value, bytes) && bytes.count >= 80
        if isPassed != shouldPass || plain.position != (isPassed ? reader.position : 0) { mismatches.append(bytes) }
      }
    }
    #expect(mismatches.isEmpty)
  }

  private func isPlain(_ value: RawValue?, _ bytes: [UInt8]) -> Bool {
    guard let value else { return false }
    switch value.kind {
    case .bool, .integer, .float64, .date: return true
    case .data: return value.payload.count < 0x80
    case .string: return ValueTag.shortString.contains(value.tag) && bytes[value.payload].allSatisfy { $0 < 0x80 }
    default: return false
    }
  }

  @Test("nothing is passed over behind the end")
  func staysWithinBounds() {
    var cursor = ByteCursor(2..<2, fileOffset: 0)
    let bytes = [UInt8](repeating: 1, count: 100)
    let isPassed = cursor.passPlainValue(in: bytes.span, by: .shared)
    #expect(!isPassed && cursor.position == 2)
  }

  @Test("text is ASCII if each of its bytes is, of whatever length", arguments: 0...130)
  func findsOtherText(length: Int) {
    for place in 0..<(length + 2) {
      var bytes = [UInt8](repeating: 0x7F, count: length + 2)
      bytes[place] = 0x80
      let isWithin = (1..<(length + 1)).contains(place)
      let isASCII = bytes.span.isASCII(at: 1..<(length + 1))
      #expect(isASCII == !isWithin, "byte \(place) of \(bytes.count)")
    }
  }
}
