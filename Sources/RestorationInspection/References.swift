import ArchiveFormat
package import RestorationArchive

extension ArchiveReader {
  /// Whether a reference to a path is broken: no node is there, and no damage may hide one.
  package func isBroken(_ target: RestorationPath) -> Bool {
    do throws(ArchiveError) {
      return try node(at: target) == nil
    } catch {
      return false
    }
  }

  /// Returns the broken references in the contents of a node, with their outermost keys.
  func brokenReferences(
    in contents: (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)
  ) -> [(key: String, target: RestorationPath)] {
    var broken: [(key: String, target: RestorationPath)] = []
    for entries in [contents.attributes, contents.state] {
      for entry in entries {
        entry.value.visitReferences { if isBroken($0) { broken.append((entry.key, $0)) } }
      }
    }
    return broken
  }

  /// Calls `body` with each broken reference, in the order of the tree.
  func visitBrokenReferences(_ body: (BrokenReference) -> Void) {
    func visit(_ node: NodeReader) {
      guard records.mayHoldReferences(node.recordIndex), let contents = try? node.everything() else { return }
      for broken in brokenReferences(in: contents) { body(BrokenReference(path: node.path, key: broken.key, target: broken.target)) }
    }
    guard let application = try? application() else { return }
    visit(application)
    application.visitDescendants { if case .success(let node) = $0 { visit(node) } }
  }
}

extension ArchiveRecords {
  /// Whether a node may hold references, by its bytes alone: most do not.
  func mayHoldReferences(_ index: Int) -> Bool {
    guard let node = try? node(at: index), node.record.stateLength > 0, let record = try? state(of: node) else { return false }
    let bytes = record.storage.span
    return record.range.contains { bytes[$0] == ValueTag.reference }
  }
}

extension ArchiveValue {
  /// Calls `body` with each reference in the value; the format's limit of 128 nesting levels bounds the recursion.
  fileprivate func visitReferences(_ body: (RestorationPath) -> Void) {
    switch self {
    case .reference(let path): body(path)
    case .array(let elements): for element in elements { element.visitReferences(body) }
    case .dictionary(let entries): for entry in entries { entry.value.visitReferences(body) }
    default: break
    }
  }
}
