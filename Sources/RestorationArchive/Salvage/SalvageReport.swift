extension ArchiveSalvage {
  /// A report for people, line by line: the outcome, the faults of the file, and each loss.
  ///
  ///     for line in salvage.report { print(line) }
  ///
  /// Lines are safe to print, deterministic for a file, and created on access.
  package var report: ComputedList<String> { report() }

  /// Returns the report of a salvage for which more is known than its bytes say.
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
