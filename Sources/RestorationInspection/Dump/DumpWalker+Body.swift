import ArchiveFormat
import RestorationArchive

extension DumpWalker {
  /// Explains the sections (Spec §4.5).
  mutating func walkBody(_ records: ArchiveRecords) {
    guard records.layout.body.lowerBound == position else { return }
    for section in records.metadata.sections {
      structure("section \(section.code.text)", until: records.layout.body.lowerBound + section.range.upperBound) { walker in
        switch section.code {
        case .nodes: walker.walkNodes(records)
        case .strings: walker.walkStrings(records)
        case .states: walker.walkStates(records)
        case .link: walker.walkLink(records, section)
        default: walker.walkForeignSection(records, section)
        }
      }
    }
  }

  /// Explains what a link says of its nodes (Spec §15.2).
  private mutating func walkLink(_ records: ArchiveRecords, _ section: SectionEntry) {
    guard (try? records.bytes(of: section)) != nil else { return walkForeignSection(records, section) }
    let file = bytes
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    var record = 0
    while let change = try? cursor.readByte(in: file.span, "change") {
      let name = LinkTable.Change(rawValue: change & ~LinkTable.hasPlace).map { "\($0)" } ?? "unknown"
      explain(1, "change of record \(record): \(name)")
      record += 1
      guard change & LinkTable.hasPlace != 0 else { continue }
      let start = cursor.position
      guard let after = try? cursor.readVarint(in: file.span, "place") else { break }
      explain(cursor.position - start, after == 0 ? "after: none, the first place" : "after: sibling \(after)")
    }
    explain(until: limit, "unused", isMasked: true)
  }

  /// Explains a section of unknown type; its bytes are masked, since they may contain sensitive values.
  private mutating func walkForeignSection(_ records: ArchiveRecords, _ section: SectionEntry) {
    let isIntact = (try? records.bytes(of: section)) != nil
    explain(until: limit, isIntact ? "content of section \(section.code.text)" : "damaged", isMasked: true)
  }

  /// Whether a range of the body lies in intact blocks.
  func isIntact(_ range: Range<Int>, _ records: ArchiveRecords) -> Bool {
    (try? records.blocks.bytes(in: range)) != nil
  }

  // MARK: NODE

  private mutating func walkNodes(_ records: ArchiveRecords) {
    for index in 0..<records.presentRecordCount {
      let start = records.metadata.nodes.lowerBound + index * NodeRecord.byteCount
      let end = position + NodeRecord.byteCount
      guard end <= limit, isIntact(start..<(start + NodeRecord.byteCount), records) else {
        explainRest(until: end, "node record \(index): damaged")
        continue
      }
      let record = NodeRecord(reading: bytes.span, at: position)
      structure("node record \(index)\(index == 0 ? " (application)" : "")", until: end) { walker in
        walker.walkFields(of: record, records.metadata)
        walker.walkIdentifier(isApplication: index == 0)
      }
    }
  }

  private mutating func walkFields(of record: NodeRecord, _ metadata: ArchiveMetadata) {
    explain(4, "parent: \(record.parent)")
    explain(4, "savedOrder: \(record.savedOrder)")
    explain(4, "firstChild: \(record.firstChild)")
    explain(4, "childCount: \(record.childCount)")
    explain(4, "stateOffset: \(record.stateOffset)")
    explain(4, "stateLength: \(record.stateLength)")
    let type = Int(record.type) - 1
    let tag = metadata.types.indices.contains(type) ? ", \(metadata.types[type].tag.escapedForDisplay)" : ""
    explain(2, "type: \(record.type == 0 ? "none" : "\(record.type)\(tag)")")
    explain(2, "origin: \(record.origin == 0 ? "this save" : "\(record.origin)")")
    explain(1, "flags: \(Self.meaning(ofFlags: record.flags))")
  }

  private static func meaning(ofFlags flags: UInt8) -> String {
    var names: [String] = []
    if flags & NodeRecord.hasProvider != 0 { names.append("has a provider") }
    if flags & NodeRecord.hasAttributes != 0 { names.append("has attributes") }
    if flags & ~(NodeRecord.hasProvider | NodeRecord.hasAttributes) != 0 { names.append("unknown bits") }
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  private mutating func walkIdentifier(isApplication: Bool) {
    guard !isApplication, let field = try? IdentifierField(reading: bytes.span, at: position, fileOffset: 0) else {
      explain(IdentifierField.byteCount, isApplication ? "no identifier" : "identifier: invalid")
      return
    }
    guard let inStrings = field.inStrings else {
      explain(1, "identifier length: \(field.inRecord.count)")
      explain(field.inRecord.count, "identifier: \(text(field.inRecord))")
      explain(IdentifierField.longestShort - field.inRecord.count, "padding")
      return
    }
    explain(1, "identifier: long form")
    explain(IdentifierField.prefixLength, "its first bytes: \(text(field.inRecord))")
    explain(2, "length: \(inStrings.count)")
    explain(4, "offset in STRS: \(inStrings.lowerBound)")
  }

  /// Returns the bytes as displayable text; they need not be valid UTF-8.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self).escapedForDisplay }

  // MARK: STRS

  private mutating func walkStrings(_ records: ArchiveRecords) {
    let strings = records.metadata.strings
    let start = position
    for range in Self.longIdentifiers(records) where range.upperBound <= strings.count && start + range.lowerBound >= position {
      walkUnnamedStrings(until: start + range.lowerBound, records)
      let isBelieved = isIntact((strings.lowerBound + range.lowerBound)..<(strings.lowerBound + range.upperBound), records)
      let place = position..<min(limit, start + range.upperBound)
      explain(until: start + range.upperBound, isBelieved ? "identifier: \(text(place))" : "identifier: damaged", isMasked: !isBelieved)
    }
    walkUnnamedStrings(until: limit, records)
  }

  /// Adds a piece for the bytes of `STRS` that no readable record refers to.
  ///
  /// They can only be identifiers, so they are shown if their blocks are intact.
  private mutating func walkUnnamedStrings(until end: Int, _ records: ArchiveRecords) {
    guard end > position else { return }
    let first = records.layout.body.lowerBound
    explain(until: end, "not referenced by any readable record", isMasked: !isIntact((position - first)..<(end - first), records))
  }

  /// Returns the ranges in `STRS` of the long identifiers of intact records, in ascending order.
  private static func longIdentifiers(_ records: ArchiveRecords) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for index in 1..<max(1, records.presentRecordCount) {
      if let range = try? records.node(at: index).identifierInStrings { ranges.append(range) }
    }
    return ranges.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }
}

extension DumpWalker {
  /// Dumps the section `STAT` (Spec §6.3).
  mutating func walkStates(_ records: ArchiveRecords) {
    let states = records.metadata.states
    let start = position
    for record in Self.stateRecords(records) {
      let range = Int(record.offset)..<(Int(record.offset) + Int(record.length))
      guard range.upperBound <= states.count, start + range.lowerBound >= position else { continue }
      explainRest(until: start + range.lowerBound, "not referenced by any readable record")
      let owner = record.node == 0 ? "the application" : "node \(record.node)"
      guard isIntact((states.lowerBound + range.lowerBound)..<(states.lowerBound + range.upperBound), records) else {
        explainRest(until: start + range.upperBound, "state of \(owner): damaged")
        continue
      }
      structure("state of \(owner)", until: start + range.upperBound) { walker in
        walker.walkState(flags: record.flags, records.metadata.keys)
      }
    }
    explainRest(until: limit, "not referenced by any readable record")
  }

  /// Returns the state records of intact node records, in ascending order.
  private static func stateRecords(_ records: ArchiveRecords) -> [(node: UInt32, offset: UInt32, length: UInt32, flags: UInt8)] {
    let all = (0..<records.presentRecordCount).lazy.compactMap { index in
      (try? records.node(at: index).record).map {
        (node: UInt32(truncatingIfNeeded: index), offset: $0.stateOffset, length: $0.stateLength, flags: $0.flags)
      }
    }
    return all.filter { $0.length > 0 }.sorted { ($0.offset, $0.node) < ($1.offset, $1.node) }
  }

  private mutating func walkState(flags: UInt8, _ keys: KeyTable) {
    if flags & NodeRecord.hasProvider != 0 {
      // After a name that cannot be read, nothing says where the entries begin.
      guard explainProviderName("name of the provider"), explainProviderName("name within the provider") else { return }
    }
    if flags & NodeRecord.hasAttributes != 0 {
      var cursor = ByteCursor(position..<limit, fileOffset: 0)
      guard let range = try? cursor.readLength(in: bytes.span, "attributes") else { return }
      explain(until: range.lowerBound, "length of the attributes: \(range.count)")
      structure("attributes", until: range.upperBound) { $0.walkEntries(.attributes(strict: false), keys, nesting: 0) }
    }
    walkEntries(.state, keys, nesting: 0)
  }

  /// Explains a name at the current position; false if it cannot be read.
  private mutating func explainProviderName(_ name: String) -> Bool {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard let range = try? cursor.readText(in: bytes.span, bounds: FormatLimits.providerName, "provider") else { return false }
    explainText("\(name): \(text(range))")
    return true
  }

  // MARK: Entries and values

  /// Explains entries up to `limit`.
  ///
  /// The bytes after a fault are left to the caller.
  private mutating func walkEntries(_ role: EntryRole, _ keys: KeyTable, nesting: Int) {
    var reader = EntryReader(ByteCursor(position..<limit, fileOffset: 0), role: role, keys: keys)
    let bytes = bytes
    while let entry = try? reader.next(in: bytes.span, keys: keys) {
      if !entry.key.isInline { seenKeys.insert(entry.key.index) }
      let name = entry.key.isInline ? text(entry.key.inlineRange) : keys.text(at: entry.key.index).escapedForDisplay
      explain(until: entry.valueStart, "key\(entry.key.isInline ? ", in line" : ""): \(name)")
      let end = reader.cursor.position
      if entry.isSensitive {
        explain(1, "mark: sensitive")
        if sensitive.hides(true) {
          explain(until: end, "value, masked", isMasked: true)
          continue
        }
      }
      walkValue(entry.value, until: end, keys, nesting: nesting)
    }
  }

  private mutating func walkValue(_ value: RawValue, until end: Int, _ keys: KeyTable, nesting: Int) {
    guard value.kind == .array || value.kind == .dictionary else {
      // A value of an unknown type may contain anything, including sensitive values.
      explain(until: end, meaning(of: value), isMasked: value.kind == .unknown)
      return
    }
    explain(until: value.payload.lowerBound, "\(value.kind.name) of \(ArchiveOverview.counted(value.payload.count, "byte"))")
    guard nesting < FormatLimits.nesting, !value.payload.isEmpty else { return }
    structure("contents", until: end) { walker in
      if value.kind == .array {
        walker.walkElements(keys, nesting: nesting + 1)
      } else {
        walker.walkEntries(.dictionary, keys, nesting: nesting + 1)
      }
    }
  }

  private mutating func walkElements(_ keys: KeyTable, nesting: Int) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    let bytes = bytes
    while !cursor.isAtEnd {
      guard let value = try? cursor.readValue(in: bytes.span) else { return }
      walkValue(value, until: cursor.position, keys, nesting: nesting)
    }
  }

  private func meaning(of value: RawValue) -> String {
    switch value.kind {
    case .bool: value.bits == 0 ? "false" : "true"
    case .integer: "integer: \(value.bits)"
    case .negativeInteger: "integer: \(-1 - Int(truncatingIfNeeded: value.bits))"
    case .float64: "float64: \(Double(bitPattern: value.bits))"
    case .date: "date: \(ArchiveValue(HeaderScalar.date(value.bits)).displayText)"
    // Shortened to fit a line: all of its bytes are shown beside it.
    case .string, .url:
      "\(value.kind.name): \"\(value.payload.count > 60 ? text(value.payload.prefix(57)) + "…" : text(value.payload))\""
    case .data: "data, \(ArchiveOverview.counted(value.payload.count, "byte"))"
    case .null, .uuid, .reference, .array, .dictionary, .unknown: value.kind.name
    }
  }
}
