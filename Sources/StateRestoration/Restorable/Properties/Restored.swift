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
  /// The value, in a separate object so that it can be set through a mirror of the owner.
  private final class Storage {
    var value: Value
    /// Set when the owner is first encoded or decoded.
    var signal: ChangeSignal?
    /// The owner, known from the same time on.
    var owner: ObjectIdentifier?

    init(_ value: Value) {
      self.value = value
      UnclaimedChanges.send()
    }

    deinit { noteChange() }

    func noteChange() {
      if let signal { signal.send(owner) } else { UnclaimedChanges.send() }
    }
  }

  private let storage: Storage
  let fixedKey: String?
  private let isSensitive: Bool

  /// Creates a property that uses its name as the key.
  public init(wrappedValue: Value) {
    self.init(storage: Storage(wrappedValue), key: nil, isSensitive: false)
  }

  /// Creates a property that uses its name as the key, and whose value tools should hide if it is sensitive.
  public init(wrappedValue: Value, isSensitive: Bool) {
    self.init(storage: Storage(wrappedValue), key: nil, isSensitive: isSensitive)
  }

  /// Creates a property with an explicit key.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value if none is restored.
  ///   - key: The key; nil for the name of the property.
  ///   - isSensitive: Whether tools should hide the value.
  public init(wrappedValue: Value, _ key: String?, isSensitive: Bool = false) {
    self.init(storage: Storage(wrappedValue), key: key, isSensitive: isSensitive)
  }

  private init(storage: Storage, key: String?, isSensitive: Bool) {
    self.storage = storage
    fixedKey = key
    self.isSensitive = isSensitive
  }

  /// The value.
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set {
      storage.value = newValue
      storage.noteChange()
    }
  }
}

extension Restored: RestoredProperty {
  func claim(for signal: ChangeSignal, by owner: ObjectIdentifier) { (storage.signal, storage.owner) = (signal, owner) }

  func encode(with coder: StateEncoder, key: String) throws {
    try coder.encode(storage.value, forKey: key, isSensitive: isSensitive)
  }

  func decode(with coder: StateDecoder, key: String) throws {
    if coder.containsValue(forKey: key, of: Value.self) { storage.value = try coder.decode(Value.self, forKey: key) }
  }
}

/// A property that reports when it is set.
protocol ReportingProperty {
  /// Directs future changes to `signal`, as changes of `owner`.
  func claim(for signal: ChangeSignal, by owner: ObjectIdentifier)
}

/// The operations of a ``Restored`` property, independent of its value type.
protocol RestoredProperty: ReportingProperty {
  /// The explicit key; nil if the property uses its name.
  var fixedKey: String? { get }
  func encode(with coder: StateEncoder, key: String) throws
  func decode(with coder: StateDecoder, key: String) throws
}
