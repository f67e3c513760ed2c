import Foundation
import Testing

@testable import CorpusKit
import SlowReader

/// The corpus covers everything that a small file can show.
@Suite struct CorpusCoverageTests {
  @Test("every code that a checker reports is expected by a corpus file (Spec 7.2)", arguments: FindingCatalogue.rules.keys.sorted())
  func isExpectedSomewhere(_ code: String) {
    #expect(Self.findings.contains { $0.code == code })
  }

  @Test("every rule that a code can cite is cited by a corpus file; R-3.1-2 through the two rules that apply it", arguments: citable)
  func isCitedSomewhere(_ rule: String) {
    #expect(Self.findings.contains { $0.rule == rule })
  }

  @Test("codes, kinds and rules match the registry")
  func catalogueIsRegistry() throws {
    let registry = try #require(CorpusFolder(root: CorpusFolder.standard.root + "/../Spec").text("registry.md"))
    for (code, rules) in FindingCatalogue.rules {
      let row = registry.split(separator: "\n").first { $0.hasPrefix("| `\(code)` |") }
      let cells = row?.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") } ?? []
      #expect(cells.count == 4, "\(code)")
      #expect(cells.dropFirst().first == FindingCatalogue.outcomes[code]?.rawValue, "\(code)")
      #expect(Set(cells.last?.split(separator: ", ").map(String.init) ?? []) == Set(rules), "\(code)")
    }
  }

  @Test("the checksum of the corpus matches the values of Spec 5.4")
  func checksum() {
    #expect(XXHash64.hash([]) == 0xef46_db37_51d8_e999)
    #expect(XXHash64.hash(Array("abc".utf8)) == 0x44bc_2cf5_ad77_0999)
  }

  @Test("the checksum of the corpus matches the test values of Spec appendix A")
  func checksumOfAppendix() throws {
    let text = try #require(CorpusFolder(root: CorpusFolder.standard.root + "/../Spec").text("format.md"))
    let appendix = try #require(text.components(separatedBy: "## Appendix A. XXH64").last?.components(separatedBy: "## Appendix B").first)
    let lines: [[String]] = appendix.split(separator: "\n").map { line in
      line.split(whereSeparator: { "| `".contains($0) }).map { String($0) }
    }
    let rows = lines.filter { $0.count == 3 && $0[2].count == 16 }
    #expect(rows.count == 10)
    for row in rows {
      let (length, seed, hash) = (try #require(Int(row[0])), try #require(UInt64(row[1])), try #require(UInt64(row[2], radix: 16)))
      #expect(XXHash64.hash((0..<length).map { UInt8(truncatingIfNeeded: $0) }, seed: seed) == hash, "\(row)")
    }
  }

  @Test("the two checksums of the tests agree on all lengths up to a few stripes")
  func checksumsAgree() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for length in 0...bytes.count {
      #expect(XXHash64.hash(bytes.prefix(length), seed: UInt64(length)) == SlowXXH64.hash(bytes.prefix(length), seed: UInt64(length)))
    }
  }

  static let citable: [String] = Set(FindingCatalogue.rules.values.flatMap { $0 }).subtracting(["R-3.1-2"]).sorted()

  /// The expected findings of all files.
  private static let findings: [ExpectedFinding] = CorpusFolder.standard.paths().filter { $0.hasSuffix(".expect") }.flatMap { path in
    let expectation = CorpusFolder.standard.text(path).flatMap { try? Expectation(parsing: $0) }
    return expectation?.findings ?? []
  }
}
