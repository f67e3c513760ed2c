public import RestorationArchive

/// The node that an object is wanted for: its path, what was saved about it, and its state by key.
public final class FactoryRequest {
  private let session: RestorationSession
  private var index: Int

  init(session: RestorationSession, index: Int) {
    self.session = session
    self.index = index
  }

  /// Stands for another node, when nobody has kept it.
  func reuse(for index: Int) {
    self.index = index
  }

  /// The identifiers from the root down; the last one is the object's own.
  public var path: RestorationPath { session.path(of: index) }
  /// The object's own identifier.
  public var identifier: String { session.tree.entries[index].identifier }
  /// The tag of its type, if it has one.
  public var type: String? { session.type(of: index) }
  /// The version of what its state looks like, after upgrades.
  public var schemaVersion: UInt32 { UInt32(session.savedType(of: index).schemaVersion) }
  /// Why and how the app was started.
  public var launch: RestorationLaunch { session.options.launch }
  /// What tells a declarative provider what to make; nil also if it cannot be read.
  public var provider: ProviderReference? { session.provider(of: index) }
  /// The object of the nearest node above that has one.
  public var parent: (any Restorable)? { session.parentObject(of: index) }

  /// The node's state.
  ///
  /// - Throws: Why it cannot be read.
  public func coder() throws -> StateDecoder { try session.decoder(of: index) }

  /// Decodes a value of the node's state.
  ///
  /// - Throws: As the coder's method of the same name, and why the state cannot be read.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    try coder().decode(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns nil if there is none under the key or if it is null.
  ///
  /// - Throws: As the coder's method of the same name, and why the state cannot be read.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try coder().decodeIfPresent(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns another one if there is none under the key, or if it is null and the type is not
  /// optional.
  ///
  /// - Throws: As the coder's method of the same name, and why the state cannot be read.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, default defaultValue: @autoclosure () -> Value
  ) throws -> Value {
    try coder().decode(type, forKey: key, default: defaultValue())
  }
}
