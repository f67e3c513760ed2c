import FoundationValues
import RestorationArchive

/// A property of a ``Restorable`` object that is encoded and decoded automatically.
///
///     final class Counter: Restorable {
///       let restorationIdentifier: String? = "counter"
///       @Restored var count = 0              // key "count"
///       @Restored("offset") var scroll = 0.0 // a key that outlives a renaming
///     }
///
/// The property keeps its value if the archive lacks the key, or has null for a value that is not `Optional`. An object
/// with its own coding methods calls ``Restorable/encodeRestoredProperties(with:)`` and
/// ``Restorable/decodeRestoredProperties(with:)`` there.
///
/// An ``AppRestoration`` saves automatically when such a property is set, and when an object with such a property is
/// created or deallocated. Decoding does not count as a change.
@propertyWrapper
public struct Restored<Value: Codable> {
  private final class Storage: PropertyStorage {
    var value: Value
    private let isSensitive: Bool

    init(_ value: Value, key: String?, isSensitive: Bool) {
      self.value = value
      self.isSensitive = isSensitive
      super.init(key: key)
      UnclaimedChanges.send()
    }

    deinit {
      if let properties { properties.noteEnd() } else { UnclaimedChanges.send() }
    }

    override var isCoded: Bool { true }
    override var isPlain: Bool { PlainValues.contains(Value.self) }

    override func encode(with coder: StateEncoder, key: String) throws {
      try coder.encode(value, forKey: key, isSensitive: isSensitive)
    }

    override func decode(with coder: StateDecoder, key: String) throws {
      guard coder.containsValue(forKey: key, of: Value.self) else { return }
      value = try coder.decode(Value.self, forKey: key)
      // No change to be saved, but the record of an earlier capture no longer holds.
      properties?.noteDecoding()
    }
  }

  private let storage: Storage

  /// Creates a property that uses its name as the key.
  public init(wrappedValue: Value) {
    self.init(wrappedValue: wrappedValue, nil)
  }

  /// Creates a property that uses its name as the key, and whose value tools should hide if it is sensitive.
  public init(wrappedValue: Value, isSensitive: Bool) {
    self.init(wrappedValue: wrappedValue, nil, isSensitive: isSensitive)
  }

  /// Creates a property with an explicit key.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if none is restored.
  ///   - key: The key; nil for the name of the property.
  ///   - isSensitive: Whether tools should hide the value.
  public init(wrappedValue: Value, _ key: String?, isSensitive: Bool = false) {
    storage = Storage(wrappedValue, key: key, isSensitive: isSensitive)
  }

  /// The value.
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set {
      storage.value = newValue
      if let properties = storage.properties { properties.noteChange() } else { UnclaimedChanges.send() }
    }
  }
}

extension Restored: RestoredWrapper {}

/// The types whose values contain no references, and encode themselves in the same way each time: state of these types
/// changes only by being set.
enum PlainValues {
  /// Whether a type is one of them: numbers, Booleans, strings, dates, data, UUIDs, URLs, enumerations by raw value, and
  /// optionals, arrays, sets and dictionaries of them.
  static func contains<Value>(_ type: Value.Type) -> Bool {
    if let type = type as? any PlainValue.Type { return type.isPlain }
    // Too small for a reference; an enumeration without associated values takes at most two bytes.
    return type is any RawRepresentable.Type && MemoryLayout<Value>.size <= 2
  }
}

/// A type that may be among the ``PlainValues``.
private protocol PlainValue {
  static var isPlain: Bool { get }
}

extension PlainValue {
  static var isPlain: Bool { true }
}

extension Bool: PlainValue {}
extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Float: PlainValue {}
extension Double: PlainValue {}
extension String: PlainValue {}
extension Date: PlainValue {}
extension Data: PlainValue {}
extension UUID: PlainValue {}
extension URL: PlainValue {}
extension Optional: PlainValue {
  static var isPlain: Bool { PlainValues.contains(Wrapped.self) }
}
extension Array: PlainValue {
  static var isPlain: Bool { PlainValues.contains(Element.self) }
}
extension Set: PlainValue {
  static var isPlain: Bool { PlainValues.contains(Element.self) }
}
extension Dictionary: PlainValue {
  static var isPlain: Bool { PlainValues.contains(Key.self) && PlainValues.contains(Value.self) }
}

/// The children of a ``Restorable`` object, which report when they are changed.
///
///     final class Window: Restorable {
///       static let tracksChanges = true
///       let restorationIdentifier: String? = "window"
///       @RestoredChildren var tabs: [Tab] = []
///       var restorationChildren: [any Restorable] { tabs }
///     }
///
/// Adding, removing and moving a child counts as a change of the object. The encoding does not change: children are
/// saved because ``Restorable/restorationChildren`` returns them.
@propertyWrapper
public struct RestoredChildren<Child> {
  private final class Storage: PropertyStorage {
    var children: [Child]

    init(_ children: [Child]) {
      self.children = children
      super.init()
    }

    deinit { properties?.noteEnd() }
  }

  private let storage: Storage

  /// Creates a property with its first children.
  public init(wrappedValue: [Child]) {
    storage = Storage(wrappedValue)
  }

  /// The children, in restoration order.
  public var wrappedValue: [Child] {
    get { storage.children }
    // In place: a copy of all children for each one that is appended would take quadratic time.
    nonmutating _modify {
      defer { if let properties = storage.properties { properties.noteChangedChildren() } else { UnclaimedChanges.send() } }
      yield &storage.children
    }
  }
}

extension RestoredChildren: RestoredWrapper {}
