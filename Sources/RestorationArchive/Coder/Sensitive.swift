/// A property wrapper for values that tools hide behind a placeholder unless told otherwise (Spec §2).
///
///     struct Login: Codable {
///       var user: String
///       @Sensitive var token: String
///     }
///
/// The mark asks tools to hide the value; it does not protect the value, which the archive stores unencrypted. The mark
/// has no effect in formats other than archives. Only the value of a key can be marked: encoding a marked element of an
/// array throws.
@propertyWrapper
public struct Sensitive<Value> {
  /// The value.
  public var wrappedValue: Value

  /// Marks a value.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }
}

extension Sensitive: Sendable where Value: Sendable {}
extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}

extension Sensitive: CustomStringConvertible, CustomReflectable {
  /// A placeholder, so that printing an enclosing value does not show this one.
  public var description: String { "<sensitive>" }

  /// An empty mirror for the debugger.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sensitive: Encodable where Value: Encodable {
  /// Encodes the value, preceded by the mark in an archive.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ArchiveEncoder { try encoder.markSensitive() }
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Sensitive: Decodable where Value: Decodable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Value.self)
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional value that may be absent, as it would without the mark: nil is not encoded.
  public func decode<Value: Decodable>(_ type: Sensitive<Value?>.Type, forKey key: Key) throws -> Sensitive<Value?> {
    Sensitive(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
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
