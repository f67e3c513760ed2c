#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ArchiveSalvage {
  /// What happened, line by line, for people: the outcome, what is wrong with the file, each loss.
  ///
  /// The lines are safe to print, and the same for the same file.
  public var report: [String] {
    var lines: [String] = []
    if let archive {
      let count = nodeCount == 1 ? "1 node" : "\(nodeCount) nodes"
      lines.append(losses.isEmpty ? "rescued everything: \(count)" : "rescued \(count)")
      lines.append("the archive has \(archive.count) bytes, the file \(byteCount)")
    } else {
      lines.append("nothing could be rescued: \(failure?.description ?? "")")
    }
    if let lostAndFound { lines.append("what could not be put back is below \(SalvageLoss.text(of: lostAndFound))") }
    lines += faults.map { "fault: \($0)" }
    lines += damagedRanges.map { "damaged: bytes 0x\(String($0.lowerBound, radix: 16)) to 0x\(String($0.upperBound, radix: 16))" }
    lines += losses.map { "lost: \($0)" }
    return lines
  }

  /// What happened as JSON, with sorted keys, for programs.
  ///
  /// The members are `_version` (1), `archive` (`bytes`, `contentDigest`, `nodes`; absent if there is none), `damaged` (`first`, `count`), `failure`,
  /// `faults` (`code`, `offset`, `rule`), `file` (`bytes`), `lostAndFound` (a path), and `losses` (`kind`, `code`, `rule` and, where they are
  /// known, `offset`, `path`, `parent`, `firstRecord`, `recordCount`, `key`, `section`).
  public var reportJSON: Data {
    var report: ArchiveDictionary = ["_version": 1, "file": .dictionary(["bytes": .integer(byteCount)])]
    if let archive {
      var outcome: ArchiveDictionary = ["bytes": .integer(archive.count), "nodes": .integer(nodeCount)]
      if let reader = try? ArchiveReader(archive) { outcome["contentDigest"] = .string(reader.contentDigest.description) }
      report["archive"] = .dictionary(outcome)
    }
    report["damaged"] = .array(
      damagedRanges.map { .dictionary(["first": .integer($0.lowerBound), "count": .integer($0.count)]) })
    if let failure { report["failure"] = .dictionary(Self.entries(of: failure)) }
    report["faults"] = .array(faults.map { .dictionary(Self.entries(of: $0)) })
    report["losses"] = .array(losses.map { .dictionary(Self.entries(of: $0)) })
    if let lostAndFound { report["lostAndFound"] = .string(lostAndFound.description) }
    var writer = JSONTextWriter()
    writer.entries(report, sensitive: .reveal)
    writer.raw("\n")
    return Data(writer.takeBytes())
  }

  private static func entries(of error: ArchiveError) -> ArchiveDictionary {
    var entries: ArchiveDictionary = ["code": .string(error.code.rawValue), "rule": .string(error.rule)]
    entries["offset"] = error.offset.map { .integer($0) }
    return entries
  }

  private static func entries(of loss: SalvageLoss) -> ArchiveDictionary {
    var entries = entries(of: loss.cause)
    entries["kind"] = .string(loss.kind.rawValue)
    entries["path"] = loss.path.map { .string($0.description) }
    entries["parent"] = loss.parent.map { .string($0.description) }
    entries["firstRecord"] = loss.records.map { .integer($0.lowerBound) }
    entries["recordCount"] = loss.records.map { .integer($0.count) }
    entries["key"] = loss.key.map { .string($0) }
    entries["section"] = loss.section.map { .string($0) }
    return entries
  }
}
