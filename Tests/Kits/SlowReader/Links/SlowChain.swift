/// What a chain stands for (Spec chapter 15).
public struct SlowChain: Hashable, Sendable {
  /// The content after ``appliedCount`` links, without a digest and a table of origins; nil if the base has a finding.
  public var archive: SlowArchive?
  /// The number of links that were applied.
  public var appliedCount: Int
  /// The code of the error of the next link; nil if all were applied.
  public var error: String?
}

/// Resolves a chain: applies as many links as possible, one after the other (Spec 15.3, 15.4).
///
/// - Parameter files: The base, and the links in order.
/// - Returns: The content that they stand for.
public func slowResolve(_ files: [[UInt8]]) -> SlowChain {
  var chain = SlowChain(archive: nil, appliedCount: 0, error: nil)
  var length = 0
  var before: SlowArchive?
  for (index, bytes) in files.enumerated() {
    length += bytes.count
    do throws(SlowFinding) {
      // R-15.4-1
      guard index <= 128 else { throw SlowFinding("chain-length", at: 0) }
      guard length <= 0xffff_ffff else { throw SlowFinding("file-too-large", at: 0) }
      // R-15.4-3: a value of unknown type counts, and slowRead throws a finding that stops.
      if let finding = slowCheck(bytes).first(where: { !$0.costsNoContent }) { throw finding }
      let file = try slowRead(bytes, toleratesSpareDamage: true)
      if let last = before, let archive = chain.archive {
        chain.archive = try SlowApplication.apply(file, to: archive, after: last)
        chain.appliedCount = index
      } else {
        // R-15.4-2
        guard file.change == nil else { throw SlowFinding("wrong-base", at: 0) }
        chain.archive = SlowApplication.plain(file)
      }
      before = file
    } catch {
      chain.error = error.code
      return chain
    }
  }
  return chain
}

/// Applying one link (Spec 15.3).
enum SlowApplication {
  /// Returns an archive without what the content does not determine.
  static func plain(_ archive: SlowArchive) -> SlowArchive {
    var archive = archive
    archive.contentDigest = 0
    archive.origins = []
    return archive
  }

  static func apply(_ link: SlowArchive, to archive: SlowArchive, after before: SlowArchive) throws(SlowFinding) -> SlowArchive {
    // R-15.4-2, R-15.3-1
    let name = link.header.first { SlowRegistry.isBaseDigest($0.key) }
    guard let change = link.change, let name, SlowLink.digest(name.value) == before.contentDigest else {
      throw SlowFinding("wrong-base", at: 0)
    }
    // R-15.3-3
    guard link.minorVersion == archive.minorVersion else { throw SlowFinding("wrong-base", at: 0) }
    var result = plain(link)
    result.change = nil
    result.header.removeAll { SlowRegistry.isBaseDigest($0.key) }
    if change.kind != 0 { result.applicationState = archive.applicationState }
    result.nodes = try apply(link.nodes, to: archive.nodes)
    return result
  }

  /// Applies the changes of siblings to a list of children.
  private static func apply(_ changes: [SlowNode], to nodes: [SlowNode]) throws(SlowFinding) -> [SlowNode] {
    var nodes = nodes
    var moving: [(node: SlowNode, after: [UInt8]?)] = []
    for node in changes {
      guard let change = node.change else { continue }
      let place = nodes.firstIndex { $0.identifier == node.identifier }
      // R-15.3-2
      guard place != nil || change.kind == 0 && change.hasPlace else { throw SlowFinding("missing-node", at: 0) }
      let old = place.map { nodes.remove(at: $0) }
      if change.kind == 2 { continue }
      var new = node
      if change.kind != 0, let old { new = old }
      new.change = nil
      new.children = try apply(node.children, to: old?.children ?? [])
      if change.hasPlace { moving.append((new, change.after)) } else if let place { nodes.insert(new, at: place) }
    }
    // A node can be placed as soon as the one before it is in the list; there are no circles (R-15.2-5).
    while !moving.isEmpty {
      let count = moving.count
      for (index, item) in moving.enumerated().reversed() {
        let sibling = item.after.flatMap { after in nodes.firstIndex { $0.identifier == after } }
        if item.after != nil, sibling == nil { continue }
        // All other places are after a sibling, so the first one stays the first.
        nodes.insert(item.node, at: sibling.map { $0 + 1 } ?? 0)
        moving.remove(at: index)
      }
      guard moving.count < count else { throw SlowFinding("missing-node", at: 0) }
    }
    return nodes
  }
}
