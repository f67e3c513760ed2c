public import RestorationArchive

/// A registration that creates or finds the objects of a path, of a path pattern, or of a type.
///
///     Factory(EditorWindow.self) { node in EditorWindow(node.identifier) }
///     Factory(type: "Plug-in") { _ in PlugInPanel() }
///     Factory(path: "root/*/document") { node in try Document(url: node.decode(URL.self, forKey: "url")) }
///
/// In a path, `*` stands for one identifier, and a final `**` for any number of them; `~2` is a literal `*`. Returning
/// nil skips the node and its descendants: their state is carried over for a build or a launch that can restore it. To
/// distinguish other cases, return a ``FactoryResult``:
///
///     Factory(path: "editors/*") { node in
///       guard account.isLoggedIn else { return .later }
///       guard let note = try library.note(node.decode(UUID.self, forKey: "note")) else { return .gone }
///       return .object(Editor(note))
///     }
///
/// If an object already exists at the path, it is used without asking the factory, unless `reusesLiveObject` is false.
public struct Factory {
  /// The subject of the registration.
  enum Subject {
    case path(String)
    case type(String)
    case provider(String)
  }

  let subject: Subject
  let reusesLiveObject: Bool
  let place: SourcePlace
  let make: (FactoryRequest) throws -> FactoryResult
  /// The schema version of the class, if the factory is registered for a class.
  private(set) var classVersion: Int?

  private init(
    _ subject: Subject, _ reusesLiveObject: Bool, _ place: SourcePlace, _ make: @escaping (FactoryRequest) throws -> FactoryResult
  ) {
    (self.subject, self.reusesLiveObject, self.place, self.make) = (subject, reusesLiveObject, place, make)
  }

  /// Registers a factory for a path or pattern.
  public init(
    path: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.path(path), reusesLiveObject, SourcePlace(fileID: fileID, line: line)) { try FactoryResult(make($0)) }
  }

  /// Registers a factory for a path or pattern that can also give a reason for not returning an object.
  @_disfavoredOverload
  public init(
    path: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryResult
  ) {
    self.init(.path(path), reusesLiveObject, SourcePlace(fileID: fileID, line: line), deciding)
  }

  /// Registers a factory for a class, by its ``Restorable/restorationType``.
  ///
  /// A class without a type tag cannot be registered; creating the resolver then throws.
  public init<Object: Restorable>(
    _ type: Object.Type, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(type: type.restorationType, reusesLiveObject: reusesLiveObject, fileID: fileID, line: line, make)
    classVersion = type.restorationSchemaVersion
  }

  /// Registers a factory for a class, by its ``Restorable/restorationType``, that can also give a reason for not
  /// returning an object.
  @_disfavoredOverload
  public init<Object: Restorable>(
    _ type: Object.Type, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryResult
  ) {
    self.init(type: type.restorationType, reusesLiveObject: reusesLiveObject, fileID: fileID, line: line, deciding: deciding)
    classVersion = type.restorationSchemaVersion
  }

  /// Registers a factory for a type tag, for nodes whose class may not exist in this build.
  public init(
    type: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.type(type), reusesLiveObject, SourcePlace(fileID: fileID, line: line)) { try FactoryResult(make($0)) }
  }

  /// Registers a factory for a type tag that can also give a reason for not returning an object.
  @_disfavoredOverload
  public init(
    type: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryResult
  ) {
    self.init(.type(type), reusesLiveObject, SourcePlace(fileID: fileID, line: line), deciding)
  }

  /// Registers a factory for a provider, which creates the object named in ``FactoryRequest/provider``.
  ///
  /// The factory is asked last, for nodes that were saved with a provider of this name.
  public init(
    provider: String, fileID: StaticString = #fileID, line: UInt = #line, _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.provider(provider), true, SourcePlace(fileID: fileID, line: line)) { try FactoryResult(make($0)) }
  }

  /// Registers a factory for a provider that can also give a reason for not returning an object.
  @_disfavoredOverload
  public init(
    provider: String, fileID: StaticString = #fileID, line: UInt = #line, deciding: @escaping (FactoryRequest) throws -> FactoryResult
  ) {
    self.init(.provider(provider), true, SourcePlace(fileID: fileID, line: line), deciding)
  }
}

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
  public func decoder() throws -> StateDecoder { try source.decoder(of: index) }

  /// Decodes a value of the node's state.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    try decoder().decode(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns nil if the key does not exist or its value is null.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    try decoder().decodeIfPresent(type, forKey: key)
  }

  /// Decodes a value of the node's state, or returns a default if the key does not exist, or if its value is null and
  /// the type is not optional.
  ///
  /// - Throws: The errors of the decoder's method of the same name; the reason why the state is unreadable.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, default defaultValue: @autoclosure () -> Value
  ) throws -> Value {
    try decoder().decode(type, forKey: key, default: defaultValue())
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
