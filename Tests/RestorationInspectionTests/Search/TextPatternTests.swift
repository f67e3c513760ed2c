import Foundation
import RestorationInspection
import Testing

/// The pattern of a search: a text, or a regular expression.
@Suite struct TextPatternTests {
  private static let expressions = [
    "a", "a|b", "ab|cd|", "a*", "a+b", "(ab)+", "a?b", "[abc]x", "[^abc]x", "[a-c1-3]+", "[]a]+", "[a-]+", "a.c", "^a", "b$", "^$", "^a*$",
    "(a|b)*c",
    "(a*)*b", "(a+)+$", "a{2}", "a{2,}", "a{1,2}b", "(ab){2,3}", "x{0}", "\\d+", "\\w+@\\w+", "\\s", "\\S+", "\\D", "\\W", "\\bab\\b",
    "\\Bb", "a\\.c",
    "\\[x\\]", "(?:ab|c)d", "a+?b", "()", "(|a)b", "[\\d.]+", "[^\\s]+$",
  ]
  private static let texts = [
    "", "a", "b", "ab", "aab", "abab", "abc", "a.c", "aXc", "[x]", "cd", "abd", "mail@host", "12 34", "aaaa", "aaab", "x", "-", "]",
    "ab cb", "xab", "a\nc",
    "äöü", "1.2", "cx", "dx", "ababab", " ",
  ]

  @Test("an expression matches what it matches in Foundation", arguments: expressions)
  func agreesWithFoundation(_ expression: String) throws {
    let pattern = try TextPattern("/\(expression)/")
    let other = try NSRegularExpression(pattern: expression)
    for text in Self.texts {
      let expected = other.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
      #expect(pattern.matches(text) == expected, "/\(expression)/ in \"\(text)\"")
    }
  }

  @Test("an expression that takes exponential time elsewhere takes little", .timeLimit(.minutes(10)))
  func isLinear() throws {
    let text = String(repeating: "a", count: 20_000) + "!"
    for expression in ["(a+)+$", "(a|a)*b$", "(a*)*b", "(.*a){12}b", "((a?){20}){20}b", "a*a*a*a*a*b"] {
      #expect(try !TextPattern("/\(expression)/").matches(text), "\(expression)")
    }
  }

  @Test("a text is itself, whatever characters it has; the place of a match counts scalars")
  func findsText() throws {
    #expect(try TextPattern("a.c").match(in: "xxa.c") == 2..<5)
    #expect(try TextPattern("a.c").match(in: "xxabc") == nil)
    #expect(try TextPattern("/").matches("a/b"))
    #expect(try TextPattern("//").matches("a//b"))
    #expect(try !TextPattern("Straße").matches("STRASSE straße"))
    #expect(try TextPattern("GRÜN", ignoringCase: true).match(in: "👩\u{200D}👧 grün") == 4..<8)
    #expect(try TextPattern("/[A-C]+/", ignoringCase: true).match(in: "xab") == 1..<2)
  }

  @Test(
    "an expression that cannot be read is refused",
    arguments: [
      "(", "(a", "a)", "[a", "*a", "a|*", "a{", "a{2", "a{3,2}", "a{1001}", "(?=a)", "(?<n>a)", "\\1", "\\q", "a\\", "[b-a]", "\\u{110000}",
      "\\u{",
      "((a{1000}){1000}){1000}", "(()", "(){1000}{1000}",
    ])
  func refuses(_ expression: String) {
    #expect(throws: TextPattern.SyntaxError.self) { try TextPattern("/\(expression)/") }
  }

  @Test("groups and repetitions are refused beyond a depth, whatever they contain")
  func bounds() {
    let groups = String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000)
    #expect(throws: TextPattern.SyntaxError.self) { try TextPattern("/\(groups)/") }
    #expect(throws: TextPattern.SyntaxError.self) { try TextPattern("/a\(String(repeating: "*", count: 10_000))/") }
    #expect(throws: TextPattern.SyntaxError.self) { try TextPattern("/\(String(repeating: "a", count: 20_000))/") }
  }
}
