import Storage

/// The changes that a chain makes to the bytes of its base, if its links only replace the contents of nodes.
///
/// Typing and scrolling open, close and move nothing, so most links are of this kind. Their state records replace those
/// of the base, and the other records move by a few bytes. Copying every record would take several times as long:
///
///     base     NODE | STRS | STAT  a a b b b b c c d
///     result   NODE | STRS | STAT  a a B B c c d         B is shorter than b, so c and d move
///
/// The bytes of the base are changed in place, without a copy.
package struct ContentsPatch {
  /// A node whose state record is replaced.
  fileprivate struct Change {
    /// The number of its record in the node table.
    let record: Int
    let flags: UInt8
    /// The place of the old state record in its section, and of the new one in ``states``.
    let old: Range<Int>
    let new: Range<Int>
  }

  /// The changes, in the order of the state records.
  private let changes: [Change]
  private let states: StateWriter
  private let metadata: ArchiveMetadata
  /// The bytes of the new metadata, and the new layout.
  private let front: [UInt8]
  private let layout: FileLayout
  private let minorVersion: UInt16
  private let sections: [[UInt8]]
  /// The place of the body in the base, and of the state records in the body.
  private let oldBody: Range<Int>
  private let oldStates: Range<Int>

  /// Finds the changes; nil if a link does anything else, or if the tables of the base would have to change.
  ///
  /// - Parameters:
  ///   - files: The base and the links.
  ///   - overlay: The tree after the links.
  init?(_ files: [ChainFile], _ overlay: borrowing ChainOverlay) {
    guard let last = files.last,
      let surroundings = try? ArchiveSurroundings(header: last.header, sections: last.sections, minorVersion: last.prefix.minorVersion),
      let found = ChangedContents(files, overlay)
    else { return nil }
    let base = files[0]
    states = found.states
    changes = found.changes.sorted { $0.old.lowerBound < $1.old.lowerBound }
    let growth = changes.reduce(0) { $0 + $1.new.count - $1.old.count }
    var metadata = surroundings.metadata
    (metadata.types, metadata.origins) = (base.metadata.types, base.metadata.origins)
    let lengths =
      [(code: SectionCode.nodes, length: base.metadata.nodes.count), (.strings, base.metadata.strings.count)]
      + [(.states, base.metadata.states.count + growth)] + surroundings.sections.map { ($0.code, $0.bytes.count) }
    guard (try? metadata.setSections(lengths)) != nil else { return nil }
    let front = OutputBuffer(capacity: 4096)
    // The keys are those that were adopted.
    let appendKeys = { [states] (buffer: borrowing OutputBuffer) in states.appendKeyTable(nil, to: buffer) }
    // Too long a file is an error, which the writer of whole archives reports.
    guard (try? metadata.append(origins: metadata.allOrigins, types: metadata.allTypes, to: front, appendKeys)) != nil,
      let layout = try? ArchiveAssembler.layout(
        bodyLength: metadata.sections.last?.range.upperBound ?? 0, metadataLength: front.count)
    else { return nil }
    self.metadata = metadata
    self.layout = layout
    self.front = front.makeArray()
    sections = surroundings.sections.sorted { $0.code.rawValue < $1.code.rawValue }.map(\.bytes)
    minorVersion = surroundings.minorVersion
    oldBody = base.bodyRange
    oldStates = base.metadata.states
  }

  /// Changes the bytes of the base into the resolved archive.
  ///
  /// - Complexity: O(n log k) in the nodes, where k is the number of changes, and O(n) in the bytes.
  package func apply(to bytes: inout [UInt8]) {
    renumberRecords(in: &bytes)
    bytes.reserveCapacity(layout.fileLength)
    if bytes.count < layout.fileLength { bytes.append(contentsOf: repeatElement(0, count: layout.fileLength - bytes.count)) }
    move(in: &bytes, to: layout.body.lowerBound)
    bytes.removeLast(bytes.count - layout.fileLength)
    let front = OutputBuffer(capacity: self.front.count + layout.tree.byteCount)
    front.append(contentsOf: self.front.span)
    let prefix = ArchiveAssembler.seal(bytes.span.extracting(layout.body), layout, metadata: front, minorVersion: minorVersion)
    bytes.write(prefix.span, at: 0)
    front.withSpan { bytes.write($0, at: prefix.count) }
    front.withSpan { bytes.write($0, at: layout.body.upperBound) }
    bytes.write(prefix.span, at: layout.secondPrefix.lowerBound)
  }

  /// Updates `stateOffset`, `stateLength` and `flags` in the node table.
  private func renumberRecords(in bytes: inout [UInt8]) {
    // How far the state records after each change move.
    var shifts: [Int] = [0]
    for change in changes { shifts.append((shifts.last ?? 0) + change.new.count - change.old.count) }
    let starts = changes.map(\.old.lowerBound)
    let nodes = oldBody.lowerBound + metadata.nodes.lowerBound
    for record in 0..<metadata.recordCount {
      let place = nodes + record * NodeRecord.byteCount
      let (offset, length) = (bytes.span.uint32(at: place + NodeRecord.FieldOffset.stateOffset), place + NodeRecord.FieldOffset.stateLength)
      // A node without a state record has the offset 0.
      guard bytes.span.uint32(at: length) > 0 else { continue }
      let shift = shifts[starts.indices.first(past: { starts[$0] >= Int(offset) })]
      if shift != 0 { bytes.write(UInt32(truncatingIfNeeded: Int(offset) + shift), at: place + NodeRecord.FieldOffset.stateOffset) }
    }
    for change in changes {
      let place = nodes + change.record * NodeRecord.byteCount
      bytes.write(UInt32(truncatingIfNeeded: change.new.count), at: place + NodeRecord.FieldOffset.stateLength)
      bytes[place + NodeRecord.FieldOffset.flags] = change.flags
    }
  }

  /// Moves what stays to its new place, and writes the new state records and the sections after them.
  private func move(in bytes: inout [UInt8], to body: Int) {
    let states = oldBody.lowerBound + oldStates.lowerBound
    var pieces: [(old: Range<Int>, new: Int)] = []
    var (old, new) = (oldBody.lowerBound, body)
    var places: [Int] = []
    for change in changes {
      let piece = old..<(states + change.old.lowerBound)
      pieces.append((piece, new))
      places.append(new + piece.count)
      old = states + change.old.upperBound
      new += piece.count + change.new.count
    }
    let rest = old..<(oldBody.lowerBound + oldStates.upperBound)
    pieces.append((rest, new))
    // Pieces that move towards the start, first to last, then the others, last to first: none overwrites another that
    // has not moved yet.
    for piece in pieces where piece.new < piece.old.lowerBound { bytes.move(piece.old, to: piece.new) }
    for piece in pieces.reversed() where piece.new > piece.old.lowerBound { bytes.move(piece.old, to: piece.new) }
    self.states.records.withSpan { records in
      for (change, place) in zip(changes, places) { bytes.write(records.extracting(change.new), at: place) }
    }
    new += rest.count
    for section in sections {
      bytes.write(section.span, at: new)
      new += section.count
    }
  }
}

/// The new state records of a chain whose links only replace the contents of nodes.
private struct ChangedContents {
  private(set) var changes: [ContentsPatch.Change] = []
  /// The new state records, with the key references of the base.
  let states = StateWriter(capacity: 4096, gap: 0)

  /// Copies the new state records; nil if a link does anything else, adds a key or a type, or removes its last use.
  init?(_ files: [ChainFile], _ overlay: borrowing ChainOverlay) {
    let base = files[0]
    let known = base.metadata.keys.count
    guard states.adoptKeys(of: base.metadata.keys) else { return nil }
    var copiers: [RecordCopier] = []
    for file in files { copiers.append(RecordCopier(file, to: states, isVerbatim: false)) }
    for index in 0..<overlay.nodes.count {
      let node = overlay.nodes[index]
      guard let record = node.base.map({ Int($0) }), !node.isRemoved, node.head == 0 else { return nil }
      if node.file == 0 { continue }
      let file = files[Int(node.file)]
      let (before, after) = (base.record(record), file.record(Int(node.record)))
      guard before.stateLength > 0, after.stateLength > 0, base.metadata.type(before.type) == file.metadata.type(after.type),
        base.metadata.origin(before.origin) == file.metadata.origin(after.origin)
      else { return nil }
      let start = states.records.count
      copiers[Int(node.file)].copy(after, to: states.records)
      changes.append(
        ContentsPatch.Change(
          record: record, flags: after.flags, old: before.stateRange(length: .max) ?? 0..<0, new: start..<states.records.count))
    }
    guard states.keyCount == known, keepsKeys(base) else { return nil }
  }

  /// Whether each key of the base that the old state records have is still used.
  private func keepsKeys(_ base: ChainFile) -> Bool {
    let old = StateWriter(capacity: 4096, gap: 0)
    guard old.adoptKeys(of: base.metadata.keys) else { return false }
    var copier = RecordCopier(base, to: old, isVerbatim: true)
    for change in changes {
      copier.copy(base.record(change.record), to: old.records)
      old.records.truncate(to: 0)
    }
    var missing = (0..<old.keyCount).filter { old.isUsed($0) && !states.isUsed($0) }
    if missing.isEmpty { return true }
    // Another node may still use the missing keys. Siblings usually have the same keys, so the search is short.
    let others = StateWriter(capacity: 4096, gap: 0)
    guard others.adoptKeys(of: base.metadata.keys) else { return false }
    copier = RecordCopier(base, to: others, isVerbatim: true)
    let changed = Set(changes.map(\.record))
    for index in 0..<base.records.count where !changed.contains(index) {
      let record = base.record(index)
      if record.stateLength == 0 { continue }
      copier.copy(record, to: others.records)
      others.records.truncate(to: 0)
      // One key after the other: looking at all of them for each record would multiply the time by their number.
      while let key = missing.last, others.isUsed(key) { missing.removeLast() }
      if missing.isEmpty { return true }
    }
    return false
  }
}
