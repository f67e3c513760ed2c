import Foundation
import RestorationArchive

/// Compares a salvaged archive with the original: every intact node is in its place, every value unaltered, every loss
/// listed.
struct SalvageComparison {
  let oracle: SalvageOracle
  /// For each block, whether it is damaged.
  let damage: [Bool]
  /// Every difference found.
  private(set) var problems: [String] = []
  /// The number of nodes that must have been rescued.
  private(set) var nodeCount = 0
  private var lostRecords: Set<Int> = []
  private var lostIdentifiers: Set<Int> = []
  /// The keys reported as lost, by path; nil stands for all keys.
  private var lostKeys: [RestorationPath: [String?]] = [:]
  private var foundKeyLosses = 0

  init(oracle: SalvageOracle, damage: [Bool], losses: ComputedList<SalvageLoss>) {
    self.oracle = oracle
    self.damage = damage
    for loss in losses {
      switch loss.kind {
      case .nodes: lostRecords.formUnion(loss.records ?? 0..<0)
      case .identifier: lostIdentifiers.formUnion(loss.records ?? 0..<0)
      case .value, .attribute: if let path = loss.path { lostKeys[path, default: []].append(loss.key) }
      case .state, .values, .attributes, .provider: if let path = loss.path { lostKeys[path, default: []].append(nil) }
      // The oracle checks this loss.
      case .volatileHeader: break
      case .place, .section: problems.append("\(loss)")
      }
    }
  }

  private mutating func require(_ isSo: Bool, _ words: @autoclosure () -> String) {
    if !isSo { problems.append(words()) }
  }

  private func isIntact(_ range: Range<Int>) -> Bool {
    range.isEmpty || !damage[(range.lowerBound / 4096)...((range.upperBound - 1) / 4096)].contains(true)
  }

  private func hasRecord(_ index: Int) -> Bool { isIntact(oracle.records[index].record) }
  private func hasIdentifier(_ index: Int) -> Bool { isIntact(oracle.records[index].identifier) }

  mutating func compare(_ tree: ArchiveTree) {
    let lost = oracle.records.indices.filter { !hasRecord($0) }
    require(Set(lost) == lostRecords, "lost records")
    let nameless = oracle.records.indices.filter { $0 > 0 && hasRecord($0) && !hasIdentifier($0) }
    require(Set(nameless) == lostIdentifiers, "lost identifiers")
    if hasRecord(0) { compareState(tree.applicationState, oracle.tree.applicationState, isIntact(oracle.records[0].state), .application) }
    var roots = tree.nodes[...]
    let strays = oracle.records.indices.filter { isStray($0) }
    if !strays.isEmpty {
      let node = roots.popLast()
      require(node?.identifier == "lost-and-found", "no lost-and-found node")
      compareStrays(strays, node?.children ?? [], "lost-and-found")
    }
    compareChildren(of: 0, Array(roots), .application)
    let remaining = lostKeys
    require(remaining.isEmpty, "losses of what is not there: \(remaining)")
  }

  /// Whether a record goes into the lost-and-found node.
  private func isStray(_ index: Int) -> Bool {
    if index == 0 { return false }
    if hasRecord(index) { return !hasIdentifier(index) }
    return !rescued(oracle.records[index].children).isEmpty
  }

  private func rescued(_ children: [Int]) -> [Int] {
    children.filter { hasRecord($0) && hasIdentifier($0) }
  }

  private mutating func compareStrays(_ strays: [Int], _ nodes: [ArchiveNode], _ parent: RestorationPath) {
    require(strays.map { "record \($0)" } == nodes.map(\.identifier), "strays")
    for (index, node) in zip(strays, nodes) {
      let path = parent.appending(node.identifier)
      if hasRecord(index) { compareNode(index, node, path) } else { compareChildren(of: index, node.children, path) }
    }
  }

  private mutating func compareChildren(of index: Int, _ nodes: [ArchiveNode], _ path: RestorationPath) {
    let expected = rescued(oracle.records[index].children)
    guard expected.count == nodes.count else {
      problems.append("\(nodes.count) children of \(path), expected \(expected.count)")
      return
    }
    for (child, node) in zip(expected, nodes) {
      require(node.identifier == oracle.records[child].node?.identifier, "identifier of \(path)/\(node.identifier)")
      compareNode(child, node, path.appending(node.identifier))
    }
  }

  private mutating func compareNode(_ index: Int, _ node: ArchiveNode, _ path: RestorationPath) {
    nodeCount += 1
    guard let original = oracle.records[index].node else { return }
    let isSame = node.type == original.type && node.schemaVersion == original.schemaVersion && node.origin == original.origin
    require(isSame, "type or origin of \(path)")
    let hasState = isIntact(oracle.records[index].state)
    require(node.provider == original.provider || (!hasState && node.provider == nil), "provider of \(path)")
    compareState(node.state, original.state, hasState, path, node.attributes, original.attributes)
    compareChildren(of: index, node.children, path)
  }

  private mutating func compareState(
    _ state: ArchiveDictionary, _ original: ArchiveDictionary, _ isIntact: Bool, _ path: RestorationPath,
    _ attributes: ArchiveDictionary = [:], _ originalAttributes: ArchiveDictionary = [:]
  ) {
    if isIntact {
      return require(state == original && attributes == originalAttributes, "state of \(path)")
    }
    let lost = lostKeys.removeValue(forKey: path) ?? []
    require(!lost.isEmpty, "no loss listed for \(path)")
    for (found, all) in [(state, original), (attributes, originalAttributes)] {
      for entry in found {
        require(all.entry(forKey: entry.key) == entry, "key \(entry.key) of \(path)")
      }
      for entry in all where found.entry(forKey: entry.key) == nil {
        require(lost.contains(nil) || lost.contains(entry.key), "key \(entry.key) of \(path) is not listed")
      }
    }
    for case let key? in lost {
      require(state.entry(forKey: key) == nil && attributes.entry(forKey: key) == nil, "key \(key) of \(path) is there")
    }
  }
}
