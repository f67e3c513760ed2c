import RestorationArchive

/// Says, for each path of an archive, which object is to be restored: at launch every node asks it.
///
///     let resolver = try Resolver {
///       Factory(path: "root/scratch") { _ in ScratchPad() }
///       Factory(type: "Editor") { _ in EditorWindow() }
///       Factory(path: "root/*/document") { node in try Document(url: node.decode(URL.self, forKey: "url")) }
///       Alias("root/panes", to: "root/editors")
///       Tombstone("root/welcome")
///       Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
///     }
///
/// The order is: (1) a factory for exactly this path, (2) the factory of its type, (3) pattern factories, the most specific one, (4) the
/// delegate, (5) an object that is at the path already, (6) a declarative provider. Nil from (1) to (3) is final; from the delegate it goes
/// on. A pattern is more specific than another one if, where they first differ, it has an identifier and not a wildcard, or `*` and not `**`.
///
/// An app keeps the resolver that it was restored with. So a factory that refers to the app keeps it alive: which is no matter for the one of
/// a process, but where many come and go (documents, tests) the factory should refer to it weakly.
public final class Resolver {
  /// An alias of paths.
  struct Move {
    let from: RestorationPath
    let to: RestorationPath
    let place: SourcePlace
  }

  let factories: [Factory]
  /// By number of factory: the rule that it is.
  let rules: [ResolutionRule]
  /// By number of factory: its pattern, if it is for one.
  let patterns: [RestorationPattern?]
  let tree: PatternTree
  let typeFactories: [IdentifierKey: Int]
  let providerFactories: [IdentifierKey: Int]
  /// In an order in which one that makes what another one takes comes first.
  let moves: [Move]
  let typeAliases: [IdentifierKey: String]
  /// By type and the version that they start from.
  let upgrades: [IdentifierKey: [Int: Upgrade]]
  /// By the version that they start from.
  let applicationUpgrades: [Int: Upgrade]

  /// Makes a resolver.
  ///
  /// - Throws: ``ResolverError`` with all mistakes, if there are any.
  public init(@ResolverBuilder _ parts: () throws -> ResolverBuilder.Part) throws {
    var registrar = Registrar()
    for kind in try parts().kinds { registrar.add(kind) }
    registrar.finish()
    guard registrar.mistakes.isEmpty else { throw ResolverError(mistakes: registrar.mistakes) }
    factories = registrar.factories
    patterns = registrar.patterns
    rules = zip(factories, patterns).map { Self.rule($0, $1) }
    tree = registrar.tree
    typeFactories = registrar.typeFactories
    providerFactories = registrar.providerFactories
    moves = registrar.moves
    typeAliases = registrar.typeAliases
    upgrades = registrar.upgrades
    applicationUpgrades = registrar.applicationUpgrades
  }

  /// A resolver that knows nothing: only the delegate and objects that are there already are asked.
  public init() {
    factories = []
    patterns = []
    rules = []
    tree = PatternTree()
    typeFactories = [:]
    providerFactories = [:]
    moves = []
    typeAliases = [:]
    upgrades = [:]
    applicationUpgrades = [:]
  }

  // MARK: Deciding

  /// What is registered for a node.
  enum Match {
    case tombstone(SourcePlace)
    case factory(Int)
    case nothing
  }

  /// What is registered for a node at `places` of the tree: steps 1 to 3.
  func match(_ places: [PatternTree.Place], typeFactory: Int?) -> Match {
    if places.isEmpty { return typeFactory.map { .factory($0) } ?? .nothing }
    var exact: Int?
    var best: Int?
    for place in places {
      if let tombstone = place.tombstone { return .tombstone(tombstone) }
      guard let number = place.factory, let pattern = patterns[number] else { continue }
      if pattern.exactPath != nil {
        exact = number
      } else if let current = best, let other = patterns[current], !pattern.isMoreSpecific(than: other) {
        continue
      } else {
        best = number
      }
    }
    if let exact { return .factory(exact) }
    return (typeFactory ?? best).map { .factory($0) } ?? .nothing
  }

  /// The number of the factory of a type.
  func factory(ofType type: String?) -> Int? { type.flatMap { typeFactories[IdentifierKey($0)] } }

  /// The rule that a factory is.
  func rule(of number: Int) -> ResolutionRule { rules[number] }

  private static func rule(_ factory: Factory, _ pattern: RestorationPattern?) -> ResolutionRule {
    switch factory.subject {
    case .type(let tag): return .type(tag, factory.place)
    case .provider(let name): return .provider(name, factory.place)
    case .path(let text): return pattern?.exactPath == nil ? .pattern(text, factory.place) : .path(text, factory.place)
    }
  }

  /// The tag that nodes of a type have now.
  func currentType(_ type: String?) -> String? {
    guard let type, !typeAliases.isEmpty else { return type }
    return typeAliases[IdentifierKey(type)] ?? type
  }

  /// A path with all aliases applied to it, as a reference that was saved under the old name needs it.
  func moved(_ path: RestorationPath) -> RestorationPath {
    var path = path
    for move in moves where move.from.contains(path) {
      let components = move.to.components + path.components.dropFirst(move.from.count)
      guard components.count <= 256 else { continue }
      path = RestorationPath(validated: components)
    }
    return path
  }
}
