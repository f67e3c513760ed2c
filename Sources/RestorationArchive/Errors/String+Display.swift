extension String {
  /// The text with control characters, bidirectional controls and the like as `\u{…}`, so that printing it can neither move the cursor nor
  /// make a line look like another one (Spec §11).
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: { !$0.isSafeToDisplay }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      if scalar.isSafeToDisplay { escaped.unicodeScalars.append(scalar) } else { escaped += "\\u{\(String(scalar.value, radix: 16))}" }
    }
    return escaped
  }
}

extension Unicode.Scalar {
  /// Whether a terminal shows the scalar as itself and nothing else.
  ///
  /// The same scalars are escaped in the JSON form (rule R-J7-5).
  package var isSafeToDisplay: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
    default: true
    }
  }
}
