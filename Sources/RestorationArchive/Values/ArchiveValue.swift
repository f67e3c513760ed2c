#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// A value as an archive stores it (Spec §2).
///
/// Apps rarely need it: they encode and decode their own types. It serves what works on any archive: tools, upgrades, carried state.
/// Two values are equal if an archive stores them as the same bytes: text and floating-point numbers compare bit by bit.
public enum ArchiveValue: Sendable {
  /// Nothing; a stored null differs from an absent key.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(ArchiveInteger)
  /// A floating-point number; all 64 bits are kept.
  case float(Double)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// An instant.
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
  /// The name of its type in messages and listings.
  public var typeName: String { kind.name }

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

  /// A whole number.
  public static func integer(_ value: Int) -> ArchiveValue {
    .integer(ArchiveInteger(value))
  }
}

extension ArchiveValue: Equatable {
  /// Whether an archive stores both as the same bytes.
  public static func == (left: ArchiveValue, right: ArchiveValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)): left.isIdenticalText(to: right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
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
  /// Makes a value of a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes a value of a literal.
  public init(integerLiteral value: Int) { self = .integer(ArchiveInteger(value)) }
  /// Makes a value of a literal.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Makes a value of a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a value of a literal.
  public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }
  /// Makes a value of a literal.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
    self = .dictionary(ArchiveDictionary(elements))
  }
  /// Makes a value of a literal.
  public init(nilLiteral: ()) { self = .null }
}
