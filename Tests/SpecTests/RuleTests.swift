import Foundation
import Testing

/// Every rule of the Spec is shown by a corpus file or a test, and nothing cites a rule that is not there.
@Suite struct RuleTests {
  /// The ids of rules, such as `R-4.2-1`, in a text.
  static func rules(in text: String, pattern: String = #"R-J?[0-9]+(?:\.[0-9]+)?-[0-9]+"#) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: match.numberOfRanges - 1), in: text).map { String(text[$0]) }
    }
  }

  static let definitions: [String] = ["Spec/format.md", "Spec/json.md"].flatMap { path in
    (try? rules(in: SpecFiles.text(path), pattern: #"\*\*(R-J?[0-9]+(?:\.[0-9]+)?-[0-9]+)\*\*"#)) ?? []
  }

  /// By rule: a file that cites it.
  static let citations: [String: String] = {
    var citations: [String: String] = [:]
    let paths =
      SpecFiles.paths(under: "Corpus", ending: ".expect") + SpecFiles.paths(under: "Tests", ending: "Tests.swift")
    for path in paths {
      for rule in (try? rules(in: SpecFiles.text(path))) ?? [] { citations[rule] = citations[rule] ?? path }
    }
    return citations
  }()

  @Test("every rule is cited by a corpus file or a test", arguments: definitions)
  func isCited(_ rule: String) {
    #expect(Self.citations[rule] != nil)
  }

  @Test("no rule id is given twice")
  func areUnique() {
    #expect(Set(Self.definitions).count == Self.definitions.count)
    #expect(Self.definitions.count > 100)
  }

  @Test("whatever is cited is defined")
  func areDefined() throws {
    let known = Set(Self.definitions)
    let sources = SpecFiles.paths(under: "Sources", ending: ".swift") + SpecFiles.paths(under: "Tests/CorpusKit", ending: ".swift")
    for path in sources + SpecFiles.paths(under: "Spec", ending: ".md") {
      for rule in try Self.rules(in: SpecFiles.text(path)) { #expect(known.contains(rule), "\(path) cites \(rule)") }
    }
    for (rule, path) in Self.citations { #expect(known.contains(rule), "\(path) cites \(rule)") }
  }

  @Test("MUST stands only in rules")
  func hasIdForEachMust() throws {
    for path in ["Spec/format.md", "Spec/json.md"] {
      for line in try SpecFiles.text(path).split(separator: "\n") where line.contains("MUST") {
        #expect(line.contains("**R-") || line.hasPrefix("MUST, MUST NOT"), "\(path): \(line.prefix(120))")
      }
    }
  }
}
