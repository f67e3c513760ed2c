import RestorationArchive

/// The upgrade of the states in a saved tree, before any object is created.
///
/// The new states are written to a separate archive, so that they are decoded in the same way as all others.
struct UpgradePass {
  private let resolver: Resolver
  private let archive: ArchiveReader

  /// The new contents of an entry.
  private struct Rewrite {
    var type: String?
    var schemaVersion: Int
    var origin: ArchiveOrigin?
    var provider: ProviderReference?
    var attributes: ArchiveDictionary = [:]
    var state: ArchiveDictionary = [:]
  }

  private var rewrites: [Int: Rewrite] = [:]
  /// The values that a parent's upgrade moved to each entry.
  private var movedValues: [Int: [ArchiveDictionary.Entry]] = [:]

  init(_ resolver: Resolver, of archive: ArchiveReader) {
    self.resolver = resolver
    self.archive = archive
  }

  /// Upgrades all outdated states.
  mutating func run(on tree: inout SavedTree) {
    if resolver.upgrades.isEmpty, resolver.applicationUpgrades.isEmpty { return }
    var isGrown = false
    for index in tree.order {
      guard let steps = steps(for: index, in: tree) else { continue }
      do {
        try upgrade(index, steps, in: &tree, &isGrown)
      } catch {
        tree.upgradeErrors[index] = error
      }
    }
    for (index, entries) in movedValues { accept(entries, at: index, in: &tree) }
    write(to: &tree)
    if isGrown { tree.sortPreorder() }
  }

  private func steps(for index: Int, in tree: SavedTree) -> [Upgrade]? {
    let known: [Int: Upgrade]
    var version: Int
    if index == 0 {
      // Empty state needs no upgrade.
      guard !resolver.applicationUpgrades.isEmpty, tree.node(of: 0)?.stateByteCount ?? 0 > 0 else { return nil }
      (known, version) = (resolver.applicationUpgrades, ApplicationSchema(of: archive.header).version)
    } else {
      guard let saved = tree.savedType(of: index), let type = resolver.currentType(saved.tag),
        let found = resolver.upgrades[IdentifierKey(type)]
      else { return nil }
      (known, version) = (found, saved.schemaVersion)
    }
    var steps: [Upgrade] = []
    while let step = known[version] {
      steps.append(step)
      version = step.to
    }
    return steps.isEmpty ? nil : steps
  }

  private mutating func upgrade(_ index: Int, _ steps: [Upgrade], in tree: inout SavedTree, _ isGrown: inout Bool) throws {
    guard let node = tree.node(of: index), let first = steps.first, let last = steps.last else { return }
    let contents = try node.everything()
    var state = UpgradingState(contents.state, path: node.path)
    for step in steps { try step.apply(&state) }
    for moved in state.moved {
      let count = tree.entries.count
      guard let child = tree.child(moved.child, of: index, addedBelow: node.path) else {
        throw RestorationError(.upgrade, path: node.path, "values cannot be moved to a node below this one: it lies too deep")
      }
      isGrown = isGrown || tree.entries.count > count
      movedValues[child, default: []].append(moved.entry)
    }
    rewrites[index] = Rewrite(
      type: resolver.currentType(node.type), schemaVersion: index == 0 ? 0 : last.to, origin: node.origin,
      provider: contents.provider,
      attributes: contents.attributes, state: state.values)
    tree.upgrades[index] = first.from...last.to
  }

  /// Adds the values moved by the parent's upgrade to the state of an entry.
  private mutating func accept(_ entries: [ArchiveDictionary.Entry], at index: Int, in tree: inout SavedTree) {
    do {
      var rewrite: Rewrite
      if let known = rewrites[index] {
        rewrite = known
      } else if let node = tree.node(of: index) {
        let contents = try node.everything()
        rewrite = Rewrite(
          type: node.type, schemaVersion: node.schemaVersion, origin: node.origin, provider: contents.provider,
          attributes: contents.attributes, state: contents.state)
      } else {
        let parent = tree.entries[index].parent
        rewrite = Rewrite(type: nil, schemaVersion: 0, origin: tree.node(of: parent)?.origin)
      }
      for entry in entries where rewrite.state.entry(forKey: entry.key) == nil {
        rewrite.state[entry.key] = entry.value
        rewrite.state.setSensitive(entry.isSensitive, forKey: entry.key)
      }
      rewrites[index] = rewrite
    } catch {
      tree.upgradeErrors[index] = error
    }
  }

  /// Writes the new states, and replaces the nodes of their entries.
  private func write(to tree: inout SavedTree) {
    let indexes = rewrites.keys.sorted()
    guard !indexes.isEmpty else { return }
    do {
      let writer = ArchiveWriter(like: archive, expectedNodeCount: indexes.count)
      var written: [Int] = []
      for index in indexes {
        guard let rewrite = rewrites[index] else { continue }
        do {
          let node = try writer.addNode(
            "\(index)", type: rewrite.type, schemaVersion: rewrite.schemaVersion, origin: rewrite.origin)
          written.append(index)
          try writer.encode(rewrite.state, of: node, provider: rewrite.provider, attributes: rewrite.attributes)
        } catch {
          tree.upgradeErrors[index] = error
        }
      }
      let nodes = try ArchiveReader(writer.finish()).application().children()
      for (index, node) in zip(written, nodes) where tree.upgradeErrors[index] == nil {
        tree.replaceNode(of: index, by: node)
      }
    } catch {
      for index in indexes where tree.upgradeErrors[index] == nil { tree.upgradeErrors[index] = error }
    }
  }
}
