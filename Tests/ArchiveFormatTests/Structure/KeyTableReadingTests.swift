import TestStage
import Testing

@testable import ArchiveFormat

/// Reading the key table of the metadata, where most keys take a fast path.
@Suite struct KeyTableReadingTests {
  /// Reads metadata with these keys, valid or not.
  private func read(_ keys: [[UInt8]]) throws(FormatError) -> KeyTable {
    var metadata = ArchiveMetadata()
    metadata.sections = SectionCode.required.map { SectionEntry(code: $0, length: $0 == .nodes ? 48 : 0, range: 0..<0) }
    let buffer = OutputBuffer()
    try metadata.append(origins: [], types: [], to: buffer) { buffer in
      buffer.appendVarint(keys.count)
      for key in keys {
        buffer.appendVarint(key.count)
        buffer.append(contentsOf: key.span)
      }
    }
    let bytes = buffer.withSpan { $0.makeArray() }
    var reader = MetadataReader(count: bytes.count, fileOffset: 0, bodyLength: 48, minorVersion: ArchivePrefix.minorVersion)
    return try reader.read(bytes.span).keys
  }

  /// Keys that sort after all others here: enough of them that the preceding keys are far from the end of the table, or
  /// none.
  private static let ends = [[], (0..<30).map { [0x7E, 0x21 + UInt8($0), 0x21] }]

  @Test("a non-ASCII byte is found at any position in a key (C19, R-5.2-1)", arguments: 1...63)
  func looksAtEachByte(length: Int) throws {
    for end in Self.ends {
      for place in TestStage.every(length / 5 + 1, of: 0..<length) {
        var key = [UInt8](repeating: UInt8(ascii: "k"), count: length)
        let keys = { [[], key] + end }
        #expect(try read(keys()).texts == keys().map { String(decoding: $0, as: UTF8.self) })
        #expect(try !read(keys()).hasNonASCII)
        key[place] = 0x80
        let error = #expect(throws: FormatError.self) { try read(keys()) }
        #expect(error?.code == .invalidUTF8, "byte \(place)")
        guard place + 1 < length else { continue }
        key.replaceSubrange(place..<(place + 2), with: "é".utf8)
        let sorted = place == 0 ? [[]] + end + [key] : keys()
        let table = try read(sorted)
        #expect(table.hasNonASCII && table.texts == sorted.map { String(decoding: $0, as: UTF8.self) }, "byte \(place)")
      }
    }
  }

  @Test("keys are compared by all their bytes (C18)")
  func comparesWholeKeys() throws {
    let letters: [UInt8] = [0x00, 0x61, 0x7F]
    var keys: [[UInt8]] = [[]]
    for length in [1, 2, 7, 8, 9, 16, 17, 32, 33, 63] {
      for last in letters { for middle in letters { keys.append([UInt8](repeating: middle, count: length - 1) + [last]) } }
    }
    for first in keys {
      for second in TestStage.every(3, of: keys) {
        for end in Self.ends where second < [0x7E] {
          // The first key of a table is read by a different path from the keys after it.
          for beginning in [[], [[]]] as [[[UInt8]]] where beginning.isEmpty || !first.isEmpty {
            let table = beginning + [first, second] + end
            if first < second {
              #expect(throws: Never.self) { try read(table) }
            } else {
              let error = #expect(throws: FormatError.self) { try read(table) }
              #expect(error?.code == .keyTableOrder, "\(first), \(second)")
            }
          }
        }
      }
    }
  }

  @Test("a key has at most 63 bytes, and the table has the declared number of keys (R-4.3-13)")
  func refusesLongKeys() throws {
    for end in Self.ends {
      let error = #expect(throws: FormatError.self) { try read([[], [UInt8](repeating: 0x61, count: 64)] + end) }
      #expect(error?.code == .stringLength)
      #expect(try read([[], [UInt8](repeating: 0x61, count: 63)] + end).count == 2 + end.count)
    }
  }
}

extension [UInt8] {
  fileprivate static func < (left: [UInt8], right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
}
