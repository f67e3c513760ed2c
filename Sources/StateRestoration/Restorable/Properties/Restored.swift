import RestorationArchive

/// A property of a ``Restorable`` object that is encoded and decoded by itself.
///
///     final class Counter: Restorable {
///       let restorationIdentifier: String? = "counter"
///       @Restored var count = 0              // key "count"
///       @Restored("offset") var scroll = 0.0 // a key that outlives a renaming
///     }
///
/// A key that the archive does not have, or a null where the value is no `Optional`, leaves the value as it is. An object that encodes more by
/// itself calls ``Restorable/encodeRestoredProperties(with:)`` and ``Restorable/decodeRestoredProperties(with:)``.
///
/// An ``AppRestoration`` saves by itself when such a property is set, when an object that has one is made, and when one goes. Decoding is no
/// change.
@propertyWrapper
public struct Restored<Value: Codable> {
  /// The value, in memory of its own so that it can be set through a mirror of the object.
  private final class Storage {
    var value: Value
    /// Set when the object is first encoded or decoded.
    var signal: ChangeSignal?

    init(_ value: Value) {
      self.value = value
      UnclaimedChanges.send()
    }

    deinit { noteChange() }

    func noteChange() {
      if let signal { signal.send() } else { UnclaimedChanges.send() }
    }
  }

  private let storage: Storage
  let fixedKey: String?
  private let isSensitive: Bool

  /// Makes a property whose key is its name.
  public init(wrappedValue: Value) {
    self.init(storage: Storage(wrappedValue), key: nil, isSensitive: false)
  }

  /// Makes a property with a key of its own.
  ///
  /// - Parameters:
  ///   - wrappedValue: Its value where none is restored.
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
  func claim(for signal: ChangeSignal?) { storage.signal = signal }

  func encode(with coder: StateEncoder, key: String) throws {
    try coder.encode(storage.value, forKey: key, isSensitive: isSensitive)
  }

  func decode(with coder: StateDecoder, key: String) throws {
    if coder.containsValue(forKey: key, of: Value.self) { storage.value = try coder.decode(Value.self, forKey: key) }
  }
}
