/// The report of a salvage for people, line by line: the outcome, the faults of the file, and each loss.
///
///     for line in salvage.report { print(line) }
///
/// Lines are safe to print, deterministic for a file, and created on access.
package struct SalvageReport: RandomAccessCollection, Sendable {
  /// The few lines before those for damage and losses.
  private let head: [String]
  private let damagedRanges: [Range<Int>]
  private let losses: SalvageLosses

  init(_ salvage: ArchiveSalvage) {
    var lines: [String] = []
    if let archive = salvage.archive {
      let count = salvage.nodeCount == 1 ? "1 node" : "\(salvage.nodeCount) nodes"
      lines.append(salvage.losses.isEmpty ? "rescued everything: \(count)" : "rescued \(count)")
      lines.append("the archive has \(archive.count) bytes, the file \(salvage.byteCount)")
    } else {
      lines.append("nothing could be rescued: \(salvage.failure?.description ?? "")")
    }
    if let lostAndFound = salvage.lostAndFound { lines.append("nodes without a known place are below \(lostAndFound.displayText)") }
    head = lines + salvage.faults.map { "fault: \($0)" }
    damagedRanges = salvage.damagedRanges
    losses = salvage.losses
  }

  /// The position of the first line.
  package var startIndex: Int { 0 }
  /// The position after the last line.
  package var endIndex: Int { head.count + damagedRanges.count + losses.count }

  /// The line at `position`.
  package subscript(position: Int) -> String {
    if position < head.count { return head[position] }
    let place = position - head.count
    guard place < damagedRanges.count else { return "lost: \(losses[place - damagedRanges.count])" }
    let range = damagedRanges[place]
    return "damaged: bytes 0x\(String(range.lowerBound, radix: 16)) to 0x\(String(range.upperBound, radix: 16))"
  }
}

extension ArchiveSalvage {
  /// A report for people, line by line: the outcome, the faults of the file, and each loss.
  package var report: SalvageReport { SalvageReport(self) }

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
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.member("_version") { $0.number(1) }
      if let archive { writer.member("archive") { $0.outcome(archive, nodeCount: nodeCount) } }
      writer.member("damaged") { $0.array(damagedRanges, to: &output) { writer, range, _ in writer.damage(range) } }
      if let failure { writer.member("failure") { $0.fault(failure) } }
      writer.member("faults") { $0.array(faults) { $0.fault($1) } }
      writer.member("file") { $0.object { $0.member("bytes") { $0.number(byteCount) } } }
      writer.member("losses") { $0.array(losses, to: &output) { $0.loss($1, to: &$2) } }
      if let lostAndFound { writer.member("lostAndFound") { $0.path(lostAndFound, to: &output) } }
    }
    writer.raw("\n")
    output.write(writer.takeText())
  }
}
