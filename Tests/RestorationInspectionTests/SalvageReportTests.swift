import CorpusKit
import PropertyKit
import RestorationArchive
import RestorationInspection
import SalvageKit
import Testing

/// The report of a salvage, as text and as JSON.
@Suite struct SalvageReportTests {
  @Test("a JSON report is written in pieces of at most one loss plus a buffer")
  func writesInPieces() throws {
    let salvage = ArchiveSalvage(HostileArchive.faultyStatesBelowLongPath(count: 40, identifierLength: 200).bytes)
    var pieces = TextPieces()
    salvage.writeReportJSON(to: &pieces)
    #expect(pieces.byteCount > 40 * 255 * 200)
    #expect(pieces.longest < 1 << 17)
  }

  @Test("the text report and the JSON report agree")
  func reports() throws {
    var bytes = [UInt8](try LargeArchive.tree(nodeCount: 300, seed: 5, isRich: true).encoded())
    bytes[ArchiveSections(bytes).nodes + 50] ^= 1
    let salvage = ArchiveSalvage(bytes)
    var text = ""
    salvage.writeReport(to: &text)
    let lines = text.split(separator: "\n")
    #expect(lines.first ?? "" == "rescued \(salvage.nodeCount) nodes")
    #expect(lines.count { $0.hasPrefix("lost: ") } == salvage.losses.count)
    var json = ""
    salvage.writeReportJSON(to: &json)
    for name in ["archive", "damaged", "faults", "file", "losses", "lostAndFound", "kind", "firstRecord", "recordCount"] {
      #expect(json.contains("\"\(name)\": "), "\(name)")
    }
    #expect(json.count { $0 == "\n" } > salvage.losses.count)
  }

  @Test("without an archive the JSON report has the failure, and the text nothing")
  func reportsFailures() throws {
    var (text, json) = ("", "")
    ArchiveSalvage([]).writeReport(to: &text)
    ArchiveSalvage([]).writeReportJSON(to: &json)
    #expect(text.isEmpty && json.contains("\"failure\": ") && json.contains("\"empty-file\""))
  }
}
