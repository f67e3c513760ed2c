public import RestorationArchive

/// A fault in a property list, a keyed archive or a state archive of UIKit or AppKit (`Spec/imports.md`,
/// section 6).
///
/// An error never contains an archived value, so it can be logged:
///
///     object reference: expected less than 12, found 200 (at offset 0x2f) [object-reference]
public struct KeyedArchiveError: Error, Sendable, Hashable {
  /// A stable code, as listed in `Spec/imports.md`.
  ///
  /// Further codes come in minor versions.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code's name in files, reports and the tool's output.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The code's name.
    public var description: String { rawValue }

    /// No property list.
    public static let notPropertyList = Self(rawValue: "not-a-property-list")
    /// A binary property list of fewer than 41 bytes.
    public static let tooShort = Self(rawValue: "property-list-too-short")
    /// An offset or reference size outside 1 to 8, or too small for its table.
    public static let integerWidth = Self(rawValue: "integer-width")
    /// A property list without objects.
    public static let objectCount = Self(rawValue: "object-count")
    /// A top object beyond the table.
    public static let topObject = Self(rawValue: "top-object")
    /// An offset table that does not fill the space between the objects and the trailer.
    public static let offsetTable = Self(rawValue: "offset-table")
    /// An object that does not lie between the header and the offset table.
    public static let objectOffset = Self(rawValue: "object-offset")
    /// An unassigned marker.
    public static let objectMarker = Self(rawValue: "object-marker")
    /// An object that extends past the objects.
    public static let objectLength = Self(rawValue: "object-length")
    /// A reference to an object beyond the table.
    public static let objectReference = Self(rawValue: "object-reference")
    /// Text that is not well-formed in its encoding.
    public static let illFormedText = Self(rawValue: "ill-formed-text")
    /// A date that is not a number.
    public static let dateNotANumber = Self(rawValue: "date-not-a-number")
    /// A UID of more than 32 bits.
    public static let uidRange = Self(rawValue: "uid-range")
    /// A dictionary key that is not a string.
    public static let keyType = Self(rawValue: "key-type")
    /// A dictionary with a repeated key.
    public static let repeatedKey = Self(rawValue: "repeated-key")
    /// An array, set or dictionary that contains itself.
    public static let containerCycle = Self(rawValue: "container-cycle")
    /// XML that is not well-formed, or not a property list.
    public static let xmlSyntax = Self(rawValue: "xml-syntax")
    /// An entity other than the five predefined ones, or a document type with declarations.
    public static let xmlEntity = Self(rawValue: "xml-entity")
    /// An XML encoding that is not read.
    public static let xmlEncoding = Self(rawValue: "xml-encoding")
    /// The text of an element that is not a value of its type.
    public static let xmlValue = Self(rawValue: "xml-value")
    /// An old-style list that is not well-formed.
    public static let listSyntax = Self(rawValue: "list-syntax")
    /// A property list that is not a keyed archive.
    public static let notKeyedArchive = Self(rawValue: "not-a-keyed-archive")
    /// A keyed archive of an unknown version.
    public static let archiveVersion = Self(rawValue: "keyed-archive-version")
    /// A UID beyond the object table.
    public static let objectIndex = Self(rawValue: "object-index")
    /// A class that is not described, or an object whose fields do not fit its class.
    public static let objectFields = Self(rawValue: "object-fields")
    /// A record of `data.data` with a wrong header or length.
    public static let stateRecord = Self(rawValue: "state-record")
    /// A list of windows without the required keys.
    public static let windowList = Self(rawValue: "window-list")
    /// A keyed archive that does not hold a restoration archive in the layout of `Spec/keyed-archive.md`.
    public static let archiveLayout = Self(rawValue: "archive-layout")
    /// A value that the target cannot express.
    public static let notExpressible = Self(rawValue: "not-expressible")
    /// Containers or archives nested too deeply.
    public static let depthLimit = Self(rawValue: "import-depth")
    /// More objects or values than the limit.
    public static let countLimit = Self(rawValue: "import-count")
    /// More work than the limit, because objects overlap or are shared too often.
    public static let workLimit = Self(rawValue: "import-work")
  }

  /// The error code.
  public let code: Code
  /// The offset of the fault in the file, or in the innermost archive or decrypted record that ``place`` names; nil if it
  /// has none.
  public let offset: Int?
  /// The enclosing archives from the outside in: a path of UIKit's, a record of AppKit's.
  public internal(set) var place: [String]
  /// The subject of the error, in words.
  public let subject: String
  /// The expected content, in words; may be empty.
  public let expected: String
  /// The actual content, in words; may be empty.
  public let found: String

  package init(_ code: Code, at offset: Int?, _ subject: String, expected: String = "", found: String = "") {
    self.code = code
    self.offset = offset
    self.place = []
    self.subject = subject
    self.expected = expected
    self.found = found
  }

  /// Returns the error for containers that are nested too deeply.
  static func depthLimit(_ limit: Int, at offset: Int? = nil) -> KeyedArchiveError {
    KeyedArchiveError(.depthLimit, at: offset, "nesting", expected: "at most \(limit) levels", found: "more")
  }

  /// The category of the error.
  public var kind: ArchiveError.Kind {
    switch code {
    case .notPropertyList, .tooShort, .integerWidth, .objectCount, .topObject, .offsetTable, .objectOffset, .objectMarker, .objectLength,
      .objectReference, .illFormedText, .uidRange, .xmlSyntax, .listSyntax, .stateRecord:
      .malformed
    case .dateNotANumber, .keyType, .repeatedKey, .containerCycle, .xmlValue, .notKeyedArchive, .objectIndex, .objectFields, .windowList,
      .archiveLayout:
      .invalid
    case .xmlEntity, .xmlEncoding, .archiveVersion: .unsupported
    case .depthLimit, .countLimit, .workLimit: .limit
    default: .mismatch
    }
  }

  /// Returns the error with an enclosing archive added.
  package func within(_ name: String) -> KeyedArchiveError {
    var error = self
    error.place.insert(name, at: 0)
    return error
  }
}

extension KeyedArchiveError: CustomStringConvertible {
  /// One line with the subject, the expected and actual content, the place and the code; safe to print.
  public var description: String {
    var line = subject
    if !expected.isEmpty { line += ": expected \(expected)" }
    if !found.isEmpty { line += expected.isEmpty ? ": found \(found)" : ", found \(found)" }
    var parts = place.map { "in \($0.escapedForDisplay)" }
    if let offset { parts.append("at offset 0x\(String(offset, radix: 16))") }
    if !parts.isEmpty { line += " (\(parts.joined(separator: ", ")))" }
    return "\(line) [\(code.rawValue)]"
  }
}

/// Something in a property list that no correct program writes, and that Apple's own parser reads
/// (`Spec/imports.md`, rule R-K2-6).
///
/// A list has one oddity for each kind of fault and way of reading, with the places. Like an error, an oddity never contains
/// a value:
///
///     string: expected ASCII (at offset 0x15) [ill-formed-text]; read as Latin-1; also at 0x20, 0x31
public struct PropertyListOddity: Sendable, Hashable {
  /// The first fault, which a strict reader throws.
  public private(set) var fault: KeyedArchiveError
  /// The way in which it was read, in words.
  public let reading: String
  /// Whether part of the list cannot be had from the result.
  public let isLoss: Bool
  /// The offsets of the next faults of the same kind, up to a small number.
  package private(set) var otherOffsets: [Int] = []
  /// The number of faults of this kind, the first included.
  public private(set) var count = 1

  /// The number of places that are listed after the first.
  private static let maximumPlaces = 8

  mutating func addPlace(_ offset: Int?) {
    count += 1
    guard let offset, otherOffsets.count < Self.maximumPlaces, offset != fault.offset, !otherOffsets.contains(offset) else { return }
    otherOffsets.append(offset)
  }

  /// Returns the oddity with an enclosing archive added.
  package func within(_ name: String) -> PropertyListOddity {
    var oddity = self
    oddity.fault = fault.within(name)
    return oddity
  }
}

extension PropertyListOddity: CustomStringConvertible {
  /// One line with the fault, the reading and the places; safe to print.
  public var description: String {
    var line = "\(fault); \(reading)"
    var others = otherOffsets.map { "0x\(String($0, radix: 16))" }.joined(separator: ", ")
    let rest = count - 1 - otherOffsets.count
    if rest > 0 { others += others.isEmpty ? "\(rest) more places" : " and \(rest) more places" }
    if !others.isEmpty { line += "; also at \(others)" }
    return line
  }
}
