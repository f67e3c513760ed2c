import ArchiveFormat
import RestorationArchive

/// The copy of an archive that a report's page holds: the metadata, then the sections `NODE`, `STRS` and `STAT`.
///
/// The bytes have the layout of the Spec (chapters 4.3 and 6), so that the script of the page reads them by its rules.
/// The copy differs from the file in three ways:
///
/// - Prefix, checksum trees, second copies and ancillary sections are left out.
/// - It holds verified bytes only. Whatever no checksum covers, or no rule explains, is zero, and the flags of the node
///   record say so (``Flag``). A file that was cut gives shorter sections.
/// - Sensitive values are overwritten, unless they are to be revealed. The mark `03` stays. A value of one byte becomes
///   null. In any other, a tag of its own (``Placeholder``) replaces the tag, and zeros replace the payload.
struct PageArchive {
  /// The meaning of the bits of a node record's flags that the format does not use.
  enum Flag {
    /// The record cannot be read.
    static let recordLost: UInt8 = 0x80
    /// The identifier cannot be read.
    static let nameLost: UInt8 = 0x40
    /// The state record cannot be read.
    static let stateLost: UInt8 = 0x20
  }

  /// The tags that replace those of sensitive values.
  ///
  /// They are tags that the format reserves (Spec §6.1); here each is followed by a length of one byte or of five.
  enum Placeholder: UInt8 {
    case text = 0xC0
    case url = 0xC1
    case data = 0xC2
    case array = 0xC3
    case dictionary = 0xC4
    case other = 0xC5

    init(_ kind: ValueKind) {
      switch kind {
      case .string: self = .text
      case .url: self = .url
      case .data: self = .data
      case .array: self = .array
      case .dictionary: self = .dictionary
      default: self = .other
      }
    }
  }

  /// The bytes.
  private(set) var bytes: [UInt8]
  /// The length of the metadata.
  let metadataLength: Int
  /// The range of the node records in ``bytes``.
  let nodes: Range<Int>
  /// The range of the long identifiers in ``bytes``.
  let strings: Range<Int>
  /// The range of the state records in ``bytes``.
  let states: Range<Int>

  private let records: ArchiveRecords
  private let sensitive: SensitiveValues
  /// The state records that have been copied; a hostile file may refer to the same bytes twice (E0 of Spec §7.2).
  private var taken: DisjointRanges

  /// Copies an archive.
  ///
  /// - Complexity: O(n) in the length of the file.
  init(_ archive: InspectedArchive, in file: [UInt8], sensitive: SensitiveValues) {
    let records = archive.reader.records
    self.records = records
    self.sensitive = sensitive
    let (metadata, layout) = (records.metadata, records.layout)
    let copy = layout.metadataCopies.first { range in
      range.upperBound <= file.count && records.prefix.findDamage(inMetadata: file.span.extracting(range), at: 0) == nil
    }
    bytes = copy.map { Array(file[$0]) } ?? []
    metadataLength = bytes.count
    func presentCount(_ section: Range<Int>) -> Int {
      min(section.count, max(file.count - layout.body.lowerBound - section.lowerBound, 0))
    }
    nodes = metadataLength..<(metadataLength + records.presentRecordCount * NodeRecord.byteCount)
    strings = nodes.upperBound..<(nodes.upperBound + presentCount(metadata.strings))
    states = strings.upperBound..<(strings.upperBound + presentCount(metadata.states))
    taken = DisjointRanges(count: states.count)
    bytes += [UInt8](repeating: 0, count: states.upperBound - metadataLength)
    for index in 0..<records.presentRecordCount { copyNode(index) }
  }

  // MARK: Nodes

  private mutating func copyNode(_ index: Int) {
    let start = nodes.lowerBound + index * NodeRecord.byteCount
    let flags = start + NodeRecord.FieldOffset.flags
    guard let node = try? records.node(at: index) else {
      bytes[flags] = Flag.recordLost
      return
    }
    bytes.replaceSubrange(start..<(start + NodeRecord.byteCount), with: node.bytes.storage[node.bytes.range])
    if index > 0, (try? copyIdentifier(of: node)) == nil { bytes[flags] |= Flag.nameLost }
    if node.record.stateLength > 0, (try? copyState(of: node)) == nil { bytes[flags] |= Flag.stateLost }
  }

  private mutating func copyIdentifier(of node: ArchiveRecords.StoredNode) throws(FormatError) {
    let text = try records.identifierBytes(of: node)
    try text.cursor.validateText(in: text.storage.span, at: text.range, "identifier")
    guard let place = try node.identifierField.inStrings else { return }
    let start = strings.lowerBound + place.lowerBound
    bytes.replaceSubrange(start..<(start + place.count), with: text.storage[text.range])
  }

  // MARK: States

  /// Copies a state record and overwrites its sensitive values; a record with a fault stays zero.
  private mutating func copyState(of node: ArchiveRecords.StoredNode) throws(FormatError) {
    let record = try records.state(of: node)
    let first = Int(node.record.stateOffset)
    guard taken.insert(first..<(first + record.range.count)) else { throw FormatError(.stateOrder, at: node.offset, "state record") }
    let range = (states.lowerBound + first)..<(states.lowerBound + first + record.range.count)
    bytes.replaceSubrange(range, with: record.storage[record.range])
    let walk = StateWalk(storage: record.storage, shift: range.lowerBound - record.range.lowerBound)
    do throws(FormatError) {
      let parts = try RecordParts(record, flags: node.record.flags)
      if let attributes = parts.attributes { try maskEntries(attributes, .attributes(strict: false), walk, nesting: 0) }
      try maskEntries(parts.entries, .state, walk, nesting: 0)
    } catch {
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
      throw error
    }
  }

  /// The verified bytes of a state record, and the distance from their places there to those in the copy.
  private struct StateWalk {
    let storage: [UInt8]
    let shift: Int
  }

  private mutating func maskEntries(_ cursor: ByteCursor, _ role: EntryRole, _ walk: StateWalk, nesting: Int) throws(FormatError) {
    var reader = EntryReader(cursor, role: role, keys: records.metadata.keys)
    while let entry = try reader.next(in: walk.storage.span, keys: records.metadata.keys) {
      if entry.isSensitive, sensitive == .redact {
        overwrite(entry.tagStart..<reader.cursor.position, Placeholder(entry.value.kind), walk)
      } else {
        try maskValue(entry.value, in: entry.tagStart..<reader.cursor.position, walk, nesting: nesting)
      }
    }
  }

  /// Overwrites the sensitive values in a value.
  ///
  /// The format's limit of 128 nesting levels bounds the recursion.
  private mutating func maskValue(_ value: RawValue, in range: Range<Int>, _ walk: StateWalk, nesting: Int) throws(FormatError) {
    let content = ByteCursor(value.payload, fileOffset: 0)
    switch value.kind {
    case .string, .url: try content.validateText(in: walk.storage.span, at: value.payload, "text")
    // It may contain anything, including sensitive values.
    case .unknown: if sensitive == .redact { overwrite(range, .other, walk) }
    case .array, .dictionary:
      guard nesting < FormatLimits.nesting else { throw FormatError(.nestingDepth, at: range.lowerBound, "nesting") }
      guard value.kind == .array else { return try maskEntries(content, .dictionary, walk, nesting: nesting + 1) }
      var elements = content
      while !elements.isAtEnd {
        let start = elements.position
        let element = try elements.readValue(in: walk.storage.span)
        try maskValue(element, in: start..<elements.position, walk, nesting: nesting + 1)
      }
    default: break
    }
  }

  /// Replaces a value with a placeholder of the same length.
  private mutating func overwrite(_ range: Range<Int>, _ placeholder: Placeholder, _ walk: StateWalk) {
    let start = range.lowerBound + walk.shift
    bytes.replaceSubrange(start..<(start + range.count), with: repeatElement(0, count: range.count))
    guard range.count > 1 else { return }
    bytes[start] = placeholder.rawValue
    guard range.count > 6 else {
      bytes[start + 1] = UInt8(range.count - 2)
      return
    }
    // Five bytes, whatever the length, so that every length of the whole can be expressed.
    for place in 0..<5 { bytes[start + 1 + place] = UInt8((range.count - 6) >> (7 * place) & 0x7F) | (place < 4 ? 0x80 : 0) }
  }
}
