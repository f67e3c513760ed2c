import RestorationArchive

/// The upgrade of the states in a saved tree, before any object is created.
///
/// The new states are written to a separate archive, so that they are decoded in the same way as all others.
struct UpgradePass {
  private let resolver: Resolver
  private let archive: ArchiveReader
  /// Whether a state stays as it is, by its path and the one that it has in the archive: it killed the app, and perhaps its
  /// upgrade did.
  var isLeft: ((RestorationPath, RestorationPath?) -> Bool)?
  /// Called before the upgrades of an entry, which the next launch blames if the process dies in them; with its paths.
  var willUpgrade: (Int, () -> [RestorationPath]) -> Void = { _, _ in }

  /// The new contents of an entry.
  private struct Rewrite {
    var type: String?
    var schemaVersion: Int
    var origin: ArchiveOrigin?
    var contents: NodeReader.Contents = (nil, [:], [:])
  }

  private var rewrites: [Int: Rewrite] = [:]
  /// The values that a parent's upgrade moved to each entry.
  private var movedValues: [Int: [ArchiveDictionary.Entry]] = [:]
  /// The classes of the objects of entries that are created for moved values, if the upgrades name them.
  private var newTypes: [Int: any Restorable.Type] = [:]
  /// The entries whose upgrades moved values, with those that get them; in preorder.
  private var moves: [(parent: Int, child: Int)] = []
  /// The moved values that found another one under their key, and whether they have replaced it.
  private(set) var dropped: [(index: Int, key: String, isOfChild: Bool)] = []

  init(_ resolver: Resolver, of archive: ArchiveReader) {
    self.resolver = resolver
    self.archive = archive
  }

  /// Upgrades all outdated states.
  mutating func run(on tree: inout SavedTree) {
    if resolver.registered.upgrades.isEmpty, resolver.registered.applicationUpgrades.isEmpty { return }
    var isGrown = false
    for index in tree.order {
      guard let schema = savedSchema(of: index, in: tree), resolver.upgrade(of: schema.type, from: schema.version) != nil,
        !isLeft(index, in: tree)
      else { continue }
      willUpgrade(index) { [tree.path(of: index), tree.archivedPaths[index]].compactMap(\.self) }
      do {
        try upgrade(index, from: schema, in: &tree, &isGrown)
      } catch {
        tree.upgradeErrors[index] = error
      }
    }
    for (index, entries) in movedValues.sorted(by: { $0.key < $1.key }) { accept(entries, at: index, in: &tree) }
    write(to: &tree)
    for (parent, child) in moves {
      if tree.upgradeErrors[parent] == nil {
        tree.related[parent, default: []].append(child)
        tree.related[child, default: []].append(parent)
      } else if tree.added.contains(child), tree.node(of: child) == nil, tree.entries[child].childCount == 0 {
        // It was added in vain, and another node may have its path.
        tree.detach(child)
      }
    }
    if isGrown { tree.sortPreorder() }
  }

  private func isLeft(_ index: Int, in tree: SavedTree) -> Bool {
    isLeft?(tree.path(of: index), tree.archivedPaths[index]) ?? false
  }

  /// A type, or the application state, and its schema version.
  private struct Schema {
    var type: String?
    var version: Int
  }

  /// Returns the type and version with which a state was saved; nil for one that no upgrade can change.
  private func savedSchema(of index: Int, in tree: SavedTree) -> Schema? {
    if index == 0 {
      // Empty state needs no upgrade.
      guard !resolver.registered.applicationUpgrades.isEmpty, tree.node(of: 0)?.stateByteCount ?? 0 > 0 else { return nil }
      return Schema(type: nil, version: ApplicationSchema(of: archive.header).version)
    }
    return tree.savedType(of: index).map { Schema(type: resolver.currentType($0.tag), version: $0.schemaVersion) }
  }

  /// Applies all upgrades that follow each other, also those of another type that one of them changes the node to.
  private func apply(from schema: Schema, to state: inout UpgradingState) throws -> Schema {
    var (current, count) = (schema, 0)
    while let step = resolver.upgrade(of: current.type, from: current.version) {
      count += 1
      guard count <= resolver.upgradeCount else {
        throw RestorationError(.upgrade, path: state.path, "the upgrades change its type round in a circle")
      }
      try step.apply(&state)
      current.version = step.to
      guard let changed = state.newType else { continue }
      guard current.type != nil else { throw RestorationError(.upgrade, "the application state has no type to change") }
      guard RestorationPath.isIdentifier(changed.tag), UInt32(exactly: changed.version) != nil else {
        throw RestorationError(.upgrade, path: state.path, "a type has 1 to 1024 bytes, and its version is 0 to 4294967295")
      }
      current = Schema(type: resolver.currentType(changed.tag), version: changed.version)
      state.newType = nil
    }
    return current
  }

  private mutating func upgrade(_ index: Int, from schema: Schema, in tree: inout SavedTree, _ isGrown: inout Bool) throws {
    guard let node = tree.node(of: index) else { return }
    var contents = try node.everything()
    var state = UpgradingState(contents.state, path: node.path)
    let last = try apply(from: schema, to: &state)
    contents.state = state.values
    for moved in state.moved {
      let count = tree.entries.count
      guard let child = tree.child(moved.child, of: index, addedBelow: node.path) else {
        throw RestorationError(
          .upgrade, path: node.path,
          "a value cannot be moved to a node below: its identifier has 0 or more than 1024 bytes, or it would lie too deep")
      }
      moves.append((index, child))
      isGrown = isGrown || tree.entries.count > count
      movedValues[child, default: []].append(moved.entry)
      newTypes[child] = moved.type ?? newTypes[child]
    }
    rewrites[index] = Rewrite(
      type: last.type, schemaVersion: index == 0 ? 0 : last.version, origin: node.origin, contents: contents)
    tree.upgrades[index] = schema.version...max(schema.version, last.version)
  }

  /// Gives a type to a node that was saved without one, and upgrades it from version 0; to be written.
  ///
  /// - Returns: The type and the schema version that the upgrades lead to.
  mutating func addType(_ type: String, toNodeOf index: Int, in tree: SavedTree) throws -> (type: String, version: Int) {
    guard let node = tree.node(of: index) else { return (type, 0) }
    var contents = try node.everything()
    var state = UpgradingState(contents.state, path: node.path)
    let last = try apply(from: Schema(type: type, version: 0), to: &state)
    contents.state = state.values
    guard state.moved.isEmpty else {
      throw RestorationError(.upgrade, path: node.path, "values of a node that was saved without a type cannot be moved to a node below")
    }
    rewrites[index] = Rewrite(type: last.type, schemaVersion: last.version, origin: node.origin, contents: contents)
    return (last.type ?? type, last.version)
  }

  /// Adds the values moved by the parent's upgrade to the state of an entry.
  private mutating func accept(_ entries: [ArchiveDictionary.Entry], at index: Int, in tree: inout SavedTree) {
    do {
      guard !isLeft(index, in: tree) else {
        throw RestorationError(.upgrade, path: tree.path(of: index), "its state killed the app, and stays as it is")
      }
      let node = tree.node(of: index)
      var rewrite: Rewrite
      if let known = rewrites[index] {
        rewrite = known
      } else if let node {
        rewrite = Rewrite(type: node.type, schemaVersion: node.schemaVersion, origin: node.origin, contents: try node.everything())
      } else {
        let parent = tree.entries[index].parent
        rewrite = Rewrite(type: nil, schemaVersion: 0, origin: tree.node(of: parent)?.origin)
      }
      if node?.isPlaceholder ?? true {
        if let type = newTypes[index]?.savedType, type.tag != nil {
          (rewrite.type, rewrite.schemaVersion) = type
        } else {
          rewrite.contents.attributes[EngineAttribute.moved] = true
        }
      }
      // As with two nodes for one path: what a live object has saved last is what the user did last.
      let parent = tree.entries[index].parent
      let isNewer = node != nil && tree.wasSavedLater(parent, than: index)
      // What a build has kept for this one is older than what its objects have saved.
      let kept = tree.node(of: parent)?.origin == nil ? UnknownKeys.names(in: rewrite.contents.attributes) : []
      var given: Set<TextKey> = []
      for entry in entries {
        let wins = given.insert(TextKey(entry.key)).inserted && (isNewer || kept.contains(TextKey(entry.key)))
        if !rewrite.contents.state.addMissing([entry]).isEmpty || rewrite.contents.state[entry.key] == entry.value { continue }
        if wins { rewrite.contents.state[entry.key] = entry.value }
        dropped.append((index, entry.key, wins))
      }
      // It has a state now, and is restored like any other node.
      rewrite.contents.attributes[EngineAttribute.placeholder] = nil
      rewrites[index] = rewrite
    } catch {
      tree.upgradeErrors[index] = error
    }
  }

  /// Fails each upgrade that moved a value to a node that cannot take it: the value stays where it was saved.
  private func failUpgradesThatMovedValuesInVain(in tree: inout SavedTree) {
    // From below: the failure of an upgrade fails that of the node above that moved values to it.
    for (parent, child) in moves.reversed() where tree.upgradeErrors[parent] == nil {
      guard let error = tree.upgradeErrors[child] else { continue }
      tree.upgradeErrors[parent] = RestorationError(
        .upgrade, path: tree.path(of: child), "the upgrade moves a value to a node that cannot take it: \(ErrorText.text(of: error))")
      tree.upgrades[parent] = nil
    }
  }

  /// Writes the new states, and replaces the nodes of their entries.
  func write(to tree: inout SavedTree) {
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
          let contents = rewrite.contents
          try writer.encode(contents.state, of: node, provider: contents.provider, attributes: contents.attributes)
        } catch {
          tree.upgradeErrors[index] = error
        }
      }
      failUpgradesThatMovedValuesInVain(in: &tree)
      let nodes = try ArchiveReader(writer.finish()).application().children()
      for (index, node) in zip(written, nodes) where tree.upgradeErrors[index] == nil {
        tree.replaceNode(of: index, by: node)
      }
    } catch {
      for index in indexes where tree.upgradeErrors[index] == nil { tree.upgradeErrors[index] = error }
    }
  }
}
