package import ArchiveFormat

/// A fault in an archive: a stable code, the place, the expected and actual content, and the rule of the Spec (Spec
/// §12).
///
/// An error never contains an archived value, so it can be logged:
///
///     string length: expected at most 9 bytes left, found 4096 (at offset 0x1f, path root/tabs/2, key title) [R-5.3-1]
public struct ArchiveError: Error, Sendable, Hashable {
  /// A stable error code, as listed in `Spec/registry.md`.
  ///
  /// There are constants for the codes that an app may want to handle; compare others by ``rawValue``.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code's name in files, reports and the tool's output.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The code's name.
    public var description: String { rawValue }
  }

  /// The category of an error.
  public enum Kind: String, Sendable, CaseIterable {
    /// The bytes have no readable structure.
    case malformed
    /// A checksum does not match: bytes have changed since they were written.
    case damaged
    /// The content is readable but violates a rule.
    case invalid
    /// The content exceeds a limit of the format or of this reader.
    case limit
    /// The archive has a version or a part that this build does not know.
    case unsupported
    /// The request does not fit a valid archive, or the value cannot be stored in an archive.
    case mismatch
    /// The system failed to read or write.
    case inputOutput = "input-output"
  }

  /// The error code.
  public let code: Code
  /// The category of the error.
  public let kind: Kind
  /// The offset of the faulty field in the file or JSON text, if there is one.
  public internal(set) var offset: Int?
  /// The path of the affected node, if known.
  public internal(set) var path: RestorationPath?
  /// The outermost affected key, if known.
  public internal(set) var key: String?
  /// The subject of the error, in words.
  public let subject: String
  /// The expected content, in words; may be empty.
  public let expected: String
  /// The actual content, in words; may be empty.
  public let found: String
  /// The violated rule of the Spec.
  public let rule: String

  package init(_ error: FormatError, path: RestorationPath? = nil, key: String? = nil) {
    code = Code(rawValue: error.code.rawValue)
    kind = error.code.kind
    offset = error.offset
    self.path = path
    self.key = key
    subject = error.subject
    expected = error.expected.description
    found = error.found.description
    rule = "\(error.rule)"
  }

  /// Creates the error of a fault, by the parts of a ``FormatError``.
  package init(
    _ code: FormatErrorCode, at offset: Int? = nil, _ subject: String, expected: FormatError.Quantity = .nothing,
    found: FormatError.Quantity = .nothing, rule: StaticString? = nil, path: RestorationPath? = nil, key: String? = nil
  ) {
    self.init(FormatError(code, at: offset, subject, expected: expected, found: found, rule: rule), path: path, key: key)
  }

  /// Returns the result of `body`, whose error gets the path that `path` returns for it.
  @inline(__always)
  static func wrapping<Result>(
    path: (FormatError) -> RestorationPath? = { _ in nil }, _ body: () throws(FormatError) -> Result
  ) throws(ArchiveError) -> Result {
    do throws(FormatError) {
      return try body()
    } catch {
      throw ArchiveError(error, path: path(error))
    }
  }

  /// Returns the error with path and key added where they are missing.
  package func with(path: RestorationPath?, key: String? = nil) -> ArchiveError {
    var error = self
    error.path = error.path ?? path
    error.key = error.key ?? key
    return error
  }
}

extension FormatErrorCode {
  /// The kind of fault.
  package var kind: ArchiveError.Kind {
    switch self {
    case .emptyFile, .tooShort, .badMagic, .trailingBytes, .metadataLength, .treeLength, .unexpectedEnd, .lengthPastEnd,
      .varintTooLarge, .invalidUTF8, .sectionCode, .sectionLengths, .nodeTableLength, .metadataTrailingBytes, .stateRange,
      .identifierRange, .keyIndex, .invalidTag, .jsonSyntax, .jsonDuplicateKey, .jsonSurrogate:
      .malformed
    case .textModeDamage, .truncated, .prefixDamaged, .metadataDamaged, .treeDamaged, .blocksUnverifiable, .blockDamaged:
      .damaged
    case .prefixCopiesDiffer, .treePadding, .varintNotMinimal, .stringLength, .sectionOrder, .headerOrder, .headerGroup, .headerPadding,
      .headerType, .unknownHeaderKey, .originFlags, .originOrder, .typeOrder, .keyTableOrder, .rootRecord, .childRange, .parentMismatch,
      .savedOrder, .typeIndex, .originIndex, .nodeFlags, .identifierForm, .duplicateIdentifier, .siblingOrder, .emptyAttributes, .keyInline,
      .emptyKey, .unknownAttribute, .duplicateKey, .keyOrder, .sensitiveMisplaced, .integerNotMinimal, .integerRange, .floatNotMinimal,
      .stringNotMinimal, .emptyReference, .stringOrder, .duplicateString, .unusedBytes, .stateOrder, .unusedOrigin, .unusedType,
      .unusedKey, .linkHeader, .linkEntry, .linkRecord, .linkPlace, .linkCycle, .jsonMember, .jsonNumber, .jsonTag:
      .invalid
    case .fileTooLarge, .tableSize, .pathDepth, .nestingDepth, .valueBudget, .readerLimit, .chainLength, .jsonDepth:
      .limit
    case .unsupportedVersion, .unsupportedFeature, .unknownCriticalSection, .unknownValueType, .jsonVersion:
      .unsupported
    case .absentKey, .absentNode, .wrongType, .numberOutOfRange, .keysCollide, .notStorable, .unresolvedLink, .wrongBase,
      .missingNode, .missingLink, .pathSyntax, .noParent:
      .mismatch
    case .inputOutput:
      .inputOutput
    }
  }
}

extension ArchiveError.Code {
  init(_ code: FormatErrorCode) {
    self.init(rawValue: code.rawValue)
  }

  /// The file is empty.
  public static let emptyFile = Self(.emptyFile)
  /// The file does not begin with the signature of an archive.
  public static let badMagic = Self(.badMagic)
  /// A text-mode transfer altered the file.
  public static let textModeDamage = Self(.textModeDamage)
  /// The file is shorter than when it was written.
  public static let truncated = Self(.truncated)
  /// The file is longer than when it was written.
  public static let trailingBytes = Self(.trailingBytes)
  /// One or both copies of the prefix are damaged.
  public static let prefixDamaged = Self(.prefixDamaged)
  /// A copy of the metadata is damaged.
  public static let metadataDamaged = Self(.metadataDamaged)
  /// The requested content lies in a damaged block.
  public static let blockDamaged = Self(.blockDamaged)
  /// The archive has a major version that this build does not know.
  public static let unsupportedVersion = Self(.unsupportedVersion)
  /// The archive needs a feature that this build does not know.
  public static let unsupportedFeature = Self(.unsupportedFeature)
  /// A value has a type that this build does not know.
  public static let unknownValueType = Self(.unknownValueType)
  /// Two siblings have the same identifier.
  public static let duplicateIdentifier = Self(.duplicateIdentifier)
  /// An identifier, key or other text is too short or too long.
  public static let stringLength = Self(.stringLength)
  /// A text is not valid UTF-8.
  public static let invalidUTF8 = Self(.invalidUTF8)
  /// A reference has no path.
  public static let emptyReference = Self(.emptyReference)
  /// The archive would be, or is, longer than the format allows.
  public static let fileTooLarge = Self(.fileTooLarge)
  /// A key is empty.
  public static let emptyKey = Self(.emptyKey)
  /// A path has too many components.
  public static let pathDepth = Self(.pathDepth)
  /// Arrays and dictionaries are nested too deeply.
  public static let nestingDepth = Self(.nestingDepth)
  /// A call would create more values than the reader's limits allow.
  public static let valueBudget = Self(.valueBudget)
  /// The archive, or a value in it, exceeds the reader's limits.
  public static let readerLimit = Self(.readerLimit)
  /// There is no value under the key.
  public static let absentKey = Self(.absentKey)
  /// There is no node at the path.
  public static let absentNode = Self(.absentNode)
  /// The value has a different type from the requested one.
  public static let wrongType = Self(.wrongType)
  /// The number does not fit the requested type.
  public static let numberOutOfRange = Self(.numberOutOfRange)
  /// Keys with different bytes are equal in the requested collection.
  public static let keysCollide = Self(.keysCollide)
  /// The value cannot be stored.
  public static let notStorable = Self(.notStorable)
  /// A link by itself was opened where an archive was expected.
  public static let unresolvedLink = Self(.unresolvedLink)
  /// A link does not belong after the file before it.
  public static let wrongBase = Self(.wrongBase)
  /// The archive does not have a node that a link changes.
  public static let missingNode = Self(.missingNode)
  /// There is no file with the content digest that a link names.
  public static let missingLink = Self(.missingLink)
  /// A chain has more links than allowed.
  public static let chainLength = Self(.chainLength)
  /// The text is not a valid path.
  public static let pathSyntax = Self(.pathSyntax)
  /// The text is not valid JSON.
  public static let jsonSyntax = Self(.jsonSyntax)
  /// The system failed to read or write.
  public static let inputOutput = Self(.inputOutput)
}

extension ArchiveError: CustomStringConvertible {
  /// The line of a finding or an error: the fault, its place and the rule.
  ///
  /// Control and bidirectional characters in the path and key are escaped, so that the line is safe to print, and long
  /// ones are shortened.
  public var description: String {
    var line = words
    var place: [String] = []
    if let offset { place.append("at offset 0x\(String(offset, radix: 16))") }
    if let path { place.append("path \(path.displayText)") }
    if let key { place.append("key \(key.shortenedForDisplay)") }
    if !place.isEmpty { line += " (\(place.joined(separator: ", ")))" }
    return "\(line) [\(rule)]"
  }

  /// The fault: a sentence for the most frequent codes, else the subject with the expected and actual content.
  private var words: String { FormatErrorCode(rawValue: code.rawValue).flatMap(sentence) ?? comparison(of: subject) }

  /// Returns the sentence of a code; nil if it has none, or if this error lacks the quantities for it.
  private func sentence(of code: FormatErrorCode) -> String? {
    switch code {
    case .blockDamaged, .prefixDamaged, .metadataDamaged, .treeDamaged: damage
    case .blocksUnverifiable: "the \(subject) are damaged in both copies"
    case .prefixCopiesDiffer: "the two copies of the prefix are intact, but differ"
    case .truncated: truncation
    case .trailingBytes:
      difference.map { "the file has \(Self.counted($0.count, "byte")) too many: \($0.found) instead of \($0.expected)" }
    case .emptyFile: "the file is empty"
    case .tooShort: "the file has \(Self.counted(found, "byte")), too few for an archive"
    case .badMagic: "the file is not an archive: its first bytes are \(found), and should be \(expected)"
    case .textModeDamage: "the file was damaged by a transfer as text, which changed its line endings"
    case .unsupportedVersion: "the file has format version \(found), and this build reads \(expected)"
    case .unresolvedLink: "the file is a link: it has only the changes since the file before it"
    case .missingLink: comparison(of: "the \(subject) is missing")
    case .wrongBase:
      found.hasPrefix("0x") ? "the link follows a file with the content digest \(expected), and the file before it has \(found)" : nil
    default: nil
    }
  }

  /// The sentence of damaged bytes.
  private var damage: String? {
    guard found.isEmpty || found.hasPrefix("0x") else { return nil }
    // The subject of an error without details is its code in words.
    if subject == "block damaged" { return "a block is damaged" }
    if subject.hasSuffix(" damaged") { return "the \(subject.dropLast(" damaged".count)) is damaged" }
    let isPlural = subject.hasSuffix("s")
    let damaged = "\(subject) \(isPlural ? "are" : "is") damaged"
    guard !found.isEmpty else { return comparison(of: damaged) }
    return "\(damaged): \(isPlural ? "their" : "its") checksum is \(found), and should be \(expected)"
  }

  /// The sentence of a file that ends too early.
  private var truncation: String? {
    if let difference {
      return "the file is truncated: it lacks \(difference.count) of its \(Self.counted("\(difference.expected)", "byte"))"
    }
    return found.isEmpty ? nil : "the file is truncated: it has \(Self.counted(found, "byte")), and an archive has \(expected)"
  }

  /// The expected and actual number, and the distance between them.
  private var difference: (expected: UInt64, found: UInt64, count: String)? {
    guard let wanted = UInt64(expected), let actual = UInt64(found) else { return nil }
    return (wanted, actual, "\(max(wanted, actual) - min(wanted, actual))")
  }

  /// Returns a subject with the expected and actual content.
  private func comparison(of subject: String) -> String {
    switch (expected.isEmpty, found.isEmpty) {
    case (false, false): "\(subject): expected \(expected), found \(found)"
    case (false, true): "\(subject): expected \(expected)"
    case (true, false): "\(subject): found \(found)"
    case (true, true): subject
    }
  }

  private static func counted(_ count: String, _ noun: String) -> String { "\(count) \(noun)\(count == "1" ? "" : "s")" }
}
