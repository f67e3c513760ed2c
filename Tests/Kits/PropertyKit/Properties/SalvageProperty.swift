import Foundation
import RestorationArchive

/// Salvage returns a valid archive or none (R-7.6-2), with every readable node (R-7.6-3) and without altered values
/// (R-7.6-1).
enum SalvageProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    let salvage = ArchiveSalvage(bytes)
    let check = ArchiveCheck(bytes)
    guard let archive = salvage.archive, let tree = salvage.tree else {
      let isLink = (try? ArchiveReader(link: bytes).isLink) == true
      try PropertyViolation.require(
        !check.isValid || isLink, "nothing salvaged of a valid archive: \(salvage.failure.map { "\($0)" } ?? "")")
      return try PropertyViolation.require(salvage.failure != nil, "neither an archive nor a reason")
    }
    let findings = ArchiveCheck(archive).findings
    try PropertyViolation.require(findings.isEmpty, "the salvaged archive is not valid: \(findings)")
    try PropertyViolation.require((try? ArchiveTree(decoding: archive)) == tree, "the salvaged archive says something else")
    if check.isValid {
      try PropertyViolation.require(
        archive.elementsEqual(bytes) && salvage.losses.isEmpty, "a valid archive was changed: \(salvage.losses)")
    }
    try compare(salvage, tree, with: bytes, isFaultless: check.findings.allSatisfy { $0.kind == .damaged })
  }

  /// Compares the salvaged tree with the reader of single values, which works in a different way.
  ///
  /// In a damaged file that breaks no rule, everything that this reader can read must have been salvaged.
  private static func compare(
    _ salvage: ArchiveSalvage, _ tree: ArchiveTree, with bytes: [UInt8], isFaultless: Bool
  ) throws(PropertyViolation) {
    // If a table is not a tree, a path may lead to more than one node.
    if salvage.losses.contains(where: { $0.kind == .place }) { return }
    guard let reader = try? ArchiveReader(bytes), let application = try? reader.application() else { return }
    var damaged: Set<RestorationPath> = []
    for loss in salvage.losses { if let path = loss.path { damaged.insert(path) } }
    if !damaged.contains(.application), let state = try? application.state() {
      try PropertyViolation.require(state == tree.applicationState, "altered application state")
    }
    var rest = tree.nodes.map { (node: $0, parent: RestorationPath.application) }
    while let (node, parent) = rest.popLast() {
      let path = parent.appending(node.identifier)
      if path == salvage.lostAndFound { continue }
      rest += node.children.map { (node: $0, parent: path) }
      guard let original = try? reader.node(at: path), let state = try? original.state(), !damaged.contains(path) else { continue }
      try PropertyViolation.require(node.state == state, "altered state of \(path)")
    }
    if isFaultless { try requireAll(below: application, in: tree.nodes) }
  }

  private static func requireAll(below parent: NodeReader, in nodes: [ArchiveNode]) throws(PropertyViolation) {
    var rest: [(NodeReader, [ArchiveNode])] = [(parent, nodes)]
    while let (parent, nodes) = rest.popLast() {
      var index = 0
      try parent.visitChildren { result throws(PropertyViolation) in
        guard let child = try? result.get() else { return }
        while index < nodes.count, !nodes[index].identifier.utf8.elementsEqual((child.identifier ?? "").utf8) { index += 1 }
        try PropertyViolation.require(index < nodes.count, "\(child.path) was not salvaged")
        let found = nodes[index]
        if let state = try? child.state() { try PropertyViolation.require(state == found.state, "the state of \(child.path) was altered") }
        rest.append((child, found.children))
      }
    }
  }
}
