import KeyedArchive
import KeyedArchiveKit
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

  /// A state archive of UIKit with the paths of objects that it does not have.
  private static func root(_ paths: [String]) -> RawKeyedArchive {
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray(paths.map { root.add(.string($0)) }))]
    return root
  }

  @Test("the notes of an import beyond the limit are counted")
  func countsNotes() throws {
    let path = Array(repeating: String(repeating: "a", count: 1000), count: 40).joined(separator: "/")
    let paths = (0..<2000).map { "\($0)" } + (0..<9).map { "\(path)/\($0)" }
    let imported = try ImportedArchive(decoding: Self.root(paths).bytes)
    #expect(imported.notes.count == 2009)
    for (limit, count) in [(nil, 1000), (3, 3), (5000, 2009)] as [(Int?, Int)] {
      let overview = ImportOverview(imported, byteCount: 1000, listingLimit: limit)
      var (json, text) = ("", "")
      overview.writeJSON(to: &json)
      overview.writeCheck(to: &text)
      #expect(json.contains("\"noteCount\": 2009") && json.split(separator: "\"kind\"").count - 1 == count)
      #expect(text.contains("… and \(2009 - count) more notes") == (count < 2009))
    }
    // Two of the long paths are as much as the limit of a short file.
    let long = try ImportedArchive(decoding: Self.root(Array(paths.suffix(9))).bytes)
    var json = ""
    ImportOverview(long, byteCount: 1000).writeJSON(to: &json)
    #expect(long.notes.count == 9 && json.contains("\"noteCount\": 9") && json.split(separator: "\"kind\"").count - 1 == 2)
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
