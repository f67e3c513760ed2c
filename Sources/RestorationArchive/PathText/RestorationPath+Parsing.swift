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
        FormatError(
          .pathDepth, at: nil, "path", expected: .text("at most \(FormatLimits.pathComponents) components"),
          found: .number(UInt64(components.count)), rule: "R-3.1-2"))
    }
    for identifier in components { try Self.validate(identifier) }
    self.init(unchecked: components)
  }

  static func validate(_ identifier: String) throws(ArchiveError) {
    guard FormatLimits.identifier.contains(identifier.utf8.count) else {
      throw ArchiveError(
        FormatError(
          .stringLength, at: nil, "identifier length", expected: .text("1 to \(FormatLimits.identifier.upperBound) bytes"),
          found: .number(UInt64(identifier.utf8.count)), rule: "R-3.1-1"))
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
    var component: [UInt8] = []
    var isEscaped = false
    var place = 0
    for byte in text.utf8 {
      switch (byte, isEscaped) {
      case (_, true):
        guard let character = PathEscapes.path.character(for: byte) else {
          throw Self.syntaxError(at: place, expected: "0 or 1 after ~")
        }
        component.append(character)
      case (UInt8(ascii: "~"), false): break
      case (UInt8(ascii: "/"), false):
        guard !component.isEmpty else { throw Self.syntaxError(at: place, expected: "an identifier before /") }
        components.append(String(decoding: component, as: UTF8.self))
        component = []
      default: component.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "~") && !isEscaped
      place += 1
    }
    guard !isEscaped else { throw Self.syntaxError(at: place, expected: "0 or 1 after ~") }
    guard !component.isEmpty else { throw Self.syntaxError(at: place, expected: "an identifier after /") }
    components.append(String(decoding: component, as: UTF8.self))
    try self.init(components: components)
  }

  private static func syntaxError(at place: Int, expected: String) -> ArchiveError {
    ArchiveError(FormatError(.pathSyntax, at: place, "path", expected: .text(expected)))
  }
}

extension RestorationPath: LosslessStringConvertible {
  /// Parses the text form of a path; returns nil if the text is invalid.
  ///
  /// Use ``init(parsing:)`` to get the reason.
  public init?(_ description: String) {
    do throws(ArchiveError) {
      try self.init(parsing: description)
    } catch {
      return nil
    }
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
