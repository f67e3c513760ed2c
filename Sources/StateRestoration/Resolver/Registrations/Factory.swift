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
    self.subject = subject
    self.reusesLiveObject = reusesLiveObject
    self.place = place
    self.make = make
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
