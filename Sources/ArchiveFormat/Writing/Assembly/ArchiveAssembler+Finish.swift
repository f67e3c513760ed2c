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
    if places != nil { try rankSiblings() }
    var table = NodeTable(self)
    try table.sort()
    var metadata = surroundings.metadata
    var sections = surroundings.sections
    if let places { sections.append((.link, try linkSection(places, table))) }
    let renumbering = renumberKeys()
    putStatesInPreorder(table)

    let (types, typePlaces) = sortedTypes
    let (origins, originPlaces) = sortedOrigins
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
    try metadata.append(origins: origins, types: types, to: front) { renumbering.appendTable(to: $0) }
    try seal(body, metadata: front, minorVersion: surroundings.minorVersion)
    noteFinish(length: body.count)
    return body
  }

  /// Throws `duplicate-identifier` if two siblings have the same identifier, as ``finish(_:)`` does.
  ///
  /// - Complexity: O(n) in the nodes, or O(n log f), where f is the largest number of siblings.
  package func checkSiblings() throws(FormatError) {
    if SiblingFilter.areDistinct(self) { return }
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
      states.records.withMutableSpan { bytes in
        var walker = RecordWalker<ProvisionalKey>()
        for number in 0..<count where hasState(number) {
          walker.replaceLeads(of: node(number).state, in: &bytes, flags: node(number).flags, by: leads)
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
        walker.walkRecord(node(number).state, of: bytes, flags: node(number).flags) { key in
          if !key.isInline { isUsed[key.index] = true }
        }
      }
    }
    return isUsed
  }

  /// Rewrites all state records with final key references, which may differ in length.
  private func rewriteStates(_ renumbering: KeyRenumbering) {
    let target = OutputBuffer(capacity: states.records.count + states.records.count / 8)
    var ranges: [Range<Int>] = []
    states.records.withSpan { bytes in
      var walker = RecordWalker<ProvisionalKey>()
      for number in 0..<count {
        let start = target.count
        walker.copyRecord(node(number).state, of: bytes, flags: node(number).flags, to: target) {
          renumbering.appendReference($0.index, to: target)
        }
        ranges.append(start..<target.count)
      }
    }
    replaceStates(by: target, ranges: ranges)
  }

  /// Moves the state records into preorder, unless they were written in that order.
  private func putStatesInPreorder(_ table: borrowing NodeTable) {
    guard !isInPreorder else { return }
    let order = table.preorder()
    let target = OutputBuffer(capacity: states.records.count)
    var ranges = [Range<Int>](repeating: 0..<0, count: count)
    states.records.withSpan { bytes in
      for number in order {
        let start = target.count
        target.append(contentsOf: bytes.extracting(node(number).state))
        ranges[number] = start..<target.count
      }
    }
    replaceStates(by: target, ranges: ranges)
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
    guard UInt64(layout.fileLength) <= FileLayout.longestFile, UInt64(metadataLength) <= FileLayout.longestMetadata else {
      throw FormatError(
        .fileTooLarge, at: nil, "archive", expected: .text("at most \(FileLayout.longestFile) bytes"),
        found: .number(UInt64(layout.fileLength)))
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
        .tableSize, at: nil, "sections", expected: .text("at most \(FormatLimits.sections)"), found: .number(UInt64(lengths.count)),
        rule: "R-4.3-14")
    }
    let required = lengths.prefix(SectionCode.required.count)
    let ancillary = lengths.dropFirst(required.count)
    let all = ancillary.isEmpty ? required : required + ancillary.sorted { $0.code.rawValue < $1.code.rawValue }
    sections.reserveCapacity(all.count)
    var place = 0
    for (index, section) in all.enumerated() {
      let isRepeated = index > 0 && sections[index - 1].code == section.code
      guard !isRepeated, index < required.count || !section.code.isCritical || section.code == .link else {
        throw FormatError(
          .sectionOrder, at: nil, "section", expected: .text("ancillary sections, each once"), found: .text(section.code.text))
      }
      sections.append(SectionEntry(code: section.code, length: section.length, range: place..<(place + section.length)))
      place += section.length
    }
  }
}
