import PropertyKit
import Foundation
public import StateRestoration

/// An app with its previous state, generated from a seed: an archive, registrations, live objects, and the behavior of
/// each when it is called.
///
/// Some identifiers have a meaning. `f` throws when it decodes, `g` when it encodes, and `s` accepts its state only for
/// the reason *restore*. The delegate creates `d`, defers `l`, declines `n`, throws for `x`, and reports that `o` is
/// gone.
public struct RandomApp {
  /// The behavior of a factory.
  public enum Behaviour: String, Sendable, CaseIterable {
    case make, makeOther, makeWithChild, makeUnadopted, decline, later, gone, fail
  }

  /// A user action between restoring and saving.
  ///
  /// Numbers refer to the objects in preorder, and may exceed their count.
  public enum Change: Sendable {
    /// Closes an object.
    case close(Int)
    /// Opens an object below another one, or at the top level if there is none.
    case open(String, below: Int)
    /// Reverses the order of an object's children, or of the top level if there is no such object.
    case reverse(Int)
  }

  /// A registration of the resolver.
  public enum Registration: Sendable {
    case path(String, Behaviour, reuses: Bool)
    case type(String, Behaviour, reuses: Bool)
    case provider(String, Behaviour)
    case tombstone(String)
    case alias(String, String)
    case typeAlias(String, String)
    /// Renames `v` to `w`.
    case rename(String, from: Int, to: Int)
    /// Moves `v` to a child.
    case move(String, child: String, from: Int, to: Int)
    /// Throws.
    case failUpgrade(String, from: Int, to: Int)
  }

  /// A live object at launch.
  public struct Live: Sendable {
    /// Its identifier, if it has one.
    public var identifier: String?
    /// The tag of its type.
    public var type: String?
    /// Its state.
    public var values: [String: Int] = [:]
    /// Its children.
    public var children: [Live] = []
  }

  /// The previous state.
  public var tree: ArchiveTree
  /// The contents of the resolver.
  public var registrations: [Registration] = []
  /// The objects that exist at launch.
  public var live: [Live] = []
  /// Whether it has a delegate.
  public var hasDelegate = false
  /// The delegate's decision about the archive.
  public var decision = RestoreDecision.restore
  /// The quarantined paths.
  public var quarantined: Set<RestorationPath> = []
  /// The reason for restoring.
  public var reason = RestorationReason.launch
  /// The number of sessions for which a node may be carried over.
  public var sessionLimit: Int?
  /// The paths discarded as gone after restoring.
  public var discarded: [RestorationPath] = []
  /// The user actions before the first save and before the second.
  public var changes: [[Change]] = [[], []]

  private static let identifiers = ["a", "b", "c", "d", "e", "f", "g", "l", "n", "o", "s", "x", "é", "e\u{301}", "*", "a/b"]
  private static let types = ["Editor", "List", "Archivist", "Old"]
  static let placeholder = "restoration.placeholder"

  /// Creates an app from a seed.
  public init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    tree = ArchiveTree(header: .at(build: "7", seconds: 100))
    var left = 1 + random.below(14)
    tree.nodes = Self.nodes(&random, &left, depth: 0)
    tree.applicationState = random.oneIn(2) ? ["theme": 1] : [:]
    var leftLive = random.below(10)
    live = Self.objects(&random, &leftLive, depth: 0)
    hasDelegate = random.oneIn(2)
    if hasDelegate, random.oneIn(12) { decision = random.pick([.notNow, .never]) }
    let paths = Self.paths(tree.nodes, .application)
    if random.oneIn(6), !paths.isEmpty { quarantined = [random.pick(paths)] }
    reason = random.pick(RestorationReason.allCases)
    if random.oneIn(5) { sessionLimit = random.below(3) }
    registrations = Self.registrations(&random, paths)
    if random.oneIn(5), !paths.isEmpty { discarded = [random.pick(paths)] }
    changes = (0..<2).map { _ in (0..<random.below(3)).map { _ in Self.change(&random) } }
  }

  private static func change(_ random: inout SeededGenerator) -> Change {
    switch random.below(4) {
    case 0: .reverse(random.below(8))
    case 1: .open(random.pick(identifiers), below: random.below(8))
    default: .close(random.below(8))
    }
  }

  // MARK: The archive

  private static func nodes(_ random: inout SeededGenerator, _ left: inout Int, depth: Int) -> [ArchiveNode] {
    var nodes: [ArchiveNode] = []
    while left > 0, depth < 5, !random.oneIn(3) || (depth == 0 && nodes.isEmpty) {
      let identifier = random.pick(identifiers)
      if nodes.contains(where: { $0.identifier.utf8.elementsEqual(identifier.utf8) }) { continue }
      left -= 1
      var node = ArchiveNode(identifier)
      if random.oneIn(2) {
        node.type = random.pick(types)
        node.schemaVersion = random.below(4)
      }
      if !random.oneIn(4) { node.state["v"] = .integer(random.below(100)) }
      if random.oneIn(4) { node.state["k"] = .integer(random.below(100)) }
      if random.oneIn(6) { node.origin = ArchiveOrigin(bundleVersion: "3", sessionsCarried: UInt32(random.below(4))) }
      if random.oneIn(6) { node.provider = ProviderReference(name: random.pick(["Main", "Other"]), identifier: "P") }
      if node.type == nil, node.state.isEmpty, node.provider == nil, random.oneIn(2) { node.attributes[placeholder] = true }
      node.children = self.nodes(&random, &left, depth: depth + 1)
      nodes.append(node)
    }
    return nodes
  }

  private static func paths(_ nodes: [ArchiveNode], _ parent: RestorationPath) -> [RestorationPath] {
    nodes.flatMap { [parent.appending($0.identifier)] + paths($0.children, parent.appending($0.identifier)) }
  }

  // MARK: The app

  private static func objects(_ random: inout SeededGenerator, _ left: inout Int, depth: Int) -> [Live] {
    var objects: [Live] = []
    while left > 0, depth < 4, !random.oneIn(3) {
      left -= 1
      var object = Live(identifier: random.oneIn(10) ? nil : random.pick(identifiers), type: random.oneIn(2) ? random.pick(types) : nil)
      if !random.oneIn(3) { object.values["v"] = 1000 + random.below(100) }
      object.children = self.objects(&random, &left, depth: depth + 1)
      objects.append(object)
    }
    return objects
  }

  /// Returns the text of a pattern that matches a path, and possibly others.
  private static func pattern(_ random: inout SeededGenerator, _ path: RestorationPath, wildcards: Bool) -> String {
    var parts = path.components.map { identifier in
      identifier == "*" ? "~2" : identifier == "a/b" ? "a~1b" : identifier
    }
    guard wildcards else { return parts.joined(separator: "/") }
    for index in parts.indices where random.oneIn(2) { parts[index] = "*" }
    if random.oneIn(3) { parts = Array(parts.prefix(random.below(parts.count + 1))) + ["**"] }
    return parts.joined(separator: "/")
  }

  private static func registrations(_ random: inout SeededGenerator, _ paths: [RestorationPath]) -> [Registration] {
    var result: [Registration] = []
    func behaviour(_ random: inout SeededGenerator) -> Behaviour { random.oneIn(2) ? .make : random.pick(Behaviour.allCases) }
    let somewhere = paths + ["z", "a/z"]
    for type in types where random.oneIn(2) { result.append(.type(type, behaviour(&random), reuses: !random.oneIn(3))) }
    for _ in 0..<random.below(4) {
      let text = pattern(&random, random.pick(somewhere), wildcards: random.oneIn(2))
      result.append(.path(text, behaviour(&random), reuses: !random.oneIn(3)))
    }
    if random.oneIn(3) { result.append(.path("**", behaviour(&random), reuses: !random.oneIn(3))) }
    if random.oneIn(3) { result.append(.provider("Main", behaviour(&random))) }
    if random.oneIn(4) { result.append(.tombstone(pattern(&random, random.pick(somewhere), wildcards: random.oneIn(3)))) }
    for _ in 0..<(random.oneIn(2) ? random.below(4) : 0) {
      let target = random.pick(somewhere + ["q", "b/q", "p/q/r"])
      result.append(
        .alias(pattern(&random, random.pick(somewhere), wildcards: false), pattern(&random, target, wildcards: false)))
    }
    if random.oneIn(4) { result.append(.typeAlias("Old", random.pick(["Editor", "List", "Gone"]))) }
    for type in ["Editor", "List"] where random.oneIn(3) {
      result.append(.rename(type, from: 0, to: 1))
      switch random.below(4) {
      case 0: result.append(.move(type, child: random.pick(["a", "m"]), from: 1, to: 2))
      case 1: result.append(.failUpgrade(type, from: 1, to: 2))
      case 2: result.append(.rename(type, from: 1, to: 3))
      default: break
      }
    }
    return result
  }
}
