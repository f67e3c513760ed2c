/// A scanner of tags and text in the subset of XML that property lists use.
struct XMLScanner {
  /// A start or end tag.
  struct Tag {
    let name: String
    /// The offset of its `<` in the file.
    let offset: Int
    /// The first place after it in the text.
    let end: Int
    let isEnd: Bool
    /// Whether it is a start tag that is also the end of its element.
    let isEmpty: Bool
  }

  private let text: PropertyListText
  private let bytes: [UInt8]
  private let context: ImportContext
  private var position = 0

  init(_ file: [UInt8], _ context: ImportContext) {
    self.context = context
    text = PropertyListText(file)
    bytes = text.utf8
  }

  /// The number of bytes of the text.
  var byteCount: Int { bytes.count }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// Returns an error at an offset in the file, by default that of the next byte.
  func error(
    _ code: KeyedArchiveError.Code = .xmlSyntax, at offset: Int? = nil, expected: String, found: String = ""
  ) -> KeyedArchiveError {
    KeyedArchiveError(code, at: offset ?? text.place(of: position), "xml", expected: expected, found: found)
  }

  private func starts(with text: StaticString) -> Bool { bytes[position...].starts(with: "\(text)".utf8) }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  // MARK: Around elements

  /// Skips the byte order mark, the XML declaration and the document type.
  mutating func skipProlog() throws(KeyedArchiveError) {
    if let place = text.firstRepair {
      let fault = error(.illFormedText, at: text.place(of: place), expected: "UTF-16 or UTF-32")
      try context.accept(fault, as: "what is no character is read as U+FFFD", isLoss: true)
    }
    if starts(with: "\u{FEFF}") { position += 3 }
    skipSpace()
    if starts(with: "<?xml") { try skipDeclaration() }
    try skipMisc()
    guard starts(with: "<!DOCTYPE") else { return }
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
      switch bytes[position] {
      case UInt8(ascii: "["): throw error(.xmlEntity, expected: "a document type without declarations")
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        position += 1
        try skip(past: bytes[position - 1], expected: "the end of a quoted text")
      default: position += 1
      }
    }
    guard position < bytes.count else { throw error(expected: ">") }
    position += 1
    try skipMisc()
  }

  /// Skips the XML declaration, and checks the encoding that it names: that of the byte order mark, or UTF-8.
  ///
  /// What a file with a mark declares does not matter: the mark decides. The text begins with that of UTF-8.
  private mutating func skipDeclaration() throws(KeyedArchiveError) {
    let start = position
    try skip(past: "?>")
    guard let name = PropertyListText.declaredEncoding(bytes[start..<position]), !text.isTranscoded,
      !bytes.starts(with: PropertyListText.mark)
    else { return }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
      throw error(.xmlEncoding, at: text.place(of: start), expected: "the encoding UTF-8, or UTF-16 with a byte order mark")
    }
  }

  /// Accepts anything behind the end of the list.
  mutating func finish() throws(KeyedArchiveError) {
    // A comment behind the end need not be well-formed to be ignored.
    var rest = self
    if (try? rest.skipMisc()) != nil { self = rest } else { skipSpace() }
    if position == bytes.count, !text.isCutOff { return }
    try context.accept(error(expected: "the end of the file"), as: "the rest is ignored")
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

  private mutating func skip(past byte: UInt8, expected: String) throws(KeyedArchiveError) {
    position = bytes[position...].firstIndex(of: byte) ?? bytes.count
    guard position < bytes.count else { throw error(expected: expected) }
    position += 1
  }

  // MARK: Tags

  /// Reads a tag, which ends at the first `>`; attributes are skipped.
  ///
  /// Apple's parser looks for the end of a tag without regard to quotation marks. In well-formed XML this makes a
  /// difference only if an attribute has a `>`, and property lists have no attributes but `version`.
  mutating func readTag() throws(KeyedArchiveError) -> Tag {
    let start = position
    guard position < bytes.count, bytes[position] == UInt8(ascii: "<") else { throw error(expected: "a tag") }
    position += 1
    let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
    if isEnd { position += 1 }
    let nameStart = position
    while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
    let offset = text.place(of: start)
    // No element of property lists has a longer name.
    guard position > nameStart, position - nameStart <= 16 else { throw error(at: offset, expected: "the name of an element") }
    let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
    let attributes = position
    try skip(past: UInt8(ascii: ">"), expected: ">")
    let isEmpty = bytes[position - 2] == UInt8(ascii: "/") && !isEnd
    let rest = bytes[attributes..<(isEmpty ? position - 2 : position - 1)]
    if !rest.allSatisfy(Self.isSpace) {
      let fault = error(at: text.place(of: attributes), expected: isEnd ? ">" : "attributes with names and quoted values, or >")
      guard !isEnd, rest.first.map({ Self.isSpace($0) }) == true else { throw fault }
      if !Self.areAttributes(rest) { try context.accept(fault, as: "skipped up to the next >") }
    }
    return Tag(name: name, offset: offset, end: position, isEnd: isEnd, isEmpty: isEmpty)
  }

  /// Whether some text consists of attributes: names with quoted values and white space between them.
  private static func areAttributes(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while true {
      let name = rest.drop(while: isSpace)
      if name.isEmpty { return true }
      guard name.startIndex > rest.startIndex else { return false }
      let afterName = name.drop { isNamePart($0) || [UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
      let sign = afterName.drop(while: isSpace)
      let value = sign.dropFirst().drop(while: isSpace)
      guard afterName.startIndex > name.startIndex, sign.first == UInt8(ascii: "="), let quote = value.first,
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), let end = value.dropFirst().firstIndex(of: quote),
        !value[..<end].contains(UInt8(ascii: "<"))
      else { return false }
      rest = value[(end + 1)...]
    }
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  // MARK: Text

  /// Reads the text of an element up to its end tag, which is read too.
  mutating func readContent(of tag: Tag) throws(KeyedArchiveError) -> String {
    if tag.isEmpty { return "" }
    var content: [UInt8] = []
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "<") where starts(with: "<![CDATA["):
        position += 9
        let contentStart = position
        try skip(past: "]]>")
        content += bytes[contentStart..<(position - 3)]
      case UInt8(ascii: "<"):
        let end = try readTag()
        guard end.isEnd, end.name == tag.name else { throw error(at: end.offset, expected: "</\(tag.name)>") }
        guard let text = String(validating: content, as: UTF8.self) else {
          throw error(.illFormedText, at: text.place(of: tag.end), expected: "UTF-8")
        }
        return text
      case UInt8(ascii: "&"): content += try readCharacter()
      default:
        content.append(bytes[position])
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
    if let character = Self.entities[name] { return Array(character.utf8) }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    // The standard library takes a sign too.
    guard name.hasPrefix("#"), digits.first?.isHexDigit == true, let value = UInt32(digits, radix: isHexadecimal ? 16 : 10),
      let scalar = Unicode.Scalar(value)
    else { throw error(.xmlEntity, at: text.place(of: start), expected: "a predefined entity or the number of a character") }
    return Array(String(scalar).utf8)
  }

  /// The predefined entities.
  private static let entities = ["lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": "\""]
}
