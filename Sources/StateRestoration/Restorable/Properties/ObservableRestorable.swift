import Locking
public import Observation
public import RestorationArchive

/// A restorable object whose class is marked `@Observable`.
///
/// `@Observable` cannot be combined with property wrappers such as ``Restored``. List the properties instead:
///
///     @MainActor @Observable
///     final class Editor: @MainActor ObservableRestorable {
///       let restorationIdentifier: String? = "editor"
///       var text = ""
///       var cursor = 0
///       static let restoredProperties: [ObservedProperty<Editor>] = [.init("text", \.text), .init("cursor", \.cursor)]
///     }
///
/// An ``AppRestoration`` saves automatically when one of these properties changes. It discovers objects at launch and
/// at each save, so call ``AppRestoration/setNeedsSave()`` after adding or removing an object. If the class
/// ``Restorable/tracksChanges``, its ``Restorable/restorationChildren`` are observed too.
///
/// The class must be final, because a list of key paths cannot be inherited.
public protocol ObservableRestorable: Restorable, Observable {
  /// The restored properties and their keys.
  static var restoredProperties: [ObservedProperty<Self>] { get }
}

/// A restored property of an ``ObservableRestorable`` object, and its key.
public struct ObservedProperty<Root> {
  fileprivate let key: String
  fileprivate let read: (Root) -> Void
  fileprivate let encode: (Root, StateEncoder) throws -> Void
  fileprivate let decode: (Root, StateDecoder) throws -> Void

  /// Creates a restored property.
  ///
  /// - Parameters:
  ///   - key: The key in archives, which stays the same if the property is renamed.
  ///   - keyPath: The property.
  ///   - isSensitive: Whether tools should hide the value.
  public init<Value: Codable>(_ key: String, _ keyPath: ReferenceWritableKeyPath<Root, Value>, isSensitive: Bool = false) {
    self.key = key
    read = { _ = $0[keyPath: keyPath] }
    encode = { try $1.encode($0[keyPath: keyPath], forKey: key, isSensitive: isSensitive) }
    decode = { object, coder in
      if coder.containsValue(forKey: key, of: Value.self) { object[keyPath: keyPath] = try coder.decode(Value.self, forKey: key) }
    }
  }
}

extension ObservableRestorable {
  /// Encodes ``restoredProperties``.
  public func encodeRestorableState(with coder: StateEncoder) throws { try encodeObservedProperties(with: coder) }
  /// Decodes ``restoredProperties``.
  public func decodeRestorableState(with coder: StateDecoder) throws { try decodeObservedProperties(with: coder) }

  /// Encodes ``restoredProperties``, for an object that encodes additional state itself.
  ///
  /// - Throws: The error of the first property that cannot be encoded; ``RestorationError`` if two properties have the same key.
  public func encodeObservedProperties(with coder: StateEncoder) throws {
    try ObservedClasses.check(Self.self) { coder.path }
    let encode = {
      // Read for the observation alone.
      if Self.tracksChanges, coder.changes != nil { _ = self.restorationChildren }
      return Result { for property in Self.restoredProperties { try property.encode(self, coder) } }
    }
    try (coder.changes?.observe(self, encode) ?? encode()).get()
  }

  /// Decodes ``restoredProperties``; properties missing from the archive, and those that cannot be decoded, keep their
  /// values.
  ///
  /// - Throws: Outside of restoring, the error of the first property that cannot be decoded, after all others have been
  ///   decoded.
  public func decodeObservedProperties(with coder: StateDecoder) throws {
    try coder.decodeEach(Self.restoredProperties) { try $0.decode(self, coder) }
  }

  /// Returns a key that two properties have; nil if there is none.
  fileprivate static var keyOfTwo: String? {
    var keys: Set<TextKey> = []
    return restoredProperties.first { !keys.insert(TextKey($0.key)).inserted }?.key
  }

  /// Reports the next change of any property in ``restoredProperties``.
  func observe(with changes: ChangeTracking) {
    changes.observe(self) {
      if Self.tracksChanges { _ = self.restorationChildren }
      for property in Self.restoredProperties { property.read(self) }
    }
  }
}

/// The classes whose observed properties have different keys, so that each is checked once.
private enum ObservedClasses {
  private static let checked = Lock<Set<ObjectIdentifier>>([])

  static func check<Object: ObservableRestorable>(_ kind: Object.Type, at path: () -> RestorationPath) throws {
    if checked.withLock({ $0.contains(ObjectIdentifier(kind)) }) { return }
    if let key = kind.keyOfTwo {
      throw RestorationError(.propertyKey, path: path(), "two properties in restoredProperties have the key \(key.quotedForDisplay)")
    }
    checked.withLock { _ = $0.insert(ObjectIdentifier(kind)) }
  }
}
