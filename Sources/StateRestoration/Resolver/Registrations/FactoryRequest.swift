public import RestorationArchive

/// A request for the object of a node, with the node's path and saved state.
public final class FactoryRequest {
  private let session: RestorationSession
  private var index: Int

  init(session: RestorationSession, index: Int) {
    self.session = session
    self.index = index
  }

  /// Reuses the request for another node, if the app has not retained it.
  func reuse(for index: Int) {
    self.index = index
  }

  /// The path of the node; its last identifier is the object's own.
  public var path: RestorationPath { session.path(of: index) }
  /// The object's own identifier.
  public var identifier: String { session.tree.entries[index].identifier }
  /// The type tag, if the node has one.
  public var type: String? { session.type(of: index) }
  /// The schema version of the state, after upgrades.
  public var schemaVersion: UInt32 { UInt32(session.savedType(of: index).schemaVersion) }
  /// Information about the launch.
  public var launch: RestorationLaunch { session.options.launch }
  /// The reference to the object in a declarative provider; nil if there is none or it is unreadable.
  public var provider: ProviderReference? { session.provider(of: index) }
  /// The object of the nearest ancestor that has one.
  public var parent: (any Restorable)? { session.parentObject(of: index) }

  /// Returns a decoder for the node's state.
  ///
  /// - Throws: The reason why the state is unreadable.
  public func coder() throws -> StateDecoder { try session.decoder(of: index) }

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
