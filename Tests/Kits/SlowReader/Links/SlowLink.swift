/// What a link says of a node (Spec 15.2).
public struct SlowChange: Hashable, Sendable {
  /// 0 for contents, 1 for unchanged, 2 for removed.
  public var kind: UInt8
  /// Whether the node has a place.
  public var hasPlace: Bool
  /// The identifier of the sibling that the node directly follows; nil for the first place, and without a place.
  public var after: [UInt8]?
}

/// The section LINK, and the header of a link (Spec 15.1, 15.2).
enum SlowLink {
  /// An entry of the section.
  struct Entry {
    let offset: Int
    let change: UInt8
    /// The place; nil without one.
    let after: UInt64?

    var kind: UInt8 { change & 3 }
  }

  /// R-15.1-2: sixteen hexadecimal digits in lower case.
  static func digest(_ value: SlowValue) -> UInt64? {
    guard case .string(let text) = value, text.count == 16 else { return nil }
    var digest: UInt64 = 0
    for byte in text {
      guard let digit = Array("0123456789abcdef".utf8).firstIndex(of: byte) else { return nil }
      digest = digest << 4 | UInt64(digit)
    }
    return digest
  }

  /// Reads the section: F6 to F8.
  static func entries(_ bytes: [UInt8], _ section: Range<Int>, _ nodes: SlowNodeTable) throws(SlowFinding) -> [Entry] {
    var cursor = SlowCursor(bytes, from: section.lowerBound, count: section.count)
    var entries: [Entry] = []
    for index in 0..<nodes.count { entries.append(try entry(of: index, &cursor, nodes)) }
    // F7, R-15.2-1
    guard cursor.isAtEnd else { throw SlowFinding("unused-bytes", at: cursor.position) }
    try checkPlaces(entries, nodes)
    return entries
  }

  /// F6.
  private static func entry(of index: Int, _ cursor: inout SlowCursor, _ nodes: SlowNodeTable) throws(SlowFinding) -> Entry {
    let offset = cursor.position
    let change = try cursor.readByte()
    // R-15.2-1
    let allowed: [UInt8] = index == 0 ? [0, 1] : [0, 1, 2, 4, 5]
    guard allowed.contains(change) else { throw SlowFinding("link-entry", at: offset) }
    let record = nodes.records[index]
    // R-15.2-2
    if change & 3 != 0 {
      if record.stateLength != 0 { throw SlowFinding("link-record", at: record.offset + 20) }
      if record.type != 0 { throw SlowFinding("link-record", at: record.offset + 24) }
      if record.origin != 0 { throw SlowFinding("link-record", at: record.offset + 26) }
      if record.flags != 0 { throw SlowFinding("link-record", at: record.offset + 28) }
    }
    if change & 3 == 2, record.childCount != 0 { throw SlowFinding("link-record", at: record.offset + 12) }
    if index == 0 { return Entry(offset: offset, change: change, after: nil) }
    // R-15.2-3
    let parent = nodes.records[Int(clamping: record.parent)]
    let number = UInt64(index) - parent.firstChild
    guard record.savedOrder == number else { throw SlowFinding("saved-order", at: record.offset + 4) }
    guard change & 4 != 0 else { return Entry(offset: offset, change: change, after: nil) }
    // R-15.2-4
    let placeOffset = cursor.position
    let after = UInt64(try cursor.readVarint())
    guard after <= parent.childCount, after != number + 1 else { throw SlowFinding("link-place", at: placeOffset) }
    return Entry(offset: offset, change: change, after: after)
  }

  /// F8.
  private static func checkPlaces(_ entries: [Entry], _ nodes: SlowNodeTable) throws(SlowFinding) {
    // R-15.2-4: for each parent, the places that are taken.
    var taken: Set<[UInt64]> = []
    for (index, entry) in entries.enumerated() {
      guard let after = entry.after else { continue }
      if let sibling = sibling(after, of: index, nodes), entries[sibling].kind == 2 { throw SlowFinding("link-place", at: entry.offset) }
      guard taken.insert([nodes.records[index].parent, after]).inserted else { throw SlowFinding("link-place", at: entry.offset) }
    }
    // R-15.2-5
    for (index, entry) in entries.enumerated() {
      var next = index
      for _ in entries {
        guard let after = entries[next].after, let sibling = sibling(after, of: next, nodes) else { break }
        next = sibling
        if next == index { throw SlowFinding("link-cycle", at: entry.offset) }
      }
    }
  }

  /// Returns the index of the record that a place refers to; nil for the first place.
  private static func sibling(_ after: UInt64, of index: Int, _ nodes: SlowNodeTable) -> Int? {
    after == 0 ? nil : Int(clamping: nodes.records[Int(clamping: nodes.records[index].parent)].firstChild + after - 1)
  }

  /// Returns what a link says of the node of a record.
  static func change(of index: Int, _ entries: [Entry], _ nodes: SlowNodeTable) -> SlowChange {
    let entry = entries[index]
    var after: [UInt8]?
    if let place = entry.after, let sibling = sibling(place, of: index, nodes) { after = nodes.identifiers[sibling] }
    return SlowChange(kind: entry.kind, hasPlace: entry.after != nil, after: after)
  }
}
