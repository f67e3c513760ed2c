import Testing

@testable import ArchiveFormat

/// The encoding of the identifier field (Spec §6.5).
@Suite struct IdentifierFieldTests {
  private static let record = NodeRecord(
    parent: .max, savedOrder: .max, firstChild: .max, childCount: .max, stateOffset: .max, stateLength: .max, type: .max, origin: .max,
    flags: .max)
  private static let start = NodeRecord.FieldOffset.identifier

  /// Bytes that are never 0, with no two equal bytes near each other.
  private static func identifier(_ length: Int) -> [UInt8] { (0..<length).map { UInt8($0 % 251 + 1) } }

  private static func written(_ identifier: [UInt8], offset: Int? = nil) -> [UInt8] {
    let buffer = OutputBuffer(capacity: NodeRecord.byteCount)
    record.write(to: buffer)
    IdentifierField.write(identifier.span, offset: offset, to: buffer)
    return buffer.makeArray()
  }

  @Test("a short identifier is stored in the record and padded with zeros only", arguments: 0...18)
  func short(_ length: Int) throws {
    let identifier = Self.identifier(length)
    let bytes = Self.written(identifier)
    #expect(bytes == [UInt8](repeating: 0xFF, count: 29) + [UInt8(length)] + identifier + [UInt8](repeating: 0, count: 18 - length))
    // Record 0 has no identifier.
    if length == 0 { return }
    let field = try IdentifierField(reading: bytes.span, at: Self.start, fileOffset: 0)
    #expect(field.inRecord == 30..<(30 + length) && field.inStrings == nil)
    for place in (30 + length)..<48 {
      var other = bytes
      other[place] = 0x80
      let error = #expect(throws: FormatError.self) { try IdentifierField(reading: other.span, at: Self.start, fileOffset: 0) }
      #expect(error?.code == .identifierForm && error?.offset == 30, "\(place)")
    }
  }

  @Test("a long identifier has its first twelve bytes, length and offset in the record", arguments: [19, 20, 255, 256, 1023, 1024])
  func long(_ length: Int) throws {
    let identifier = Self.identifier(length)
    let bytes = Self.written(identifier, offset: 0xFEDC_BA98)
    let place = [UInt8(length & 0xFF), UInt8(length >> 8), 0x98, 0xBA, 0xDC, 0xFE]
    #expect(bytes == [UInt8](repeating: 0xFF, count: 30) + identifier.prefix(12) + place)
    let field = try IdentifierField(reading: bytes.span, at: Self.start, fileOffset: 0)
    #expect(field.inRecord == 30..<42 && field.inStrings == 0xFEDC_BA98..<(0xFEDC_BA98 + length))
  }

  @Test("any other first byte or length is rejected")
  func otherForms() {
    var bytes = [UInt8](repeating: 0, count: NodeRecord.byteCount)
    for lead in [UInt8](19...0xFE) + [0] {
      bytes[Self.start] = lead
      #expect(throws: FormatError.self) { try IdentifierField(reading: bytes.span, at: Self.start, fileOffset: 0) }
    }
    for length in [0, 1, 18, 1025, 0xFFFF] {
      bytes = Self.written(Self.identifier(20), offset: 0)
      bytes.replaceSubrange(42..<44, with: [UInt8(length & 0xFF), UInt8(length >> 8)])
      let error = #expect(throws: FormatError.self) { try IdentifierField(reading: bytes.span, at: Self.start, fileOffset: 0) }
      #expect(error?.offset == 42, "\(length)")
    }
  }
}
