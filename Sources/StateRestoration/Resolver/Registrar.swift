import RestorationArchive

/// The collector of a resolver's registrations, which records all mistakes.
struct Registrar {
  private(set) var mistakes: [ResolverError.Mistake] = []
  private(set) var factories: [Factory] = []
  /// The pattern of each factory, by number; nil for a factory of a type or provider.
  private(set) var patterns: [RestorationPattern?] = []
  let tree = PatternTree()
  private(set) var typeFactories: [TextKey: Int] = [:]
  private(set) var providerFactories: [TextKey: Int] = [:]
  /// The aliases, at the end in the order of use: an alias of a descendant first, then that of the node, then those of its new path.
  private(set) var moves: [Resolver.Move] = []
  private(set) var typeAliases: [TextKey: String] = [:]
  /// The upgrades by type and initial version, and those of the application state by initial version.
  private(set) var upgrades: [TextKey: [Int: Upgrade]] = [:]
  private(set) var applicationUpgrades: [Int: Upgrade] = [:]
  private var typeAliasPlaces: [TextKey: SourcePlace] = [:]
  /// The schema versions of the classes that factories and upgrades are registered for.
  private var classVersions: [TextKey: Int] = [:]

  private mutating func note(_ message: String, _ place: SourcePlace) {
    mistakes.append(ResolverError.Mistake(message: message, place: place))
  }

  /// Notes mistakes that were found in no particular order.
  private mutating func noteSorted(_ found: [(message: String, place: SourcePlace)]) {
    mistakes += found.map { ResolverError.Mistake(message: $0.message, place: $0.place) }.sorted {
      ($0.place.fileID, $0.place.line, $0.message) < ($1.place.fileID, $1.place.line, $1.message)
    }
  }

  /// Checks for mistakes that only show when all registrations are known.
  mutating func finish() {
    sortMoves()
    closeTypeAliases()
    checkUpgrades()
  }

  // MARK: Factories

  mutating func add(_ factory: Factory) {
    let number = factories.count
    factories.append(factory)
    patterns.append(nil)
    switch factory.subject {
    case .path(let text): add(number, path: text, factory.place)
    case .type(let tag):
      guard checkTag(tag, factory.place) else { return }
      if let version = factory.classVersion { classVersions[TextKey(tag)] = version }
      if let other = typeFactories[TextKey(tag)] {
        note("type \(tag.quotedForDisplay) has a factory already, at \(factories[other].place)", factory.place)
      } else {
        typeFactories[TextKey(tag)] = number
      }
    case .provider(let name):
      if let other = providerFactories[TextKey(name)] {
        note("provider \(name.quotedForDisplay) has a factory already, at \(factories[other].place)", factory.place)
      } else {
        providerFactories[TextKey(name)] = number
      }
    }
  }

  private mutating func add(_ number: Int, path: String, _ place: SourcePlace) {
    guard let pattern = parse(path, place) else { return }
    patterns[number] = pattern
    let node = tree.place(of: pattern)
    if let other = node.factory {
      note("\(path.quotedForDisplay) has a factory already, at \(factories[other].place)", place)
    } else if let tombstone = node.tombstone {
      note("\(path.quotedForDisplay) has a tombstone, at \(tombstone), and cannot have a factory", place)
    } else {
      node.factory = number
    }
  }

  mutating func add(_ tombstone: Tombstone) {
    guard let pattern = parse(tombstone.path, tombstone.place) else { return }
    let node = tree.place(of: pattern)
    if let other = node.tombstone {
      note("\(tombstone.path.quotedForDisplay) has a tombstone already, at \(other)", tombstone.place)
    } else if let other = node.factory {
      note("\(tombstone.path.quotedForDisplay) has a factory, at \(factories[other].place), and cannot have a tombstone", tombstone.place)
    } else {
      node.tombstone = tombstone.place
    }
  }

  private mutating func parse(_ text: String, _ place: SourcePlace) -> RestorationPattern? {
    do throws(ArchiveError) {
      let pattern = try RestorationPattern(text)
      if !pattern.components.isEmpty { return pattern }
      note("the empty path is the app itself and has no object", place)
    } catch {
      note("\(text.quotedForDisplay) is not a path or pattern: \(error)", place)
    }
    return nil
  }

  private mutating func checkTag(_ tag: String, _ place: SourcePlace) -> Bool {
    if RestorationPath.isIdentifier(tag) { return true }
    note(
      tag.isEmpty
        ? "the type has no tag (a class declares one: static let restorationType = \"…\")"
        : "a type tag has at most 1024 bytes, and \(tag.prefix(40).description.quotedForDisplay)… has \(tag.utf8.count)", place)
    return false
  }

  // MARK: Aliases

  mutating func add(_ alias: Alias) {
    switch alias.subject {
    case .path(let old, let new):
      guard let from = exactPath(old, alias.place), let to = exactPath(new, alias.place) else { return }
      if let other = moves.first(where: { $0.from == from }) {
        note("\(old.quotedForDisplay) has an alias already, at \(other.place)", alias.place)
      } else if from.contains(to) || to.contains(from) {
        note("the alias \(old.quotedForDisplay) leads to itself, to a node below it or to one above it", alias.place)
      } else {
        moves.append(Resolver.Move(from: from, to: to, place: alias.place))
      }
    case .type(let old, let new):
      guard checkTag(old, alias.place), checkTag(new, alias.place) else { return }
      if let other = typeAliasPlaces[TextKey(old)] {
        note("type \(old.quotedForDisplay) has an alias already, at \(other)", alias.place)
      } else {
        typeAliases[TextKey(old)] = new
        typeAliasPlaces[TextKey(old)] = alias.place
      }
    }
  }

  private mutating func exactPath(_ text: String, _ place: SourcePlace) -> RestorationPath? {
    guard let pattern = parse(text, place) else { return nil }
    if let path = pattern.exactPath { return path }
    note("an alias is between paths, and \(text.quotedForDisplay) is a pattern", place)
    return nil
  }

  /// Sorts the aliases so that each precedes those that apply to its result and follows those of nodes below its own, and records
  /// cycles.
  private mutating func sortMoves() {
    func precedes(_ first: Resolver.Move, _ second: Resolver.Move) -> Bool {
      Self.feeds(first, second) || first.from != second.from && second.from.contains(first.from)
    }
    var (rest, sorted) = (moves, [Resolver.Move]())
    // How many of the remaining aliases precede each.
    var counts = rest.map { move in rest.count { precedes($0, move) } }
    // Of those that none precedes, one to a node before those to nodes below it.
    while let index = rest.indices.filter({ counts[$0] == 0 }).min(by: { rest[$0].to.count < rest[$1].to.count }) {
      let move = rest.remove(at: index)
      counts.remove(at: index)
      for other in rest.indices where precedes(move, rest[other]) { counts[other] -= 1 }
      sorted.append(move)
    }
    for move in rest where rest.contains(where: { Self.feeds($0, move) }) && rest.contains(where: { Self.feeds(move, $0) }) {
      note("the aliases of \(move.from.description.quotedForDisplay) lead round in a circle", move.place)
    }
    moves = sorted
  }

  private static func feeds(_ first: Resolver.Move, _ second: Resolver.Move) -> Bool {
    first.to.contains(second.from) || second.from.contains(first.to)
  }

  private mutating func closeTypeAliases() {
    var closed: [TextKey: String] = [:]
    var circles: [(message: String, place: SourcePlace)] = []
    for (old, new) in typeAliases {
      var target = new
      var steps = 0
      while let next = typeAliases[TextKey(target)], steps <= typeAliases.count {
        target = next
        steps += 1
      }
      if steps > typeAliases.count, let place = typeAliasPlaces[old] {
        circles.append(("the aliases of type \(old.text.quotedForDisplay) lead round in a circle", place))
      }
      closed[old] = target
    }
    noteSorted(circles)
    typeAliases = closed
  }

  // MARK: Upgrades

  mutating func add(_ upgrade: Upgrade) {
    if let type = upgrade.type, !checkTag(type, upgrade.place) { return }
    if let type = upgrade.type, let version = upgrade.classVersion { classVersions[TextKey(type)] = version }
    let name = Self.name(ofType: upgrade.type)
    guard upgrade.from >= 0, upgrade.from < upgrade.to, UInt32(exactly: upgrade.to) != nil else {
      return note(
        "an upgrade leads from a version to a later one, and that of \(name) from \(upgrade.from) to \(upgrade.to)", upgrade.place)
    }
    let known = upgrade.type.map { upgrades[TextKey($0)] ?? [:] } ?? applicationUpgrades
    if let other = known[upgrade.from] {
      note("\(name) has an upgrade from \(upgrade.from) already, at \(other.place)", upgrade.place)
    } else if let type = upgrade.type {
      upgrades[TextKey(type), default: [:]][upgrade.from] = upgrade
    } else {
      applicationUpgrades[upgrade.from] = upgrade
    }
  }

  private static func name(ofType type: String?) -> String { type.map { "type \($0.quotedForDisplay)" } ?? "the application state" }

  /// The upgrades and factories of types that an alias renames: they could never run.
  private var unreachable: [(message: String, place: SourcePlace)] {
    var found: [(message: String, place: SourcePlace)] = []
    for (old, new) in typeAliases {
      let rest = "can never run: an alias renames that type to \(new.quotedForDisplay), so register it for that type"
      if let number = typeFactories[old] {
        found.append(("the factory of \(Self.name(ofType: old.text)) \(rest)", factories[number].place))
      }
      for step in upgrades[old, default: [:]].values {
        found.append(("the upgrade of \(Self.name(ofType: old.text)) from \(step.from) \(rest)", step.place))
      }
    }
    return found
  }

  /// Checks that all upgrades of a type, and those of the application state, lead to one version: that of the class, if
  /// it is known.
  private mutating func checkUpgrades() {
    var found = unreachable
    for steps in Array(upgrades.values) + [applicationUpgrades] {
      guard let latest = steps.values.map(\.to).max() else { continue }
      for step in steps.values where step.to != latest && steps[step.to] == nil {
        found.append(("no upgrade leads from version \(step.to) of \(Self.name(ofType: step.type)) to \(latest)", step.place))
      }
      for step in steps.values where step.to == latest {
        guard let type = step.type, let version = classVersions[TextKey(type)], version != latest else { continue }
        found.append(
          (
            "the upgrades of \(Self.name(ofType: type)) lead to version \(latest), and the restorationSchemaVersion of its class is \(version)",
            step.place
          ))
      }
    }
    noteSorted(found)
  }
}

/// A result builder for the registrations of a ``Resolver``.
@resultBuilder
public enum ResolverBuilder {
  /// A list of registrations.
  public struct Part {
    let steps: [(inout Registrar) -> Void]

    fileprivate init(_ steps: [(inout Registrar) -> Void]) { self.steps = steps }

    /// Creates an empty list.
    public init() { steps = [] }
  }

  /// Adds a factory.
  public static func buildExpression(_ factory: Factory) -> Part { Part([{ $0.add(factory) }]) }
  /// Adds an alias.
  public static func buildExpression(_ alias: Alias) -> Part { Part([{ $0.add(alias) }]) }
  /// Adds a tombstone.
  public static func buildExpression(_ tombstone: Tombstone) -> Part { Part([{ $0.add(tombstone) }]) }
  /// Adds an upgrade.
  public static func buildExpression(_ upgrade: Upgrade) -> Part { Part([{ $0.add(upgrade) }]) }
  /// Adds the registrations of another builder function.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// Concatenates registrations.
  public static func buildBlock(_ parts: Part...) -> Part { Part(parts.flatMap(\.steps)) }
  /// Adds the registrations of an `if` without `else`.
  public static func buildOptional(_ part: Part?) -> Part { part ?? Part() }
  /// Adds the registrations of the first branch.
  public static func buildEither(first part: Part) -> Part { part }
  /// Adds the registrations of the second branch.
  public static func buildEither(second part: Part) -> Part { part }
  /// Adds the registrations of a loop.
  public static func buildArray(_ parts: [Part]) -> Part { Part(parts.flatMap(\.steps)) }
  /// Adds the registrations of an availability check.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}

/// A new path for saved nodes, or a new tag for a type.
///
/// A node saved at the old path, and its descendants, are restored at the new path, except those that have an alias of their own.
/// If the archive has a node at the new path too, the one that a live object saved last takes precedence, and the state of the
/// other is carried over.
public struct Alias: Sendable {
  enum Subject {
    case path(String, String)
    case type(String, String)
  }

  let subject: Subject
  let place: SourcePlace

  /// Restores nodes saved at `oldPath` at `newPath`.
  public init(_ oldPath: String, to newPath: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .path(oldPath, newPath)
    place = SourcePlace(fileID: fileID, line: line)
  }

  /// Treats nodes saved with `oldTag` as nodes with `newTag`.
  public init(type oldTag: String, to newTag: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .type(oldTag, newTag)
    place = SourcePlace(fileID: fileID, line: line)
  }
}

/// A registration for intentionally removed nodes: they and their descendants are skipped, and not carried over.
public struct Tombstone: Sendable {
  let path: String
  let place: SourcePlace

  /// Marks the nodes of a path or pattern as removed.
  public init(_ path: String, fileID: StaticString = #fileID, line: UInt = #line) {
    self.path = path
    place = SourcePlace(fileID: fileID, line: line)
  }
}

/// The source location of a registration.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The module and file, in `#fileID` format.
  public let fileID: String
  /// The line.
  public let line: Int

  /// Creates a source location.
  package init(fileID: StaticString, line: UInt) {
    self.fileID = "\(fileID)"
    self.line = Int(line)
  }

  /// The file and line, separated by a colon.
  public var description: String { "\(fileID):\(line)" }
}
