/// Reads the content of a file.
///
/// A file with a finding is refused, except for values of unknown types, which become
/// ``SlowValue/unknown(tag:bytes:)``.
///
/// - Parameters:
///   - bytes: The whole file.
///   - toleratesSpareDamage: Whether damage that costs no content is no reason to refuse it (Spec 7.2 F).
/// - Returns: The content.
/// - Throws: The first ``SlowFinding`` other than `unknown-value-type`.
public func slowRead(_ bytes: [UInt8], toleratesSpareDamage: Bool = false) throws(SlowFinding) -> SlowArchive {
  var checker = SlowChecker(bytes)
  let structure = checker.check()
  let faults = checker.findings.filter { $0.code != SlowValueReader.unknownValueType }
  // If all are of spare copies and the checks have stopped, the last one has stopped them.
  let serious = faults.first { !$0.costsNoContent } ?? (structure == nil ? faults.last : nil)
  if let finding = toleratesSpareDamage ? serious : faults.first { throw finding }
  guard let structure else { throw SlowFinding("bad-magic", at: 0) }  // Checks that stop have a finding.

  let (metadata, nodes) = (structure.metadata, structure.nodes)
  var reader = structure.valueReader()
  // E10 ended the checks of a record, so the bytes after an unknown value are checked only now.
  reader.keepsUnknownValues = true

  let entries = try metadata.linkSection.map { (section) throws(SlowFinding) in try SlowLink.entries(bytes, section, nodes) }

  // A child's index is greater than its parent's, so backward iteration finds all children ready.
  var subtrees: [Int: SlowNode] = [:]
  var applicationState: [SlowEntry] = []
  var topNodes: [SlowNode] = []
  for (index, record) in nodes.records.enumerated().reversed() {
    var cursor = structure.stateCursor(bytes, of: record)
    let content = try reader.readStateRecord(&cursor, of: record)
    let children = nodes.childrenInSavedOrder(of: index).compactMap { subtrees.removeValue(forKey: $0) }
    if index == 0 {
      (applicationState, topNodes) = (content.state, children)
    } else {
      subtrees[index] = SlowNode(
        identifier: nodes.identifiers[index] ?? [], type: entry(record.type, of: metadata.types),
        origin: entry(record.origin, of: metadata.origins), provider: content.provider, attributes: content.attributes,
        state: content.state, children: children)
      subtrees[index]?.change = entries.map { SlowLink.change(of: index, $0, nodes) }
    }
  }

  var archive = SlowArchive(
    minorVersion: structure.prefix.minorVersion, contentDigest: structure.prefix.contentDigest,
    volatileHeader: metadata.volatileHeader, header: metadata.header, origins: metadata.origins.map(\.content),
    applicationState: applicationState, nodes: topNodes,
    sections: metadata.sections.dropFirst(3).filter { $0.code != Array("LINK".utf8) }.map { code, range in
      SlowSection(code: code, bytes: Array(bytes[range]))
    })
  archive.change = entries.map { SlowLink.change(of: 0, $0, nodes) }
  return archive
}

/// Returns entry k - 1 of a table for k, and nil for 0 (Spec 6.4).
private func entry<Content>(_ number: UInt64, of table: [SlowPlaced<Content>]) -> Content? {
  guard number > 0, number <= UInt64(table.count) else { return nil }
  return table[Int(number) - 1].content
}
