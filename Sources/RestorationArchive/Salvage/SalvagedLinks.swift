import ArchiveFormat
import FoundationValues

/// Adds what links hold to the salvaged content of the archive that they follow (Spec §7.6, rule R-7.6-10).
///
/// A link says what changed, not where it was lost before: a node that it takes for unchanged and the salvage has lost
/// stays lost, and is a placeholder only if something below it has changed.
struct SalvagedLinks {
  /// The number of links whose content was added.
  private(set) var count = 0

  /// Adds links in order, as long as each is intact and follows the file before.
  ///
  /// Sections that depend on the rest are added only if nothing of the content `isLost` (rule R-8-6).
  ///
  /// - Complexity: O(n) in the links and in the siblings of the nodes that they change.
  mutating func add(_ links: [ArchiveLink], to tree: inout ArchiveTree, after digest: ContentDigest, isLost: Bool, limits: ReaderLimits) {
    var last = digest
    for link in links.prefix(ArchiveLink.maximumCount) {
      guard let digests = link.digests, digests.before == last, let bytes = link.bytes,
        let reader = try? ArchiveReader(link: bytes, limits: limits), let changes = try? ArchiveTree(decoding: reader),
        changes.minorVersion == tree.minorVersion
      else { return }
      (tree.header, tree.sections) = (changes.header, changes.sections.filter { !isLost || $0.isSafeToCopy })
      tree.header.baseContentDigest = nil
      if !changes.isApplicationUnchanged { tree.applicationState = changes.applicationState }
      apply(changes.nodes, to: &tree.nodes)
      (last, count) = (digests.own, count + 1)
    }
  }

  /// Recursion is bounded by the depth of a path.
  private func apply(_ changes: [ArchiveNode], to siblings: inout [ArchiveNode]) {
    var places = Dictionary(zip(siblings.map { TextKey($0.identifier) }, siblings.indices)) { first, _ in first }
    var removed: Set<TextKey> = []
    for change in changes {
      let key = TextKey(change.identifier)
      let known = places[key]
      guard change.change.kind != .removed else {
        removed.insert(key)
        continue
      }
      var node = known.map { siblings[$0] } ?? ArchiveNode(change.identifier)
      if change.change.kind == .contents {
        let children = node.children
        node = change
        (node.change, node.children) = (NodeChange(), children)
      }
      apply(change.children, to: &node.children)
      if let known {
        siblings[known] = node
      } else if change.change.kind == .contents || !node.children.isEmpty {
        places[key] = siblings.count
        siblings.append(node)
      }
    }
    siblings = Self.ordered(siblings.filter { !removed.contains(TextKey($0.identifier)) }, changes)
  }

  /// Returns siblings with those that have a new place after the one that they follow; last, if that one is lost.
  private static func ordered(_ siblings: [ArchiveNode], _ changes: [ArchiveNode]) -> [ArchiveNode] {
    var moved: [TextKey: ArchiveNode] = [:]
    var followers: [TextKey?: TextKey] = [:]
    let places = Dictionary(changes.map { (TextKey($0.identifier), $0.change.place) }) { first, _ in first }
    var staying: [ArchiveNode] = []
    for sibling in siblings {
      let key = TextKey(sibling.identifier)
      switch places[key] ?? nil {
      case .first: (followers[nil], moved[key]) = (key, sibling)
      case .after(let other): (followers[TextKey(other)], moved[key]) = (key, sibling)
      case nil: staying.append(sibling)
      }
    }
    var result: [ArchiveNode] = []
    func append(followersOf key: TextKey?) {
      var next = followers[key]
      while let key = next, let node = moved.removeValue(forKey: key) {
        result.append(node)
        next = followers[key]
      }
    }
    append(followersOf: nil)
    for sibling in staying {
      result.append(sibling)
      append(followersOf: TextKey(sibling.identifier))
    }
    // Of those that follow a lost sibling, each comes with its own followers.
    let anchors = Dictionary(followers.compactMap { anchor, key in anchor.map { (key, $0) } }) { first, _ in first }
    for sibling in siblings {
      let key = TextKey(sibling.identifier)
      guard let anchor = anchors[key], moved[anchor] == nil, let node = moved.removeValue(forKey: key) else { continue }
      result.append(node)
      append(followersOf: key)
    }
    return result
  }
}
