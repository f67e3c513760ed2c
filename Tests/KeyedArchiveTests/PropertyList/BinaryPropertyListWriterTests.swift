import KeyedArchive
import KeyedArchiveKit
import Testing

/// The bytes that the writer makes.
@Suite struct BinaryPropertyListWriterTests {
  private static func written(_ plain: PlainPropertyList) throws -> [UInt8] {
    try PropertyList(decoding: RawPropertyList(plain).bytes).encodedBinary()
  }

  @Test("the top object is first, scalars are written once, containers as often as they occur, integers in the fewest bytes")
  func isCompact() throws {
    let inner = PlainPropertyList.array([.integer(7)])
    let bytes = try Self.written(.array([.integer(7), .string("a"), .string("a"), inner, inner]))
    let expected: [UInt8] =
      Array("bplist00".utf8) + [0xA5, 1, 2, 2, 3, 4] + [0x10, 7] + [0x51, 0x61] + [0xA1, 1] + [0xA1, 1] + [8, 14, 16, 18, 20]
      + [0, 0, 0, 0, 0, 0, 1, 1] + RawPropertyList.integer(5, 8) + RawPropertyList.integer(0, 8) + RawPropertyList.integer(22, 8)
    #expect(bytes == expected)
  }

  @Test(
    "integers, UIDs and text take the forms that CoreFoundation's writer gives them",
    arguments: [
      (PlainPropertyList.integer(255), [0x10, 255]), (.integer(256), [0x11, 1, 0]), (.integer(65_536), [0x12, 0, 1, 0, 0]),
      (.integer(1 << 32), [0x13, 0, 0, 0, 1, 0, 0, 0, 0]), (.integer(-1), [0x13] + [UInt8](repeating: 255, count: 8)),
      (.integer(1 << 63), [0x14] + [UInt8](repeating: 0, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0]),
      (.uid(255), [0x80, 255]), (.uid(256), [0x81, 1, 0]), (.uid(65_536), [0x83, 0, 1, 0, 0]),
      (.string("é"), [0x61, 0, 0xE9]), (.string("fifteen letters"), [0x5F, 0x10, 15] + Array("fifteen letters".utf8)),
      (.data([1]), [0x41, 1]), (.bool(true), [0x09]), (.null, [0x00]),
    ] as [(PlainPropertyList, [UInt8])])
  func writes(_ plain: PlainPropertyList, _ expected: [UInt8]) throws {
    #expect(try Array(Self.written(plain).dropFirst(8).prefix(expected.count)) == expected)
  }

  @Test("references and offsets have sizes that are powers of two")
  func hasPowersOfTwo() throws {
    let bytes = try Self.written(.array((0..<300).map { .integer($0) }))
    #expect(bytes[bytes.count - 25] == 2 && bytes[bytes.count - 26] == 2)
    let large = try Self.written(.data([UInt8](repeating: 0, count: 70_000)))
    #expect(large[large.count - 26] == 4 && large[large.count - 25] == 1)
  }

  @Test("what is no property list is refused")
  func refuses() {
    var list = PropertyList()
    list.top = list.add(.array([0]))
    #expect(throws: KeyedArchiveError.self) { try list.encodedBinary() }
    var dated = PropertyList()
    dated.top = dated.add(.date(.nan))
    #expect(throws: KeyedArchiveError.self) { try dated.encodedBinary() }
    var keyed = PropertyList()
    let number = keyed.add(.integer(1))
    keyed.top = keyed.add(.dictionary([PropertyList.Entry(key: number, value: number)]))
    #expect(throws: KeyedArchiveError.self) { try keyed.encodedBinary() }
  }

  @Test("a number of no object is refused", arguments: [-1, 1, .max])
  func refusesNumbers(_ number: Int) {
    var list = PropertyList()
    list.top = number
    #expect(throws: KeyedArchiveError.self) { try list.encodedBinary() }
    #expect(throws: KeyedArchiveError.self) { try list.encodedXML() }
    list.top = list.add(.array([number]))
    let error = #expect(throws: KeyedArchiveError.self) { try list.encodedBinary() }
    #expect(error?.code == .objectReference)
  }
}
