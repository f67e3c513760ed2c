/// Text as comments of `.hex` files show it.
enum Comment {
  /// The text in quotes, cut if it is long, with everything but printable ASCII escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      guard result.utf8.count < 40 else {
        result += "..."
        break
      }
      if (0x20...0x7e).contains(scalar.value), scalar != "\"", scalar != "\\" {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result + "\""
  }

  /// An offset with at least four digits.
  static func offset(_ value: Int) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
