public import RestorationArchive

/// A request for the object of a node, with the node's path and saved state.
public final class FactoryRequest {
  private let source: any FactoryRequestSource
  private var index: Int

  init(_ source: any FactoryRequestSource, index: Int) {
    self.source = source
    self.index = index
  }

  /// Reuses the request for another node, if the app has not retained it.
  func reuse(for index: Int) {
    self.index = index
  }

  /// The path of the node; its last identifier is the object's own.
  public var path: RestorationPath { source.path(of: index) }
  /// The object's own identifier.
  public var identifier: String { source.identifier(of: index) }
  /// The type tag, if the node has one.
  public var type: String? { source.type(of: index) }
  /// The schema version of the state, after upgrades.
  public var schemaVersion: Int { source.schemaVersion(of: index) }
  /// Information about the launch.
  public var launch: LaunchContext { source.launch }
  /// The reference to the object in a provider; nil if there is none or it is unreadable.
  public var provider: ProviderReference? { source.provider(of: index) }
  /// The object of the nearest ancestor that has one.
  public var parent: (any Restorable)? { source.parentObject(of: index) }

  /// Returns a decoder for the node's state.
  ///
  /// - Throws: The reason why the state is unreadable.
  public func coder() throws -> StateDecoder { try source.decoder(of: index) }

  /// Decodes a value of the node's state.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    try coder().decode(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns nil if the key does not exist or its value is null.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try coder().decodeIfPresent(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns a default if the key does not exist, or if its value is null and
  /// the type is not optional.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, default defaultValue: @autoclosure () -> Value
  ) throws -> Value {
    try coder().decode(type, forKey: key, default: defaultValue())
  }
}

/// The session that factories are asked in, by the number of a node.
protocol FactoryRequestSource: AnyObject {
  var launch: LaunchContext { get }
  func path(of index: Int) -> RestorationPath
  func identifier(of index: Int) -> String
  func type(of index: Int) -> String?
  func schemaVersion(of index: Int) -> Int
  func provider(of index: Int) -> ProviderReference?
  func parentObject(of index: Int) -> (any Restorable)?
  func decoder(of index: Int) throws -> StateDecoder
}

/// The answer of a factory or the delegate for a node.
public enum FactoryResult {
  /// Restores this object, new or existing.
  case object(any Restorable)
  /// Skips the node and its descendants.
  case declined
  /// Defers the node until an object is registered for its path.
  case later
  /// Discards the state of the node and its descendants instead of carrying it over, because its subject no longer
  /// exists: a deleted document, for example.
  case gone

  init(_ object: (any Restorable)?) {
    self = object.map { .object($0) } ?? .declined
  }
}
