import ArchiveFormat
import RestorationArchive

extension DumpWalker {
  /// A state record, with the node record that refers to it.
  private struct StateRecord {
    var node: UInt32
    var offset: UInt32
    var length: UInt32
    var flags: UInt8
  }

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

  private static func stateRecords(_ records: ArchiveRecords) -> [StateRecord] {
    var found: [StateRecord] = []
    for index in 0..<records.presentRecordCount {
      guard let record = try? records.node(at: index).record, record.stateLength > 0 else { continue }
      found.append(
        StateRecord(
          node: UInt32(truncatingIfNeeded: index), offset: record.stateOffset, length: record.stateLength, flags: record.flags))
    }
    return found.sorted { ($0.offset, $0.node) < ($1.offset, $1.node) }
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
      let name = entry.key.isInline ? text(entry.key.inlineRange) : keys.text(at: entry.key.index).escapedForDisplay
      explain(until: entry.valueStart, "key\(entry.key.isInline ? ", in line" : ""): \(name)")
      let end = reader.cursor.position
      if entry.isSensitive {
        explain(1, "mark: sensitive")
        if sensitive == .redact {
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
    case .string, .url: "\(value.kind.name): \"\(shortText(value.payload))\""
    case .data: "data, \(ArchiveOverview.counted(value.payload.count, "byte"))"
    case .null, .uuid, .reference, .array, .dictionary, .unknown: value.kind.name
    }
  }

  /// Returns text shortened to one line; the dump shows the bytes beside it anyway.
  private func shortText(_ range: Range<Int>) -> String {
    range.count <= 60 ? text(range) : text(range.prefix(57)) + "…"
  }
}
