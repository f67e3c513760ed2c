/// The encoding of paths and keys in `.expect` files.
///
/// Every byte outside `21`...`7e`, and `%` itself, becomes a percent sign and two uppercase digits.
public enum PercentText {
  /// Returns the encoded text.
  public static func encode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if (0x21...0x7e).contains(byte), byte != UInt8(ascii: "%") {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += byte < 16 ? "%0" : "%"
        result += String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// Returns the decoded text, or nil if it is not encoded in this way or is not UTF-8.
  static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self), encode(decoded) == String(text) else { return nil }
    return decoded
  }
}
