import Locking

/// An open archive as records: metadata, node records, identifiers, state records, each verified on access.
///
/// Keeps no nodes in memory. All functions may be called concurrently.
package final class ArchiveRecords: Sendable {
  /// The prefix.
  package let prefix: ArchivePrefix
  /// The metadata.
  package let metadata: ArchiveMetadata
  /// The verified bytes of the body.
  package let blocks: BlockReader
  /// The ledger of the children visited.
  private let children: Lock<ShareLedger>
  /// The indexes of entries that are not in use, with the memory for a record and what they know of keys.
  private let spareIndexes = Lock<[EntryIndex]>([])
  /// The errors of copies that were skipped while opening the archive.
  package let openingErrors: [FormatError]

  /// The layout of the file.
  package var layout: FileLayout { blocks.layout }
  /// The number of node records, including the root record.
  package var recordCount: Int { metadata.recordCount }
  /// The number of node records that lie within the file.
  ///
  /// A truncated file may declare eighty million.
  package let presentRecordCount: Int

  // Here, because another module would copy the metadata for each call.

  /// The keys that entries refer to by number.
  package var keys: KeyTable { metadata.keys }

  /// Returns the type with a number, or nil for 0.
  package func type(_ number: UInt16) -> TypeRecord? { metadata.type(number) }

  /// Returns the origin with a number, or nil for 0.
  package func origin(_ number: UInt16) -> OriginRecord? { metadata.origin(number) }

  /// Opens an archive.
  ///
  /// See ``ArchiveOpening`` for `toleratesLength`.
  package convenience init(_ source: ArchiveSource, toleratesLength: Bool = false) throws(FormatError) {
    try self.init(ArchiveOpening(source, toleratesLength: toleratesLength))
  }

  /// Opens an archive whose prefix has been read.
  package init(_ opening: ArchiveOpening) throws(FormatError) {
    var errors = opening.lengthError.map { [$0] } ?? []
    if opening.usesSecondPrefix { errors.append(FormatError(.prefixDamaged, at: 0, "first copy of the prefix")) }
    prefix = opening.prefix
    let copy = try Self.readMetadata(opening, &errors)
    metadata = try MetadataReader.read(
      copy.storage.span.extracting(copy.range), at: copy.fileOffset + copy.range.lowerBound, opening.prefix, opening.layout)
    let present = max(opening.length - opening.layout.body.lowerBound - metadata.nodes.lowerBound, 0)
    presentRecordCount = min(metadata.recordCount, present / NodeRecord.byteCount)
    children = Lock(ShareLedger(total: presentRecordCount, ownerCount: presentRecordCount))
    blocks = BlockReader(
      source: opening.source, layout: opening.layout, root: opening.prefix.treeRoot, head: opening.head,
      shares: ShareLedger(total: metadata.states.count, ownerCount: presentRecordCount))
    openingErrors = errors
  }

  /// Reads the first intact copy of the metadata (rule R-7.1-2).
  private static func readMetadata(_ opening: ArchiveOpening, _ errors: inout [FormatError]) throws(FormatError) -> VerifiedBytes {
    var last: FormatError?
    for range in opening.layout.metadataCopies {
      let copy =
        range.upperBound <= opening.head.count
        ? VerifiedBytes(storage: opening.head, range: range, fileOffset: 0)
        : VerifiedBytes(all: try opening.source.read(range), fileOffset: range.lowerBound)
      let bytes = copy.storage.span.extracting(copy.range)
      guard let damage = opening.prefix.findDamage(inMetadata: bytes, at: last?.offset ?? range.lowerBound) else {
        if let last { errors.append(last) }
        return copy
      }
      last = damage
    }
    throw last ?? FormatError(.metadataDamaged, at: ArchivePrefix.byteCount)
  }

  // MARK: Nodes

  /// A node record, with its identifier as stored.
  package struct StoredNode: Sendable {
    /// The index of the record.
    package let index: Int
    /// The fields.
    package let record: NodeRecord
    /// The offset of the record in the file.
    package let offset: Int
    /// The last 24 bytes of the record, which contain the identifier or its place.
    private let end: (UInt64, UInt64, UInt64)
    private static let endOffset = 24

    fileprivate init(index: Int, reading bytes: Span<UInt8>, at start: Int, fileOffset: Int) {
      self.index = index
      record = NodeRecord(reading: bytes, at: start)
      offset = fileOffset + start
      let end = bytes.extracting((start + Self.endOffset)..<(start + NodeRecord.byteCount))
      self.end = (end.uint64(at: 0).littleEndian, end.uint64(at: 8).littleEndian, end.uint64(at: 16).littleEndian)
    }

    /// Calls `body` with the field of the identifier, and with the bytes that its range within the record refers to.
    ///
    /// The other range counts from the start of `STRS`.
    fileprivate func withIdentifier<Result>(
      _ body: (IdentifierField, Span<UInt8>) throws(FormatError) -> Result
    ) throws(FormatError) -> Result {
      try unsafe withUnsafeBytes(of: end) { bytes throws(FormatError) in
        let bytes = unsafe Span<UInt8>(_unsafeBytes: bytes)
        let start = NodeRecord.FieldOffset.identifier - Self.endOffset
        return try body(IdentifierField(reading: bytes, at: start, fileOffset: offset + Self.endOffset), bytes)
      }
    }

    /// The range of a long identifier in `STRS`; nil for a short one.
    package var identifierInStrings: Range<Int>? {
      get throws(FormatError) { try withIdentifier { field, _ throws(FormatError) in field.inStrings } }
    }

    /// The error for children that exceed the depth limit (check D5), located at the first child.
    package var depthError: FormatError {
      let child = offset + (Int(record.firstChild) - index) * NodeRecord.byteCount
      return FormatError(
        .pathDepth, at: child + NodeRecord.FieldOffset.parent, "depth", expected: "at most \(FormatLimits.pathComponents)",
        rule: "R-6.4-10")
    }
  }

  /// Reads the record at `index`, which must be less than ``recordCount``.
  ///
  /// - Throws: The damage, a fault of the record; `truncated` for a record that a truncated file has got since it was
  ///   opened.
  package func node(at index: Int) throws(FormatError) -> StoredNode {
    let bytes = try recordBytes(index..<(index + 1))
    return try node(at: index, bytes, bytes.range.lowerBound)
  }

  private func recordBytes(_ range: Range<Int>) throws(FormatError) -> VerifiedBytes {
    let start = metadata.nodes.lowerBound
    return try blocks.bytes(in: (start + range.lowerBound * NodeRecord.byteCount)..<(start + range.upperBound * NodeRecord.byteCount))
  }

  private func node(at index: Int, _ bytes: borrowing VerifiedBytes, _ start: Int) throws(FormatError) -> StoredNode {
    let node = StoredNode(index: index, reading: bytes.storage.span, at: start, fileOffset: bytes.fileOffset)
    guard index < presentRecordCount else {
      throw FormatError(.truncated, at: node.offset, "node record", expected: "one that was there when the file was opened")
    }
    if index == 0 { try NodeRules.checkRoot(bytes.storage.span, at: start, offset: node.offset) }
    try checkLocally(node.record, index: index, offset: node.offset)
    return node
  }

  /// Returns the children of a node in saved order, and calls `failure` with each error that hides one.
  ///
  /// Records beyond the end of a truncated file give one error together; so does a range with more records than are left for
  /// the node. The records of all children are in memory together.
  package func children(of parent: StoredNode, failure: (FormatError) -> Void) -> [StoredNode] {
    guard let all = parent.record.children(index: parent.index, count: recordCount), !all.isEmpty else { return [] }
    var children: [StoredNode] = []
    do throws(FormatError) {
      let range = try takeChildren(of: parent)
      children.reserveCapacity(min(range.count, 4096))
      var next = range.lowerBound
      while next < range.upperBound {
        // Reading each record by itself takes 1.06 times the instructions of decoding.
        let part = next..<min(next + ChecksumTree.blockSize / NodeRecord.byteCount, range.upperBound)
        appendChildren(part, of: parent, to: &children, failure)
        next = part.upperBound
      }
      // In an invalid archive several may have the same place; those stay in the order of their records.
      children.sort { ($0.record.savedOrder, $0.index) < ($1.record.savedOrder, $1.index) }
      if range.count < all.count { _ = try node(at: all.upperBound - 1) }
    } catch {
      failure(error)
    }
    return children
  }

  /// Appends some of the children of a node, whose records lie in a block or two.
  private func appendChildren(
    _ part: Range<Int>, of parent: StoredNode, to children: inout [StoredNode], _ failure: (FormatError) -> Void
  ) {
    let bytes = try? recordBytes(part)
    for index in part {
      do throws(FormatError) {
        guard let bytes else {
          children.append(try confirmed(node(at: index), childOf: parent))
          continue
        }
        let start = bytes.range.lowerBound + (index - part.lowerBound) * NodeRecord.byteCount
        children.append(try confirmed(node(at: index, bytes, start), childOf: parent))
      } catch {
        failure(error)
      }
    }
  }

  /// Performs the checks that need no other record (part of D2 to D4, and D7 to D9 of Spec §7.2).
  private func checkLocally(_ record: NodeRecord, index: Int, offset: Int) throws(FormatError) {
    typealias Field = NodeRecord.FieldOffset
    guard record.children(index: index, count: recordCount) != nil else {
      throw FormatError(
        .childRange, at: offset + (UInt64(record.firstChild) <= UInt64(index) ? Field.firstChild : Field.childCount), "children",
        expected: "\(index + 1) to \(recordCount)", found: .number(record.firstChild),
        rule: UInt64(record.firstChild) <= UInt64(index) ? "R-6.4-2" : "R-6.4-3")
    }
    guard index == 0 || UInt64(record.parent) < UInt64(index) else {
      throw NodeRules.parentMismatch(record, at: offset, expected: .text("less than \(index)"))
    }
    try NodeRules.checkTables(record, types: metadata.types.count, origins: metadata.origins.count, offset: offset)
    try NodeRules.checkState(record, length: metadata.states.count, offset: offset)
  }

  /// Returns the identifier of a node other than the root, as text.
  package func identifier(of node: StoredNode) throws(FormatError) -> String {
    try withIdentifier(of: node) { bytes, fileOffset throws(FormatError) in
      if let text = bytes.makeString() { return text }
      try ByteCursor(0..<bytes.count, fileOffset: fileOffset).validateText(in: bytes, at: 0..<bytes.count, "identifier")
      return ""
    }
  }

  /// Calls `body` with the bytes of the identifier of a node other than the root, whose text is not validated, and with their
  /// offset in the file.
  private func withIdentifier<Result>(
    of node: StoredNode, _ body: (Span<UInt8>, Int) throws(FormatError) -> Result
  ) throws(FormatError) -> Result {
    try node.withIdentifier { field, bytes throws(FormatError) in
      let start = node.offset + NodeRecord.FieldOffset.identifier
      guard let inStrings = field.inStrings else {
        return try body(bytes.extracting(field.inRecord), start + IdentifierField.FieldOffset.bytes)
      }
      try field.checkRange(length: metadata.strings.count, at: start, fileOffset: 0)
      let first = metadata.strings.lowerBound
      let whole = try blocks.bytes(in: (first + inStrings.lowerBound)..<(first + inStrings.upperBound))
      let identifier = whole.storage.span.extracting(whole.range)
      let result = try body(identifier, whole.fileOffset + whole.range.lowerBound)
      // After the body, which may check the text: D12 comes first.
      try IdentifierField.checkBeginning(
        of: identifier, inRecord: bytes.extracting(field.inRecord), at: start + IdentifierField.FieldOffset.bytes)
      return result
    }
  }

  /// Compares a node's identifier with `target`; reads `STRS` only if the bytes in the record do not decide.
  private func compare(_ node: StoredNode, with target: Span<UInt8>) throws(FormatError) -> Int {
    let known = try node.withIdentifier { field, bytes throws(FormatError) -> Int? in
      if field.inStrings == nil { return bytes.extracting(field.inRecord).compare(with: target) }
      let shared = min(target.count, IdentifierField.prefixLength)
      let order = bytes.extracting(field.inRecord).extracting(0..<shared).compare(with: target.extracting(0..<shared))
      // The target may be a prefix of a longer identifier.
      return order == 0 ? (target.count <= IdentifierField.prefixLength ? 1 : nil) : order
    }
    if let known { return known }
    return try withIdentifier(of: node) { bytes, _ in bytes.compare(with: target) }
  }

  /// Returns the child of `parent` with this identifier, or nil if there is none (Spec §7.4).
  ///
  /// - Throws: The damage that may hide the child, if no intact one matches (rule R-7.1-4).
  /// - Complexity: O(log n) in the number of children; O(n) if some of them are damaged.
  package func child(of parent: StoredNode, identifier: String) throws(FormatError) -> StoredNode? {
    var result: Result<StoredNode?, FormatError> = .success(nil)
    identifier.withUTF8Bytes { target in
      do throws(FormatError) {
        result = .success(try child(of: parent, identifier: target))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private func child(of parent: StoredNode, identifier target: Span<UInt8>) throws(FormatError) -> StoredNode? {
    guard let children = parent.record.children(index: parent.index, count: recordCount) else { return nil }
    var low = children.lowerBound
    var high = children.upperBound
    while low < high {
      let middle = (low + high) / 2
      do throws(FormatError) {
        let node = try node(at: middle)
        let order = try compare(node, with: target)
        if order == 0 { return try confirmed(node, childOf: parent) }
        if order < 0 { low = middle + 1 } else { high = middle }
      } catch {
        return try childAmong(low..<high, of: parent, identifier: target, damage: error)
      }
    }
    return nil
  }

  /// Searches the remaining siblings one by one, after a fault has stopped the binary search.
  private func childAmong(
    _ range: Range<Int>, of parent: StoredNode, identifier target: Span<UInt8>, damage: FormatError
  ) throws(FormatError) -> StoredNode? {
    for index in range {
      do throws(FormatError) {
        let node = try node(at: index)
        if try compare(node, with: target) == 0 { return try confirmed(node, childOf: parent) }
      } catch {
        if error.code == .inputOutput { throw error }
      }
    }
    throw damage
  }

  /// Returns `node`, after checking that it names `parent` as its parent (R-6.4-4).
  ///
  /// Otherwise the table would not be a tree, and two nodes could match one path.
  package func confirmed(_ node: consuming StoredNode, childOf parent: StoredNode) throws(FormatError) -> StoredNode {
    guard Int(node.record.parent) == parent.index else {
      throw NodeRules.parentMismatch(node.record, at: node.offset, expected: .number(UInt64(parent.index)))
    }
    return node
  }

  /// Returns the range of the children of a node that lie within the file.
  ///
  /// - Throws: `child-range`, if the nodes passed to this function have more children in total than there are records.
  private func takeChildren(of node: StoredNode) throws(FormatError) -> Range<Int> {
    let all = node.record.children(index: node.index, count: recordCount) ?? 0..<0
    let range = all.clamped(to: 0..<presentRecordCount)
    guard children.withLock({ $0.take(range.count, by: node.index) }) else {
      throw FormatError(
        .childRange, at: node.offset + NodeRecord.FieldOffset.firstChild, "children", expected: "children of no other node",
        rule: "R-6.4-2")
    }
    return range
  }

  // MARK: State

  /// Returns the bytes of the state record of a node.
  ///
  /// - Throws: The damage, if any; `state-order`, if the nodes passed to this function have more state in total than
  ///   there is.
  package func state(of node: StoredNode) throws(FormatError) -> VerifiedBytes {
    let first = metadata.states.lowerBound + Int(node.record.stateOffset)
    if let bytes = try blocks.bytes(in: first..<(first + Int(node.record.stateLength)), ofShare: node.index) { return bytes }
    throw FormatError(
      .stateOrder, at: node.offset + NodeRecord.FieldOffset.stateOffset, "state record", expected: "bytes of its own",
      found: "bytes of another state record")
  }

  /// Returns an index for the entries of a record.
  package func takeIndex() -> EntryIndex {
    guard let index = spareIndexes.withLock({ $0.popLast() }) else { return EntryIndex(keys: keys) }
    index.expectKeys()
    return index
  }

  /// Keeps an index for the next record once its last section is closed, unless it is large, or there are enough for an app that
  /// decodes several at a time.
  package func give(_ index: EntryIndex, closing section: EntryIndex.Section? = nil) {
    if let section { index.close(section) }
    guard index.isSmall else { return }
    spareIndexes.withLock { if $0.count < 4 { $0.append(index) } }
  }

  /// Returns the bytes of a section.
  package func bytes(of section: SectionEntry) throws(FormatError) -> VerifiedBytes {
    try blocks.bytes(in: section.range)
  }
}
