package import RestorationArchive

/// The predicted outcome for each node of an archive with a resolver, and its reason, without creating an object.
///
/// The prediction ignores the delegate, live objects and the answers of factories. A node that only the delegate or a
/// live object could restore counts as not covered.
///
///     let resolver = try Resolver(registrations: ["root", "type:Editor", "root/*/document"])
///     for node in ArchiveResolution(of: archive, with: resolver).nodes { print(node.prediction) }
package struct ArchiveResolution: Sendable {
  /// All nodes, parents first, siblings in saved order; computed on access.
  package let nodes: ComputedList<RestorationReport.NodeResult>
  /// The number of nodes that would be restored.
  package let restoredCount: Int
  /// The errors of the unreadable nodes of a damaged archive; computed on access.
  package let unreadable: ComputedList<ArchiveError>
  /// The first and last schema version of the application state's upgrade.
  package let applicationUpgrade: ClosedRange<Int>?
  /// The reason why the application state cannot be upgraded.
  package let applicationError: String?

  /// Resolves all nodes of an archive.
  package init(of archive: ArchiveReader, with resolver: Resolver) {
    var tree = SavedTree(archive, moves: resolver.registered.moves)
    var pass = UpgradePass(resolver, of: archive)
    pass.run(on: &tree)
    var decisions: [Decision] = []
    var outcomes = [RestorationOutcome?](repeating: nil, count: tree.entries.count)
    var cursor = PatternTree.Cursor(resolver.registered.tree)
    var restoredCount = 0
    for index in tree.order.dropFirst() {
      let entry = tree.entries[index]
      let places = resolver.registered.tree.isEmpty ? [] : cursor.move(to: entry.identifier, depth: entry.depth)
      let node = tree.node(of: index)
      let (outcome, rule) = Self.resolve(index, node, in: tree, resolver, places, above: outcomes[entry.parent])
      outcomes[index] = outcome
      guard node != nil else { continue }
      if outcome.isSuccess { restoredCount += 1 }
      decisions.append(Decision(entry: Int32(index), rule: rule.map { Int32($0) } ?? -1, outcome: outcome))
    }
    let (found, made, rules, typeAliases) = (tree, decisions, resolver.rules, resolver.registered.typeAliases)
    nodes = ComputedList(count: made.count) { Self.prediction(made[$0], in: found, rules, typeAliases) }
    unreadable = ComputedList(count: found.unreadable.count) { found.error(of: found.unreadable[$0]) }
    applicationUpgrade = tree.upgrades[0]
    applicationError = tree.upgradeErrors[0].map { ErrorText.text(of: $0) }
    self.restoredCount = restoredCount
  }

  /// Returns the predicted outcome of an entry, and the number of the factory that would create its object.
  private static func resolve(
    _ index: Int, _ node: NodeReader?, in tree: SavedTree, _ resolver: Resolver, _ places: [PatternTree.Place],
    above: RestorationOutcome?
  ) -> (RestorationOutcome, Int?) {
    switch above {
    case .skipped(.tombstone), .skipped(.superseded): return (above ?? .placeholder, nil)
    // An ancestor without a factory may still be restored, by a live object or the delegate.
    default: break
    }
    guard let node, !node.isPlaceholder else { return (.placeholder, nil) }
    if tree.superseded.contains(index) { return (.skipped(.superseded), nil) }
    let factory: Int
    switch resolver.match(places, typeFactory: resolver.factory(ofType: resolver.currentType(node.type))) {
    case .tombstone: return (.skipped(.tombstone), nil)
    case .factory(let number): factory = number
    case .nothing:
      guard let number = resolver.providerFactory(for: node) else { return (.skipped(.noFactory), nil) }
      factory = number
    }
    return (tree.upgradeErrors[index] == nil ? .restored : .failed, factory)
  }

  /// A one-line summary of how many nodes would be restored.
  package var summary: String {
    "\(nodes.count == 1 ? "1 node" : "\(nodes.count) nodes"): \(restoredCount) would be restored, \(nodes.count - restoredCount) not"
  }

  /// The resolution of one entry in a few bytes; a path alone can take a quarter of a megabyte.
  private struct Decision: Sendable {
    /// The entry of the tree.
    let entry: Int32
    /// The number of the factory that would create the object; -1 if there is none.
    let rule: Int32
    let outcome: RestorationOutcome
  }

  private static func prediction(
    _ decision: Decision, in tree: SavedTree, _ rules: [ResolutionRule], _ typeAliases: [TextKey: String]
  ) -> RestorationReport.NodeResult {
    let index = Int(decision.entry)
    let type = tree.node(of: index)?.type
    return RestorationReport.NodeResult(
      path: tree.path(of: index), archivedPath: tree.archivedPaths[index], type: type.map { typeAliases[TextKey($0)] ?? $0 },
      provider: decision.outcome == .skipped(.noFactory) ? tree.provider(of: index)?.name : nil,
      outcome: decision.outcome, rule: decision.rule < 0 ? nil : rules[Int(decision.rule)], upgrade: tree.upgrades[index],
      isCarriedOver: false, isKept: false, isAdded: false, error: tree.upgradeErrors[index].map { ErrorText.text(of: $0) }, trace: [])
  }
}

extension Resolver {
  /// Creates a resolver from registrations as text, for archive inspection; its factories return nil.
  ///
  ///     root/editors/*      a path or pattern
  ///     type:Editor         a type
  ///     provider:Main       a provider
  ///     !root/welcome       a tombstone
  ///     root/a=>root/b      an alias
  ///
  /// - Throws: ``ResolverError`` with all mistakes; the line of a mistake is its position in the list, from 1.
  package convenience init(registrations: [String]) throws {
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
