import Storage

extension ArchiveAssembler {
  /// Assembles the archive.
  ///
  /// The assembler cannot be used again until it is reset.
  ///
  /// - Parameter surroundings: The header, and the sections after the nodes.
  /// - Returns: The bytes of the archive.
  /// - Throws: `duplicate-identifier`, `file-too-large`; for a link also `link-place` and `link-cycle`.
  /// - Complexity: O(n log f) in the nodes, where f is the largest number of siblings, and O(n) in the bytes.
  package func finish(_ surroundings: ArchiveSurroundings) throws(FormatError) -> OutputBuffer {
    sortStates()
    if isLink { try rankSiblings() }
    var table = NodeTable(self)
    try table.sort()
    var metadata = surroundings.metadata
    var sections = surroundings.sections
    if let places = state.value.places { sections.append((.link, try linkSection(places, table))) }
    let renumbering = renumberKeys()
    putStatesInPreorder(table)

    let (types, typePlaces) = inUse(types.sorted()) { Int($0.type) }
    let (origins, originPlaces) = inUse(origins.sorted()) { Int($0.origin) }
    let nodes = table.encoded(typePlaces: typePlaces, originPlaces: originPlaces)
    let nodeLength = count * NodeRecord.byteCount
    try metadata.setSections(
      [(.nodes, nodeLength), (.strings, nodes.count - nodeLength), (.states, states.records.count)]
        + sections.map { ($0.code, $0.bytes.count) })

    let body = OutputBuffer(capacity: 0)
    body.swapContents(with: states.records)
    for section in sections.sorted(by: { $0.code.rawValue < $1.code.rawValue }) { body.append(contentsOf: section.bytes.span) }
    nodes.withSpan { body.prepend($0) }
    let front = OutputBuffer(capacity: 4096, gap: ArchivePrefix.byteCount)
    try metadata.append(origins: origins, types: types, to: front) { states.appendKeyTable(renumbering.table, to: $0) }
    try seal(body, metadata: front, minorVersion: surroundings.minorVersion)
    finished = (body.count, count)
    return body
  }

  /// Throws `duplicate-identifier` if two siblings have the same identifier, as ``finish(_:)`` does.
  ///
  /// - Complexity: O(n log f) in the nodes, where f is the largest number of siblings.
  package func checkSiblings() throws(FormatError) {
    var table = NodeTable(self)
    try table.sort()
  }

  /// Replaces the provisional key numbers by the final ones.
  private func renumberKeys() -> KeyRenumbering {
    if states.hasFinalKeys, !states.hasDroppedEntries { return KeyRenumbering(final: states) }
    var isUsed: [Bool]?
    if states.hasDroppedEntries { isUsed = findUsedKeys() }
    let renumbering = KeyRenumbering(states) { isUsed?[$0] ?? states.isUsed($0) }
    if renumbering.isInPlace {
      let leads = renumbering.leads
      var walker = RecordWalker<ProvisionalKey>()
      var places = ScratchArray<Int>(capacity: 64)
      for number in 0..<count where hasState(number) {
        places.truncate(to: 0)
        states.records.withSpan { walker.walkRecord(node(number).state, of: $0, flags: node(number).flags) { places.append($1) } }
        states.records.withMutableSpan { bytes in
          for index in 0..<places.count { bytes[places[index]] = leads[Int(bytes[places[index]])] }
        }
      }
    } else {
      rewriteStates(renumbering)
    }
    return renumbering
  }

  private func findUsedKeys() -> [Bool] {
    var isUsed = [Bool](repeating: false, count: states.keyCount)
    states.records.withSpan { bytes in
      var walker = RecordWalker<ProvisionalKey>()
      for number in 0..<count {
        walker.walkRecord(node(number).state, of: bytes, flags: node(number).flags) { key, _ in
          if !key.isInline { isUsed[key.index] = true }
        }
      }
    }
    return isUsed
  }

  /// Rewrites all state records with final key references, which may differ in length.
  private func rewriteStates(_ renumbering: KeyRenumbering) {
    var walker = RecordWalker<ProvisionalKey>()
    replaceStates(of: 0..<count, capacity: states.records.count + states.records.count / 8) { node, bytes, target in
      walker.copyRecord(node.state, of: bytes, flags: node.flags, to: target) { renumbering.appendReference($0.index, to: target) }
    }
  }

  /// Moves the state records into preorder, unless they were written in that order.
  private func putStatesInPreorder(_ table: borrowing NodeTable) {
    guard !state.value.isInPreorder else { return }
    replaceStates(of: table.preorder(), capacity: states.records.count) { node, bytes, target in
      target.append(contentsOf: bytes.extracting(node.state))
    }
  }

  /// Writes the state records of all nodes anew, in this order: `copy` appends one to a buffer.
  private func replaceStates(
    of order: some Collection<Int>, capacity: Int, _ copy: (AddedNode, Span<UInt8>, borrowing OutputBuffer) -> Void
  ) {
    let target = OutputBuffer(capacity: capacity)
    states.records.withSpan { bytes in
      for number in order {
        let start = target.count
        copy(node(number), bytes, target)
        state.value.nodes[number].state = start..<target.count
      }
    }
    states.records.swapContents(with: target)
  }

  /// Computes checksums and digests, and adds metadata, tree and prefix around the body (Spec §4.1).
  private func seal(
    _ body: borrowing OutputBuffer, metadata: borrowing OutputBuffer, minorVersion: UInt16
  ) throws(FormatError) {
    let layout = try Self.layout(bodyLength: body.count, metadataLength: metadata.count)
    let prefix = body.withSpan { Self.seal($0, layout, metadata: metadata, minorVersion: minorVersion) }
    metadata.withSpan { body.append(contentsOf: $0) }
    body.append(contentsOf: prefix.span)
    metadata.prepend(prefix.span)
    metadata.withSpan { body.prepend($0) }
  }

  /// Returns the layout of an archive with a body and metadata of these lengths.
  ///
  /// - Throws: `file-too-large`.
  static func layout(bodyLength: Int, metadataLength: Int) throws(FormatError) -> FileLayout {
    let layout = FileLayout(bodyLength: bodyLength, metadataLength: metadataLength, tree: ChecksumTree(bodyLength: bodyLength))
    guard UInt64(layout.fileLength) <= FormatLimits.longestFile, UInt64(metadataLength) <= FormatLimits.longestMetadata else {
      throw FormatError(
        .fileTooLarge, at: nil, "archive", expected: "at most \(FormatLimits.longestFile) bytes", found: .number(layout.fileLength))
    }
    return layout
  }

  /// Computes checksums and digests, appends the tree to the metadata, and returns the prefix (Spec §4.1).
  ///
  /// The tree is appended to the metadata, because the two are adjacent in both places.
  static func seal(
    _ body: Span<UInt8>, _ layout: FileLayout, metadata: borrowing OutputBuffer, minorVersion: UInt16
  ) -> [UInt8] {
    var leaves = [UInt64](repeating: 0, count: layout.tree.leafCount)
    for (leaf, block) in layout.blocks.enumerated() {
      let range = layout.bodyRange(ofBlock: block)
      let place = (range.lowerBound - layout.body.lowerBound)..<(range.upperBound - layout.body.lowerBound)
      leaves[leaf] = ChecksumTree.checksum(ofBlock: block, body.extracting(place))
    }
    let metadataLength = metadata.count
    let root = ChecksumTree.append(leaves: leaves, tree: layout.tree, to: metadata)
    var prefix = metadata.withSpan { front in
      let metadata = front.extracting(0..<metadataLength)
      return ArchivePrefix(
        fileLength: UInt64(layout.fileLength), metadataLength: UInt32(metadataLength), treeLength: UInt32(layout.tree.byteCount),
        volatileDigest: ArchivePrefix.volatileDigest(metadata: metadata), treeRoot: root,
        contentDigest: ArchivePrefix.contentDigest(metadata: metadata, treeRoot: root))
    }
    prefix.minorVersion = minorVersion
    return prefix.encoded
  }
}

extension ArchiveMetadata {
  /// Sets the sections: the required ones as given, then the ancillary ones in order (rule R-4.3-4).
  mutating func setSections(_ lengths: [(code: SectionCode, length: Int)]) throws(FormatError) {
    guard lengths.count <= FormatLimits.sections else {
      throw FormatError(
        .tableSize, at: nil, "sections", expected: "at most \(FormatLimits.sections)", found: .number(lengths.count), rule: "R-4.3-14")
    }
    let required = lengths.prefix(SectionCode.required.count)
    let ancillary = lengths.dropFirst(required.count)
    let all = ancillary.isEmpty ? required : required + ancillary.sorted { $0.code.rawValue < $1.code.rawValue }
    sections.reserveCapacity(all.count)
    var place = 0
    for (index, section) in all.enumerated() {
      let isRepeated = index > 0 && sections[index - 1].code == section.code
      guard !isRepeated, index < required.count || !section.code.isCritical || section.code == .link else {
        throw FormatError(.sectionOrder, at: nil, "section", expected: "ancillary sections, each once", found: .text(section.code.text))
      }
      sections.append(SectionEntry(code: section.code, length: section.length, range: place..<(place + section.length)))
      place += section.length
    }
  }
}

/// The place of a link's node among its siblings.
struct NodePlace {
  /// The number of the node.
  let node: Int
  /// The number of the sibling that it directly follows; 0 for the first place.
  let after: Int
}

// Links: archives that hold what changed since another file (Spec §15).
extension ArchiveAssembler {
  /// Whether a link is being assembled.
  package var isLink: Bool { state.value.places != nil }

  /// Turns the archive that is about to be written into a link; no node has been added yet.
  ///
  /// The nodes added by ``addNode(parent:identifier:type:schemaVersion:origin:opensState:)`` are nodes with contents.
  /// The application state is unchanged until ``openState(of:)`` is called for it.
  package func beginLink() {
    state.value.places = []
  }

  /// Adds a node that is unchanged or removed.
  ///
  /// - Returns: The number of the node.
  /// - Throws: `string-length`, `path-depth`, `file-too-large`.
  package func addNode(parent: Int, identifier: String, change: LinkTable.Change) throws(FormatError) -> Int {
    let number = try addNode(
      parent: parent, identifier: identifier, type: nil, schemaVersion: 0, origin: nil, opensState: false)
    state.value.nodes[number].change = change
    return number
  }

  /// Gives a node a place: the first among its siblings if `sibling` is 0, or directly after one of them.
  package func place(_ node: Int, after sibling: Int) {
    state.value.places?.append(NodePlace(node: node, after: sibling))
  }

  /// Puts siblings into the order of their identifiers (rule R-15.2-3).
  func rankSiblings() throws(FormatError) {
    state.value.nodes[0].change = hasState(0) ? .contents : .unchanged
    var table = NodeTable(self)
    try table.sort()
    table.visitRanks { setSavedOrder($1, of: $0) }
  }

  /// Returns the section that says how the link changes each node (Spec §15.2).
  func linkSection(_ places: [NodePlace], _ table: borrowing NodeTable) throws(FormatError) -> [UInt8] {
    var entries = [LinkTable.Entry](repeating: LinkTable.Entry(.contents), count: count)
    var records = [Int](repeating: 0, count: count)
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    table.visitNodes { number in
      records[number] = numbers.count
      entries[numbers.count].change = node(number).change
      numbers.append(number)
    }
    // The first fault is that of the node that was added first.
    for place in places.sorted(by: { $0.node < $1.node }) {
      let record = records[place.node]
      let isPlaced = entries[record].hasPlace
      let isSibling = place.after == 0 || node(place.after).parent == node(place.node).parent && place.after != place.node
      guard !isPlaced, isSibling, entries[record].change != .removed else {
        throw FormatError(.linkPlace, at: nil, "place of a node", expected: "one, after another sibling", node: place.node)
      }
      entries[record] = LinkTable.Entry(entries[record].change, after: place.after == 0 ? 0 : node(place.after).savedOrder &+ 1)
    }
    let parents = numbers.map { UInt32(truncatingIfNeeded: records[Int(node($0).parent)]) }
    if let fault = LinkTable.placeFault(of: entries, parent: { parents[$0] }) {
      throw FormatError(fault.code, at: nil, "place of a node", expected: .text(fault.expected), node: numbers[fault.record])
    }
    for (record, entry) in entries.enumerated() where entry.change == .removed && node(numbers[record]).childCount > 0 {
      throw FormatError(.linkRecord, at: nil, "removed node", expected: "no nodes below it", node: numbers[record])
    }
    let buffer = OutputBuffer(capacity: 2 * count)
    LinkTable(entries).write(to: buffer)
    return buffer.makeArray()
  }
}

/// The parts of an archive other than nodes: the header, and ancillary sections.
///
/// A class, because it is passed along on a thread that the app waits for, and a copy would retain each of its tables.
package final class ArchiveSurroundings: Sendable {
  /// The metadata, with only the header set.
  let metadata: ArchiveMetadata
  let sections: [(code: SectionCode, bytes: [UInt8])]
  let minorVersion: UInt16

  /// Creates the surroundings from a header and sections.
  ///
  /// - Parameters:
  ///   - header: All header entries, in any order.
  ///   - sections: The ancillary sections, in any order.
  ///   - minorVersion: The minor version to write: 0, or the source archive's if unknown parts are preserved.
  ///   - isLink: Whether they are those of a link, whose header names the file before it.
  /// - Throws: `header-…`, `link-header`, `unknown-header-key`, `table-size` and `string-length` for a header that the format does not
  ///   allow; `section-order` and `table-size` for sections.
  package init(
    header: [HeaderEntry], sections: [(code: SectionCode, bytes: [UInt8])], minorVersion: UInt16 = ArchivePrefix.minorVersion,
    isLink: Bool = false
  ) throws(FormatError) {
    // Entries are split between the two headers (rules R-4.3-8, R-4.3-9).
    let sorted = header.sorted { $0.key.precedesAsText($1.key) }
    try HeaderRules.check(sorted, isStrict: minorVersion <= ArchivePrefix.minorVersion, isLink: isLink)
    var metadata = ArchiveMetadata()
    metadata.volatileHeader = sorted.filter { $0.registeredKey?.isVolatile == true }
    metadata.header = sorted.filter { $0.registeredKey?.isVolatile != true }
    // Validated here and not only on assembly, which may happen elsewhere.
    if !metadata.volatileHeader.isEmpty { try OutputBuffer().append(volatileHeader: metadata.volatileHeader) }
    if !sections.isEmpty {
      var trial = metadata
      try trial.setSections(SectionCode.required.map { ($0, 0) } + sections.map { ($0.code, $0.bytes.count) })
    }
    self.metadata = metadata
    self.sections = sections
    self.minorVersion = minorVersion
  }
}
