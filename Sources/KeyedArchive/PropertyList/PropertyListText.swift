import RestorationArchive

/// The text of an XML or old-style property list as UTF-8, whatever its encoding, with the way back to offsets in the
/// file.
struct PropertyListText {
  /// The encodings that are read.
  private enum Encoding {
    case utf8
    case latin1
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)
  }

  /// The text, without a byte order mark other than that of UTF-8.
  private(set) var utf8: [UInt8] = []
  /// The place in the text of the first unit that was no character, and is U+FFFD; nil if all are characters.
  private(set) var firstRepair: Int?
  /// Whether the file ends within a code unit.
  let isCutOff: Bool
  private let encoding: Encoding
  private let markByteCount: Int
  /// The offset in the file of every 256th byte of the text, if the text was transcoded.
  private var checkpoints: [Int] = []

  private static let checkpointDistance = 256

  /// The byte order mark of UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Whether the file has another encoding than the text.
  var isTranscoded: Bool { if case .utf8 = encoding { false } else { true } }

  /// Decodes a file.
  init(_ bytes: [UInt8]) {
    (encoding, markByteCount) = Self.encoding(of: bytes)
    let content = bytes.dropFirst(markByteCount)
    switch encoding {
    case .utf8:
      utf8 = bytes
      isCutOff = false
      return
    case .latin1:
      isCutOff = false
      append(content.lazy.map { UInt16($0) }, of: UTF16.self)
    case .utf16(let isBigEndian):
      isCutOff = content.count % 2 != 0
      append(Self.units(of: content, width: 2, isBigEndian).map { UInt16(truncatingIfNeeded: $0) }, of: UTF16.self)
    case .utf32(let isBigEndian):
      isCutOff = content.count % 4 != 0
      append(Self.units(of: content, width: 4, isBigEndian), of: UTF32.self)
    }
    var place = markByteCount
    for index in utf8.indices {
      if index % Self.checkpointDistance == 0 { checkpoints.append(place) }
      place += width(ofCharacterFrom: utf8[index])
    }
  }

  /// Appends code units to the text; each that is no part of a character becomes U+FFFD.
  private mutating func append<Codec: Unicode.Encoding>(_ units: some Sequence<Codec.CodeUnit>, of codec: Codec.Type) {
    var (parser, rest) = (Codec.ForwardParser(), units.makeIterator())
    while true {
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return
      case .valid(let units): utf8 += UTF8.encode(Codec.decode(units)) ?? UTF8.encodedReplacementCharacter
      case .error:
        firstRepair = firstRepair ?? utf8.count
        utf8 += UTF8.encodedReplacementCharacter
      }
    }
  }

  /// Returns the encoding that the byte order mark or the declaration names, and the length of a mark to leave out.
  private static func encoding(of bytes: [UInt8]) -> (Encoding, markByteCount: Int) {
    // The mark of little-endian UTF-32 begins as that of UTF-16.
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isBigEndian: false), 4) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isBigEndian: true), 4) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
    if bytes.starts(with: mark) { return (.utf8, 0) }
    let isLatin1 = ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"].contains(declaredEncoding(bytes[...]) ?? "")
    return (isLatin1 ? .latin1 : .utf8, 0)
  }

  /// Returns the whole code units of some bytes.
  private static func units(of bytes: ArraySlice<UInt8>, width: Int, _ isBigEndian: Bool) -> some Sequence<UInt32> {
    stride(from: bytes.startIndex, to: bytes.endIndex - bytes.count % width, by: width).lazy.map { start in
      (0..<width).reduce(0) { $0 << 8 | UInt32(bytes[isBigEndian ? start + $1 : start + width - 1 - $1]) }
    }
  }

  /// Returns the number of bytes in the file of the character that a byte of the text begins; 0 within a character.
  private func width(ofCharacterFrom byte: UInt8) -> Int {
    guard byte & 0xC0 != 0x80 else { return 0 }
    return switch encoding {
    case .utf8, .latin1: 1
    case .utf16: byte >= 0xF0 ? 4 : 2
    case .utf32: 4
    }
  }

  /// Returns the offset in the file of a byte of the text.
  func place(of index: Int) -> Int {
    guard isTranscoded else { return index }
    guard !checkpoints.isEmpty else { return markByteCount }
    let checkpoint = min(index / Self.checkpointDistance, checkpoints.count - 1)
    return utf8[(checkpoint * Self.checkpointDistance)..<index].reduce(checkpoints[checkpoint]) { $0 + width(ofCharacterFrom: $1) }
  }

  // MARK: First bytes

  private static let elements: Set = ["plist", "dict", "array", "string", "integer", "real", "date", "data", "true", "false"]

  /// Returns whether a file begins as an XML property list does: with the declaration, the document type, a comment or
  /// an element of property lists, after white space and a byte order mark.
  static func beginsAsPropertyList(_ bytes: [UInt8]) -> Bool {
    let text = head(of: bytes)
    guard text.first == UInt8(ascii: "<") else { return false }
    if ["<?xml", "<!DOCTYPE plist", "<!--"].contains(where: { text.starts(with: $0.utf8) }) { return true }
    let name = text.dropFirst().prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard let next = text.dropFirst(1 + name.count).first else { return false }
    let isWhole = XMLScanner.isSpace(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
    return isWhole && elements.contains(String(decoding: name, as: UTF8.self))
  }

  /// The number of bytes that decide whether a file is a property list.
  static let headByteCount = 4096

  /// Returns the text at the start of a file, after white space and a byte order mark.
  static func head(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    afterMark(PropertyListText(Array(bytes.prefix(headByteCount))).utf8[...])
  }

  /// Returns a text without white space, and the mark of UTF-8 before it, at its start.
  static func afterMark(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    (text.starts(with: mark) ? text.dropFirst(3) : text).drop(while: XMLScanner.isSpace)
  }

  /// Returns the name of the encoding in the declaration of a text, in lower case; empty if it is no known name, and nil if
  /// there is none.
  static func declaredEncoding(_ text: ArraySlice<UInt8>) -> String? {
    let text = afterMark(text)
    guard text.starts(with: "<?xml".utf8) else { return nil }
    // The declaration ends at the first `>`, which no value in it has.
    let pieces = text.prefix { $0 != UInt8(ascii: ">") }.split { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let index = pieces.firstIndex { piece in
      piece.reversed().drop { XMLScanner.isSpace($0) || $0 == UInt8(ascii: "=") }.starts(with: "encoding".utf8.reversed())
    }
    guard let index, index + 1 < pieces.count else { return nil }
    return String(decoding: pieces[index + 1], as: UTF8.self).asKnownName.lowercased()
  }
}

/// A container of an XML or old-style list whose end is not read yet.
struct OpenContainer {
  enum Kind { case array, dictionary, table }

  /// A table of strings is a dictionary that ends with the file.
  let kind: Kind
  let offset: Int
  private var elements: [Int] = []
  private(set) var entries: [PropertyList.Entry] = []
  /// The key whose value is expected next.
  var key: Int?

  init(kind: Kind, offset: Int) { (self.kind, self.offset) = (kind, offset) }

  var object: PropertyList.Object { kind == .array ? .array(elements) : .dictionary(entries) }

  /// Adds an element, or the value of the key; false if there is no key.
  mutating func put(_ value: Int) -> Bool {
    if kind == .array {
      elements.append(value)
    } else {
      guard let key else { return false }
      entries.append(PropertyList.Entry(key: key, value: value))
      self.key = nil
    }
    return true
  }
}
