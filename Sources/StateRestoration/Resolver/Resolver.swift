import RestorationArchive

/// A set of rules that decide which object is restored for each node of an archive.
///
///     let resolver = try Resolver {
///       Factory(path: "root/scratch") { _ in ScratchPad() }
///       Factory(EditorWindow.self) { _ in EditorWindow() }
///       Factory(path: "root/*/document") { node in try Document(url: node.decode(URL.self, forKey: "url")) }
///       Alias("root/panes", to: "root/editors")
///       Tombstone("root/welcome")
///       Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
///     }
///
/// The rules apply in this order: (1) a factory for the exact path, (2) the factory of the type, (3) the most specific
/// pattern factory, (4) the delegate, (5) an object that already exists at the path, (6) a provider. A nil
/// result of rules 1 to 3 is final; a nil result of the delegate continues with the next rule. Patterns are compared at
/// their first difference: an identifier is more specific than a wildcard, and `*` is more specific than `**`.
///
/// An app retains the resolver with which it was restored, so a factory that refers to the app keeps it alive. This
/// does not matter for the one app of a process. With many short-lived apps (documents, tests), the factory should
/// refer to its app weakly.
public final class Resolver {
  /// An alias from one path to another.
  struct Move {
    let from: RestorationPath
    let to: RestorationPath
    let place: SourcePlace
  }

  /// The registrations, without mistakes.
  let registered: Registrar
  /// The rule of each factory, by number.
  let rules: [ResolutionRule]

  /// Creates a resolver.
  ///
  /// - Throws: ``ResolverError`` with all mistakes in the registrations.
  public convenience init(@ResolverBuilder _ parts: () throws -> ResolverBuilder.Part) throws {
    var registrar = Registrar()
    for step in try parts().steps { step(&registrar) }
    registrar.finish()
    guard registrar.mistakes.isEmpty else { throw ResolverError(mistakes: registrar.mistakes) }
    self.init(registrar)
  }

  /// Creates an empty resolver, which only asks the delegate and uses existing objects.
  public convenience init() { self.init(Registrar()) }

  private init(_ registered: Registrar) {
    self.registered = registered
    rules = zip(registered.factories, registered.patterns).map { Self.rule($0, $1) }
  }

  private static func rule(_ factory: Factory, _ pattern: RestorationPattern?) -> ResolutionRule {
    switch factory.subject {
    case .type(let tag): return .type(tag, factory.place)
    case .provider(let name): return .provider(name, factory.place)
    case .path(let text): return pattern?.exactPath == nil ? .pattern(text, factory.place) : .path(text, factory.place)
    }
  }

  /// Returns the current tag for a saved type.
  func currentType(_ type: String?) -> String? {
    guard let type, !registered.typeAliases.isEmpty else { return type }
    return registered.typeAliases[TextKey(type)] ?? type
  }

  /// The number of upgrades.
  var upgradeCount: Int { registered.applicationUpgrades.count + registered.upgrades.values.reduce(0) { $0 + $1.count } }

  /// Returns the upgrade of a type, or of the application state, from a version.
  func upgrade(of type: String?, from version: Int) -> Upgrade? {
    type.map { registered.upgrades[TextKey($0)]?[version] } ?? registered.applicationUpgrades[version]
  }

  /// Returns a path with all aliases applied; references saved under an old path need this.
  func moved(_ path: RestorationPath) -> RestorationPath {
    var path = path
    for move in registered.moves where move.from.contains(path) {
      let components = move.to.components + path.components.dropFirst(move.from.count)
      guard components.count <= RestorationPath.maximumCount else { continue }
      path = RestorationPath(validated: components)
    }
    return path
  }

  // MARK: The order of rules, for restoring and for the dry run (``ArchiveResolution``)

  // Rules 4 and 5 need a delegate and objects, so only restoring applies them.

  /// The registration that applies to a node.
  enum Match {
    case tombstone(SourcePlace)
    case factory(Int)
    case nothing
  }

  /// Applies rules 1 to 3: returns the registration for a node that matches `places` in the pattern tree.
  func match(_ places: [PatternTree.Place], typeFactory: Int?) -> Match {
    if places.isEmpty { return typeFactory.map { .factory($0) } ?? .nothing }
    var exact: Int?
    var best: Int?
    for place in places {
      if let tombstone = place.tombstone { return .tombstone(tombstone) }
      guard let number = place.factory, let pattern = registered.patterns[number] else { continue }
      if pattern.exactPath != nil {
        exact = number
      } else if let current = best, let other = registered.patterns[current], !pattern.isMoreSpecific(than: other) {
        continue
      } else {
        best = number
      }
    }
    if let exact { return .factory(exact) }
    return (typeFactory ?? best).map { .factory($0) } ?? .nothing
  }

  /// Returns the number of the factory for a type.
  func factory(ofType type: String?) -> Int? { type.flatMap { registered.typeFactories[TextKey($0)] } }

  /// Applies rule 6: returns the number of the factory for a node's provider.
  func providerFactory(for node: NodeReader?) -> Int? {
    guard !registered.providerFactories.isEmpty, let node, node.hasProvider, let provider = try? node.provider() else { return nil }
    return registered.providerFactories[TextKey(provider.name)]
  }
}

/// All mistakes in the registrations of a resolver.
public struct ResolverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One mistake.
  public struct Mistake: Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public let message: String
    /// The source location of the faulty registration.
    public let place: SourcePlace

    /// The location and message, in compiler format.
    public var description: String { "\(place): \(message)" }
  }

  /// The mistakes, in registration order.
  public let mistakes: [Mistake]

  /// A heading, then one line for each mistake.
  public var description: String {
    (["\(mistakes.count == 1 ? "a mistake" : "\(mistakes.count) mistakes") in the resolver"] + mistakes.map(\.description))
      .joined(separator: "\n")
  }
}

/// The rule by which an object is found or created.
public enum ResolutionRule: Sendable, Hashable {
  /// A factory for this exact path.
  case path(String, SourcePlace)
  /// The factory of the node's type.
  case type(String, SourcePlace)
  /// A factory for a pattern of paths.
  case pattern(String, SourcePlace)
  /// The delegate.
  case delegate
  /// An object that already existed at the path.
  case liveObject
  /// A provider.
  case provider(String, SourcePlace)

  /// The source location of the registration, if the rule has one.
  public var place: SourcePlace? {
    switch self {
    case .path(_, let place), .type(_, let place), .pattern(_, let place), .provider(_, let place): place
    case .delegate, .liveObject: nil
    }
  }
}

extension ResolutionRule: CustomStringConvertible {
  /// A short description of the rule.
  public var description: String {
    switch self {
    case .path(let path, _): "path \(path.quotedForDisplay)"
    case .type(let tag, _): "type \(tag.quotedForDisplay)"
    case .pattern(let pattern, _): "pattern \(pattern.quotedForDisplay)"
    case .delegate: "the delegate"
    case .liveObject: "the existing object"
    case .provider(let name, _): "provider \(name.quotedForDisplay)"
    }
  }
}

/// A tree of paths and patterns that is traversed in parallel with the node tree, so that matching costs nothing below
/// unregistered paths.
final class PatternTree {
  /// A place in the tree: its registrations and its continuations.
  final class Place {
    var children: [TextKey: Place] = [:]
    var any: Place?
    /// The place for `**`, which remains the current place for all further components.
    var rest: Place?
    var isRest = false
    /// The number of the factory registered here.
    var factory: Int?
    var tombstone: SourcePlace?
  }

  private let root = Place()
  private(set) var isEmpty = true

  /// Returns the place of a pattern, and adds it if it is missing.
  func place(of pattern: RestorationPattern) -> Place {
    isEmpty = false
    var place = root
    for component in pattern.components {
      let next: Place
      switch component {
      case .identifier(let identifier):
        next = place.children[TextKey(identifier)] ?? Place()
        place.children[TextKey(identifier)] = next
      case .any:
        next = place.any ?? Place()
        place.any = next
      case .rest:
        next = place.rest ?? Place()
        next.isRest = true
        place.rest = next
      }
      place = next
    }
    return place
  }

  /// The places for the empty path.
  var start: [Place] {
    isEmpty ? [] : root.rest.map { [root, $0] } ?? [root]
  }

  /// Returns a child's places, given its parent's.
  func advance(_ places: [Place], by identifier: String) -> [Place] {
    if places.isEmpty { return [] }
    var next: [Place] = []
    let key = TextKey(identifier)
    for place in places {
      if place.isRest { next.append(place) }
      for found in [place.children.isEmpty ? nil : place.children[key], place.any] {
        guard let found else { continue }
        next.append(found)
        if let rest = found.rest { next.append(rest) }
      }
    }
    return next
  }

  /// The places of the current node and its ancestors while a node tree is visited in preorder.
  struct Cursor {
    private let tree: PatternTree
    /// The places by depth, as far down as there are any.
    private var places: [[Place]]

    /// Starts at the node at `path`.
    init(_ tree: PatternTree, at path: RestorationPath = .application) {
      self.tree = tree
      places = [tree.start]
      for identifier in path.components { places.append(tree.advance(places[places.count - 1], by: identifier)) }
    }

    /// Moves to a node at a depth, whose parent is the last visited node above that depth, and returns its places.
    mutating func move(to identifier: String, depth: Int) -> [Place] {
      if places.count > depth { places.removeLast(places.count - depth) }
      guard places.count == depth else { return [] }
      let found = tree.advance(places[depth - 1], by: identifier)
      if !found.isEmpty { places.append(found) }
      return found
    }
  }
}
