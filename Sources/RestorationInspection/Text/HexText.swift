/// Formats bytes in hexadecimal: two digits each, separated by spaces.
enum HexText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns the hexadecimal text of bytes.
  static func text(of bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a file offset with at least eight digits.
  static func offset(_ offset: Int) -> String {
    let text = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 8 - text.count)) + text
  }
}
