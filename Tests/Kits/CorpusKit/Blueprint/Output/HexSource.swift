/// Writes the commented `.hex` source of an assembled file.
struct HexSource {
  private static let column = 50
  private(set) var text = ""

  /// Creates the source of a whole file.
  ///
  /// - Parameters:
  ///   - title: The first comment.
  ///   - file: The bytes with their fields.
  init(title: String, file: Assembly) {
    text = "# \(title)\n"
    for group in file.groups {
      text += "\n# ---- \(group.heading)\n"
      add(group.rows)
    }
  }

  /// Creates a source to which the caller adds lines.
  init(title: String) {
    text = "# \(title)\n"
  }

  /// Adds a line unchanged.
  mutating func line(_ line: String) {
    text += line + "\n"
  }

  /// Adds the lines of one piece.
  mutating func add(_ bytes: [UInt8], comment: String, fault: String? = nil) {
    var piece = Piece("", bytes, "")
    piece.fault = fault
    write(Self.tokens(piece), depth: 0, comment: comment)
    if let fault { self.fault(fault) }
  }

  private mutating func add(_ rows: [Assembly.Row]) {
    var index = 0
    while index < rows.count {
      let row = rows[index].piece.row
      let end = row == nil ? index + 1 : rows[index...].firstIndex { $0.piece.row != row } ?? rows.count
      if row != nil, rows[index..<end].allSatisfy({ $0.piece.fault == nil }) {
        let bytes = rows[index..<end].flatMap(\.piece.bytes)
        let tokens = Self.hexTokens(bytes[...])
        text += tokens.joined(separator: " ") + "  # \(Comment.offset(rows[index].offset)) \(row ?? "")\n"
        index = end
      } else {
        add(rows[index])
        index += 1
      }
    }
  }

  private mutating func add(_ row: Assembly.Row) {
    let name = row.piece.label.isEmpty ? "" : " " + Comment.shortened(row.piece.label)
    let colon = row.piece.meaning.isEmpty ? "" : (name.isEmpty ? " " : ": ")
    write(Self.tokens(row.piece), depth: row.piece.depth, comment: Comment.offset(row.offset) + name + colon + row.piece.meaning)
    if let fault = row.piece.fault { self.fault(fault) }
  }

  private mutating func fault(_ right: String) {
    text += String(repeating: " ", count: Self.column) + "# FAULT: \(right)\n"
  }

  /// Writes tokens on as many lines as needed, with the comment on the first.
  private mutating func write(_ tokens: [String], depth: Int, comment: String) {
    let indent = String(repeating: "  ", count: min(depth, 8))
    var comment: String? = comment
    var line = indent
    for token in tokens {
      if line.utf8.count + token.utf8.count > Self.column - 2, line != indent {
        end(&line, comment: &comment, indent: indent)
      }
      line += (line == indent ? "" : " ") + token
    }
    end(&line, comment: &comment, indent: indent)
  }

  private mutating func end(_ line: inout String, comment: inout String?, indent: String) {
    if let text = comment {
      line += String(repeating: " ", count: max(1, Self.column - line.utf8.count)) + "# \(text)"
    }
    text += line + "\n"
    comment = nil
    line = indent
  }

  private static func tokens(_ piece: Piece) -> [String] {
    guard let start = piece.textStart, start <= piece.bytes.count else { return hexTokens(piece.bytes[...]) }
    return hexTokens(piece.bytes[..<start]) + textTokens(piece.bytes[start...])
  }

  private static func textTokens(_ bytes: ArraySlice<UInt8>) -> [String] {
    var tokens: [String] = []
    var rest = bytes
    while let first = rest.first {
      let run = rest.prefix { $0 == first }.count
      let plain = rest.prefix { isPlain($0) }.prefix(40)
      if run > 16 || (run >= 5 && !isPlain(first)) {
        tokens.append("\(hex(first))*\(run)")
        rest = rest.dropFirst(run)
      } else if plain.isEmpty {
        tokens.append(hex(first))
        rest = rest.dropFirst()
      } else {
        tokens.append("\"\(String(decoding: plain, as: UTF8.self))\"")
        rest = rest.dropFirst(plain.count)
      }
    }
    return tokens
  }

  private static func hexTokens(_ bytes: ArraySlice<UInt8>) -> [String] {
    var tokens: [String] = []
    var rest = bytes
    while let first = rest.first {
      let run = rest.prefix { $0 == first }.count
      if run >= 5 {
        tokens.append("\(hex(first))*\(run)")
        rest = rest.dropFirst(run)
      } else {
        tokens.append(hex(first))
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"")
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
