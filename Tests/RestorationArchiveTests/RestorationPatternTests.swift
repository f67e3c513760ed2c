import RestorationArchive
import Testing

/// Paths with wildcards: which paths they match, which of two is more specific, and which are rejected (Spec 3.1).
@Suite struct RestorationPatternTests {
  @Test(
    "a pattern matches paths component by component",
    arguments: [
      ("root/list", "root/list", true), ("root/list", "root", false), ("root", "root/list", false), ("*", "root", true), ("*", "", false),
      ("*/list", "root/list", true), ("*/list", "root/grid", false), ("**", "", true), ("**", "a/b/c", true), ("root/**", "root", true),
      ("root/**", "root/a/b", true), ("root/**", "other", false), ("root/*/title", "root/3/title", true), ("", "", true), ("", "a", false),
      ("a~1b/~0/~2", "a~1b/~0/*", true), ("~2~2", "**", true), ("é", "e\u{301}", false),
    ])
  func matches(_ text: String, _ path: String, _ isMatch: Bool) throws {
    let pattern = try RestorationPattern(text)
    #expect(try pattern.matches(RestorationPath(parsing: path)) == isMatch)
    #expect(pattern.description == text)
  }

  @Test(
    "malformed patterns are rejected with the position of the error",
    arguments: [
      ("a*", 1), ("*a", 0), ("**/a", 0), ("a/**/b", 2), ("a//b", 2), ("/a", 0), ("a/", 2), ("a/~3", 3), ("~", 1), ("a/b~", 4), ("***", 0),
    ])
  func refuses(_ text: String, _ place: Int) {
    let error = #expect(throws: ArchiveError.self) { try RestorationPattern(text) }
    #expect(error?.code == .pathSyntax)
    #expect(error?.offset == place)
  }

  @Test("the limits are those of paths (R-3.1-1, R-3.1-2)")
  func keepsLimits() throws {
    let components = [String](repeating: "*", count: 256)
    #expect(try RestorationPattern(components.joined(separator: "/")).exactPath == nil)
    let deep = #expect(throws: ArchiveError.self) { try RestorationPattern((components + ["*"]).joined(separator: "/")) }
    #expect(deep?.code == .pathDepth)
    let long = String(repeating: "x", count: 1024)
    #expect(try RestorationPattern(long).exactPath?.components == [long])
    #expect(#expect(throws: ArchiveError.self) { try RestorationPattern("\(long)x") }?.code == .stringLength)
  }

  @Test("a pattern without wildcards is a path")
  func isExact() throws {
    #expect(try RestorationPattern("root/a~1b/~2").exactPath?.components == ["root", "a/b", "*"])
    #expect(try RestorationPattern("").exactPath == .application)
    #expect(try RestorationPattern("root/**").exactPath == nil)
  }

  @Test(
    "of two matching patterns, the first different component decides which is more specific",
    arguments: [("a", "*"), ("a", "a/**"), ("a/b", "a/*"), ("a/*", "a/**"), ("a/*", "*/b"), ("*/b", "**"), ("*", "**"), ("a/**", "*/b")])
  func ordersBySpecificity(_ more: String, _ less: String) throws {
    let (more, less) = (try RestorationPattern(more), try RestorationPattern(less))
    #expect(more.isMoreSpecific(than: less))
    #expect(!less.isMoreSpecific(than: more))
    #expect(!more.isMoreSpecific(than: more))
  }

  @Test("patterns with the same text are equal")
  func comparesByText() throws {
    let patterns = try ["a/*", "a/*", "a/**", "é", "e\u{301}"].map { try RestorationPattern($0) }
    #expect(patterns[0] == patterns[1] && patterns[0] != patterns[2] && patterns[3] != patterns[4])
    #expect(Set(patterns).count == 4)
  }
}
