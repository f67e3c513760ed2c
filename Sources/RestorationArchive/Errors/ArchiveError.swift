package import ArchiveFormat

/// What went wrong with an archive: a stable code, where it is, what was expected and found, and the rule of the Spec (Spec §12).
///
/// An error never contains an archived value, so it can be logged:
///
///     string length: expected at most 9 bytes left, found 4096 (at offset 0x1f, path root/tabs/2, key title) [R-5.3-1]
public struct ArchiveError: Error, Sendable, Hashable {
  /// A stable name for what went wrong, as `Spec/registry.md` lists them.
  ///
  /// The constants are those that an app may want to tell apart; every other code compares by its ``rawValue``.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name as files, reports and the tool write it.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The name itself.
    public var description: String { rawValue }
  }

  /// Which sort of fault it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// The bytes have no structure that could be read.
    case malformed
    /// A checksum does not match: bytes changed after they were written.
    case damaged
    /// Readable, but against a rule.
    case invalid
    /// More than the format or this reader allows.
    case limit
    /// Of a version, or with a part, that this build does not know.
    case unsupported
    /// The archive is fine; the question does not fit it, or the value does not fit an archive.
    case mismatch
    /// The system refused to read or write.
    case inputOutput = "input-output"
  }

  /// What went wrong.
  public let code: Code
  /// Which sort of fault it is.
  public let kind: Kind
  /// The offset of the field at fault in the file (or in the JSON text), if there is one.
  public internal(set) var offset: Int?
  /// The path of the node concerned, if it is known.
  public internal(set) var path: RestorationPath?
  /// The outermost key concerned, if it is known.
  public internal(set) var key: String?
  /// What the fault is about, in words.
  public let subject: String
  /// What was expected, in words; may be empty.
  public let expected: String
  /// What was found, in words; may be empty.
  public let found: String
  /// The rule of the Spec that is broken.
  public let rule: String

  package init(_ error: FormatError, path: RestorationPath? = nil, key: String? = nil) {
    code = Code(rawValue: error.code.rawValue)
    kind = Kind(error.code.kind)
    offset = error.offset
    self.path = path
    self.key = key
    subject = error.subject
    expected = error.expected.description
    found = error.found.description
    rule = "\(error.rule)"
  }

  /// Adds path and key where the error does not have them yet.
  package func with(path: RestorationPath?, key: String? = nil) -> ArchiveError {
    var error = self
    error.path = error.path ?? path
    error.key = error.key ?? key
    return error
  }
}

extension ArchiveError: CustomStringConvertible {
  /// One line: what, expected, found, where, rule.
  ///
  /// Control and bidirectional characters in the path and key are escaped, so that the line is safe to print.
  public var description: String {
    var line = subject
    if !expected.isEmpty { line += ": expected \(expected)" }
    if !found.isEmpty { line += expected.isEmpty ? ": found \(found)" : ", found \(found)" }
    var place: [String] = []
    if let offset { place.append("at offset 0x\(String(offset, radix: 16))") }
    if let path { place.append("path \(path.displayText)") }
    if let key { place.append("key \(key.escapedForDisplay)") }
    if !place.isEmpty { line += " (\(place.joined(separator: ", ")))" }
    return "\(line) [\(rule)]"
  }
}

extension ArchiveError.Kind {
  init(_ kind: FormatErrorKind) {
    switch kind {
    case .malformed: self = .malformed
    case .damaged: self = .damaged
    case .invalid: self = .invalid
    case .limit: self = .limit
    case .unsupported: self = .unsupported
    case .mismatch: self = .mismatch
    case .inputOutput: self = .inputOutput
    }
  }
}

extension ArchiveError.Code {
  init(_ code: FormatErrorCode) {
    self.init(rawValue: code.rawValue)
  }

  /// The file has no byte.
  public static let emptyFile = Self(.emptyFile)
  /// The file does not begin as an archive does.
  public static let badMagic = Self(.badMagic)
  /// The file was altered by a transfer that took it for text.
  public static let textModeDamage = Self(.textModeDamage)
  /// The file is shorter than it was when written.
  public static let truncated = Self(.truncated)
  /// The file is longer than it was when written.
  public static let trailingBytes = Self(.trailingBytes)
  /// Both copies of the prefix are damaged, or one of them.
  public static let prefixDamaged = Self(.prefixDamaged)
  /// A copy of the metadata is damaged.
  public static let metadataDamaged = Self(.metadataDamaged)
  /// A block is damaged, and what was asked for lies in it.
  public static let blockDamaged = Self(.blockDamaged)
  /// The archive is of a major version that this build does not know.
  public static let unsupportedVersion = Self(.unsupportedVersion)
  /// The archive needs a feature that this build does not know.
  public static let unsupportedFeature = Self(.unsupportedFeature)
  /// A value is of a type that this build does not know.
  public static let unknownValueType = Self(.unknownValueType)
  /// Two siblings have the same identifier.
  public static let duplicateIdentifier = Self(.duplicateIdentifier)
  /// An identifier, key or other text is too short or too long.
  public static let stringLength = Self(.stringLength)
  /// A key is empty.
  public static let emptyKey = Self(.emptyKey)
  /// A path is too deep.
  public static let pathDepth = Self(.pathDepth)
  /// Arrays and dictionaries are nested too deep.
  public static let nestingDepth = Self(.nestingDepth)
  /// More values would have to be made at once than the reader was told to make.
  public static let valueBudget = Self(.valueBudget)
  /// The archive, or a value in it, is larger than the reader was told to take.
  public static let readerLimit = Self(.readerLimit)
  /// There is no value under the key.
  public static let absentKey = Self(.absentKey)
  /// There is no node at the path.
  public static let absentNode = Self(.absentNode)
  /// The value is of another type than asked for.
  public static let wrongType = Self(.wrongType)
  /// The number does not fit the type asked for.
  public static let numberOutOfRange = Self(.numberOutOfRange)
  /// Keys that differ in bytes are one key in the collection asked for.
  public static let keysCollide = Self(.keysCollide)
  /// The value cannot be stored.
  public static let notStorable = Self(.notStorable)
  /// The text is not that of a path.
  public static let pathSyntax = Self(.pathSyntax)
  /// The JSON text is not JSON.
  public static let jsonSyntax = Self(.jsonSyntax)
  /// The system refused to read or write.
  public static let inputOutput = Self(.inputOutput)
}
