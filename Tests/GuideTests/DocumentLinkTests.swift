import Foundation
import Testing

/// The links of README.md and CONTRIBUTING.md lead to files, and the names in the section that follows a change and a launch
/// are those of the code.
@Suite struct DocumentLinkTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let roads = "## A change and a launch, file by file"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns what a pattern's first group matches.
  private static func matches(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  /// Returns a document without its blocks of code.
  private static func prose(_ text: String) -> String {
    text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "\n")
  }

  // MARK: Links

  /// Returns the targets of the links of a document within the package.
  private static func links(in text: String) throws -> [String] {
    try matches(#"\]\(([^)\s]+)\)"#, in: prose(text)).filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
  }

  /// Returns the anchors of a document's headings.
  private static func anchors(in text: String) throws -> Set<String> {
    Set(
      try matches("^#+ (.+)$", in: prose(text)).map { heading in
        String(heading.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil })
      })
  }

  /// Returns the links of a document at the root of the package that lead nowhere.
  private static func brokenLinks(in text: String) throws -> [String] {
    try links(in: text).filter { link in
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let target = parts[0].isEmpty ? nil : parts[0]
      if let target, !FileManager.default.fileExists(atPath: root.appendingPathComponent(target).path) { return true }
      guard parts.count > 1 else { return false }
      return try !anchors(in: target.map { try Self.text($0) } ?? text).contains(parts[1])
    }
  }

  @Test("every link leads to a file or a heading", arguments: [("README.md", 10), ("CONTRIBUTING.md", 60)])
  func leadSomewhere(_ document: String, _ leastCount: Int) throws {
    let text = try Self.text(document)
    #expect(try Self.links(in: text).count >= leastCount)
    #expect(try Self.brokenLinks(in: text) == [])
  }

  @Test("a link that leads nowhere is found")
  func findsBrokenLinks() throws {
    let text = """
      # One heading
      [a](README.md), [b](Missing.md), [c](#one-heading), [d](#another), [e](README.md#speed), [f](README.md#slowness)
      ```
      [g](Code.md)
      ```
      [h](https://example.org/Missing.md)
      """
    #expect(try Self.brokenLinks(in: text) == ["Missing.md", "#another", "README.md#slowness"])
  }

  // MARK: Names

  /// Returns the section of CONTRIBUTING.md that follows a change and a launch.
  private static func section() throws -> String {
    let text = try text("CONTRIBUTING.md")
    let start = try #require(text.range(of: roads)).upperBound
    let end = try #require(text.range(of: "\n## ", range: start..<text.endIndex)).lowerBound
    return String(text[start..<end])
  }

  /// Returns the parts of the names in backticks: of `A.b(c:)`, `A` and `b`.
  private static func names(in text: String) throws -> Set<String> {
    let names = try matches(#"`@?([A-Za-z_]\w*(?:\.\w+)*)(?:\([\w:]*\))?`"#, in: text)
    return Set(names.flatMap { $0.split(separator: ".").map(String.init) })
  }

  /// Returns the names that the Swift files of a folder declare.
  private static func declarations(in folder: String) throws -> Set<String> {
    let files = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let code = try String(contentsOf: file, encoding: .utf8)
      let pattern = #"^ *(?:[@\w()]+ )*(?:struct|enum|class|protocol|actor|typealias|func|var|let|case) ([A-Za-z_]\w*)"#
      names.formUnion(try matches(pattern, in: code))
    }
    return names
  }

  @Test("every name of code in the section on a change and a launch is declared")
  func areDeclared() throws {
    let names = try Self.names(in: Self.section())
    #expect(names.filter { $0.first?.isUppercase == true }.count >= 10)
    let suites = names.filter { $0.hasSuffix("Tests") }
    #expect(names.subtracting(suites).subtracting(try Self.declarations(in: "Sources")).sorted() == [])
    #expect(suites.subtracting(try Self.declarations(in: "Tests")).sorted() == [])
  }

  @Test("names of code are found with their parts, and other text in backticks is none")
  func findsNames() throws {
    #expect(try Self.names(in: "`@Restored`, `A.b(c:)`, `turn()`, `.ci/roads --files`, C") == ["Restored", "A", "b", "turn"])
    let declared = try Self.declarations(in: "Tests/GuideTests")
    #expect(declared.isSuperset(of: ["DocumentLinkTests", "areDeclared", "roads"]) && !declared.contains("SaveQueue"))
  }
}
