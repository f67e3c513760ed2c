/// A scanner of tags and text in the subset of XML that property lists use.
struct XMLScanner {
  /// A start or end tag.
  struct Tag {
    let name: String
    /// The offset of its `<` in the file.
    let offset: Int
    let isEnd: Bool
    /// Whether it is a start tag that is also the end of its element.
    let isEmpty: Bool
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var byteCount: Int { bytes.count }
  var isAtEnd: Bool { position == bytes.count }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Returns an error at an offset in the file, by default that of the next byte.
  func error(
    _ code: KeyedArchiveError.Code = .xmlSyntax, at offset: Int? = nil, expected: String, found: String = ""
  ) -> KeyedArchiveError {
    KeyedArchiveError(code, at: offset ?? position, "xml", expected: expected, found: found)
  }

  private func starts(with text: StaticString) -> Bool {
    bytes[position...].starts(with: "\(text)".utf8)
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  // MARK: Around elements

  /// Skips the byte order mark, the XML declaration and the document type.
  mutating func skipProlog() throws(KeyedArchiveError) {
    if starts(with: "\u{FEFF}") { position += 3 }
    skipSpace()
    if starts(with: "<?xml") { try skipDeclaration() }
    try skipMisc()
    guard starts(with: "<!DOCTYPE") else { return }
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
      switch bytes[position] {
      case UInt8(ascii: "["): throw error(.xmlEntity, expected: "a document type without declarations")
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipQuoted()
      default: position += 1
      }
    }
    guard position < bytes.count else { throw error(expected: ">") }
    position += 1
    try skipMisc()
  }

  /// Skips the XML declaration, and checks the encoding that it names.
  private mutating func skipDeclaration() throws(KeyedArchiveError) {
    let start = position
    try skip(past: "?>")
    let pieces = bytes[start..<position].split { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let index = pieces.firstIndex { piece in
      piece.reversed().drop { Self.isSpace($0) || $0 == UInt8(ascii: "=") }.starts(with: "encoding".utf8.reversed())
    }
    guard let index, index + 1 < pieces.count else { return }
    let name = String(decoding: pieces[index + 1], as: UTF8.self).lowercased()
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
      throw error(.xmlEncoding, at: start, expected: "the encoding UTF-8")
    }
  }

  /// Skips white space, comments and processing instructions.
  mutating func skipMisc() throws(KeyedArchiveError) {
    while true {
      skipSpace()
      if starts(with: "<!--") {
        position += 4
        try skip(past: "-->")
      } else if starts(with: "<?") {
        try skip(past: "?>")
      } else {
        return
      }
    }
  }

  private mutating func skip(past end: StaticString) throws(KeyedArchiveError) {
    let pattern = Array("\(end)".utf8)
    while position + pattern.count <= bytes.count {
      if bytes[position] == pattern[0], bytes[position...].starts(with: pattern) {
        position += pattern.count
        return
      }
      position += 1
    }
    position = bytes.count
    throw error(expected: "\(end)")
  }

  private mutating func skipQuoted() throws(KeyedArchiveError) {
    let quote = bytes[position]
    position += 1
    while position < bytes.count, bytes[position] != quote { position += 1 }
    guard position < bytes.count else { throw error(expected: "the end of a quoted text") }
    position += 1
  }

  // MARK: Tags

  /// Reads a tag; attributes are skipped.
  mutating func readTag() throws(KeyedArchiveError) -> Tag {
    let start = position
    guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else { throw error(expected: "a tag") }
    position += 1
    let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
    if isEnd { position += 1 }
    let nameStart = position
    while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
    // No element of property lists has a longer name.
    guard position > nameStart, position - nameStart <= 16 else { throw error(at: start, expected: "the name of an element") }
    let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
    while position < bytes.count, bytes[position] != UInt8(ascii: ">"), bytes[position] != UInt8(ascii: "/") {
      switch bytes[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipQuoted()
      case UInt8(ascii: "<"): throw error(expected: ">")
      default: position += 1
      }
    }
    let isEmpty = position < bytes.count && bytes[position] == UInt8(ascii: "/")
    if isEmpty { position += 1 }
    guard position < bytes.count, bytes[position] == UInt8(ascii: ">"), !(isEmpty && isEnd) else { throw error(expected: ">") }
    position += 1
    return Tag(name: name, offset: start, isEnd: isEnd, isEmpty: isEmpty)
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  // MARK: Text

  /// Reads the text of an element up to its end tag, which is read too.
  mutating func readContent(of tag: Tag) throws(KeyedArchiveError) -> String {
    if tag.isEmpty { return "" }
    var text: [UInt8] = []
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "<") where starts(with: "<![CDATA["):
        position += 9
        let contentStart = position
        try skip(past: "]]>")
        text += bytes[contentStart..<(position - 3)]
      case UInt8(ascii: "<"):
        let end = try readTag()
        guard end.isEnd, end.name == tag.name else { throw error(at: end.offset, expected: "</\(tag.name)>") }
        guard let text = String(validating: text, as: UTF8.self) else {
          throw error(.illFormedText, at: start, expected: "UTF-8")
        }
        return text
      case UInt8(ascii: "&"): text += try readCharacter()
      default:
        text.append(bytes[position])
        position += 1
      }
    }
    throw error(expected: "</\(tag.name)>")
  }

  /// Reads a predefined entity or a character reference.
  private mutating func readCharacter() throws(KeyedArchiveError) -> [UInt8] {
    let start = position
    // "&#x10FFFF;" has ten bytes; leading zeros may make it longer.
    let limit = min(position + 20, bytes.count)
    guard let end = bytes[position..<limit].firstIndex(of: UInt8(ascii: ";")) else {
      throw error(.xmlEntity, expected: "a predefined entity or the number of a character")
    }
    position = end + 1
    let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    switch name {
    case "lt": return Array("<".utf8)
    case "gt": return Array(">".utf8)
    case "amp": return Array("&".utf8)
    case "apos": return Array("'".utf8)
    case "quot": return Array("\"".utf8)
    default:
      let isHexadecimal = name.hasPrefix("#x")
      guard name.hasPrefix("#"), let value = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
        let scalar = Unicode.Scalar(value)
      else { throw error(.xmlEntity, at: start, expected: "a predefined entity or the number of a character") }
      return Array(String(scalar).utf8)
    }
  }
}
