import ArchiveFormat
import FoundationValues
import RestorationArchive

/// The partners of nodes in two archives.
///
/// Nodes with the same path are partners. Of the others, an old and a new one are partners by the first of these rules
/// that applies, if their type tags are equal and their origins do not contradict each other:
///
/// 1. *Moved or renamed as it was*: type and contents of the node and of everything below it are equal.
/// 2. *Moved and changed*: identifier and at least half of the entries are equal.
/// 3. *Renamed and changed*: the parents are partners, and at least half of the entries are equal.
/// 4. *Parent of a moved node*: the identifier is equal or the parents are partners, a node below is a partner by one of
///    the rules above under an equal identifier, and at least half of the entries are equal.
///
/// A node without contents, in itself and below it, is never recognized: nothing tells it from another one. Below nodes
/// that are partners, nodes with the same identifier are partners. If several nodes match, one under a partner of the
/// parent comes first, then one with the same identifier, then the first in the order of the tree. At most
/// ``candidateLimit`` nodes are considered for each node by each rule, so that time stays near linear.
struct NodeMatching: Sendable {
  /// The number of nodes that are considered as partners of one node.
  static let candidateLimit = 16

  let old: ComparedTree
  let new: ComparedTree
  /// The partner of each node, by index, or ``ComparedTree/none``.
  private(set) var partnersOfOld: [UInt32]
  private(set) var partnersOfNew: [UInt32]

  /// Matches the nodes below two nodes, and those nodes themselves; nil for a node that one archive does not have.
  init(_ old: ComparedTree, _ new: ComparedTree, oldRoot: Int?, newRoot: Int?) {
    self.old = old
    self.new = new
    partnersOfOld = [UInt32](repeating: ComparedTree.none, count: old.parents.count)
    partnersOfNew = [UInt32](repeating: ComparedTree.none, count: new.parents.count)
    guard let oldRoot, let newRoot else { return }
    var (removed, added): ([Int], [Int]) = ([], [])
    pair(oldRoot, newRoot, removed: &removed, added: &added)
    guard !removed.isEmpty, !added.isEmpty else { return }
    var search = PartnerSearch(
      old: NodeFingerprints(Self.preorder(removed, in: old), in: old), new: NodeFingerprints(Self.preorder(added, in: new), in: new))
    search.run(&self)
  }

  /// Returns nodes and all nodes below them, parents first.
  private static func preorder(_ tops: [Int], in tree: ComparedTree) -> [Int] {
    var order: [Int] = []
    var stack = Array(tops.sorted().reversed())
    while let index = stack.popLast() {
      order.append(index)
      stack += tree.childrenInSavedOrder(of: index).map(\.index).reversed()
    }
    return order
  }

  func isMatched(old index: Int) -> Bool { partnersOfOld[index] != ComparedTree.none }
  func isMatched(new index: Int) -> Bool { partnersOfNew[index] != ComparedTree.none }

  func partner(ofNew index: Int) -> Int? { isMatched(new: index) ? Int(partnersOfNew[index]) : nil }

  /// Whether the parents of two nodes are partners.
  func hasPartnersAsParents(_ oldIndex: Int, _ newIndex: Int) -> Bool {
    oldIndex > 0 && newIndex > 0 && partnersOfOld[Int(old.parents[oldIndex])] == new.parents[newIndex]
  }

  /// Makes two nodes partners, and those below them that have the same identifiers.
  mutating func pair(_ oldIndex: Int, _ newIndex: Int) {
    var (removed, added): ([Int], [Int]) = ([], [])
    pair(oldIndex, newIndex, removed: &removed, added: &added)
  }

  private mutating func pair(_ oldIndex: Int, _ newIndex: Int, removed: inout [Int], added: inout [Int]) {
    var stack = [(oldIndex, newIndex)]
    while let (left, right) = stack.popLast() {
      partnersOfOld[left] = UInt32(truncatingIfNeeded: right)
      partnersOfNew[right] = UInt32(truncatingIfNeeded: left)
      for pair in MergedPairs(old.children(of: left), new.children(of: right), by: { $0.identifier.compareText(with: $1.identifier) }) {
        switch (pair.old?.index, pair.new?.index) {
        case (let oldChild?, let newChild?):
          if !isMatched(old: oldChild), !isMatched(new: newChild) { stack.append((oldChild, newChild)) }
        case (let oldChild?, nil): removed.append(oldChild)
        case (nil, let newChild?): added.append(newChild)
        case (nil, nil): break
        }
      }
    }
  }
}

/// A search for moved and renamed nodes by the rules of ``NodeMatching``.
private struct PartnerSearch {
  let old: NodeFingerprints
  let new: NodeFingerprints
  /// The number of new nodes that were compared with an old one by rule 4, which may apply once for each of its children.
  fileprivate var parentComparisons: [Int: Int] = [:]

  /// New nodes with the same property, in the order of the tree.
  private struct Bucket {
    var members: [Int] = []
    /// The place of the first member that may have no partner.
    var first = 0
  }

  private typealias Fingerprint = NodeFingerprints.Fingerprint

  mutating func run(_ matching: inout NodeMatching) {
    search(&matching, leastResemblance: 0, { $0.subtree }, { $0.subtree })
    let (oldTree, newTree) = (matching.old, matching.new)
    search(
      &matching, leastResemblance: 0.5, { Hasher.hash($0.type, TextKey(oldTree.identifier(of: $0.index))) },
      { Hasher.hash($0.type, TextKey(newTree.identifier(of: $0.index))) })
    // Parents that became partners by then count, hence the copies.
    let (oldParents, newParents) = (matching.partnersOfOld, newTree.parents)
    search(
      &matching, leastResemblance: 0.5, { Hasher.hash($0.type, oldParents[Int(oldTree.parents[$0.index])]) },
      { Hasher.hash($0.type, newParents[$0.index]) })
  }

  /// Finds a partner for each old node among the new ones with the same property.
  private mutating func search(
    _ matching: inout NodeMatching, leastResemblance: Double, _ oldProperty: (Fingerprint) -> Int, _ newProperty: (Fingerprint) -> Int
  ) {
    var buckets: [Int: Bucket] = [:]
    for (place, node) in new.nodes.enumerated() where node.hasContents && !matching.isMatched(new: node.index) {
      buckets[newProperty(node), default: Bucket()].members.append(place)
    }
    for node in old.nodes where node.hasContents && !matching.isMatched(old: node.index) {
      let property = oldProperty(node)
      guard buckets[property] != nil,
        let found = best(for: node, among: &buckets[property, default: Bucket()], matching, leastResemblance)
      else { continue }
      matching.pair(node.index, found)
      pairParents(of: node.index, found, &matching)
    }
  }

  /// Returns the index of the new node that matches an old one best.
  private func best(
    for node: Fingerprint, among bucket: inout Bucket, _ matching: NodeMatching, _ leastResemblance: Double
  ) -> Int? {
    while bucket.first < bucket.members.count, matching.isMatched(new: new.nodes[bucket.members[bucket.first]].index) {
      bucket.first += 1
    }
    var best: (index: Int, rank: Double)?
    for place in bucket.members[bucket.first...].prefix(NodeMatching.candidateLimit) {
      WorkMeter.count(1)
      let candidate = new.nodes[place]
      guard !matching.isMatched(new: candidate.index), Self.canBeSame(node, candidate, matching) else { continue }
      let resemblance = leastResemblance == 0 ? 1 : NodeFingerprints.resemblance(of: node, old, and: candidate, new)
      // A node without entries of its own resembles every other one.
      guard resemblance >= leastResemblance, leastResemblance == 0 || !node.entries.isEmpty else { continue }
      var rank = resemblance
      if matching.hasPartnersAsParents(node.index, candidate.index) { rank += 4 }
      if matching.old.identifier(of: node.index).isIdenticalText(to: matching.new.identifier(of: candidate.index)) { rank += 2 }
      if rank > best?.rank ?? 0 { best = (candidate.index, rank) }
    }
    return best?.index
  }

  /// Whether type and origin do not exclude that two nodes are the same.
  private static func canBeSame(_ left: Fingerprint, _ right: Fingerprint, _ matching: NodeMatching) -> Bool {
    guard left.type == right.type, let mine = matching.old.record(of: left.index), let theirs = matching.new.record(of: right.index) else {
      return false
    }
    guard let origin = matching.old.origin(of: mine), let other = matching.new.origin(of: theirs) else { return true }
    return origin.timestampBits == other.timestampBits
      && (origin.bundleVersion ?? "").isIdenticalText(to: other.bundleVersion ?? "")
  }

  /// Makes the parents of two partners partners too, if rule 4 applies, and so on upwards.
  private mutating func pairParents(of oldIndex: Int, _ newIndex: Int, _ matching: inout NodeMatching) {
    var (left, right) = (oldIndex, newIndex)
    while matching.old.identifier(of: left).isIdenticalText(to: matching.new.identifier(of: right)) {
      (left, right) = (Int(matching.old.parents[left]), Int(matching.new.parents[right]))
      guard !matching.isMatched(old: left), !matching.isMatched(new: right), let mine = old.fingerprint(of: left),
        let theirs = new.fingerprint(of: right), Self.canBeSame(mine, theirs, matching),
        matching.hasPartnersAsParents(left, right)
          || matching.old.identifier(of: left).isIdenticalText(to: matching.new.identifier(of: right)),
        parentComparisons[left, default: 0] < NodeMatching.candidateLimit
      else { return }
      parentComparisons[left, default: 0] += 1
      guard NodeFingerprints.resemblance(of: mine, old, and: theirs, new) >= 0.5 else { return }
      matching.pair(left, right)
    }
  }
}

/// Hashes of the contents of nodes that have no partner at their path, to recognize moves and renames.
///
/// A collision does no harm: the contents of nodes that are taken for the same are compared afterwards.
struct NodeFingerprints {
  struct Fingerprint {
    let index: Int
    /// The hash of type and contents of the node and of all nodes below it.
    fileprivate(set) var subtree = 0
    fileprivate(set) var type = 0
    /// The places of the hashes of its entries, which are in ascending order.
    fileprivate(set) var entries = 0..<0
    /// Whether the node, or a node below it, has contents.
    fileprivate(set) var hasContents = false
  }

  /// The fingerprints, parents before their children.
  private(set) var nodes: [Fingerprint]
  private var entries: [Int] = []
  /// The place of a node in ``nodes``.
  private var places: [Int: Int] = [:]

  /// Computes the fingerprints of nodes, which are listed with parents before their children.
  init(_ indexes: [Int], in tree: ComparedTree) {
    nodes = indexes.map { Fingerprint(index: $0) }
    for (place, index) in indexes.enumerated() { places[index] = place }
    for place in nodes.indices.reversed() { fill(place, tree) }
  }

  func fingerprint(of index: Int) -> Fingerprint? { places[index].map { nodes[$0] } }

  private mutating func fill(_ place: Int, _ tree: ComparedTree) {
    let index = nodes[place].index
    nodes[place].type = tree.record(of: index).flatMap { tree.type(of: $0) }.map { TextKey($0.tag) }.hashValue
    let start = entries.count
    if let contents = try? tree.contents(of: index) { entries += Self.hashes(of: contents) }
    nodes[place].entries = start..<entries.count
    var hasContents = entries.count > start
    var hasher = Hasher()
    hasher.combine(nodes[place].type)
    for entry in entries[start...] { hasher.combine(entry) }
    for child in tree.childrenInSavedOrder(of: index) {
      hasher.combine(TextKey(child.identifier))
      guard let below = fingerprint(of: child.index) else { continue }
      hasher.combine(below.subtree)
      hasContents = hasContents || below.hasContents
    }
    nodes[place].subtree = hasher.finalize()
    nodes[place].hasContents = hasContents
  }

  /// Returns a hash of each entry of the state and attributes and of the provider, in ascending order.
  private static func hashes(of contents: ComparedTree.NodeContents) -> [Int] {
    var hashes: [Int] = []
    for (role, entries) in [contents.attributes, contents.state].enumerated() {
      for entry in entries {
        var hasher = Hasher()
        hasher.combine(role)
        hasher.combine(entry)
        hashes.append(hasher.finalize())
      }
    }
    if let provider = contents.provider { hashes.append(Hasher.hash(TextKey(provider.name), TextKey(provider.identifier))) }
    return hashes.sorted()
  }

  /// Returns the share of equal entries of two nodes, from 0 to 1; 1 if neither has an entry.
  ///
  /// If one node has more than twice as many entries as the other, the result is 0 instead of a share below a half, so
  /// that a node with few entries is compared with a node with many in little time.
  static func resemblance(
    of left: Fingerprint, _ leftNodes: NodeFingerprints, and right: Fingerprint, _ rightNodes: NodeFingerprints
  ) -> Double {
    let most = max(left.entries.count, right.entries.count)
    if most == 0 { return 1 }
    guard 2 * min(left.entries.count, right.entries.count) >= most else { return 0 }
    WorkMeter.count(left.entries.count + right.entries.count)
    var (mine, theirs) = (left.entries.lowerBound, right.entries.lowerBound)
    var equal = 0
    while mine < left.entries.upperBound, theirs < right.entries.upperBound {
      let (first, second) = (leftNodes.entries[mine], rightNodes.entries[theirs])
      if first == second { equal += 1 }
      if first <= second { mine += 1 }
      if second <= first { theirs += 1 }
    }
    return Double(equal) / Double(most)
  }
}

// Texts are hashed by their bytes: a hash of a string normalizes it, which takes quadratic time for a hostile one.
extension Hasher {
  fileprivate static func hash(_ first: some Hashable, _ second: some Hashable) -> Int {
    var hasher = Hasher()
    hasher.combine(first)
    hasher.combine(second)
    return hasher.finalize()
  }

  fileprivate mutating func combine(_ entry: ArchiveDictionary.Entry) {
    combine(TextKey(entry.key))
    combine(entry.isSensitive)
    combine(entry.value)
  }

  /// Combines a value; the format's limit of 128 nesting levels bounds the recursion.
  mutating func combine(_ value: ArchiveValue) {
    combine(value.typeName)
    switch value {
    case .null: break
    case .bool(let value): combine(value)
    case .integer(let value): combine(value)
    case .float(let value): combine(value.bitPattern)
    case .string(let text), .url(let text): combine(TextKey(text))
    case .data(let data):
      combine(data.count)
      combine(data)
    case .date(let date): combine(date.float64Bits)
    case .uuid(let uuid): combine(uuid)
    case .reference(let path): combine(path)
    case .array(let elements):
      combine(elements.count)
      for element in elements { combine(element) }
    case .dictionary(let entries):
      combine(entries.count)
      for entry in entries { combine(entry) }
    }
  }
}
