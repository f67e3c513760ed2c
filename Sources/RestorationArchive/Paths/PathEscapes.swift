/// The escapes of an identifier within the text form of a path or a pattern (rule R-3.1-4).
package struct PathEscapes: Sendable {
  /// In a path `~0` stands for `~`, and `~1` for `/`.
  package static let path = PathEscapes("~/")
  /// In a pattern `~2` also stands for `*`.
  package static let pattern = PathEscapes("~/*")

  /// The escaped characters, each at the place that its digit names.
  private let characters: [UInt8]

  private init(_ characters: String) {
    self.characters = Array(characters.utf8)
  }

  /// Returns the character for which a digit after `~` stands; nil if it stands for none.
  func character(for digit: UInt8) -> UInt8? {
    let place = Int(digit) - Int(UInt8(ascii: "0"))
    return characters.indices.contains(place) ? characters[place] : nil
  }

  /// Returns an identifier with its special characters escaped.
  package func escape(_ identifier: String) -> String {
    guard identifier.utf8.contains(where: characters.contains) else { return identifier }
    var escaped: [UInt8] = []
    for byte in identifier.utf8 {
      guard let digit = characters.firstIndex(of: byte) else {
        escaped.append(byte)
        continue
      }
      escaped += [UInt8(ascii: "~"), UInt8(ascii: "0") + UInt8(digit)]
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// Returns the identifier that a text stands for; nil if a `~` is not followed by one of the digits.
  package func unescape(_ text: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in text {
      if isEscaped {
        guard let character = character(for: byte) else { return nil }
        bytes.append(character)
      } else if byte != UInt8(ascii: "~") {
        bytes.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "~") && !isEscaped
    }
    return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
