import Foundation
import Testing

/// Every rule of the Spec has evidence in a corpus file or a test, and every cited rule exists.
@Suite struct RuleTests {
  /// The rule ids in a text, such as `R-4.2-1`.
  static func rules(in text: String, pattern: String = #"R-[JK]?[0-9]+(?:\.[0-9]+)?-[0-9]+"#) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: match.numberOfRanges - 1), in: text).map { String(text[$0]) }
    }
  }

  static func definitions() throws -> [String] {
    try DocumentTests.normative.flatMap { path in
      try rules(in: SpecFiles.text(path), pattern: #"\*\*(R-[JK]?[0-9]+(?:\.[0-9]+)?-[0-9]+)\*\*"#)
    }
  }

  /// The rules that a corpus file cites, each with the file.
  ///
  /// It does so in a finding, in the error of a chain, or, if the file is refused, in its reason.
  static func corpusEvidence() throws -> [String: String] {
    var evidence: [String: String] = [:]
    for path in SpecFiles.paths(under: "Corpus", ending: ".expect") {
      let text = try SpecFiles.text(path)
      let isRefused = !text.contains("outcome: valid\n")
      for line in text.split(separator: "\n") where isRefused || line.hasPrefix("finding:") {
        for rule in try rules(in: String(line)) { evidence[rule] = path }
      }
    }
    for rule in try rules(in: SpecFiles.text("Corpus/links/chains.tsv")) { evidence[rule] = "Corpus/links/chains.tsv" }
    return evidence
  }

  /// The rules that a test names in its strings, each with a test that shows it.
  ///
  /// That is the first one with the rule in its own name, or else the first file that expects it. Comments are no evidence.
  static func testEvidence() throws -> [String: String] {
    var names: [String: String] = [:]
    var others: [String: String] = [:]
    for path in SpecFiles.paths(under: "Tests", ending: "Tests.swift") {
      let lines = try SpecFiles.text(path).split(separator: "\n").map(String.init)
      for (index, line) in lines.enumerated() {
        let text = SpecFiles.strings(ofSwift: line).trimmingCharacters(in: .whitespacesAndNewlines)
        let isName = line.contains("@Test(\"") || (index > 0 && lines[index - 1].hasSuffix("@Test("))
        for rule in try rules(in: text) {
          if isName { names[rule] = names[rule] ?? "`\(path)`: \(text)" } else { others[rule] = others[rule] ?? "`\(path)`" }
        }
      }
    }
    return names.merging(others) { name, _ in name }
  }

  @Test("every rule has evidence in a corpus file or a test, or a reason in evidence.md; every rule that they name is defined")
  func areShown() throws {
    let definitions = try Self.definitions()
    let (files, tests) = (try Self.corpusEvidence(), try Self.testEvidence())
    let reasons = try SpecFiles.rows(of: "Spec/evidence.md", under: "Rules that nothing can show").map { ($0[0], $0[1]) }
    for rule in definitions where files[rule] == nil && tests[rule] == nil {
      #expect(reasons.contains { $0.0 == rule && !$0.1.isEmpty }, "nothing shows \(rule)")
    }
    for (rule, _) in reasons { #expect(definitions.contains(rule) && files[rule] == nil && tests[rule] == nil, "\(rule) is shown") }
    for (rule, path) in files.merging(tests, uniquingKeysWith: { file, _ in file }) {
      #expect(definitions.contains(rule), "\(path) cites \(rule)")
    }
  }

  /// `BLESS=1` rewrites the table of tests.
  @Test("evidence.md lists a test for each rule that no corpus file cites")
  func evidenceIsListed() throws {
    let (files, tests) = (try Self.corpusEvidence(), try Self.testEvidence())
    let rows = try Self.definitions().filter { files[$0] == nil }.compactMap { rule in tests[rule].map { "| \(rule) | \($0) |\n" } }
    let text = try SpecFiles.text("Spec/evidence.md")
    let parts = text.components(separatedBy: "|---|---|\n")
    try #require(parts.count == 3)
    let rest = parts[1].split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("|") }.joined(separator: "\n")
    let expected = [parts[0], rows.joined() + rest, parts[2]].joined(separator: "|---|---|\n")
    if ProcessInfo.processInfo.environment["BLESS"] == "1" {
      try expected.write(to: SpecFiles.root.appendingPathComponent("Spec/evidence.md"), atomically: true, encoding: .utf8)
    }
    #expect(try SpecFiles.text("Spec/evidence.md") == expected, "run the tests with BLESS=1")
  }

  @Test("a string is evidence, a comment is not")
  func readsStrings() {
    #expect(SpecFiles.strings(ofSwift: "// \"a\"\n/// b\nlet x = \"c\" // \"d\"\n") == "c\n")
  }

  @Test("rule ids are unique")
  func areUnique() throws {
    let definitions = try Self.definitions()
    #expect(Set(definitions).count == definitions.count)
    #expect(definitions.count > 100)
  }

  @Test("every cited rule is defined")
  func areDefined() throws {
    let known = Set(try Self.definitions())
    let sources = SpecFiles.paths(under: "Sources", ending: ".swift") + SpecFiles.paths(under: "Tests/Kits", ending: ".swift")
    for path in sources + SpecFiles.paths(under: "Spec", ending: ".md") {
      for rule in try Self.rules(in: SpecFiles.text(path)) { #expect(known.contains(rule), "\(path) cites \(rule)") }
    }
  }

  @Test("MUST occurs only in rules")
  func hasIdForEachMust() throws {
    for path in DocumentTests.normative {
      for line in try SpecFiles.text(path).split(separator: "\n") where line.contains("MUST") {
        #expect(line.contains("**R-") || line.hasPrefix("MUST, MUST NOT"), "\(path): \(line.prefix(120))")
      }
    }
  }
}
