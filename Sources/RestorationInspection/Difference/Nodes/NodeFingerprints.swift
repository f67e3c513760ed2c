import ArchiveFormat
import FoundationValues
import RestorationArchive

/// Hashes of the contents of nodes that have no partner at their path, to recognize moves and renames.
///
/// A collision does no harm: the contents of nodes that are taken for the same are compared afterwards.
struct NodeFingerprints {
  /// The hashes of a node.
  struct Fingerprint {
    /// The index of the node's record.
    let index: Int
    /// The hash of type and contents of the node and of all nodes below it.
    fileprivate(set) var subtree = 0
    /// The hash of the type tag.
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

  /// Returns the fingerprint of a node, if it has one.
  func fingerprint(of index: Int) -> Fingerprint? { places[index].map { nodes[$0] } }

  private mutating func fill(_ place: Int, _ tree: ComparedTree) {
    let index = nodes[place].index
    var type = Hasher()
    if let tag = tree.record(of: index).flatMap({ tree.type(of: $0) })?.tag { type.combine(tag) }
    nodes[place].type = type.finalize()
    let start = entries.count
    if let contents = try? tree.contents(of: index) { entries += Self.hashes(of: contents) }
    nodes[place].entries = start..<entries.count
    var hasContents = entries.count > start
    var hasher = Hasher()
    hasher.combine(nodes[place].type)
    for entry in entries[start...] { hasher.combine(entry) }
    for child in tree.childrenInSavedOrder(of: index) {
      hasher.combine(child.identifier)
      guard let below = fingerprint(of: child.index) else { continue }
      hasher.combine(below.subtree)
      hasContents = hasContents || below.hasContents
    }
    nodes[place].subtree = hasher.finalize()
    nodes[place].hasContents = hasContents
  }

  /// Returns a hash of each entry of the state and attributes and of the provider, in ascending order.
  private static func hashes(of contents: NodeContents) -> [Int] {
    var hashes: [Int] = []
    for (role, entries) in [contents.attributes, contents.state].enumerated() {
      for entry in entries {
        var hasher = Hasher()
        hasher.combine(role)
        hasher.combine(entry)
        hashes.append(hasher.finalize())
      }
    }
    if let provider = contents.provider {
      var hasher = Hasher()
      hasher.combine(provider.name)
      hasher.combine(provider.identifier)
      hashes.append(hasher.finalize())
    }
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

extension Hasher {
  fileprivate mutating func combine(_ entry: ArchiveDictionary.Entry) {
    combine(entry.key)
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
    case .string(let text), .url(let text): combine(text)
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
