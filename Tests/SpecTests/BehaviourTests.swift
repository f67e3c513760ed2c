import Foundation
import Testing

/// Every behaviour of Tests/Behaviours.md is cited by a test, and every cited one is there.
@Suite struct BehaviourTests {
  /// The numbers that a pattern finds in a text: those of its first group, which may be a list.
  private static func numbers(_ pattern: String, in text: String) throws -> [Int] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).flatMap { match in
      Range(match.range(at: 1), in: text).map { text[$0].split(separator: ", ").compactMap { Int($0) } } ?? []
    }
  }

  /// The numbers that a test cites: `"84, R-3.5-6, 79: …"` as its name, `behaviour90…`, and `Behaviours 28` anywhere.
  static func citations(in text: String) throws -> [Int] {
    let list = #"((?:(?:[0-9]+|[RL][-.0-9]+)(?:, )?)+)"#
    return try numbers(#"@Test\(\s*""# + list + ": ", in: text) + numbers("func behaviour([0-9]+)", in: text)
      + numbers("Behaviours? " + list, in: text)
  }

  @Test("Tests/Behaviours.md has each number from 1 to 114 once, and a test cites each, and no other")
  func areCited() throws {
    let listed = try Self.numbers(#"(?m)^- \*\*([0-9]+)\*\* "#, in: SpecFiles.text("Tests/Behaviours.md"))
    #expect(listed.sorted() == Array(1...114))
    var cited: [Int: String] = [:]
    let own = "Tests/SpecTests/BehaviourTests.swift"
    for path in SpecFiles.paths(under: "Tests", ending: "Tests.swift") where path != own {
      for number in try Self.citations(in: SpecFiles.text(path)) { cited[number] = path }
    }
    for number in listed { #expect(cited[number] != nil, "no test cites \(number)") }
    for (number, path) in cited { #expect(listed.contains(number), "\(path) cites \(number)") }
  }

  @Test("a citation is the name of a test or of its function, or says that it is one")
  func readsCitations() throws {
    #expect(try Self.citations(in: "@Test(\"59: a\") func b()") == [59])
    #expect(try Self.citations(in: "@Test(\n    \"84, R-3.5-6, 79: a\"") == [84, 79])
    #expect(try Self.citations(in: "func behaviour90Follows() { // Behaviour 85; Behaviours 28, 31 and 33") == [90, 85, 28, 31])
    #expect(try Self.citations(in: "#expect(text == \"3: a\") // 4: b") == [])
  }
}
