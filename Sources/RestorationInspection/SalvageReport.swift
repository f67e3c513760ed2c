package import RestorationArchive

extension ArchiveSalvage {
  /// Writes a report for people, line by line: the outcome, the faults of the file, and each loss; nothing without an archive,
  /// because ``failure`` says everything then.
  ///
  /// A file can have more losses, with longer paths, than fit in memory.
  ///
  /// - Parameters:
  ///   - chain: The later saves that were lost before the salvage, if there are any.
  ///   - remedy: How to write the archive, in words, if nothing was written.
  ///   - output: The stream for the lines, which are safe to print.
  package func writeReport(
    without chain: ChainFiles.Loss? = nil, unwritten remedy: String? = nil, to output: inout some TextOutputStream
  ) {
    guard let archive else { return }
    let (count, isWhole) = (ArchiveOverview.counted(nodeCount, "node"), losses.isEmpty && chain == nil)
    let saves = chain.map { " without \($0.saves)" } ?? ""
    if let remedy {
      output.write(isWhole ? "everything can be rescued: \(count)\n" : "\(count) can be rescued\(saves)\n")
      output.write("nothing was written: \(remedy)\nthe archive would have \(archive.count) bytes, the file has \(byteCount)\n")
    } else {
      output.write(isWhole ? "rescued everything: \(count)\n" : "rescued \(count)\(saves)\n")
      output.write("the archive has \(archive.count) bytes, the file \(byteCount)\n")
    }
    if appliedLinkCount > 0 {
      output.write("what \(ArchiveOverview.counted(appliedLinkCount, "link")) changed after it is added; what follows was lost before\n")
    }
    if let lostAndFound { output.write("nodes without a known place are below \(lostAndFound.displayText)\n") }
    for fault in faults { output.write("fault: \(fault)\n") }
    for range in damagedRanges {
      output.write("damaged: bytes 0x\(String(range.lowerBound, radix: 16)) to 0x\(String(range.upperBound, radix: 16))\n")
    }
    for loss in losses { output.write("lost: \(loss)\n") }
  }

  /// Writes a report for programs, loss by loss, so that it is never in memory as a whole.
  package func writeReportJSON(without chain: ChainFiles.Loss? = nil, to output: inout some TextOutputStream) {
    let digest = archive.flatMap { try? ArchiveReader($0).contentDigest.description }
    JSONTextWriter.inspection(to: &output) { writer in
      writer.members([
        "appliedLinkCount": appliedLinkCount == 0 ? nil : appliedLinkCount,
        "archive": archive.map { ["bytes": $0.count, "contentDigest": digest, "nodes": nodeCount] as JSONMembers },
        "damaged": JSONList(damagedRanges) { ["count": $0.count, "first": $0.lowerBound] }, "failure": failure, "faults": faults,
        "file": ["bytes": byteCount] as JSONMembers,
        "losses": JSONList(losses) { loss in
          [
            "code": loss.cause.code.rawValue, "firstRecord": loss.records?.lowerBound, "key": loss.key, "kind": loss.kind.rawValue,
            "offset": loss.cause.offset, "parent": loss.parent, "path": loss.path, "recordCount": loss.records?.count,
            "rule": loss.cause.rule, "section": loss.section,
          ]
        },
        "lostAndFound": lostAndFound, "lostSaves": chain,
      ])
    }
  }
}
