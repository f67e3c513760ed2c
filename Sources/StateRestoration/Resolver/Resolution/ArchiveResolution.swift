public import RestorationArchive

/// Which nodes of an archive a resolver would restore, by which rule, and why not the others: without making an object.
///
/// The delegate, live objects and what a factory would answer are not known here: a node that only they could help is not covered.
///
///     let resolver = try Resolver(registrations: ["root", "type:Editor", "root/*/document"])
///     for node in ArchiveResolution(of: archive, with: resolver).nodes { print(node) }
public struct ArchiveResolution: Sendable {
  /// What would become of one node.
  public struct Node: Sendable {
    /// Its path, after aliases.
    public let path: RestorationPath
    /// Its path in the archive, if an alias moved it.
    public let archivedPath: RestorationPath?
    /// The tag of its type, if it has one.
    public let type: String?
    /// What would become of it.
    public let outcome: RestorationOutcome
    /// By which rule an object would be made.
    public let rule: ResolutionRule?
    /// From which schema version to which its state would be brought.
    public let upgrade: ClosedRange<Int>?
    /// Why its state cannot be brought to a later version.
    public let error: String?

    /// The line to add to the resolver so that it has a factory.
    public var line: String { ResolverLine.line(path, type) }
  }

  /// Every node, parents first, siblings in saved order; each is made when it is asked for.
  public let nodes: Nodes
  /// How many of the nodes would be restored.
  public let restoredCount: Int
  /// What cannot be read, because the archive is damaged there; each is made when it is asked for.
  public let unreadable: Unreadable
  /// From which schema version to which the application state would be brought.
  public let applicationUpgrade: ClosedRange<Int>?
  /// Why the application state cannot be brought to a later version.
  public let applicationError: String?

  /// Asks a resolver about every node of an archive.
  public init(of archive: ArchiveReader, with resolver: Resolver) {
    var tree = SavedTree(archive, moves: resolver.moves)
    var pass = UpgradePass(resolver, of: archive)
    pass.run(on: &tree)
    var types = TypeNumbers()
    var verdicts: [Verdict] = []
    var outcomes = [RestorationOutcome?](repeating: nil, count: tree.entries.count)
    var places: [Int: [PatternTree.Place]] = [0: resolver.tree.start]
    var restoredCount = 0
    for index in tree.order.dropFirst() {
      let entry = tree.entries[index]
      if !resolver.tree.isEmpty { places[index] = resolver.tree.advance(places[entry.parent] ?? [], by: entry.identifier) }
      let node = tree.node(of: index)
      let (outcome, rule) = Self.resolve(index, node, in: tree, resolver, places[index] ?? [], above: outcomes[entry.parent])
      outcomes[index] = outcome
      guard let node else { continue }
      if outcome.isSuccess { restoredCount += 1 }
      verdicts.append(
        Verdict(
          entry: Int32(index), type: types.number(of: resolver.currentType(node.type)), rule: rule.map { Int32($0) } ?? -1,
          outcome: outcome))
    }
    let basis = Basis(tree: tree, verdicts: verdicts, types: types.tags, rules: resolver.rules)
    nodes = Nodes(basis)
    unreadable = Unreadable(basis)
    applicationUpgrade = tree.upgrades[0]
    applicationError = tree.upgradeErrors[0].map { ErrorText.text(of: $0) }
    self.restoredCount = restoredCount
  }

  /// What would become of an entry, and the number of the factory that would make an object.
  private static func resolve(
    _ index: Int, _ node: ArchivedNode?, in tree: SavedTree, _ resolver: Resolver, _ places: [PatternTree.Place],
    above: RestorationOutcome?
  ) -> (RestorationOutcome, Int?) {
    switch above {
    case .skipped(.tombstone), .skipped(.superseded): return (above ?? .placeholder, nil)
    // A node above that only an object or the delegate could help may be there all the same.
    default: break
    }
    if tree.superseded.contains(index) { return (.skipped(.superseded), nil) }
    guard let node, !node.isPlaceholder else { return (.placeholder, nil) }
    switch resolver.match(places, typeFactory: resolver.factory(ofType: resolver.currentType(node.type))) {
    case .tombstone: return (.skipped(.tombstone), nil)
    case .factory(let number): return (tree.upgradeErrors[index] == nil ? .restored : .failed, number)
    case .nothing:
      guard node.hasProvider, let provider = try? node.provider(),
        let number = resolver.providerFactories[IdentifierKey(provider.name)]
      else { return (.skipped(.noFactory), nil) }
      return (.restored, number)
    }
  }

  /// How many nodes would be restored, in one line.
  public var summary: String {
    "\(nodes.count) nodes: \(restoredCount) would be restored, \(nodes.count - restoredCount) not"
  }
}

extension ArchiveResolution.Node: CustomStringConvertible {
  /// The path and what would become of it.
  public var description: String {
    var text = "\(path.textForDisplay): \(RestorationReport.sentence(outcome, rule: rule, error: error))"
    if let upgrade { text += " after upgrade \(upgrade.lowerBound) -> \(upgrade.upperBound)" }
    if let archivedPath { text += ", saved as \(archivedPath.textForDisplay)" }
    if outcome == .skipped(.noFactory) { text += "; add \(line)" }
    return text
  }
}

extension Resolver {
  /// The nodes of an archive for which nothing is registered: for tests.
  public func missing(from archive: ArchiveReader) -> [ArchiveResolution.Node] {
    ArchiveResolution(of: archive, with: self).nodes.filter { $0.outcome == .skipped(.noFactory) }
  }

  /// Makes a resolver of registrations as text, for looking at archives; its factories make nothing.
  ///
  ///     root/editors/*      a path or pattern
  ///     type:Editor         a type
  ///     provider:Main       a declarative provider
  ///     !root/welcome       a tombstone
  ///     root/a=>root/b      an alias
  ///
  /// - Throws: ``ResolverError`` with all mistakes; the line of a mistake is the place in the list, from 1.
  public convenience init(registrations: [String]) throws {
    try self.init {
      for (index, text) in registrations.enumerated() { Self.part(text, line: UInt(index + 1)) }
    }
  }

  private static func part(_ text: String, line: UInt) -> ResolverBuilder.Part {
    let fileID: StaticString = "registration"
    if text.hasPrefix("!") {
      return ResolverBuilder.buildExpression(Tombstone(String(text.dropFirst()), fileID: fileID, line: line))
    }
    if text.hasPrefix("type:") {
      return ResolverBuilder.buildExpression(Factory(type: String(text.dropFirst(5)), fileID: fileID, line: line) { _ in nil })
    }
    if text.hasPrefix("provider:") {
      return ResolverBuilder.buildExpression(Factory(provider: String(text.dropFirst(9)), fileID: fileID, line: line) { _ in nil })
    }
    let utf8 = Array(text.utf8)
    if let arrow = utf8.indices.dropLast().first(where: { utf8[$0] == UInt8(ascii: "=") && utf8[$0 + 1] == UInt8(ascii: ">") }) {
      return ResolverBuilder.buildExpression(
        Alias(
          String(decoding: utf8[..<arrow], as: UTF8.self), to: String(decoding: utf8[(arrow + 2)...], as: UTF8.self), fileID: fileID,
          line: line))
    }
    return ResolverBuilder.buildExpression(Factory(path: text, fileID: fileID, line: line) { _ in nil })
  }
}
