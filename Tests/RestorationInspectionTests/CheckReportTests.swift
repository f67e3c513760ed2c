import PropertyKit
import RestorationArchive
import RestorationInspection
import Testing

/// A report lists up to its limit, and counts the rest.
@Suite struct CheckReportTests {
  private static func faulty(_ count: Int) -> [HostileArchive] {
    HostileArchive.all(count: count).filter { $0.name.hasPrefix("faulty nodes") || $0.name.hasPrefix("a faulty state") }
  }

  // A dozen is enough: each may have a path of a quarter of a megabyte.
  @Test("findings beyond the limit are counted", arguments: faulty(12))
  func countsFindings(_ file: HostileArchive) {
    let count = ArchiveCheck(file.bytes).findings.count
    for limit in [0, 1, count - 1, count] {
      let report = CheckReport(file.bytes, listingLimit: limit)
      let lines = report.text.split(separator: "\n")
      let rest = count - limit
      #expect(lines.count == limit + (rest > 0 ? 2 : 1))
      #expect(lines.contains("… and \(rest) more finding\(rest == 1 ? "" : "s")") == (rest > 0))
      #expect(report.json.contains("\"findingCount\": \(count),"))
      #expect(report.json.split(separator: "\n").count { $0.contains("\"code\": ") } == limit)
    }
  }

  @Test("without a limit a thousand findings are listed, or fewer if their paths are longer than the file")
  func listsUsually() throws {
    let states = try #require(Self.faulty(1500).first { $0.name.hasPrefix("a faulty state") })
    #expect(CheckReport(states.bytes).text.split(separator: "\n").count == 1002)
    let paths = try #require(Self.faulty(1500).first { $0.name.hasSuffix("longest path") })
    let lines = CheckReport(paths.bytes).text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("… and ") })
    // A line of text shows the end of a path that is too long for it.
    #expect(lines.allSatisfy { $0.utf8.count < 3000 })
  }

  @Test("lost states and nodes beyond the limit are counted")
  func countsLosses() throws {
    let file = try #require(HostileArchive.all(count: 1500).first { $0.name == "every block damaged" })
    let loss = ArchiveCheck(file.bytes).losses.reduce(0) { $0 + $1.nodes.count + $1.states.count }
    let report = CheckReport(file.bytes, listingLimit: 10)
    #expect(report.text.contains("… and \(loss - 10) more node records\n"))
    #expect(report.json.contains("\"nodeCount\": \(loss),"))
    #expect(report.json.split(separator: "\n").count { $0.contains("\"record\": ") } == 10)
  }
}

extension CheckReport {
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  var json: String {
    var text = ""
    writeJSON(to: &text)
    return text
  }
}
