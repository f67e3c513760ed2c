import ArchiveFormat

/// A scanner that splits JSON text into tokens and validates it by section 1 of `Spec/json.md`: strict RFC 8259, no
/// repeated keys, no lone surrogates, bounded depth, numbers in range.
///
/// Foundation's decoders are unsuitable: they accept repeated keys, read `1e2` as an integer, and do not report the
/// position of a fault. The scanner does not recurse; its time and memory are linear in the length of the text.
struct JSONScanner: ~Copyable {
  /// The maximum nesting depth of arrays and objects (rule R-J1-4).
  static let depthLimit = 1024

  /// An array or object that has not been closed.
  private struct Container {
    let token: Int
    let isObject: Bool
    /// The numbers of the keys so far.
    var keys: [Int] = []
    /// The same numbers as a set, once there are many.
    var keySet: Set<Int> = []
  }

  /// The tokens that may come next, in words.
  private enum Expectation: String {
    case value = "a value"
    case valueOrEnd = "a value or ]"
    case key = "a key"
    case keyOrEnd = "a key or }"
    case colon = "a colon"
    case commaInArray = "a comma or ]"
    case commaInObject = "a comma or }"
    case nothing = "the end of the text"
  }

  private let text: [UInt8]
  private var position = 0
  private var containers: [Container] = []
  private var expectation = Expectation.value
  private var keys = ByteInterner()
  private(set) var tokens: [JSONToken] = []

  private init(_ text: [UInt8]) {
    self.text = text
  }

  /// Scans a text.
  ///
  /// - Throws: The first fault in text order: `json-syntax`, `json-duplicate-key`, `json-surrogate`, `json-depth` or
  ///   `json-number`.
  static func scan(_ text: [UInt8]) throws(FormatError) -> [JSONToken] {
    var scanner = JSONScanner(text)
    try scanner.scan()
    return scanner.tokens
  }

  private mutating func scan() throws(FormatError) {
    while true {
      skipWhitespace()
      guard position < text.count else { break }
      if expectation == .nothing { throw syntaxError(at: position, expected: "the end of the text") }
      try scanToken(text[position])
    }
    guard expectation == .nothing else { throw syntaxError(at: text.count, expected: expectation.rawValue, found: "the end of the text") }
  }

  private mutating func skipWhitespace() {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func scanToken(_ byte: UInt8) throws(FormatError) {
    switch (byte, expectation) {
    case (UInt8(ascii: "\""), .key), (UInt8(ascii: "\""), .keyOrEnd):
      try scanKey()
    case (UInt8(ascii: "}"), .keyOrEnd), (UInt8(ascii: "}"), .commaInObject), (UInt8(ascii: "]"), .valueOrEnd),
      (UInt8(ascii: "]"), .commaInArray):
      close()
    case (UInt8(ascii: ","), .commaInArray), (UInt8(ascii: ","), .commaInObject):
      expectation = expectation == .commaInObject ? .key : .value
      position += 1
    case (UInt8(ascii: ":"), .colon):
      expectation = .value
      position += 1
    case (_, .value), (_, .valueOrEnd):
      try scanValue(byte)
    default:
      throw syntaxError(at: position, expected: expectation.rawValue)
    }
  }

  // MARK: Values

  private mutating func scanValue(_ byte: UInt8) throws(FormatError) {
    switch byte {
    case UInt8(ascii: "{"): try open(.object)
    case UInt8(ascii: "["): try open(.array)
    case UInt8(ascii: "\""):
      try scanString()
      endValue()
    case _ where Self.isWordByte(byte):
      try scanWord()
      endValue()
    default:
      throw syntaxError(at: position, expected: "a value")
    }
  }

  private mutating func open(_ kind: JSONToken.Kind) throws(FormatError) {
    guard containers.count < Self.depthLimit else {
      throw FormatError(.jsonDepth, at: position, "nesting", expected: "at most \(Self.depthLimit) levels")
    }
    containers.append(Container(token: tokens.count, isObject: kind == .object))
    tokens.append(JSONToken(kind: kind, start: position, end: position, next: 0))
    expectation = kind == .object ? .keyOrEnd : .valueOrEnd
    position += 1
  }

  private mutating func close() {
    position += 1
    guard let container = containers.popLast() else { return }
    tokens[container.token].end = position
    tokens[container.token].next = tokens.count
    endValue()
  }

  private mutating func endValue() {
    expectation = containers.last.map { $0.isObject ? .commaInObject : .commaInArray } ?? .nothing
  }

  /// Scans a number or literal: the longest run of bytes that can occur in either.
  private mutating func scanWord() throws(FormatError) {
    let start = position
    while position < text.count, Self.isWordByte(text[position]) { position += 1 }
    let word = text[start..<position]
    let kind: JSONToken.Kind
    if word.elementsEqual("null".utf8) {
      kind = .null
    } else if word.elementsEqual("true".utf8) {
      kind = .true
    } else if word.elementsEqual("false".utf8) {
      kind = .false
    } else if Self.isNumber(word) {
      try JSONNumber.checkRange(word)
      kind = .number
    } else {
      throw syntaxError(at: start, expected: "a number, true, false or null")
    }
    tokens.append(JSONToken(kind: kind, start: start, end: position, next: tokens.count + 1))
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns whether a word is a number as defined by RFC 8259.
  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var rest = word
    func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let first = rest.first
    let count = digits(&rest)
    guard count == 1 || (count > 1 && first != UInt8(ascii: "0")) else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard digits(&rest) > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  // MARK: Strings

  private mutating func scanKey() throws(FormatError) {
    let start = position
    try scanString()
    let token = tokens[tokens.count - 1]
    let bytes = JSONStringDecoder.bytes(of: token, in: text)
    let number = keys.intern(bytes.span)
    let last = containers.count - 1
    var isNew: Bool
    if containers[last].keys.count < 16 {
      isNew = !containers[last].keys.contains(number)
      containers[last].keys.append(number)
    } else {
      if containers[last].keySet.isEmpty { containers[last].keySet = Set(containers[last].keys) }
      isNew = containers[last].keySet.insert(number).inserted
    }
    guard isNew else { throw FormatError(.jsonDuplicateKey, at: start, "key of an object", expected: "each key once") }
    expectation = .colon
  }

  private mutating func scanString() throws(FormatError) {
    let start = position
    position += 1
    var hasEscapes = false
    while true {
      guard position < text.count else { throw syntaxError(at: start, expected: "a closing quotation mark", found: "the end of the text") }
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        let kind = hasEscapes ? JSONToken.Kind.escapedString : .string
        tokens.append(JSONToken(kind: kind, start: start, end: position, next: tokens.count + 1))
        return
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try scanEscape()
      case 0..<0x20:
        throw syntaxError(at: position, expected: "control characters as escapes")
      case 0x80...0xFF:
        try scanMultibyteRun()
      default:
        position += 1
      }
    }
  }

  /// Scans a run of non-ASCII bytes.
  ///
  /// No UTF-8 sequence extends across an ASCII byte, so the run can be validated by itself.
  private mutating func scanMultibyteRun() throws(FormatError) {
    let start = position
    while position < text.count, text[position] >= 0x80 { position += 1 }
    let run = start..<position
    if let place = text.span.extracting(run).firstIllFormedUTF8() {
      throw syntaxError(at: start + place, expected: "UTF-8", found: "an ill-formed sequence")
    }
  }

  private mutating func scanEscape() throws(FormatError) {
    let start = position
    guard position + 1 < text.count else { throw syntaxError(at: start, expected: "an escape", found: "the end of the text") }
    switch text[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let unit = try scanUnit(at: start)
      if UTF16.isTrailSurrogate(unit) { throw surrogateError(at: start) }
      if UTF16.isLeadSurrogate(unit) {
        guard position + 1 < text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u"),
          let second = JSONStringDecoder.unit(at: position, in: text), UTF16.isTrailSurrogate(second)
        else { throw surrogateError(at: start) }
        position += 6
      }
    default:
      throw syntaxError(at: start, expected: "a valid JSON escape")
    }
  }

  /// Scans a `\u` escape with four hexadecimal digits, and returns its code unit.
  private mutating func scanUnit(at start: Int) throws(FormatError) -> UInt16 {
    guard let unit = JSONStringDecoder.unit(at: start, in: text) else {
      throw syntaxError(at: start, expected: "four hexadecimal digits after \\u")
    }
    position = start + 6
    return unit
  }

  // MARK: Errors

  private func surrogateError(at offset: Int) -> FormatError {
    FormatError(.jsonSurrogate, at: offset, "escape", expected: "surrogates in pairs")
  }

  private func syntaxError(at offset: Int, expected: String, found: String? = nil) -> FormatError {
    FormatError(.jsonSyntax, at: offset, "json", expected: .text(expected), found: found.map { .text($0) } ?? .nothing)
  }
}

/// A piece of JSON text that has been located and validated, but not yet turned into a value.
///
/// Tokens are in text order. A container's tokens follow the container, and its `next` points past them, so that a
/// value can be skipped without looking inside:
///
///     {"a": [1, 2]}      0 object next 6 | 1 string "a" next 2 | 2 array next 5 … | 3 number | 4 number
struct JSONToken {
  /// The kind of token.
  enum Kind: UInt8 {
    case null, `true`, `false`, number, string, escapedString, array, object
  }

  let kind: Kind
  /// The start of the token in the text.
  let start: Int
  /// The end of the token; for containers, after the closing bracket.
  var end: Int
  /// The index of the first token after this one and its contents.
  var next: Int
}

/// Decodes string tokens that the scanner has validated.
enum JSONStringDecoder {
  /// Returns the UTF-8 bytes of a string, with escapes resolved.
  static func bytes(of token: JSONToken, in text: [UInt8]) -> [UInt8] {
    let content = (token.start + 1)..<(token.end - 1)
    guard token.kind == .escapedString else { return Array(text[content]) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var position = content.lowerBound
    while position < content.upperBound {
      if text[position] != UInt8(ascii: "\\") {
        bytes.append(text[position])
        position += 1
      } else {
        appendEscape(in: text, at: &position, to: &bytes)
      }
    }
    return bytes
  }

  /// Returns the text of a string, with escapes resolved.
  static func string(of token: JSONToken, in text: [UInt8]) -> String {
    String(decoding: bytes(of: token, in: text), as: UTF8.self)
  }

  private static func appendEscape(in text: [UInt8], at position: inout Int, to bytes: inout [UInt8]) {
    switch text[position + 1] {
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      var units = [unit(at: position, in: text) ?? 0]
      if UTF16.isLeadSurrogate(units[0]) {
        position += 6
        units.append(unit(at: position, in: text) ?? 0)
      }
      bytes.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
      position += 4
    default: bytes.append(text[position + 1])
    }
    position += 2
  }

  /// Returns the code unit of a `\u` escape with four hexadecimal digits at `position`, or nil if there is none.
  static func unit(at position: Int, in text: [UInt8]) -> UInt16? {
    guard position + 6 <= text.count else { return nil }
    var unit: UInt16 = 0
    for byte in text[(position + 2)..<(position + 6)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
