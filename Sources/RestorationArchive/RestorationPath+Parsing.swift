import ArchiveFormat

/// Creating paths from identifiers and text, which can fail.
extension RestorationPath {
  /// Creates a path from identifiers.
  ///
  /// - Throws: `string-length` for an identifier that is empty or longer than 1,024 bytes; `path-depth` for more than
  ///   256 identifiers.
  public init(components: [String]) throws(ArchiveError) {
    guard components.count <= FormatLimits.pathComponents else {
      throw ArchiveError(
        .pathDepth, "path", expected: "at most \(FormatLimits.pathComponents) components", found: .number(components.count),
        rule: "R-3.1-2")
    }
    for identifier in components { try Self.validate(identifier) }
    self.init(validated: components)
  }

  static func validate(_ identifier: String) throws(ArchiveError) {
    try ArchiveError.wrapping { () throws(FormatError) in
      try FormatError.checkLength(identifier.utf8.count, FormatLimits.identifier, "identifier length", rule: "R-3.1-1")
    }
  }

  /// Parses the text form of a path (rule R-3.1-4).
  ///
  /// - Throws: `path-syntax`, with the position in the text as offset, and the errors of ``init(components:)``.
  public init(parsing text: some StringProtocol) throws(ArchiveError) {
    guard !text.isEmpty else {
      self = .application
      return
    }
    var components: [String] = []
    var place = 0
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let end = place + part.count
      guard !part.isEmpty else {
        throw PathEscapes.path.error(at: end, expected: end < text.utf8.count ? "an identifier before /" : "an identifier after /")
      }
      components.append(try PathEscapes.path.unescape(part, at: place))
      place = end + 1
    }
    try self.init(components: components)
  }
}

extension PathEscapes {
  /// Returns the identifier that a component stands for, given its position in the whole text.
  ///
  /// - Throws: `path-syntax` unless each `~` is followed by one of the digits, and for a `*` in a pattern.
  package func unescape(_ component: some Collection<UInt8>, at start: Int) throws(ArchiveError) -> String {
    var bytes: [UInt8] = []
    var isEscaped = false
    for (place, byte) in zip(start..., component) {
      switch (byte, isEscaped) {
      case (_, true):
        guard let character = character(for: byte) else { throw error(at: place, expected: digits) }
        bytes.append(character)
      case (UInt8(ascii: "~"), false): break
      case (UInt8(ascii: "*"), false) where characters.contains(byte):
        throw error(at: place, expected: "* as a whole component, ** as the last one, or ~2 for a literal *")
      default: bytes.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "~") && !isEscaped
    }
    guard !isEscaped else { throw error(at: start + component.count, expected: digits) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func error(at place: Int, expected: FormatError.Quantity) -> ArchiveError {
    ArchiveError(.pathSyntax, at: place, name, expected: expected)
  }
}

extension RestorationPath: LosslessStringConvertible {
  /// Parses the text form of a path; returns nil if the text is invalid.
  ///
  /// Use ``init(parsing:)`` to get the reason.
  public init?(_ description: String) {
    guard let path = try? RestorationPath(parsing: description) else { return nil }
    self = path
  }
}

extension RestorationPath: ExpressibleByStringLiteral {
  /// Creates a path from its text form.
  ///
  /// - Precondition: The literal is the text form of a path.
  public init(stringLiteral value: String) {
    do throws(ArchiveError) {
      try self.init(parsing: value)
    } catch {
      preconditionFailure("\"\(value)\" is not a restoration path: \(error)")
    }
  }
}

extension RestorationPath: ExpressibleByStringInterpolation {
  /// The text form of a path, in which each interpolated value is one identifier.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Creates the empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the text form, which may have any number of identifiers.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends an identifier, or a part of one, whatever characters it has.
    public mutating func appendInterpolation(_ identifier: some CustomStringConvertible) {
      text += PathEscapes.path.escape(identifier.description)
    }

    /// Appends all identifiers of a path.
    public mutating func appendInterpolation(_ path: RestorationPath) { text += path.description }
  }

  /// Creates a path from its text form with identifiers that are known at run time: `"window/\(number)/list"`.
  ///
  /// - Precondition: The identifiers are not empty and have at most 1,024 bytes each. For one that may be anything,
  ///   ``init(components:)`` throws instead.
  public init(stringInterpolation: StringInterpolation) { self.init(stringLiteral: stringInterpolation.text) }
}

/// A path pattern: `*` matches one identifier, and a final `**` matches any number of them, including none (Spec §3.1).
///
/// Besides `~0` and `~1`, `~2` stands for a literal `*`.
///
///     let pattern = try RestorationPattern("root/*/document")
///     pattern.matches("root/left/document")  // true
package struct RestorationPattern: Sendable {
  /// A component of a pattern.
  package enum Component: Sendable {
    case identifier(String)
    case any
    case rest
  }

  package let components: [Component]
  /// The text form.
  package let description: String

  /// Parses the text form of a pattern.
  ///
  /// - Throws: `path-syntax`, with the position in the text as offset; `string-length` and `path-depth` as for a path.
  package init(_ text: String) throws(ArchiveError) {
    var components: [Component] = []
    var place = 0
    let parts = text.isEmpty ? [] : text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      switch Array(part) {
      case [UInt8(ascii: "*")]: components.append(.any)
      case [UInt8(ascii: "*"), UInt8(ascii: "*")] where index == parts.count - 1: components.append(.rest)
      default: components.append(.identifier(try Self.identifier(part, at: place)))
      }
      place += part.count + 1
    }
    guard components.count <= FormatLimits.pathComponents else {
      throw ArchiveError(.pathDepth, "pattern", expected: "at most \(FormatLimits.pathComponents) components")
    }
    self.components = components
    description = text
  }

  private static func identifier(_ part: Substring.UTF8View, at start: Int) throws(ArchiveError) -> String {
    guard !part.isEmpty else { throw PathEscapes.pattern.error(at: start, expected: "an identifier") }
    let identifier = try PathEscapes.pattern.unescape(part, at: start)
    try RestorationPath.validate(identifier)
    return identifier
  }

  /// The path that the pattern matches, if it contains no wildcard.
  package var exactPath: RestorationPath? {
    var identifiers: [String] = []
    for component in components {
      guard case .identifier(let identifier) = component else { return nil }
      identifiers.append(identifier)
    }
    return RestorationPath(validated: identifiers)
  }

  /// Returns whether the pattern matches a path.
  package func matches(_ path: RestorationPath) -> Bool {
    for (index, component) in components.enumerated() {
      if case .rest = component { return true }
      guard index < path.count else { return false }
      if case .identifier(let identifier) = component, !identifier.isIdenticalText(to: path.components[index]) { return false }
    }
    return components.count == path.count
  }

  /// Returns whether this pattern is more specific than another one that matches the same path.
  ///
  /// The first component that differs decides: an identifier is more specific than `*`, and `*` more than `**`.
  package func isMoreSpecific(than other: RestorationPattern) -> Bool {
    for (mine, theirs) in zip(components, other.components) where mine.rank != theirs.rank { return mine.rank < theirs.rank }
    // One pattern continues where the other ends: with `**`, which matches nothing here.
    return components.count < other.components.count
  }
}

extension RestorationPattern: Hashable, CustomStringConvertible {
  /// Returns whether both patterns have the same text.
  package static func == (left: RestorationPattern, right: RestorationPattern) -> Bool {
    left.description.isIdenticalText(to: right.description)
  }

  /// Hashes the text.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(description)
  }
}

extension RestorationPattern.Component {
  fileprivate var rank: Int {
    switch self {
    case .identifier: 0
    case .any: 1
    case .rest: 2
    }
  }
}

extension RestorationPath: Codable {
  /// Decodes a reference from an archive, or the text form from other formats.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let decoder = container as? ValueDecoder {
      self = try decoder.decodeReference()
    } else {
      let text = try container.decode(String.self)
      do {
        try self.init(parsing: text)
      } catch {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
      }
    }
  }

  /// Encodes a reference in an archive, or the text form in other formats.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let writer = container as? SingleValueWriter {
      try writer.encode(reference: self)
    } else {
      try container.encode(description)
    }
  }
}
