/// Formats text for the comments of `.hex` files.
enum Comment {
  /// Returns the text in quotes, shortened if it is long, with everything but printable ASCII escaped.
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

  /// Returns a label; for a deeply nested value, only its beginning and end.
  static func shortened(_ label: String) -> String {
    label.utf8.count <= 70 ? label : "\(label.prefix(32))...\(label.suffix(32))"
  }

  /// Returns a number with its noun, as in `1 key` and `2 keys`.
  static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  /// Returns an offset with at least four digits.
  static func offset(_ value: Int) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
