import ArchiveFormat
import FoundationValues

/// The Swift types that have a native form in the format.
///
/// Generic code must find out whether its type is one of them. A cast with `as?` calls the runtime and takes some 100
/// ns; comparing types does not.
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

  /// Whether a value of this type encodes itself as this kind of container when the encoder does not know its type, and
  /// can be decoded from it.
  ///
  /// (A decimal encodes itself as a dictionary of its parts. It is not decoded from them, because Foundation traps on
  /// parts that are out of range, and a file may contain such parts.)
  func encodesItself(as kind: ValueKind) -> Bool {
    switch self {
    case .data: kind == .array
    case .url: kind == .dictionary
    case .string, .integer, .double, .bool, .date, .uuid, .decimal: false
    }
  }
}

/// Returns the value as a `Target`, which must be its type; for generic code that has compared the types.
@inline(__always)
func sameType<Value, Target>(_ value: Value, as type: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  // The types are the same, and therefore the bits.
  return unsafe unsafeBitCast(value, to: Target.self)
}
