import ArchiveFormat
import Storage
import TestStage
import Testing

/// The fast path by which the checker skips values, compared with the reader that implements the rules.
@Suite struct PlainValueTests {
  /// Bytes to follow a tag, of every length at which the code behaves differently.
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
    "a value is skipped if and only if it is valid, ASCII and of a common kind",
    arguments: UInt8.min...UInt8.max)
  func agreesWithReader(tag: UInt8) {
    var mismatches: [[UInt8]] = []
    for payload in TestStage.every(7, of: Self.payloads) {
      // Values at or near the end of the bytes, which the fast path leaves to the reader, and values followed by
      // unrelated bytes.
      for (behind, count) in [(0 as UInt8, 0), (0, 79 - payload.count), (0, 80), (255, 78 - payload.count), (255, 79 - payload.count)] {
        let bytes = [tag] + payload + [UInt8](repeating: behind, count: count)
        var plain = ByteCursor(0..<(1 + payload.count), fileOffset: 0)
        var reader = plain
        let isPassed = plain.skipPlainValue(in: bytes.span, by: .shared)
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

  /// Values of one, two and many bytes that are skipped within a container, and values that are not.
  private static let plain: [[UInt8]] = [
    [0x01], [0x10, 0x40], [0x81, 0x61], [0x07, 0x02, 0xFF, 0xFF], [0xBF] + [UInt8](repeating: 0x61, count: 63),
  ]
  private static let others: [[UInt8]] = [
    [0x00], [0x03, 0x01], [0x04, 0x00], [0x04, 0x01, 0x01], [0x05, 0x00], [0x05, 0x02, 0x02, 0x01], [0x18, 0x00], [0x10, 0x00],
    [0x82, 0xC3, 0xA9], [0x81, 0x80], [0x09], [0x0C], [0xBF], [0xC0, 0x00],
  ]

  /// Contents of arrays, with whether they are skipped.
  private static let arrays: [(bytes: [UInt8], isPlain: Bool)] = {
    let wholes = [[]] + plain + plain.flatMap { first in plain.map { first + $0 } }
    let mixed = others.flatMap { other in [other] + plain.flatMap { [$0 + other, other + $0] } }
    return wholes.map { ($0, true) } + mixed.map { ($0, false) }
  }()

  /// Contents of dictionaries with keys from a table of five, the first of which is empty.
  private static let dictionaries: [(bytes: [UInt8], isPlain: Bool)] = {
    let keys: [(bytes: [UInt8], isPlain: Bool)] = [
      ([1], true), ([2], true), ([5], true), ([6], false), ([0, 1, 0x7A], false), ([0xF0, 0x00], false),
    ]
    var contents: [(bytes: [UInt8], isPlain: Bool)] = [([], true), ([1], false)]
    for (number, key) in keys.enumerated() {
      contents += arrays.filter { plain.contains($0.bytes) || others.contains($0.bytes) }.map {
        (key.bytes + $0.bytes, key.isPlain && $0.isPlain)
      }
      for (second, other) in keys.enumerated() {
        contents.append((key.bytes + [0x01] + other.bytes + [0x10, 0x40], key.isPlain && other.isPlain && number < second))
      }
    }
    return contents
  }()

  @Test(
    "a container is skipped if and only if it is short, its keys are sorted, and all its values are plain",
    arguments: [ValueTag.array, ValueTag.dictionary])
  func passesContainers(tag: UInt8) {
    let keys = KeyTable(sorted: ["", "a", "b", "c", "d"])
    for (content, isPlain) in tag == ValueTag.array ? Self.arrays : Self.dictionaries {
      for (key, isInOrder) in [(3 as UInt8, true), (5, true), (1, false), (6, false), (0, false), (0xF0, false)] {
        for isCut in [false, true] {
          let length = content.count + (isCut ? 1 : 0)
          let bytes = [key, tag] + (length < 0x80 ? [UInt8(length)] : [UInt8(length & 0x7F | 0x80), UInt8(length >> 7)]) + content
          let (passed, reader, used) = pass(bytes, keys)
          #expect(passed == (isPlain && isInOrder && !isCut && length < 0x80), "\(bytes)")
          #expect(reader.cursor.position == (passed ? bytes.count : 0))
          #expect(!passed || used.contains(Int(key) - 1))
        }
      }
    }
  }

  /// Returns the result for a state entry that is followed by other bytes, and the keys recorded as used.
  private func pass(_ entry: [UInt8], _ keys: KeyTable) -> (Bool, EntryReader, [Int]) {
    var reader = EntryReader(ByteCursor(0..<entry.count, fileOffset: 0), role: .state, keys: keys)
    var used = ScratchArray<Bool>(repeating: false, count: keys.count)
    let bytes = entry + [UInt8](repeating: 0x01, count: 100)
    let passed = reader.skipPlainContainer(in: bytes.span, by: .shared, keys: keys, noting: &used)
    return (passed, reader, (0..<keys.count).filter { used[$0] })
  }

  @Test(
    "the entry after a skipped container must have a greater key",
    arguments: [(1, .keyOrder), (2, .duplicateKey), (3, nil)] as [(UInt8, FormatErrorCode?)])
  func keepsOrderBehindContainers(second: UInt8, code: FormatErrorCode?) {
    let keys = KeyTable(sorted: ["a", "b", "c"])
    var used = ScratchArray<Bool>(repeating: false, count: keys.count)
    let bytes: [UInt8] = [2, ValueTag.array, 0, second, 0x01]
    var reader = EntryReader(ByteCursor(0..<bytes.count, fileOffset: 0), role: .state, keys: keys)
    let isPassed = reader.skipPlainContainer(in: bytes.span, by: .shared, keys: keys, noting: &used)
    #expect(isPassed && reader.lastKey?.index == 1)
    do throws(FormatError) {
      let entry = try reader.next(in: bytes.span, keys: keys)
      #expect(code == nil && entry?.key.index == 2)
    } catch {
      #expect(error.code == code)
    }
  }

  @Test("no value is skipped past the end")
  func staysWithinBounds() {
    var cursor = ByteCursor(2..<2, fileOffset: 0)
    let bytes = [UInt8](repeating: 1, count: 100)
    let isPassed = cursor.skipPlainValue(in: bytes.span, by: .shared)
    #expect(!isPassed && cursor.position == 2)
  }

  @Test("text of any length is ASCII if and only if all its bytes are", arguments: 0...130)
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
