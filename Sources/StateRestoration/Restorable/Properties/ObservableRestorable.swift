public import Observation
public import RestorationArchive

/// A restorable object whose class is marked `@Observable`.
///
/// `@Observable` does not combine with property wrappers such as ``Restored``. Name the properties instead:
///
///     @MainActor @Observable
///     final class Editor: @MainActor ObservableRestorable {
///       let restorationIdentifier: String? = "editor"
///       var text = ""
///       var cursor = 0
///       static let restoredProperties: [ObservedProperty<Editor>] = [.init("text", \.text), .init("cursor", \.cursor)]
///     }
///
/// An ``AppRestoration`` saves by itself when one of them changes. It learns of an object when it launches or saves: after you add or remove one,
/// call ``AppRestoration/setNeedsSave()``.
///
/// The class is final, because a list of key paths cannot be inherited.
public protocol ObservableRestorable: Restorable, Observable {
  /// The properties that come back, with their keys.
  static var restoredProperties: [ObservedProperty<Self>] { get }
}

/// A property of an ``ObservableRestorable`` object that comes back, and its key.
public struct ObservedProperty<Root> {
  fileprivate let read: (Root) -> Void
  fileprivate let encode: (Root, StateEncoder) throws -> Void
  fileprivate let decode: (Root, StateDecoder) throws -> Void

  /// Names a property.
  ///
  /// - Parameters:
  ///   - key: Its key in archives, which outlives a renaming of the property.
  ///   - keyPath: The property.
  ///   - isSensitive: Whether tools hide the value.
  public init<Value: Codable>(_ key: String, _ keyPath: ReferenceWritableKeyPath<Root, Value>, isSensitive: Bool = false) {
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

  /// Encodes ``restoredProperties``, for an object that encodes more by itself.
  ///
  /// - Throws: The error of the first property that cannot be encoded.
  public func encodeObservedProperties(with coder: StateEncoder) throws {
    let encode = { Result { for property in Self.restoredProperties { try property.encode(self, coder) } } }
    try (coder.changes?.observe(self, encode) ?? encode()).get()
  }

  /// Decodes ``restoredProperties``; one that the archive lacks keeps its value.
  ///
  /// - Throws: The error of the first property that cannot be decoded, after all others have been decoded.
  public func decodeObservedProperties(with coder: StateDecoder) throws {
    var failure: (any Error)?
    for property in Self.restoredProperties {
      do {
        try property.decode(self, coder)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Reports the next change of one of ``restoredProperties``.
  func observe(with changes: ChangeTracking) {
    changes.observe(self) { for property in Self.restoredProperties { property.read(self) } }
  }
}
