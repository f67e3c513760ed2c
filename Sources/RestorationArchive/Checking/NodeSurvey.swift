import ArchiveFormat

/// Goes over all records of an archive that may be damaged, to say which paths lead where and what damage costs.
///
/// It trusts no field: whatever makes no sense makes a node unreachable.
struct NodeSurvey {
  /// What is known about a record.
  private struct Entry {
    /// The index of the parent's record; -1 if it is not known.
    var parent = -1
    /// The identifier; nil if it is not known.
    var identifier: String?
    /// Whether a path leads here.
    var isReachable = false
    /// Whether the record is intact.
    var isIntact = false
  }

  private let bytes: [UInt8]
  private let layout: FileLayout
  private let metadata: ArchiveMetadata
  private let damage: BlockDamage
  private var entries: [Entry] = []

  init(bytes: [UInt8], layout: FileLayout, metadata: ArchiveMetadata, damage: BlockDamage) {
    self.bytes = bytes
    self.layout = layout
    self.metadata = metadata
    self.damage = damage
    entries = (0..<metadata.recordCount).map { readEntry($0) }
    dropWrongParents()
    findParentsOfLostRecords()
    if !entries.isEmpty { entries[0].isReachable = entries[0].isIntact }
    for index in entries.indices.dropFirst() {
      let parent = entries[index].parent
      entries[index].isReachable =
        entries[index].isIntact && entries[index].identifier != nil && parent >= 0 && parent < index && entries[parent].isReachable
    }
  }

  // MARK: Records

  private func recordRange(_ index: Int) -> Range<Int> {
    let start = metadata.nodes.lowerBound + index * NodeRecord.byteCount
    return start..<(start + NodeRecord.byteCount)
  }

  private func record(_ index: Int) -> NodeRecord {
    NodeRecord(reading: bytes.span, at: layout.body.lowerBound + recordRange(index).lowerBound)
  }

  private func readEntry(_ index: Int) -> Entry {
    var entry = Entry()
    guard damage.isIntact(recordRange(index)) else { return entry }
    entry.isIntact = true
    if index == 0 { return entry }
    entry.parent = Int(record(index).parent)
    entry.identifier = identifierRange(index).flatMap { damage.isIntact($0) ? identifier(at: fileRange($0), of: index) : nil }
    return entry
  }

  private func identifier(at range: Range<Int>, of index: Int) -> String? {
    let span = bytes.span
    let beginning = layout.body.lowerBound + recordRange(index).lowerBound + NodeRecord.FieldOffset.identifier + 1
    let shared = min(range.count, IdentifierField.prefixLength)
    guard span.extracting(range.prefix(shared)).compare(with: span.extracting(beginning..<(beginning + shared))) == 0 else { return nil }
    return span.extracting(range).makeString()
  }

  private func fileRange(_ range: Range<Int>) -> Range<Int> {
    (range.lowerBound + layout.body.lowerBound)..<(range.upperBound + layout.body.lowerBound)
  }

  /// Where the bytes of an identifier are in the body.
  private func identifierRange(_ index: Int) -> Range<Int>? {
    let start = recordRange(index).lowerBound + NodeRecord.FieldOffset.identifier
    let base = layout.body.lowerBound
    guard let field = try? IdentifierField(reading: bytes.span, at: base + start, fileOffset: 0) else { return nil }
    guard let inStrings = field.inStrings else {
      return (field.inRecord.lowerBound - base)..<(field.inRecord.upperBound - base)
    }
    guard inStrings.upperBound <= metadata.strings.count else { return nil }
    return (metadata.strings.lowerBound + inStrings.lowerBound)..<(metadata.strings.lowerBound + inStrings.upperBound)
  }

  /// A parent whose children do not include the record is none.
  private mutating func dropWrongParents() {
    for index in entries.indices where entries[index].parent >= 0 {
      let parent = entries[index].parent
      guard parent < index else {
        entries[index].parent = -1
        continue
      }
      if entries[parent].isIntact, record(parent).children(index: parent, count: entries.count)?.contains(index) != true {
        entries[index].parent = -1
      }
    }
  }

  /// A lost record says nothing of its parent, but the parent says which records its children are.
  ///
  /// Ranges of children ascend; one that goes back is passed over, which keeps this linear.
  private mutating func findParentsOfLostRecords() {
    if damage.isEmpty { return }
    var next = 1
    for index in entries.indices where entries[index].isIntact {
      guard let children = record(index).children(index: index, count: entries.count), children.lowerBound >= next else { continue }
      for child in children where !entries[child].isIntact { entries[child].parent = index }
      next = children.upperBound
    }
  }

  // MARK: Paths

  /// The path of a record, if its identifier and those above it are known.
  func path(of index: Int) -> RestorationPath? {
    var identifiers: [String] = []
    var next = index
    while next > 0 {
      let entry = entries[next]
      guard let identifier = entry.identifier, entry.isIntact, entry.parent >= 0, entry.parent < next,
        identifiers.count < FormatLimits.pathComponents
      else { return nil }
      identifiers.append(identifier)
      next = entry.parent
    }
    return RestorationPath(unchecked: identifiers.reversed())
  }

  // MARK: Losses

  /// What each damaged part of the file costs.
  func losses(of ranges: [Range<Int>]) -> [ArchiveLoss] {
    var losses = ranges.map { ArchiveLoss(range: $0) }
    /// By record that is lost: the damaged part that it is counted under.
    var causes = [Int](repeating: -1, count: entries.count)
    for index in entries.indices {
      let entry = entries[index]
      if let cause = cause(ofLosing: index, among: ranges) {
        causes[index] = cause
        losses[cause].nodes.append(ArchiveLoss.Node(parent: entry.parent >= 0 ? path(of: entry.parent) : nil, record: index))
      } else if !entry.isReachable {
        let cause = entry.parent >= 0 && entry.parent < index ? causes[entry.parent] : -1
        causes[index] = cause
        if cause >= 0 { losses[cause].unreachableCount += 1 }
      } else if let cause = causeOfLosingState(index, among: ranges), let path = path(of: index) {
        losses[cause].states.append(path)
      }
    }
    return losses
  }

  /// The damaged part that holds bytes of a record or of its identifier.
  private func cause(ofLosing index: Int, among ranges: [Range<Int>]) -> Int? {
    if !entries[index].isIntact { return firstOverlap(of: fileRange(recordRange(index)), among: ranges) }
    guard index > 0, entries[index].identifier == nil, let range = identifierRange(index), !damage.isIntact(range) else { return nil }
    return firstOverlap(of: fileRange(range), among: ranges)
  }

  private func causeOfLosingState(_ index: Int, among ranges: [Range<Int>]) -> Int? {
    guard let range = record(index).stateRange(length: metadata.states.count), !range.isEmpty else { return nil }
    return firstOverlap(
      of: fileRange((range.lowerBound + metadata.states.lowerBound)..<(range.upperBound + metadata.states.lowerBound)), among: ranges)
  }

  /// The first of the ascending `ranges` that shares bytes with `range`.
  private func firstOverlap(of range: Range<Int>, among ranges: [Range<Int>]) -> Int? {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound < range.upperBound ? low : nil
  }
}
