/// Parses one line of a `.hex` source.
struct HexLineScanner {
  private let text: [UInt8]
  private let line: Int
  private var position = 0

  init(text: [UInt8], line: Int) {
    self.text = text
    self.line = line
  }

  /// Bytes with a repetition count.
  struct Run {
    /// The byte of a hex digit pair, or the bytes of a text.
    var bytes: [UInt8]
    /// The repetition count: 1, or the number after `*`.
    ///
    /// Only a single byte can be repeated.
    var count: Int
  }

  /// Returns the directive on the line with the word after it, or nil if there is none.
  mutating func directive() throws -> (name: String, argument: String)? {
    skipSpace()
    guard peek() == UInt8(ascii: "@") else { return nil }
    var words: [String] = []
    position += 1
    while !atEnd() {
      let start = position
      while !atEnd(), !isSpace(text[position]) { position += 1 }
      words.append(String(decoding: text[start..<position], as: UTF8.self))
      skipSpace()
    }
    guard let name = words.first, words.count <= 2 else { throw error("a directive is @, a word, and at most one thing behind it") }
    return (name, words.count == 2 ? words[1] : "")
  }

  /// Returns the next byte or text on the line, or nil at its end.
  mutating func nextRun() throws -> Run? {
    skipSpace()
    guard let first = peek(), !atEnd() else { return nil }
    if first == UInt8(ascii: "\"") {
      return Run(bytes: try quotedText(), count: 1)
    }
    let byte = try digitPair()
    guard peek() == UInt8(ascii: "*") else { return Run(bytes: [byte], count: 1) }
    position += 1
    return Run(bytes: [byte], count: try decimal())
  }

  private mutating func quotedText() throws -> [UInt8] {
    position += 1
    let start = position
    while let byte = peek(), byte != UInt8(ascii: "\"") {
      guard (0x20...0x7e).contains(byte) else { throw error("only printable ASCII may stand in quotes") }
      position += 1
    }
    guard peek() != nil else { throw error("the closing quote is missing") }
    position += 1
    return Array(text[start..<position - 1])
  }

  private mutating func digitPair() throws -> UInt8 {
    guard position + 1 < text.count, let high = digit(text[position]), let low = digit(text[position + 1]) else {
      let found = String(decoding: text[position..<min(position + 2, text.count)], as: UTF8.self)
      throw error("expected two hex digits, found \"\(found)\"")
    }
    position += 2
    return high << 4 | low
  }

  private mutating func decimal() throws -> Int {
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    let digits = String(decoding: text[start..<position], as: UTF8.self)
    guard let value = Int(digits), value <= HexAssembler.limit else { throw error("expected a count behind *, found \"\(digits)\"") }
    return value
  }

  private func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
    default: return nil
    }
  }

  private func peek() -> UInt8? {
    position < text.count ? text[position] : nil
  }

  /// Returns whether only a comment is left.
  ///
  /// The position is never inside quotes here, so a `#` begins a comment.
  private func atEnd() -> Bool {
    position >= text.count || text[position] == UInt8(ascii: "#")
  }

  private mutating func skipSpace() {
    while let byte = peek(), isSpace(byte) { position += 1 }
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0d
  }

  private func error(_ problem: String) -> HexNotationError {
    HexNotationError(line: line, problem: problem)
  }
}
