extension Blueprint {
  /// Returns the whole file; every length and checksum that no edit has fixed is computed.
  func assemble() throws -> Assembly {
    let metadata = finalMetadata()
    let metadataBytes = metadata.flatMap(\.bytes)
    let body = sections.flatMap(\.bytes)
    let treeLength = ChecksumTree.length(body: body.count)
    let start = 64 + metadataBytes.count + treeLength
    let tree = ChecksumTree(body: body, start: start, fixed: fixed)
    var prefix = PrefixFields(fixed: fixed)
    prefix.fill(
      fileLength: 2 * start + body.count, metadata: metadataBytes, treeLength: treeLength, treeRoot: tree.root)

    var file = Assembly()
    file.add(prefix.pieces, label: "prefix", heading: "prefix")
    file.add(metadata, label: "metadata", heading: "metadata: volatile header, directory, header, origins, types, keys")
    file.add(tree.levels.reversed().flatMap { $0 }, label: "tree", heading: "checksum tree")
    for section in sections {
      file.add(section.pieces, label: section.name, heading: "section \(section.name)")
    }
    file.name("body", start..<file.bytes.count)
    addCopies(to: &file, prefix: prefix)
    return file
  }

  private func addCopies(to file: inout Assembly, prefix: PrefixFields) {
    for (name, title) in [("metadata", "metadata"), ("tree", "checksum tree")] {
      let place = file.places[name] ?? 0..<0
      let copy = Piece("", Array(file.bytes[place]), "the same bytes as at \(Comment.offset(place.lowerBound))")
      file.add([copy], label: name + "Copy", heading: "\(title), second copy")
    }
    let copy = prefix.copy(fixed: fixed)
    let same = Piece("", prefix.pieces.flatMap(\.bytes), "the same bytes as at 0x0000")
    let isSame = copy.flatMap(\.bytes) == same.bytes
    file.add(isSame ? [same] : copy, label: "prefixCopy", heading: "prefix, second copy")
  }

  /// Returns the metadata with the section lengths and the padding of the volatile header computed after all edits.
  private func finalMetadata() -> [Piece] {
    var metadata = metadata
    if let place = metadata.firstIndex(where: { $0.label == MetadataLayout.padding }), metadata[place].bytes.isEmpty {
      let entries = metadata[..<place].reduce(0) { $0 + $1.bytes.count }
      metadata[place].bytes = [UInt8](repeating: 0, count: max(192 - entries, 0))
      if entries >= 192 { metadata.remove(at: place) }
    }
    for (index, section) in sections.enumerated() {
      let label = "directory[\(index)].length"
      guard !fixedLengths.contains(label), let place = metadata.firstIndex(where: { $0.label == label }) else { continue }
      metadata[place].bytes = Bytes.varint(section.bytes.count)
      metadata[place].meaning = Comment.count(section.bytes.count, "byte")
    }
    return metadata
  }
}
