import ArchiveFormat
import FoundationValues

/// Adds the content of links to the salvage of the archive that they follow (Spec §7.6, rule R-7.6-10).
///
/// A node that a link takes for unchanged may be lost. It stays lost, and is a placeholder if something below it has
/// changed.
enum SalvagedLinks {
  /// Adds links in order, as long as each is intact and follows the file before.
  ///
  /// Sections that depend on the rest are added only if no content `isLost` (rule R-8-6).
  ///
  /// - Returns: The number of links that were added.
  /// - Complexity: O(n) in the links and in the siblings of the nodes that they change.
  static func add(
    _ links: [ArchiveLink], to tree: inout ArchiveTree, after digest: ContentDigest, isLost: Bool, limits: ReaderLimits
  ) -> Int {
    var count = 0
    var last = digest
    for link in links.prefix(ArchiveLink.maximumCount) {
      guard let digests = link.digests, digests.before == last, let bytes = link.bytes,
        let reader = try? ArchiveReader(link: bytes, limits: limits), let changes = try? ArchiveTree(decoding: reader),
        changes.minorVersion == tree.minorVersion
      else { break }
      (tree.header, tree.sections) = (changes.header, changes.sections.filter { !isLost || $0.isSafeToCopy })
      tree.header.baseContentDigest = nil
      if !changes.isApplicationUnchanged { tree.applicationState = changes.applicationState }
      apply(changes.nodes, to: &tree.nodes)
      (last, count) = (digests.own, count + 1)
    }
    return count
  }

  /// Applies the records of a link to the siblings that they concern.
  ///
  /// Recursion is bounded by the depth of a path.
  private static func apply(_ changes: [ArchiveNode], to siblings: inout [ArchiveNode]) {
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
    siblings = ordered(siblings.filter { !removed.contains(TextKey($0.identifier)) }, changes)
  }

  /// Returns the siblings in their new order; a node that follows a lost one comes after all others.
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
    // Each node that follows a lost one is followed by its own followers.
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
