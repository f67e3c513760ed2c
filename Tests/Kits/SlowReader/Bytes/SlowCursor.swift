/// A position in the file and the end of the current structure; reads the primitives of Spec chapter 5.
///
/// `0 <= position <= end <= bytes.count` always holds. Every finding is one of those of Spec 7.3.
struct SlowCursor {
  /// The whole file, so that every position is an offset in the file.
  let bytes: [UInt8]
  /// The offset of the next byte.
  private(set) var position: Int
  /// The end of the structure (R-5.3-1).
  let end: Int

  init(_ bytes: [UInt8], from start: Int, count: Int) {
    self.bytes = bytes
    let part = SlowBytes.part(of: bytes, at: start, count: count)
    position = part.startIndex
    end = part.endIndex
  }

  var left: Int { end - position }

  var isAtEnd: Bool { left == 0 }

  /// Reads a field of fixed size; 7.3: `unexpected-end` at its first byte.
  mutating func readBytes(_ count: Int) throws(SlowFinding) -> ArraySlice<UInt8> {
    guard count <= left else { throw SlowFinding("unexpected-end", at: position) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads a `u8` or a tag.
  mutating func readByte() throws(SlowFinding) -> UInt8 {
    UInt8(truncatingIfNeeded: SlowBytes.integer(try readBytes(1)))
  }

  /// Returns the next byte without advancing.
  func peekByte() throws(SlowFinding) -> UInt8 {
    var copy = self
    return try copy.readByte()
  }

  /// Reads a varint (Spec 5.1) byte by byte; all its findings are at its first byte.
  mutating func readVarint() throws(SlowFinding) -> UInt32 {
    let start = position
    var value: UInt64 = 0
    for place in 0..<5 {
      guard !isAtEnd else { throw SlowFinding("unexpected-end", at: start) }
      let byte = try readByte()
      // R-5.1-2: four bytes hold 28 bits, so the fifth may hold four more, and must be the last.
      if place == 4, byte > 0x0f { throw SlowFinding("varint-too-large", at: start) }
      value |= UInt64(byte & 0x7f) << UInt64(7 * place)
      if byte < 0x80 {
        // R-5.1-1
        if byte == 0, place > 0 { throw SlowFinding("varint-not-minimal", at: start) }
        break
      }
    }
    return UInt32(truncatingIfNeeded: value)
  }

  /// Reads a varint that counts the bytes after it; 7.3: `string-length` if it is out of bounds, then
  /// `length-past-end`, both at the varint.
  mutating func readLength(in bounds: ClosedRange<UInt32> = 0...UInt32.max) throws(SlowFinding) -> Int {
    let start = position
    let length = try readVarint()
    guard bounds.contains(length) else { throw SlowFinding("string-length", at: start) }  // R-5.2-2
    guard UInt64(length) <= UInt64(left) else { throw SlowFinding("length-past-end", at: start) }  // R-5.3-1
    return Int(length)
  }

  /// Reads text of known length; R-5.2-1.
  mutating func readText(_ count: Int) throws(SlowFinding) -> [UInt8] {
    let text = try readBytes(count)
    if let place = SlowUTF8.firstIllFormed(in: text) { throw SlowFinding("invalid-utf8", at: place) }
    return Array(text)
  }

  /// Reads a string (Spec 5.2): a length within bounds, and text.
  mutating func readString(_ bounds: ClosedRange<UInt32>) throws(SlowFinding) -> [UInt8] {
    let length = try readLength(in: bounds)
    return try readText(length)
  }

  /// Returns a cursor for a structure of known length within this one, and advances past it.
  mutating func readPart(_ count: Int) throws(SlowFinding) -> SlowCursor {
    let start = position
    let part = try readBytes(count)
    return SlowCursor(bytes, from: start, count: part.count)
  }
}
