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
/// created or deallocated. Decoding does not count as a change, nor does an object that is created or ends while an archive is
/// restored.
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
      noteChange()
    }
    // In place: a copy of a whole array for each element that is appended would take quadratic time.
    nonmutating _modify {
      defer { noteChange() }
      yield &storage.value
    }
  }

  private func noteChange() {
    if let properties = storage.properties { properties.noteChange() } else { UnclaimedChanges.send() }
  }
}

extension Restored: RestoredWrapper {}

/// The types whose values contain no references, and encode themselves in the same way each time: state of these types
/// changes only by being set.
enum PlainValues {
  private static let simple = Set(simpleTypes.map { ObjectIdentifier($0) })
  private static let simpleTypes: [Any.Type] = [
    Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
    Float.self, Double.self, String.self, Date.self, Data.self, UUID.self, URL.self,
  ]

  /// Whether a type is one of them: numbers, Booleans, strings, dates, data, UUIDs, URLs, enumerations by raw value, and
  /// optionals, arrays, sets and dictionaries of them.
  static func contains<Value>(_ type: Value.Type) -> Bool {
    if simple.contains(ObjectIdentifier(type)) { return true }
    if let type = type as? any PlainContainer.Type { return type.isPlain }
    // Too small for a reference; an enumeration without associated values takes at most two bytes.
    return type is any RawRepresentable.Type && MemoryLayout<Value>.size <= 2
  }
}

/// A type that is among the ``PlainValues`` if its parts are.
private protocol PlainContainer {
  static var isPlain: Bool { get }
}

extension Optional: PlainContainer {
  static var isPlain: Bool { PlainValues.contains(Wrapped.self) }
}
extension Array: PlainContainer {
  static var isPlain: Bool { PlainValues.contains(Element.self) }
}
extension Set: PlainContainer {
  static var isPlain: Bool { PlainValues.contains(Element.self) }
}
extension Dictionary: PlainContainer {
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

    override var restorableChildren: [any Restorable] { children.compactMap { $0 as? any Restorable } }

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
