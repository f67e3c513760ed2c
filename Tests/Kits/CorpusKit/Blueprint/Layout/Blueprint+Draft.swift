extension Blueprint {
  /// Creates the blueprint of the single valid file for a content (Spec chapter 8).
  init(_ draft: Draft) throws {
    let records = DraftRecord.number(draft)
    let keys = KeyTable(of: draft)
    let origins = draft.origins.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
    let types = TypeTable(of: records)
    let states = try StateLayout(records, writer: ValueWriter(keys: keys), isCompact: draft.isCompact)
    let strings = StringLayout(records)
    let nodes = NodeLayout(draft: draft, records: records, states: states, strings: strings, types: types, origins: origins)
    sections = [
      Section(name: "NODE", pieces: nodes.pieces), Section(name: "STRS", pieces: strings.pieces),
      Section(name: "STAT", pieces: states.pieces),
    ]
    sections += draft.sections.sorted { Bytes.ascends($0.code, $1.code) }.map { section in
      Section(name: section.code, pieces: section.bytes.isEmpty ? [] : [Piece(section.code, section.bytes, "content")])
    }
    if draft.minorVersion != 0 {
      fixed["prefix.minorVersion"] = Piece("", Bytes.u16(draft.minorVersion), "\(draft.minorVersion)")
    }
    metadata = try MetadataLayout(draft: draft, origins: origins, types: types, keys: keys, sections: sections).pieces()
  }
}
