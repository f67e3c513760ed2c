import Foundation
import Testing

/// The documents of the Spec: their links, their references to sections, their status.
@Suite struct DocumentTests {
  /// The documents that bind a program, and those that inform.
  static let normative = ["format", "json", "registry", "salvage", "restoring", "objects", "keyed-archive", "imports"].map {
    "Spec/\($0).md"
  }
  static let informative = [
    "README", "rationale", "evidence", "implementation", "registration", "errata", "CHANGELOG",
  ].map { "Spec/\($0).md" }

  @Test("each document is listed once, under its status, and says it")
  func haveStatus() throws {
    #expect(SpecFiles.paths(under: "Spec", ending: ".md") == (Self.normative + Self.informative).sorted())
    let lists = try SpecFiles.text("Spec/README.md").components(separatedBy: "\nInformative:\n")
    try #require(lists.count == 2)
    for path in Self.normative + Self.informative.dropFirst() {
      let name = path.dropFirst(5)
      let place = Self.normative.contains(path) ? 0 : 1
      #expect(lists[place].contains("[\(name)](\(name))"), "\(path) is not listed under its status")
      #expect(!lists[1 - place].contains("| [\(name)](\(name))"), "\(path) is listed under another status")
    }
    for path in Self.normative {
      let text = try SpecFiles.text(path)
      #expect(text.prefix(2400).lowercased().contains("normative"), "\(path) does not say whether it is normative")
      #expect(!text.lowercased().contains("this project"), "\(path) is about the format, not about a program")
    }
  }

  @Test("every link between the documents leads to a file, and to a heading of it")
  func linksLead() throws {
    let expression = try NSRegularExpression(pattern: #"\]\(([^)\s]+)\)"#)
    for path in SpecFiles.paths(under: "Spec", ending: ".md") + SpecFiles.paths(under: "Corpus", ending: ".md") {
      let folder = (path as NSString).deletingLastPathComponent
      for target in Self.matches(of: expression, in: try SpecFiles.text(path)) where !target.contains("://") {
        let parts = target.components(separatedBy: "#")
        let file = parts[0].isEmpty ? path : (folder + "/" + parts[0] as NSString).standardizingPath
        #expect(FileManager.default.fileExists(atPath: SpecFiles.root.appendingPathComponent(file).path), "\(path): \(target)")
        if parts.count == 2 { #expect(try Self.anchors(of: file).contains(parts[1]), "\(path): \(target)") }
      }
    }
  }

  @Test("every section that a document, a comment or a test refers to exists")
  func sectionsExist() throws {
    let place = #"[0-9]+(?:\.[0-9]+)*"#
    let named = try NSRegularExpression(
      pattern: #"([a-z-]+)\.md\)?`?(?:\]\([^)]*\))?,? (?:chapters?|sections?)? ?"# + "(\(place))(?: (?:to|and) (\(place)))?\\b")
    let short = try NSRegularExpression(pattern: "Spec(?: chapters?| §| section)? ?§?()(\(place))(?: (?:to|and) (\(place)))?\\b")
    var sections: [String: Set<String>] = [:]
    for document in Self.normative { sections[String(document.dropFirst(5).dropLast(3))] = try Self.sections(of: document) }
    let paths =
      ["Sources", "Tests"].flatMap { SpecFiles.paths(under: $0, ending: ".swift") }
      + ["Spec", "Corpus"].flatMap { SpecFiles.paths(under: $0, ending: ".md") }
    var count = 0
    for path in paths where path != "Spec/CHANGELOG.md" && path != "Tests/SpecTests/DocumentTests.swift" {
      let text = try SpecFiles.text(path)
      for (expression, isNamed) in [(named, true), (short, path.hasSuffix(".swift"))] where isNamed {
        for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
          let groups = (1..<match.numberOfRanges).map { Range(match.range(at: $0), in: text).map { String(text[$0]) } ?? "" }
          guard let known = sections[groups[0].isEmpty ? "format" : groups[0]] else { continue }
          for section in groups.dropFirst() where !section.isEmpty {
            count += 1
            #expect(known.contains(section), "\(path): \(groups[0]) has no section \(section)")
          }
        }
      }
    }
    #expect(count > 200)
  }

  @Test("the templates of the registration have the names of the registry")
  func templatesMatch() throws {
    let templates = try SpecFiles.text("Spec/registration.md")
    let names = try SpecFiles.rows(of: "Spec/registry.md", under: "Names").map { $0[1].split { $0 == " " || $0 == "," }[0] }
    #expect(names.count == 5)
    for name in names { #expect(templates.contains(name.split(separator: "/").last ?? ""), "\(name)") }
    #expect(templates.contains("`89 52 53 54 0d 0a 1a 0a` at offset 0"))
  }

  /// The numbers of the headings of a document.
  private static func sections(of path: String) throws -> Set<String> {
    Set(
      try SpecFiles.text(path).split(separator: "\n").filter { $0.hasPrefix("#") }.compactMap { line in
        let word = line.drop { $0 == "#" || $0 == " " }.prefix { $0.isNumber || $0 == "." }
        return word.isEmpty ? nil : word.hasSuffix(".") ? String(word.dropLast()) : String(word)
      })
  }

  /// The anchors that the headings of a document make.
  private static func anchors(of path: String) throws -> Set<String> {
    Set(
      try SpecFiles.text(path).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        String(line.drop { $0 == "#" || $0 == " " }.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
          .replacingOccurrences(of: " ", with: "-")
      })
  }

  private static func matches(of expression: NSRegularExpression, in text: String) -> [String] {
    expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }
}
