/// Parses the bytes of a terminal into keys.
///
/// The bytes may arrive in pieces of any size.
public struct KeyParser: Sendable {
  private var bytes: [UInt8] = []
  /// Whether the bytes are those of a paste, whose end has not arrived.
  private var isPasting = false
  /// The longest escape sequence; longer ones are discarded.
  private static let longestSequence = 32
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// The number of bytes from which a paste is delivered in parts.
  private static let longestPaste = 1 << 16

  /// Creates a parser.
  public init() {}

  /// Adds bytes, and returns the keys that are now complete.
  public mutating func parse(_ more: some Sequence<UInt8>) -> [Key] {
    bytes += more
    var keys: [Key] = []
    var rest = bytes[...]
    while !rest.isEmpty, let (key, count) = isPasting ? paste(rest) : Self.key(rest) {
      if let key { keys.append(key) } else if rest.starts(with: Self.pasteStart) { isPasting = true }
      rest = rest.dropFirst(count)
    }
    bytes = Array(rest)
    return keys
  }

  /// Ends an incomplete sequence: a lone escape character becomes the escape key.
  ///
  /// Call this after a short pause in the input.
  public mutating func finish() -> [Key] {
    // The rest of a character or a paste comes later: dropped here, that of a paste would be taken for keys.
    guard !isPasting, bytes.first == 0x1B, bytes.count <= 2 || !Self.pasteStart.starts(with: bytes) else { return [] }
    defer { bytes = [] }
    return bytes.count == 1 ? [.escape] : []
  }

  /// Returns the first key, or nil for bytes without a key, and its byte count.
  ///
  /// Returns nil if more bytes are needed.
  private static func key(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x1B: return escapeSequence(bytes)
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 1...26: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0..<0x20: return (nil, 1)
    default: return character(bytes, first)
    }
  }

  private static func character(_ bytes: ArraySlice<UInt8>, _ first: UInt8) -> (Key?, Int)? {
    let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard bytes.count >= count else { return bytes.dropFirst().allSatisfy(isContinuation) ? nil : (nil, 1) }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self), let character = text.first else { return (nil, 1) }
    return (.character(character), count)
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  private static func escapeSequence(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
    guard bytes.count > 1 else { return nil }
    let second = bytes[bytes.startIndex + 1]
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return (.escape, 1) }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return bytes.count > longestSequence ? (nil, bytes.count) : nil
    }
    let body = String(decoding: bytes[(bytes.startIndex + 2)...end], as: UTF8.self)
    return (named(body), end - bytes.startIndex + 1)
  }

  private static func named(_ body: String) -> Key? {
    switch body {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H", "1~", "7~": .home
    case "F", "4~", "8~": .end
    case "3~": .delete
    case "5~": .pageUp
    case "6~": .pageDown
    default: body.first == "<" ? mouse(body.dropFirst()) : nil
    }
  }

  /// Returns the event of a report such as `0;12;3M`: the button, and column and row from 1.
  private static func mouse(_ report: Substring) -> Key? {
    let numbers = report.dropLast().split(separator: ";").compactMap { Int($0) }
    guard report.last == "M", numbers.count == 3, numbers.allSatisfy({ (0...10_000).contains($0) }) else { return nil }
    let (row, column) = (numbers[2] - 1, numbers[1] - 1)
    switch numbers[0] {
    case 0: return .click(row: row, column: column)
    case 64: return .wheel(lines: -3, row: row, column: column)
    case 65: return .wheel(lines: 3, row: row, column: column)
    default: return nil
    }
  }

  /// Returns a paste, or a part of a long one, and its byte count; nil if more bytes are needed.
  private mutating func paste(_ body: ArraySlice<UInt8>) -> (Key?, Int)? {
    if let end = body.firstRange(of: Self.pasteEnd) {
      isPasting = false
      return (.paste(String(decoding: body[..<end.lowerBound], as: UTF8.self)), end.upperBound - body.startIndex)
    }
    guard body.count > Self.longestPaste else { return nil }
    // The last bytes may be the beginning of the end, or of a character.
    var end = body.endIndex - Self.pasteEnd.count
    for _ in 1...3 where Self.isContinuation(body[end]) { end -= 1 }
    return (.paste(String(decoding: body[..<end], as: UTF8.self)), end - body.startIndex)
  }
}
