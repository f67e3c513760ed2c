/// A value that tools should hide: they show a placeholder unless told otherwise (Spec §2).
///
///     struct Login: Codable {
///       var user: String
///       @Sensitive var token: String
///     }
///
/// It asks tools to hide the value; it does not protect it: the value is in the archive as it is. In other formats than archives it makes no
/// difference. It can only mark the value of a key: as an element of an array it cannot be encoded.
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
  /// A placeholder, so that printing what has the property does not show the value.
  public var description: String { "<sensitive>" }

  /// The parts for the debugger: none.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sensitive: Encodable where Value: Encodable {
  /// Encodes the value, and in an archive the mark in front of it.
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
