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
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
