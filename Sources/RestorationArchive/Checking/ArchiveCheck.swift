import ArchiveFormat

/// The result of checking a whole archive: every checksum and every rule of the Spec (Spec §7.2).
///
///     let check = ArchiveCheck(data)
///     for finding in check.findings { print(finding) }
///     for loss in check.losses { print(loss.range, loss.states) }
///
/// Time and memory are linear in the length of the archive, whatever it contains: findings and losses are created on
/// access.
public struct ArchiveCheck: Sendable {
  /// All findings, in the order of the Spec, with their paths and keys where they are known; empty for a valid archive.
  public let findings: ComputedList<ArchiveError>
  /// The losses caused by damage, in file order; empty if no part of the body is damaged.
  public let losses: [ArchiveLoss]
  /// The format version, if the prefix is readable.
  public let formatVersion: FormatVersion?
  private let list: FindingList

  /// Whether the check found no fault.
  public var isValid: Bool { findings.isEmpty }
  /// Whether all content is intact, though one of two copies of the prefix, the metadata or the checksums may be damaged (Spec §7.2 F).
  package let isWhole: Bool

  /// Checks an archive.
  public init(_ archive: some Collection<UInt8>) {
    self.init(ArchiveChecker([UInt8](archive)))
  }

  /// Describes what a checker has found.
  init(_ checker: ArchiveChecker) {
    let list = checker.findings
    self.list = list
    isWhole = checker.isWhole
    formatVersion = checker.prefix.map { FormatVersion(major: $0.majorVersion, minor: $0.minorVersion) }
    guard !list.isEmpty, let layout = checker.layout, let metadata = checker.metadata, let damage = checker.damage else {
      findings = Self.findings(list)
      losses = []
      return
    }
    let survey = NodeSurvey(bytes: checker.bytes, layout: layout, metadata: metadata, damage: damage)
    findings = Self.findings(list, in: survey)
    losses = damage.isEmpty ? [] : survey.losses(of: damage.ranges).map { ArchiveLoss($0, in: survey) }
  }

  /// Returns the findings of a checker, with the paths of their nodes if these were surveyed.
  private static func findings(_ list: FindingList, in survey: NodeSurvey? = nil) -> ComputedList<ArchiveError> {
    ComputedList(count: list.count) { position in
      let finding = list[position]
      return ArchiveError(finding.error, path: finding.node.flatMap { survey?.path(of: $0) }, key: finding.key)
    }
  }

  /// The first finding that counts (rule R-15.4-3): any other than damage that costs no content.
  ///
  /// - Precondition: The archive is not whole (``ArchiveChecker/isWhole``).
  var firstThatCounts: ArchiveError {
    // If all findings are of damage to copies, the last one has stopped the check.
    findings[list.firstIndex { !$0.costsNoContent } ?? list.count - 1]
  }

  /// Returns the index of the node record that a finding concerns, if it concerns one.
  package func node(ofFinding position: Int) -> Int? { list[position].node }
}

/// The loss caused by one damaged part of an archive.
///
/// All nodes not listed here can still be read by path.
public struct ArchiveLoss: Sendable {
  /// A node that can no longer be found because its record or identifier is damaged.
  public struct LostNode: Sendable, Equatable {
    /// The path of the parent, if known.
    public let parent: RestorationPath?
    /// The index of the node's record.
    public let record: Int
  }

  /// The damaged part, as offsets in the file.
  public let range: Range<Int>
  /// The paths of the nodes that lost only their state.
  public let states: ComputedList<RestorationPath>
  /// The lost nodes.
  public let nodes: ComputedList<LostNode>
  /// The number of intact nodes below lost ones, which no path leads to.
  public let unreachableCount: Int

  init(_ loss: NodeSurvey.Loss, in survey: NodeSurvey) {
    range = loss.range
    let (states, nodes) = (loss.states, loss.nodes)
    self.states = ComputedList(count: states.count) { survey.path(of: Int(states[$0])) ?? .application }
    self.nodes = ComputedList(count: nodes.count) { position in
      let record = Int(nodes[position])
      return LostNode(parent: survey.pathOfParent(of: record), record: record)
    }
    unreachableCount = loss.unreachableCount
  }

  /// Whether the damage affects no node and no state: it lies in a section that this format does not define.
  public var isHarmless: Bool { states.isEmpty && nodes.isEmpty }
}

/// A survey of all records of a possibly damaged archive: which paths can be resolved, and what the damage costs.
///
/// No field is trusted: a nonsensical value makes its node unreachable. The survey keeps eight bytes per record. Paths
/// are created on demand, because a path can be thousands of times as long as a record.
struct NodeSurvey: Sendable {
  /// The facts known about a record.
  private struct Entry {
    /// The index of the parent's record; -1 if unknown.
    var parent: Int32 = -1
    /// The number of components of the node's path; -1 if no path leads to it.
    var depth: Int16 = -1
    /// Whether the record is intact.
    var isIntact = false
    /// Whether the identifier is known.
    var isNamed = false
  }

  private let bytes: [UInt8]
  private let records: NodeRecords
  /// The range of the state records in the file.
  private let states: Range<Int>
  private var entries: [Entry]

  init(bytes: [UInt8], layout: FileLayout, metadata: ArchiveMetadata, damage: BlockDamage) {
    self.bytes = bytes
    records = NodeRecords(bytes: bytes, layout: layout, metadata: metadata, damage: damage)
    states = layout.fileRange(of: metadata.states)
    entries = [Entry](repeating: Entry(), count: metadata.recordCount)
    for index in entries.indices { entries[index] = readEntry(index) }
    if !records.damage.isEmpty {
      for (lost, parent) in records.parentsOfLostRecords(isLost: { !entries[$0].isIntact }) { entries[lost].parent = Int32(parent) }
    }
    if entries[0].isIntact { entries[0].depth = 0 }
    for index in entries.indices.dropFirst() where entries[index].isNamed && entries[index].parent >= 0 {
      let depth = entries[Int(entries[index].parent)].depth
      if (0..<FormatLimits.pathComponents).contains(Int(depth)) { entries[index].depth = depth + 1 }
    }
  }

  // MARK: Records

  private func readEntry(_ index: Int) -> Entry {
    var entry = Entry()
    guard records.isIntact(records.range(of: index)) else { return entry }
    entry.isIntact = true
    if index == 0 { return entry }
    // A parent precedes its children.
    let parent = records.record(at: index).parent
    if parent < index, mayBeParent(Int(parent), of: index) { entry.parent = Int32(parent) }
    entry.isNamed = identifierPlace(index) != nil
    return entry
  }

  /// Returns the range of an identifier in the file, or nil unless its bytes are intact and well-formed.
  private func identifierPlace(_ index: Int) -> Range<Int>? {
    let span = bytes.span
    guard let range = try? records.identifier(of: index, in: span), records.isIntact(range),
      (try? records.checkText(of: range, of: index, in: span)) != nil
    else { return nil }
    return range
  }

  /// Whether an earlier record is lost, or has another in its range of children (D4 of Spec §7.2).
  ///
  /// The range counts as it is, even if it extends past the last record: the path is known nevertheless (rule R-12-1).
  private func mayBeParent(_ parent: Int, of index: Int) -> Bool {
    guard entries[parent].isIntact else { return true }
    let record = records.record(at: parent)
    let first = UInt64(record.firstChild)
    return (first..<(first + UInt64(record.childCount))).contains(UInt64(index))
  }

  // MARK: Paths

  /// Returns the path of a record, or nil if an identifier on it is unknown.
  func path(of index: Int) -> RestorationPath? {
    var identifiers: [String] = []
    var next = index
    while next > 0 {
      let entry = entries[next]
      guard entry.isNamed, entry.parent >= 0, identifiers.count < FormatLimits.pathComponents, let place = identifierPlace(next),
        let identifier = bytes.span.extracting(place).makeString()
      else { return nil }
      identifiers.append(identifier)
      next = Int(entry.parent)
    }
    return RestorationPath(validated: identifiers.reversed())
  }

  /// Returns the path of a record's parent, if known.
  func pathOfParent(of index: Int) -> RestorationPath? {
    let parent = Int(entries[index].parent)
    return parent < 0 ? nil : path(of: parent)
  }

  // MARK: Losses

  /// The loss caused by one damaged part of the file.
  struct Loss: Sendable {
    /// The damaged part.
    let range: Range<Int>
    /// The records that lost only their state.
    var states: [Int32] = []
    /// The lost records.
    var nodes: [Int32] = []
    /// The number of intact nodes below lost ones.
    var unreachableCount = 0
  }

  /// Returns the loss caused by each damaged part of the file.
  func losses(of ranges: [Range<Int>]) -> [Loss] {
    var losses = ranges.map { Loss(range: $0) }
    /// By lost record: the damaged part to which the loss is attributed.
    var causes = [Int32](repeating: -1, count: entries.count)
    for index in entries.indices {
      let entry = entries[index]
      if let cause = cause(ofLosing: index, among: ranges) {
        causes[index] = Int32(cause)
        losses[cause].nodes.append(Int32(index))
      } else if entry.depth < 0 {
        let cause = entry.parent >= 0 ? causes[Int(entry.parent)] : -1
        causes[index] = cause
        if cause >= 0 { losses[Int(cause)].unreachableCount += 1 }
      } else if let cause = causeOfLosingState(index, among: ranges) {
        losses[cause].states.append(Int32(index))
      }
    }
    return losses
  }

  /// Returns the damaged part that overlaps a record or its identifier.
  private func cause(ofLosing index: Int, among ranges: [Range<Int>]) -> Int? {
    if !entries[index].isIntact { return firstOverlap(of: records.range(of: index), among: ranges) }
    guard index > 0, !entries[index].isNamed, let range = try? records.identifier(of: index, in: bytes.span), !records.isIntact(range)
    else { return nil }
    return firstOverlap(of: range, among: ranges)
  }

  private func causeOfLosingState(_ index: Int, among ranges: [Range<Int>]) -> Int? {
    guard let range = records.record(at: index).stateRange(length: states.count), !range.isEmpty else { return nil }
    return firstOverlap(of: (states.lowerBound + range.lowerBound)..<(states.lowerBound + range.upperBound), among: ranges)
  }

  /// Returns the first of the ascending `ranges` that overlaps `range`.
  private func firstOverlap(of range: Range<Int>, among ranges: [Range<Int>]) -> Int? {
    let index = ranges.indices.first(past: { ranges[$0].upperBound > range.lowerBound })
    return index < ranges.count && ranges[index].lowerBound < range.upperBound ? index : nil
  }
}
