#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

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
