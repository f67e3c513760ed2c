/// The number of columns that text occupies on a terminal.
public enum TextWidth {
  /// Returns the columns of a character: 0 if it only combines or is invisible, 2 if it is wide, else 1.
  ///
  /// A character that a terminal would interpret, such as a control character, counts as 1: it is shown as a
  /// placeholder.
  public static func columns(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if isControl(character) { return 1 }
    if isInvisible(first) { return 0 }
    // A variation selector requests emoji presentation, which is wide.
    if isWide(first) || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return 1
  }

  /// Returns the columns of text on one line.
  public static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// Whether terminals disagree about the width of a character: emoji, which some do not join, and other clusters.
  static func isUncertain(_ character: Character) -> Bool {
    guard let first = character.unicodeScalars.first, !first.isASCII || character.unicodeScalars.count > 1 else { return false }
    return character.unicodeScalars.count > 1 || first.properties.isEmojiPresentation
  }

  /// Whether a terminal would interpret a character: controls, line breaks, and marks that change the text direction.
  static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// Whether a scalar is East Asian wide or full-width, or an emoji with a picture by default.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18AFF, 0x1B000...0x1B2FF,
      0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
