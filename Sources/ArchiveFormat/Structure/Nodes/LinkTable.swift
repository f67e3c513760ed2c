/// What a link says about each of its node records (Spec §15.2).
///
///     record    0           1 "a"       2 "b"
///     entry     unchanged   unchanged   contents, after the first sibling
///     LINK      01          01          04 01
package struct LinkTable: Sendable {
  /// How a link changes a node.
  package enum Change: UInt8, Sendable, BitwiseCopyable {
    /// The parts of the node are those in the link.
    case contents = 0
    /// The parts of the node are as before.
    case unchanged = 1
    /// The node is gone, with everything below it.
    case removed = 2
  }

  /// The bit of a change that is followed by a place.
  package static let hasPlace: UInt8 = 4

  /// The entry of a record.
  package struct Entry: Sendable, BitwiseCopyable {
    /// How the link changes the node.
    package var change: Change
    /// Whether the node has a place.
    package var hasPlace: Bool
    /// The place: 0 for the first, k for directly after the sibling with this number, counted from 1.
    package var after: UInt32

    /// Creates an entry; a nil `after` is no place.
    package init(_ change: Change, after: UInt32? = nil) {
      self.change = change
      hasPlace = after != nil
      self.after = after ?? 0
    }
  }

  /// The entries, in the order of the records.
  package private(set) var entries: [Entry]

  /// Creates a table of these entries.
  init(_ entries: [Entry]) {
    self.entries = entries
  }

  /// Reads the section (F6 to F8 of Spec §7.2).
  ///
  /// The section and all node records are each given as a range of an array, whose index 0 lies at an offset in the file.
  /// The records need not be checked.
  ///
  /// - Throws: A fault of the section; `parent-mismatch` for records that are no tree.
  /// - Complexity: O(n) in the records.
  init(
    _ section: Range<Int>, in sectionBytes: [UInt8], at sectionOffset: Int, nodes: Range<Int>, in nodeBytes: [UInt8], at nodeOffset: Int
  ) throws(FormatError) {
    var reader = LinkReader(
      cursor: ByteCursor(section, fileOffset: sectionOffset), count: nodes.count / NodeRecord.byteCount, nodes: nodes.lowerBound,
      nodeOffset: nodeOffset)
    let file = nodeBytes.span
    entries = try reader.read(sectionBytes.span, file)
    let fault = Self.placeFault(of: entries) { record in
      NodeRecord(reading: nodeBytes.span, at: nodes.lowerBound + record * NodeRecord.byteCount).parent
    }
    if let fault {
      throw FormatError(
        fault.code, at: reader.starts[fault.record], "place of a node", expected: .text(fault.expected), node: fault.record)
    }
  }

  /// Appends the section.
  func write(to buffer: borrowing OutputBuffer) {
    for entry in entries {
      buffer.append(entry.change.rawValue | (entry.hasPlace ? Self.hasPlace : 0))
      if entry.hasPlace { buffer.appendVarint(entry.after) }
    }
  }

  // MARK: Places

  /// A place that breaks a rule.
  struct PlaceFault {
    let record: Int
    let code: FormatErrorCode
    let expected: String
  }

  /// Returns the first fault of the places (rules R-15.2-4 and R-15.2-5); parents precede their children.
  ///
  /// - Complexity: O(n).
  static func placeFault(of entries: [Entry], parent: (Int) -> UInt32) -> PlaceFault? {
    // For each record, the sibling that comes directly after it, plus one; for the first place, in the second array at
    // the number of the parent.
    var followers = [UInt32](repeating: 0, count: entries.count)
    var first = [Bool](repeating: false, count: entries.count)
    var starts = [UInt32](repeating: 0, count: entries.count)
    for record in entries.indices.dropFirst() {
      starts[record] = parent(record) == parent(record - 1) && record > 1 ? starts[record - 1] : UInt32(record)
      let entry = entries[record]
      guard entry.hasPlace else { continue }
      if entry.after == 0 {
        let above = Int(parent(record))
        if first[above] { return PlaceFault(record: record, code: .linkPlace, expected: "one node in the first place") }
        first[above] = true
        continue
      }
      let target = Int(starts[record]) + Int(entry.after) - 1
      guard target < entries.count, parent(target) == parent(record), entries[target].change != .removed else {
        return PlaceFault(record: record, code: .linkPlace, expected: "after a sibling that is not removed")
      }
      if followers[target] != 0 { return PlaceFault(record: record, code: .linkPlace, expected: "one node directly after a sibling") }
      followers[target] = UInt32(record) + 1
    }
    return circle(in: entries, starts: starts)
  }

  /// Returns the first record of a circle.
  ///
  /// No two records are directly after the same one, so a walk that comes back to its start is a circle, and every other
  /// one ends.
  private static func circle(in entries: [Entry], starts: [UInt32]) -> PlaceFault? {
    var isKnown = [Bool](repeating: false, count: entries.count)
    for record in entries.indices.dropFirst() where !isKnown[record] {
      var next = record
      while !isKnown[next] {
        isKnown[next] = true
        guard entries[next].hasPlace, entries[next].after > 0 else { break }
        next = Int(starts[next]) + Int(entries[next].after) - 1
        if next == record { return PlaceFault(record: record, code: .linkCycle, expected: "no circle of places") }
      }
    }
    return nil
  }
}

/// Reads the entries of a link one by one (F6 and F7 of Spec §7.2).
private struct LinkReader {
  var cursor: ByteCursor
  let count: Int
  let nodes: Int
  let nodeOffset: Int
  /// The offset of each entry.
  private(set) var starts: [Int] = []

  mutating func read(_ section: Span<UInt8>, _ records: Span<UInt8>) throws(FormatError) -> [LinkTable.Entry] {
    var entries: [LinkTable.Entry] = []
    // Each entry takes at least a byte.
    let capacity = min(count, cursor.remaining)
    entries.reserveCapacity(capacity)
    starts.reserveCapacity(capacity)
    for record in 0..<count { entries.append(try readEntry(of: record, section, records)) }
    guard cursor.isAtEnd else {
      throw FormatError(
        .unusedBytes, at: cursor.offset, "section LINK", expected: "its end", found: "\(cursor.remaining) more bytes", rule: "R-15.2-1")
    }
    return entries
  }

  private mutating func readEntry(of record: Int, _ file: Span<UInt8>, _ records: Span<UInt8>) throws(FormatError) -> LinkTable.Entry {
    let start = cursor.offset
    starts.append(start)
    let byte = try cursor.readByte(in: file, "change")
    let hasPlace = byte & LinkTable.hasPlace != 0
    guard let change = LinkTable.Change(rawValue: byte & ~LinkTable.hasPlace),
      record == 0 ? byte < LinkTable.Change.removed.rawValue : change != .removed || !hasPlace
    else {
      throw FormatError(
        .linkEntry, at: start, "change", expected: record == 0 ? "0 or 1" : "0, 1, 2, 4 or 5", found: .number(byte), node: record)
    }
    let fields = NodeRecord(reading: records, at: nodes + record * NodeRecord.byteCount)
    try check(fields, change, record)
    guard record > 0 else { return LinkTable.Entry(change) }
    let above = Int(clamping: fields.parent)
    let parent = above < record ? NodeRecord(reading: records, at: nodes + above * NodeRecord.byteCount) : fields
    guard above < record, let children = parent.children(index: above, count: count), children.contains(record) else {
      throw NodeRules.parentMismatch(
        fields, at: offset(of: record), expected: .text("the record that lists this child"), node: record)
    }
    let rank = UInt32(truncatingIfNeeded: record - children.lowerBound)
    guard fields.savedOrder == rank else {
      throw FormatError(
        .savedOrder, at: offset(of: record) + NodeRecord.FieldOffset.savedOrder, "saved order in a link", expected: .number(rank),
        found: .number(fields.savedOrder), node: record, rule: "R-15.2-3")
    }
    guard hasPlace else { return LinkTable.Entry(change) }
    let place = cursor.offset
    let after = try cursor.readVarint(in: file, "place")
    guard after <= parent.childCount, after != rank + 1 else {
      throw FormatError(
        .linkPlace, at: place, "place of a node", expected: "the number of another of \(parent.childCount) siblings", found: .number(after),
        node: record)
    }
    return LinkTable.Entry(change, after: after)
  }

  private func offset(of record: Int) -> Int { nodeOffset + nodes + record * NodeRecord.byteCount }

  /// Checks that a record that is not of contents has none (rule R-15.2-2).
  private func check(_ fields: NodeRecord, _ change: LinkTable.Change, _ record: Int) throws(FormatError) {
    if change == .contents { return }
    typealias Field = NodeRecord.FieldOffset
    let childCount = change == .removed ? fields.childCount : 0
    let parts: [(Int, UInt64)] = [
      (Field.stateLength, UInt64(fields.stateLength)), (Field.type, UInt64(fields.type)), (Field.origin, UInt64(fields.origin)),
      (Field.flags, UInt64(fields.flags)), (Field.childCount, UInt64(childCount)),
    ]
    for (field, value) in parts where value != 0 {
      throw FormatError(
        .linkRecord, at: offset(of: record) + field, "record of a node that is \(change == .removed ? "removed" : "unchanged")",
        expected: .number(0), found: .number(value), node: record)
    }
  }
}
