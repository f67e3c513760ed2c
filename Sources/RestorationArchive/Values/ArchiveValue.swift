import ArchiveFormat
public import FoundationValues

/// A value as stored in an archive (Spec §2).
///
/// Apps rarely need this type, because they encode and decode their own types. It serves code that works on any
/// archive: tools, upgrades and carried-over state. Two values are equal if an archive stores them as the same bytes:
/// strings and floating-point numbers compare bit by bit.
public enum ArchiveValue: Sendable {
  /// A null; a stored null differs from an absent key.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case integer(ArchiveInteger)
  /// A floating-point number; all 64 bits are preserved.
  case float(Double)
  /// A string.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A date.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// The text of a URL.
  case url(String)
  /// Values in order.
  case array([ArchiveValue])
  /// Values by key.
  case dictionary(ArchiveDictionary)
  /// The path of a node, which need not exist.
  case reference(RestorationPath)
}

extension ArchiveValue {
  /// The name of the value's type in messages and listings.
  package var typeName: String { kind.name }

  var kind: ValueKind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .integer: .integer
    case .float: .float64
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .array: .array
    case .dictionary: .dictionary
    case .reference: .reference
    }
  }

  /// Creates an integer value.
  public static func integer(_ value: Int) -> ArchiveValue {
    .integer(ArchiveInteger(value))
  }
}

extension ArchiveValue: Equatable {
  /// Returns whether an archive stores both values as the same bytes.
  public static func == (left: ArchiveValue, right: ArchiveValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)): left.isIdenticalText(to: right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)):
      left.float64Bits == right.float64Bits
    case (.uuid(let left), .uuid(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    default: false
    }
  }
}

extension ArchiveValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer value.
  public init(integerLiteral value: Int) { self = .integer(ArchiveInteger(value)) }
  /// Creates a floating-point value.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Creates a string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }
  /// Creates a dictionary.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
    self = .dictionary(ArchiveDictionary(elements))
  }
  /// Creates a null.
  public init(nilLiteral: ()) { self = .null }
}

/// An integer from -2^63 to 2^64-1, the range of integers in an archive (Spec §2).
public struct ArchiveInteger: Sendable, Hashable {
  /// The number, or -1 minus the number if it is negative.
  let bits: UInt64
  /// Whether the number is negative.
  package let isNegative: Bool

  init(magnitudeBits: UInt64) {
    bits = magnitudeBits
    isNegative = false
  }

  init(complement: UInt64) {
    bits = complement
    isNegative = true
  }

  /// Creates an integer, or nil if the value is out of range.
  public init?(exactly value: some BinaryInteger) {
    if let value = UInt64(exactly: value) {
      self.init(magnitudeBits: value)
    } else if let value = Int64(exactly: value) {
      self.init(complement: UInt64(bitPattern: ~value))
    } else {
      return nil
    }
  }

  /// Creates an integer.
  public init(_ value: Int) {
    self.init(Int64(value))
  }

  init(_ value: Int64) {
    bits = value < 0 ? UInt64(bitPattern: ~value) : UInt64(bitPattern: value)
    isNegative = value < 0
  }

  /// Returns the number as an integer type, or nil if it does not fit.
  @inline(__always)
  public func converted<Value: FixedWidthInteger>(to type: Value.Type = Value.self) -> Value? {
    isNegative ? Value(exactly: ~Int64(bitPattern: bits)) : Value(exactly: bits)
  }
}

extension ArchiveInteger: Comparable {
  /// Returns whether the left number is smaller.
  public static func < (left: ArchiveInteger, right: ArchiveInteger) -> Bool {
    switch (left.isNegative, right.isNegative) {
    case (false, false): left.bits < right.bits
    case (true, true): left.bits > right.bits
    case (let isLeftNegative, _): isLeftNegative
    }
  }
}

extension ArchiveInteger: ExpressibleByIntegerLiteral {
  /// Creates an integer from a literal.
  public init(integerLiteral value: Int) {
    self.init(value)
  }
}

extension ArchiveInteger: CustomStringConvertible {
  /// The number in decimal digits.
  public var description: String {
    isNegative ? "\(~Int64(bitPattern: bits))" : "\(bits)"
  }
}

// Incidental output, such as an error with a dictionary in it, never shows an archived value. It never traps either:
// Foundation's description of a date traps for distant and non-finite dates, which an archive may contain. Every type
// that holds archived values therefore has its own description, and a mirror without the values.

extension ArchiveValue: CustomStringConvertible, CustomReflectable {
  /// The kind and size of the value, for logs and the debugger; the form may change.
  ///
  /// The value itself is omitted, so that printing any enclosing value reveals nothing. To get the value, match its
  /// case.
  public var description: String {
    switch self {
    case .null, .bool, .integer, .float, .date, .uuid: typeName
    case .string(let text): Self.description(typeName, text.utf8.count, "byte")
    case .url(let text): Self.description(typeName, text.utf8.count, "byte")
    case .data(let data): Self.description(typeName, data.count, "byte")
    case .array(let elements): Self.description(typeName, elements.count, "element")
    case .dictionary(let dictionary): Self.description(typeName, dictionary.count, "entry", "entries")
    // A path is a name, not user data.
    case .reference(let path): "-> \(path.description.escapedForDisplay)"
    }
  }

  private static func description(_ kind: String, _ count: Int, _ unit: String, _ units: String? = nil) -> String {
    "\(kind) of \(count) \(count == 1 ? unit : units ?? unit + "s")"
  }

  /// An empty mirror for the debugger.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }

  /// The value on one line, for tools that are asked to show it; data and containers show only their kind and size.
  package var displayText: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): value.description
    case .float(let value): "\(value)"
    case .string(let text): "\"\(text.escapedForDisplay)\""
    case .date(let date): Self.description(of: date)
    case .uuid(let uuid): uuid.uuidString.lowercased()
    case .url(let text): "<\(text.escapedForDisplay)>"
    case .data, .array, .dictionary, .reference: description
    }
  }

  /// Returns a date as text: in its JSON form, as "about" the nearest millisecond, or in seconds if it has no such
  /// form.
  package static func description(of date: Date) -> String {
    if let text = DateText.text(of: date) { return text }
    let seconds = date.timeIntervalSinceReferenceDate
    let rounded = Date(timeIntervalSinceReferenceDate: (seconds * 1000).rounded() / 1000)
    return DateText.text(of: rounded).map { "about \($0)" } ?? "date \(seconds)"
  }
}

extension ArchiveDictionary: CustomStringConvertible {
  /// The keys and kinds of the values on one line, for logs and the debugger.
  public var description: String {
    isEmpty ? "[:]" : "[\(map(\.description).joined(separator: ", "))]"
  }
}

extension ArchiveDictionary.Entry: CustomStringConvertible, CustomReflectable {
  /// The key and the kind of the value on one line, for logs and the debugger; a sensitive value shows not even its
  /// kind.
  public var description: String {
    "\(key.escapedForDisplay): \(isSensitive ? "<sensitive>" : value.description)"
  }

  /// An empty mirror for the debugger.
  public var customMirror: Mirror {
    Mirror(self, children: [])
  }
}

/// The treatment of sensitive values when an archive is converted to text.
public enum SensitiveValues: Sendable {
  /// Writes sensitive values.
  case reveal
  /// Writes null instead of sensitive values; the text no longer represents the archive.
  case redact

  /// Returns whether the value of an entry is hidden.
  package func hides(_ isSensitive: Bool) -> Bool { isSensitive && self == .redact }
}
