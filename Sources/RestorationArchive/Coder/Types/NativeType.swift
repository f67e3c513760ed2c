#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// The Swift types that the format has forms of its own for.
///
/// Generic code has to ask whether it was given one of them. Casting with `as?` asks the runtime, at some 100 ns a question; comparing types
/// asks nobody.
enum NativeType {
  case string, integer, double, bool, date, data, uuid, url, decimal

  init?(_ type: Any.Type) {
    if type == String.self {
      self = .string
    } else if type == Date.self {
      self = .date
    } else if type == Double.self {
      self = .double
    } else if type == Int.self {
      self = .integer
    } else if type == Bool.self {
      self = .bool
    } else if type == Data.self {
      self = .data
    } else if type == UUID.self {
      self = .uuid
    } else if type == URL.self {
      self = .url
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }

  /// Whether such a value encodes itself as a container of this kind into an encoder that does not know its type, and can be had from one.
  ///
  /// (A decimal encodes itself as a dictionary of its parts. It is not decoded from those: Foundation traps on parts that are out of range,
  /// and a file could have them.)
  func encodesItself(as kind: ValueKind) -> Bool {
    switch self {
    case .data: kind == .array
    case .url: kind == .dictionary
    case .string, .integer, .double, .bool, .date, .uuid, .decimal: false
    }
  }
}
