import ArchiveFormat
public import FoundationValues

/// The salvage of a damaged archive: a valid archive of all verifiable content, and a list of the losses (Spec §7.6).
///
///     let salvage = ArchiveSalvage(data)
///     if let archive = salvage.archive { try archive.write(to: output) }
///     for loss in salvage.losses { print(loss) }
///
/// The file may be truncated, have trailing bytes, and be damaged anywhere. A node whose name or parent is lost is
/// moved, with its descendants, under a separate node, `lost-and-found`. Values come only from bytes with a valid
/// checksum, and are never invented or altered: unrecoverable content is omitted and listed.
///
/// Time and memory are linear in the length of the file, apart from the memory of nodes and values as objects. Losses
/// and report lines are created on access.
public struct ArchiveSalvage: Sendable {
  /// The rescued content as a valid archive; nil if no content can be trusted, or none is left.
  public let archive: Data?
  /// The rescued content in memory.
  public let tree: ArchiveTree?
  /// The reason why there is no archive; nil if there is one.
  public let failure: ArchiveError?
  /// The content that could not be rescued or put back in its place, in file order; empty if nothing was lost.
  ///
  /// Each loss is created on access.
  public let losses: ComputedList<SalvageLoss>
  /// The faults of the file as a whole that caused no loss, such as damaged copies or a changed length.
  public let faults: [ArchiveError]
  /// The damaged and missing parts of the file, as offsets in the file.
  public let damagedRanges: [Range<Int>]
  /// The path of the node above all nodes that could not be put back; nil if there are none.
  public let lostAndFound: RestorationPath?
  /// The number of rescued nodes, including those below ``lostAndFound`` but not the placeholders for lost nodes.
  public let nodeCount: Int
  /// The length of the damaged file in bytes.
  public let byteCount: Int

  /// Whether everything was rescued and put back in its place.
  public var isComplete: Bool { archive != nil && losses.isEmpty }

  /// Salvages an archive.
  ///
  /// Exceeding the value limit of `limits` is a loss with the code `value-budget`, and exceeding the nesting limit one
  /// with `reader-limit`. An archive that exceeds the other limits is not salvaged.
  public init(_ bytes: some Collection<UInt8>, limits: ReaderLimits = .standard) {
    byteCount = bytes.count
    do throws(FormatError) {
      let opening = try SalvageOpening.open([UInt8](bytes))
      try limits.check(opening.layout)
      try limits.check(recordCount: opening.metadata.recordCount)
      let progress = WorkProgress.begin(2)
      defer { progress?.end() }
      var builder = SalvageBuilder(opening, limits: limits)
      builder.build()
      progress?.advance(to: 1)
      losses = builder.losses
      faults = opening.errors.map { ArchiveError($0) }
      damagedRanges = opening.damage.ranges
      let (archive, failure) = Self.encode(builder)
      self.archive = archive
      self.failure = failure
      tree = archive == nil ? nil : builder.tree
      lostAndFound = archive == nil ? nil : builder.lostAndFound
      nodeCount = archive == nil ? 0 : builder.nodeCount
    } catch {
      (archive, tree, lostAndFound, nodeCount) = (nil, nil, nil, 0)
      (losses, faults, damagedRanges) = (ComputedList([]), [], [])
      failure = ArchiveError(error)
    }
  }

  /// Encodes the archive, unless everything was lost: an empty archive means that an empty state was saved (rule
  /// R-7.6-6).
  private static func encode(_ builder: SalvageBuilder) -> (Data?, ArchiveError?) {
    let tree = builder.tree
    let isEmpty = tree.nodes.isEmpty && tree.applicationState.isEmpty && tree.sections.isEmpty
    if isEmpty, let cause = builder.firstCause { return (nil, cause) }
    do throws(ArchiveError) {
      return (try tree.encoded(), nil)
    } catch {
      return (nil, error)
    }
  }
}

extension ArchiveSalvage {
  /// Returns a report for people, line by line: the outcome, the faults of the file, and each loss.
  ///
  ///     for line in salvage.report() { print(line) }
  ///
  /// Lines are safe to print, deterministic for a file, and created on access.
  ///
  /// - Parameters:
  ///   - lostSaves: The later saves that were lost before the salvage, in words, if there are any.
  ///   - remedy: How to write the archive, in words, if nothing was written.
  /// - Returns: The lines of the report.
  package func report(without lostSaves: String? = nil, unwritten remedy: String? = nil) -> ComputedList<String> {
    let (head, damagedRanges, losses) = (reportHead(lostSaves, remedy), damagedRanges, losses)
    return ComputedList(count: head.count + damagedRanges.count + losses.count) { position in
      if position < head.count { return head[position] }
      let place = position - head.count
      guard place < damagedRanges.count else { return "lost: \(losses[place - damagedRanges.count])" }
      let range = damagedRanges[place]
      return "damaged: bytes 0x\(String(range.lowerBound, radix: 16)) to 0x\(String(range.upperBound, radix: 16))"
    }
  }

  /// The few lines of the report before those for damage and losses.
  private func reportHead(_ lostSaves: String?, _ remedy: String?) -> [String] {
    var lines: [String] = []
    if let archive {
      let count = nodeCount == 1 ? "1 node" : "\(nodeCount) nodes"
      let lost = lostSaves.map { " without \($0)" } ?? ""
      if let remedy {
        lines.append(losses.isEmpty && lost.isEmpty ? "everything can be rescued: \(count)" : "\(count) can be rescued\(lost)")
        lines.append("nothing was written: \(remedy)")
        lines.append("the archive would have \(archive.count) bytes, the file has \(byteCount)")
      } else {
        lines.append(losses.isEmpty && lost.isEmpty ? "rescued everything: \(count)" : "rescued \(count)\(lost)")
        lines.append("the archive has \(archive.count) bytes, the file \(byteCount)")
      }
    } else {
      lines.append("nothing could be rescued: \(failure?.description ?? "")")
    }
    if let lostAndFound { lines.append("nodes without a known place are below \(lostAndFound.displayText)") }
    return lines + faults.map { "fault: \($0)" }
  }

  /// Writes a report for programs, as JSON with sorted keys.
  ///
  ///     var json = ""
  ///     salvage.writeReportJSON(to: &json)
  ///
  /// The report is written loss by loss, so that it is never in memory as a whole. Its members are `_version` (1),
  /// `archive` (`bytes`, `contentDigest`, `nodes`; absent if there is none), `damaged` (`first`, `count`), `failure`,
  /// `faults` (`code`, `offset`, `rule`), `file` (`bytes`), `lostAndFound` (a path), and `losses` (`kind`, `code`,
  /// `rule` and, where known, `offset`, `path`, `parent`, `firstRecord`, `recordCount`, `key`, `section`).
  package func writeReportJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      if let archive { writer.member("archive") { $0.outcome(archive, nodeCount: nodeCount) } }
      writer.member("damaged", objects: damagedRanges) { $0.damage($1) }
      if let failure { writer.member("failure") { $0.object { $0.fault(failure) } } }
      writer.member("faults", objects: faults) { $0.fault($1) }
      writer.member("file") { $0.object { $0.member("bytes") { $0.number(byteCount) } } }
      writer.member("losses", objects: losses) { $0.loss($1) }
      if let lostAndFound { writer.member("lostAndFound") { $0.path(lostAndFound) } }
    }
  }
}

extension JSONTextWriter {
  /// Writes the outcome: the rescued archive.
  mutating func outcome(_ archive: Data, nodeCount: Int) {
    object { writer in
      writer.member("bytes") { $0.number(archive.count) }
      if let reader = try? ArchiveReader(archive) { writer.member("contentDigest") { $0.string(reader.contentDigest.description) } }
      writer.member("nodes") { $0.number(nodeCount) }
    }
  }

  /// Writes a damaged range of the file.
  mutating func damage(_ range: Range<Int>) {
    member("count") { $0.number(range.count) }
    member("first") { $0.number(range.lowerBound) }
  }

  /// Writes a fault of the file.
  mutating func fault(_ error: ArchiveError) {
    member("code") { $0.string(error.code.rawValue) }
    if let offset = error.offset { member("offset") { $0.number(offset) } }
    member("rule") { $0.string(error.rule) }
  }

  /// Writes a loss.
  mutating func loss(_ loss: SalvageLoss) {
    member("code") { $0.string(loss.cause.code.rawValue) }
    if let records = loss.records { member("firstRecord") { $0.number(records.lowerBound) } }
    if let key = loss.key { member("key") { $0.string(key) } }
    member("kind") { $0.string(loss.kind.rawValue) }
    if let offset = loss.cause.offset { member("offset") { $0.number(offset) } }
    if let parent = loss.parent { member("parent") { $0.path(parent) } }
    if let path = loss.path { member("path") { $0.path(path) } }
    if let records = loss.records { member("recordCount") { $0.number(records.count) } }
    member("rule") { $0.string(loss.cause.rule) }
    if let section = loss.section { member("section") { $0.string(section) } }
  }
}
