import Foundation
import Testing

/// A page of the guides, with its blocks of code.
struct GuidePage {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private let text: String

  /// Reads a page.
  ///
  /// - Parameter path: The path in the package.
  /// - Throws: If the file cannot be read.
  init(_ path: String) throws {
    text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the lines of each block in a language.
  func blocks(_ language: String) -> [[String]] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map { part in
      part.components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
    }
  }
}

/// The Swift code of the guides is code of files that are compiled, most of them in this target, and run.
@Suite struct GuidePageTests {
  /// The nonempty lines, without indentation.
  ///
  /// In a file of tests, functions are private and of the main actor.
  private static func lines(_ text: some Sequence<some StringProtocol>) -> [String] {
    text.map { line in
      let code = line.drop { $0 == " " }
      return String(code.hasPrefix("private func ") ? code.dropFirst("private ".count) : code)
    }.filter { !$0.isEmpty && $0 != "@MainActor" }
  }

  /// The lines of the files that have the code.
  private static let sources: [[String]] = {
    let folders = ["Tests/GuideTests", "Tests/Probes/Jot", "Tests/Probes/CounterExample", "Sources/RestorationNotes"]
    return folders.flatMap { folder in
      let files = FileManager.default.enumerator(at: GuidePage.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.compactMap { file in
        (try? String(contentsOf: file, encoding: .utf8)).map { lines($0.split(separator: "\n")) }
      }
    }
  }()

  /// The pages of all libraries.
  private static func pages() throws -> [String] {
    let files = FileManager.default.enumerator(atPath: GuidePage.root.appendingPathComponent("Sources").path)
    let pages = (files?.compactMap { $0 as? String } ?? []).filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
    try #require(pages.count >= 10)
    return pages
  }

  private static func isCompiled(_ block: [String]) -> Bool {
    sources.contains { source in source.indices.contains { source[$0] == block[0] && source[$0...].starts(with: block) } }
  }

  @Test("every line of Swift on a page is compiled", arguments: try pages())
  func isTheSameText(_ page: String) throws {
    for block in try GuidePage("Sources/" + page).blocks("swift").map(Self.lines) {
      #expect(Self.isCompiled(block), "\(block.joined(separator: "\n"))")
    }
  }

  @Test("code that is compiled nowhere is found, and so is all that there is")
  func findsOtherCode() throws {
    #expect(!Self.isCompiled(["let counter =" + " Counter()", "counter.count += 2"]))
    let count = try Self.pages().reduce(0) { try $0 + GuidePage("Sources/" + $1).blocks("swift").count }
    #expect(count >= 50)
  }
}
