extension String {
  /// The text with control, bidirectional and invisible characters escaped as `\u{…}` (Spec §11).
  ///
  /// Printing it can neither move the cursor nor make two different texts look alike.
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: { !$0.isVisible }) else { return self }
    var escaped = ""
    let scalars = unicodeScalars
    var index = scalars.startIndex
    var previous: Unicode.Scalar?
    while index < scalars.endIndex {
      let scalar = scalars[index]
      scalars.formIndex(after: &index)
      let next = index < scalars.endIndex ? scalars[index] : nil
      if scalar.isVisible || scalar.isPartOfEmoji(after: previous, before: next) {
        escaped.unicodeScalars.append(scalar)
        previous = scalar
      } else {
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
        previous = nil
      }
    }
    return escaped
  }

  /// The text with `\u{…}` replaced by the characters: what ``escapedForDisplay`` may have been made from.
  package var unescapedFromDisplay: String {
    var parts = split(separator: "\\u{", omittingEmptySubsequences: false)[...]
    var text = String(parts.removeFirst())
    for part in parts {
      if let end = part.firstIndex(of: "}"), let scalar = UInt32(part[..<end], radix: 16).flatMap(Unicode.Scalar.init) {
        text.unicodeScalars.append(scalar)
        text += part[part.index(after: end)...]
      } else {
        text += "\\u{\(part)"
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether the JSON form writes the scalar unescaped (rule R-J7-5).
  package var isPlainInJSON: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
    default: true
    }
  }

  /// Whether a terminal shows the scalar as itself in any context.
  fileprivate var isVisible: Bool {
    // No scalar below the soft hyphen is default-ignorable, and the property is slow to look up.
    if value < 0xAD { return isPlainInJSON }
    // The interlinear annotation characters are invisible too, but lack the property.
    return isPlainInJSON && !properties.isDefaultIgnorableCodePoint && !(0xFFF9...0xFFFB).contains(value)
  }

  /// Whether the scalar is invisible but changes the appearance of adjacent emoji: a joiner between two emoji, or the
  /// selector that turns a symbol into an emoji.
  fileprivate func isPartOfEmoji(after previous: Unicode.Scalar?, before next: Unicode.Scalar?) -> Bool {
    guard let previous else { return false }
    switch value {
    case 0x200D: return (previous.isEmoji || previous.value == 0xFE0F) && next?.isEmoji == true
    case 0xFE0F where previous.isASCII: return previous.properties.isEmoji && next?.value == 0x20E3
    case 0xFE0F: return previous.isEmoji && !previous.properties.isEmojiPresentation
    default: return false
    }
  }

  /// Whether the scalar is an emoji on its own, unlike digits.
  private var isEmoji: Bool { !isASCII && properties.isEmoji }
}
