import ArchiveFormat
package import RestorationArchive

extension ArchiveReader {
  /// Whether a reference to a path is broken: no node is there, and no damage may hide one.
  ///
  /// None is in a link by itself, which has only the nodes that changed.
  package func isBroken(_ target: RestorationPath) -> Bool {
    guard !isLink else { return false }
    do throws(FormatError) {
      return try records.index(of: target) == nil
    } catch {
      return false
    }
  }

  /// A broken reference in the contents of a node: its outermost key, and whether that or a key inside is sensitive.
  typealias BrokenTarget = (key: String, target: RestorationPath, isSensitive: Bool)

  func brokenReferences(
    in contents: (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)
  ) -> [BrokenTarget] {
    var broken: [BrokenTarget] = []
    for entries in [contents.attributes, contents.state] {
      for entry in entries {
        entry.value.visitReferences(isSensitive: entry.isSensitive) { if isBroken($0) { broken.append((entry.key, $0, $1)) } }
      }
    }
    return broken
  }

  /// Calls `body` with each node that holds broken references, in the order of the tree, and with these.
  func visitBrokenReferences(_ body: (NodeReader, [BrokenTarget]) -> Void) {
    visitNodes { node in
      guard records.mayHoldReferences(node.recordIndex), let contents = try? node.everything() else { return }
      let broken = brokenReferences(in: contents)
      if !broken.isEmpty { body(node, broken) }
    }
  }
}

extension ArchiveRecords {
  /// Returns the index of the node at a path, or nil if there is none (Spec §7.4).
  ///
  /// Gives up at the first fault, where a reader searches all siblings: a million references may lead to a million
  /// siblings of a faulty record.
  ///
  /// - Throws: The fault, which may hide the node.
  /// - Complexity: O(log n) in the number of siblings at each level.
  func index(of path: RestorationPath) throws(FormatError) -> Int? {
    var parent = try node(at: 0)
    for identifier in path.components {
      guard let child = try intactChild(of: parent, identifier) else { return nil }
      parent = child
    }
    return parent.index
  }

  private func intactChild(of parent: StoredNode, _ identifier: String) throws(FormatError) -> StoredNode? {
    guard let children = parent.record.children(index: parent.index, count: recordCount) else { return nil }
    var (low, high) = (children.lowerBound, children.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let child = try confirmed(node(at: middle), childOf: parent)
      let order = try self.identifier(of: child).compareText(with: identifier)
      if order == 0 { return child }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Whether a node may hold references, by its bytes alone: most do not.
  func mayHoldReferences(_ index: Int) -> Bool {
    guard let node = try? node(at: index), node.record.stateLength > 0, let record = try? state(of: node) else { return false }
    let bytes = record.storage.span
    return record.range.contains { bytes[$0] == ValueTag.reference }
  }
}

extension ArchiveValue {
  /// Calls `body` with each reference in the value, and whether it is sensitive, as all is in a sensitive entry.
  ///
  /// The format's limit of 128 nesting levels bounds the recursion.
  fileprivate func visitReferences(isSensitive: Bool, _ body: (RestorationPath, Bool) -> Void) {
    switch self {
    case .reference(let path): body(path, isSensitive)
    case .array(let elements): for element in elements { element.visitReferences(isSensitive: isSensitive, body) }
    case .dictionary(let entries):
      for entry in entries { entry.value.visitReferences(isSensitive: isSensitive || entry.isSensitive, body) }
    default: break
    }
  }
}
