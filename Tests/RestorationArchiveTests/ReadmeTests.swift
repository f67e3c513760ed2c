import Foundation
import Testing

/// The sample of README.md matches the code that is compiled here.
@Suite struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("the sample compiles and works as described")
  func runsSample() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString).rsta")
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try runReadmeSample(now: Date(timeIntervalSinceReferenceDate: 0), file: file)
    #expect(result.row == 7)
    #expect(result.filter == Filter(text: "unread", flags: [1, 2]))
  }

  @Test("the sample in README.md matches the code")
  func isTheSameText() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.root.appendingPathComponent("Tests/RestorationArchiveTests/ReadmeSample.swift"), encoding: .utf8)
    let shown = try #require(Self.part(of: readme, from: "```swift\nimport RestorationArchive\n\n", to: "```"))
    let compiled = try #require(Self.part(of: source, from: "  // Sample begins.\n", to: "  // Sample ends."))
    let unindented = compiled.split(separator: "\n", omittingEmptySubsequences: false).map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }
    #expect(shown == unindented.joined(separator: "\n"))
  }

  private static func part(of text: String, from start: String, to end: String) -> String? {
    guard let first = text.range(of: start), let last = text.range(of: end, range: first.upperBound..<text.endIndex) else { return nil }
    return String(text[first.upperBound..<last.lowerBound])
  }
}
