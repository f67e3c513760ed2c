/// Makes or finds the objects of a path, of a pattern of paths, or of a type.
///
///     Factory(EditorWindow.self) { node in EditorWindow(node.identifier) }
///     Factory(type: "Plug-in") { _ in PlugInPanel() }
///     Factory(path: "root/*/document") { node in try Document(url: node.decode(URL.self, forKey: "url")) }
///
/// In a path, `*` stands for one identifier, a last `**` for any number of them; `~2` is a literal `*`. Returning nil skips the node and all
/// below it: the state stays in the archive for a build or a launch that knows what to do with it. A factory that knows more returns a
/// ``FactoryAnswer``:
///
///     Factory(path: "editors/*") { node in
///       guard account.isLoggedIn else { return .later }
///       guard let note = try library.note(node.decode(UUID.self, forKey: "note")) else { return .gone }
///       return .object(Editor(note))
///     }
///
/// An object that exists at the path already is used, and the factory not asked, unless `reusesLiveObject` is false.
public struct Factory {
  /// What it is registered for.
  enum Subject {
    case path(String)
    case type(String)
    case provider(String)
  }

  let subject: Subject
  let reusesLiveObject: Bool
  let place: SourcePlace
  let make: (FactoryRequest) throws -> FactoryAnswer

  private init(
    _ subject: Subject, _ reusesLiveObject: Bool, _ place: SourcePlace, _ make: @escaping (FactoryRequest) throws -> FactoryAnswer
  ) {
    self.subject = subject
    self.reusesLiveObject = reusesLiveObject
    self.place = place
    self.make = make
  }

  /// Makes the objects of a path or pattern.
  public init(
    path: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.path(path), reusesLiveObject, SourcePlace(fileID: fileID, line: line)) { try FactoryAnswer(make($0)) }
  }

  /// Makes the objects of a path or pattern, or says why not.
  @_disfavoredOverload
  public init(
    path: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryAnswer
  ) {
    self.init(.path(path), reusesLiveObject, SourcePlace(fileID: fileID, line: line), deciding)
  }

  /// Makes the objects of a class, by its ``Restorable/restorationType``.
  ///
  /// A class without one cannot be registered, which the resolver says.
  public init<Object: Restorable>(
    _ type: Object.Type, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(type: type.restorationType, reusesLiveObject: reusesLiveObject, fileID: fileID, line: line, make)
  }

  /// Makes the objects of a class, by its ``Restorable/restorationType``, or says why not.
  @_disfavoredOverload
  public init<Object: Restorable>(
    _ type: Object.Type, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryAnswer
  ) {
    self.init(type: type.restorationType, reusesLiveObject: reusesLiveObject, fileID: fileID, line: line, deciding: deciding)
  }

  /// Makes the objects of a type, by its tag: for nodes whose class this build may not have.
  public init(
    type: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.type(type), reusesLiveObject, SourcePlace(fileID: fileID, line: line)) { try FactoryAnswer(make($0)) }
  }

  /// Makes the objects of a type, or says why not.
  @_disfavoredOverload
  public init(
    type: String, reusesLiveObject: Bool = true, fileID: StaticString = #fileID, line: UInt = #line,
    deciding: @escaping (FactoryRequest) throws -> FactoryAnswer
  ) {
    self.init(.type(type), reusesLiveObject, SourcePlace(fileID: fileID, line: line), deciding)
  }

  /// Makes objects from what a declarative provider has under the identifier in ``FactoryRequest/provider``.
  ///
  /// It is asked last, for nodes that were saved with a provider of this name.
  public init(
    provider: String, fileID: StaticString = #fileID, line: UInt = #line, _ make: @escaping (FactoryRequest) throws -> (any Restorable)?
  ) {
    self.init(.provider(provider), true, SourcePlace(fileID: fileID, line: line)) { try FactoryAnswer(make($0)) }
  }

  /// Makes objects from what a declarative provider has under the identifier in ``FactoryRequest/provider``, or says why not.
  @_disfavoredOverload
  public init(
    provider: String, fileID: StaticString = #fileID, line: UInt = #line, deciding: @escaping (FactoryRequest) throws -> FactoryAnswer
  ) {
    self.init(.provider(provider), true, SourcePlace(fileID: fileID, line: line), deciding)
  }
}
