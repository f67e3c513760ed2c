import ArchiveFormat

/// The restoration identifiers from the root down to a node, which identify the node in an archive (Spec §3.1).
///
/// A path is an array of identifiers. Its text form joins them with `/`; within an identifier, `/` is written as `~1`
/// and `~` as `~0`. The empty path identifies the app itself.
///
///     let path: RestorationPath = "root/editors/2"
///     path.components            // ["root", "editors", "2"]
///     path.appending("outline")  // root/editors/2/outline
///     let other: RestorationPath = "root/editors/\(number)"
///
/// Unlike strings, paths compare byte by byte: two normalization forms of a text are different paths.
public struct RestorationPath: Sendable {
  /// The identifiers from the root down.
  public let components: [String]

  /// The empty path, which identifies the app itself.
  public static let application = RestorationPath(validated: [])

  /// The greatest number of identifiers, and so the greatest depth of a node.
  package static let maximumCount = FormatLimits.pathComponents

  /// Creates a path from validated identifiers.
  package init(validated components: [String]) {
    self.components = components
  }

  /// The number of identifiers.
  public var count: Int { components.count }

  /// Whether the path is empty and thus identifies the app itself.
  public var isEmpty: Bool { components.isEmpty }

  /// The identifier of the node; nil for the empty path.
  public var identifier: String? { components.last }

  /// The path of the parent; nil for the empty path.
  public var parent: RestorationPath? {
    isEmpty ? nil : RestorationPath(validated: components.dropLast())
  }

  /// Returns the path of a child.
  ///
  /// For an identifier that may be anything, ``init(components:)`` throws instead.
  ///
  /// - Precondition: The identifier has 1 to 1,024 bytes, and the path has fewer than 256 components.
  public func appending(_ identifier: String) -> RestorationPath {
    precondition(FormatLimits.identifier.contains(identifier.utf8.count), "an identifier has 1 to 1024 bytes")
    precondition(count < FormatLimits.pathComponents, "a path has at most 256 components")
    var appended: [String] = []
    appended.reserveCapacity(count + 1)
    appended.append(contentsOf: components)
    appended.append(identifier)
    return RestorationPath(validated: appended)
  }

  /// Returns whether the other path is this one or lies below it.
  public func contains(_ other: RestorationPath) -> Bool {
    count <= other.count && zip(components, other.components).allSatisfy { $0.isIdenticalText(to: $1) }
  }
}

extension RestorationPath: Hashable, Comparable {
  /// Returns whether the identifiers have the same bytes.
  public static func == (left: RestorationPath, right: RestorationPath) -> Bool {
    left.count == right.count && left.contains(right)
  }

  /// Hashes the bytes of the identifiers.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for component in components {
      component.withUTF8Bytes { bytes in
        for index in bytes.indices { hasher.combine(bytes[index]) }
      }
      hasher.combine(UInt8(0xFF))
    }
  }

  /// Returns whether the left path precedes the right one, comparing identifiers by their bytes; a parent precedes its
  /// children.
  public static func < (left: RestorationPath, right: RestorationPath) -> Bool {
    for (mine, theirs) in zip(left.components, right.components) {
      let order = mine.compareText(with: theirs)
      if order != 0 { return order < 0 }
    }
    return left.count < right.count
  }
}

extension RestorationPath: CustomStringConvertible {
  /// The text form.
  public var description: String {
    components.map(PathEscapes.path.escape).joined(separator: "/")
  }
}

extension RestorationPath {
  /// The path on one line for people, safe to print; only its end if the path is too long for a line.
  ///
  /// A path can take a quarter of a megabyte. The omitted part is shown as an ellipsis; JSON output has whole paths.
  package var displayText: String {
    if isEmpty { return "(application)" }
    var shown = components.count - 1
    var byteCount = components[shown].utf8.count
    while shown > 0, byteCount + components[shown - 1].utf8.count < 1024 {
      shown -= 1
      byteCount += components[shown].utf8.count + 1
    }
    let text = components[shown...].map(PathEscapes.path.escape).joined(separator: "/").escapedForDisplay
    return shown == 0 ? text : "…/\(text)"
  }

  /// The text form in pieces, so that it need not be in memory as a whole.
  package var pieces: some Sequence<String> {
    components.enumerated().lazy.map { ($0 == 0 ? "" : "/") + PathEscapes.path.escape($1) }
  }
}

/// The escapes of an identifier within the text form of a path or a pattern (rule R-3.1-4).
package struct PathEscapes: Sendable {
  /// In a path `~0` stands for `~`, and `~1` for `/`.
  package static let path = PathEscapes(name: "path", "~/", digits: "0 or 1 after ~")
  /// In a pattern `~2` also stands for `*`.
  package static let pattern = PathEscapes(name: "pattern", "~/*", digits: "0, 1 or 2 after ~")

  let name: String
  /// The escaped characters, each at the place that its digit names.
  let characters: [UInt8]
  /// The digits, for messages.
  let digits: FormatError.Quantity

  private init(name: String, _ characters: String, digits: FormatError.Quantity) {
    self.name = name
    self.characters = Array(characters.utf8)
    self.digits = digits
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
}

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

  /// The text escaped for display; only its beginning if it is too long for a line, as a key of 64 KiB is.
  package var shortenedForDisplay: String {
    utf8.count <= 1024 ? escapedForDisplay : "\(String(String.UnicodeScalarView(unicodeScalars.prefix(256))).escapedForDisplay)…"
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

extension RestorationPath {
  /// Whether text can be a restoration identifier: it has 1 to 1,024 bytes (Spec §3.1, rule R-3.1-1).
  ///
  /// A type tag has the same bounds.
  package static func isIdentifier(_ text: String) -> Bool { FormatLimits.identifier.contains(text.utf8.count) }

  /// Whether ``appending(_:)`` accepts `identifier` at this depth.
  package static func canAppend(_ identifier: String, at depth: Int) -> Bool {
    isIdentifier(identifier) && depth < FormatLimits.pathComponents
  }
}
