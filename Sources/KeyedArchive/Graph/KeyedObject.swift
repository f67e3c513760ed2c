import FoundationValues

/// A value in a keyed archive: written in line, or as the number of an object.
public enum KeyedValue: Sendable, Hashable {
  /// A nil: UID 0.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case integer(Int128)
  /// A floating-point number.
  case real(Double)
  /// A string.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A date, in seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// Values in line, in order.
  case array([KeyedValue])
  /// Values in line, by key.
  case dictionary([KeyedField])
  /// The number of an object in the archive's table.
  case object(Int)
}

/// A key with its value.
public struct KeyedField: Sendable, Hashable {
  /// The key.
  public let key: String
  /// The value.
  public let value: KeyedValue

  /// Creates a field.
  public init(key: String, value: KeyedValue) {
    self.key = key
    self.value = value
  }
}

/// The description of a class in a keyed archive.
public struct KeyedClass: Sendable, Hashable {
  /// The name of the class.
  public let name: String
  /// The names of the class and its superclasses, most derived first.
  public let names: [String]
  /// The names of classes that a reader may use instead.
  public let hints: [String]

  /// Creates a description.
  public init(name: String, names: [String] = [], hints: [String] = []) {
    self.name = name
    self.names = names.isEmpty ? [name] : names
    self.hints = hints
  }
}

/// An entry of a dictionary in a keyed archive.
public struct KeyedEntry: Sendable, Hashable {
  /// The key, of any type.
  public let key: KeyedValue
  /// The value.
  public let value: KeyedValue

  /// Creates an entry.
  public init(key: KeyedValue, value: KeyedValue) {
    self.key = key
    self.value = value
  }
}

/// An object in the table of a keyed archive.
///
/// Objects of Foundation's value classes are values. All others are records: a class name and fields, which nothing
/// here ever turns into an instance.
public struct KeyedObject: Sendable, Hashable {
  /// The content of an object.
  public enum Content: Sendable, Hashable {
    /// A value without a class: a bare string, number, Boolean value, data or date.
    case bare(KeyedValue)
    /// NSNull.
    case null
    /// NSString and NSMutableString.
    case string(String)
    /// NSData and NSMutableData.
    case data([UInt8])
    /// NSDate, in seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    /// NSURL: a text, and the object of the URL that it is relative to.
    case url(base: KeyedValue, relative: String)
    /// NSUUID: 16 bytes.
    case uuid([UInt8])
    /// NSArray and NSMutableArray.
    case array([KeyedValue])
    /// NSSet and NSMutableSet.
    case set([KeyedValue])
    /// NSOrderedSet and NSMutableOrderedSet.
    case orderedSet([KeyedValue])
    /// NSDictionary and NSMutableDictionary.
    case dictionary([KeyedEntry])
    /// An object of any other class.
    case record([KeyedField])
    /// The description of a class.
    case classDescription(KeyedClass)
  }

  /// The class; nil for bare values and descriptions of classes.
  public let type: KeyedClass?
  /// The content.
  public let content: Content
  /// The offset of the object in its file, if it has one.
  package let offset: Int?

  /// Creates an object.
  public init(_ content: Content, type: KeyedClass? = nil) { self.init(content, type: type, offset: nil) }

  /// Creates the object that stands in the place of one that was lost.
  static func lost(_ number: Int, at offset: Int? = nil) -> KeyedObject {
    KeyedObject(.record([KeyedField(key: "number", value: .integer(Int128(number)))]), type: KeyedClass(name: "$lost"), offset: offset)
  }

  init(_ content: Content, type: KeyedClass?, offset: Int?) {
    self.content = content
    self.type = type
    self.offset = offset
  }

  /// The values that the object refers to or contains.
  package var values: [KeyedValue] {
    switch content {
    case .array(let values), .set(let values), .orderedSet(let values): values
    case .dictionary(let entries): entries.map(\.key) + entries.map(\.value)
    case .record(let fields): fields.map(\.value)
    case .url(let base, _): [base]
    case .bare(let value): [value]
    case .null, .string, .data, .date, .uuid, .classDescription: []
    }
  }

  /// Returns the value of a field of a record.
  package subscript(_ key: String) -> KeyedValue? {
    guard case .record(let fields) = content else { return nil }
    return fields.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }
}

extension UUID {
  /// Creates a UUID from its bytes.
  ///
  /// - Precondition: There are 16.
  init(bytes: [UInt8]) {
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10], bytes[11],
        bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// The sixteen bytes, in the order of the text.
  var bytes: [UInt8] {
    let bytes = uuid
    return [
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13,
      bytes.14, bytes.15,
    ]
  }
}
