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
    try ["Spec/format.md", "Spec/json.md", "Spec/keyed-archive.md"].flatMap { path in
      try rules(in: SpecFiles.text(path), pattern: #"\*\*(R-[JK]?[0-9]+(?:\.[0-9]+)?-[0-9]+)\*\*"#)
    }
  }

  /// The rules with evidence, each with a file that provides it.
  ///
  /// A corpus file is evidence for the rules of its findings and, if the file is refused, for the rules in its reason.
  /// A test is evidence for the rules in its strings: in its name, or expected in its code. Comments are no evidence.
  static func evidence() throws -> [String: String] {
    var evidence: [String: String] = [:]
    for path in SpecFiles.paths(under: "Corpus", ending: ".expect") {
      let text = try SpecFiles.text(path)
      let isRefused = !text.contains("outcome: valid\n")
      for line in text.split(separator: "\n") where isRefused || line.hasPrefix("finding:") {
        for rule in try rules(in: String(line)) { evidence[rule] = path }
      }
    }
    for path in SpecFiles.paths(under: "Tests", ending: "Tests.swift") {
      for rule in try rules(in: SpecFiles.strings(ofSwift: SpecFiles.text(path))) { evidence[rule] = path }
    }
    return evidence
  }

  @Test("every rule has evidence in a corpus file or a test, and every rule that they name is defined")
  func areShown() throws {
    let definitions = try Self.definitions()
    let evidence = try Self.evidence()
    for rule in definitions { #expect(evidence[rule] != nil, "nothing shows \(rule)") }
    for (rule, path) in evidence { #expect(definitions.contains(rule), "\(path) cites \(rule)") }
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
    for path in ["Spec/format.md", "Spec/json.md", "Spec/keyed-archive.md"] {
      for line in try SpecFiles.text(path).split(separator: "\n") where line.contains("MUST") {
        #expect(line.contains("**R-") || line.hasPrefix("MUST, MUST NOT"), "\(path): \(line.prefix(120))")
      }
    }
  }
}
