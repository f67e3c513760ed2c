import Foundation
import RestorationArchive
import Testing

/// The worked examples of the Spec (chapter 14): their bytes are those of their JSON, and the link is that of the archive.
@Suite struct WorkedExampleTests {
  @Test("the bytes of both examples are those of their content, and the link is the canonical one (R-15.5-1)")
  func bytesAreThoseOfTheContent() throws {
    let text = try SpecFiles.text("Spec/format.md").components(separatedBy: "\n## 15. Links\n")[0]
    let examples = try text.components(separatedBy: "\n### 14.").dropFirst().map(Example.init)
    try #require(examples.count == 2)
    for example in examples { #expect(example.bytes == [UInt8](try ArchiveTree(json: example.json).encoded())) }
    let chain = ArchiveChain(base: examples[0].bytes, links: [examples[1].bytes])
    #expect(chain.error == nil)
    let result = try ArchiveTree(decoding: ArchiveReader(chain.bytes))
    #expect(result.nodes.first?.type == "Window")
    #expect(result.nodes.first?.children.map(\.identifier) == ["search-results-by-date", "list"])
    #expect(try ArchiveLink.make(from: examples[0].bytes, to: chain.bytes) == examples[1].bytes)
  }
}

/// The JSON form and the bytes of an example.
private struct Example {
  let json: Data
  private(set) var bytes: [UInt8] = []

  init(_ section: String) throws {
    let blocks = section.components(separatedBy: "```")
    json = Data(try #require(blocks.first { $0.hasPrefix("json\n") }).dropFirst(5).utf8)
    for (index, block) in blocks.enumerated() where !index.isMultiple(of: 2) && !block.hasPrefix("json\n") {
      for line in block.split(separator: "\n") { try append(line) }
    }
  }

  /// Appends the bytes of a row of the example: bytes with their offset, zeros, or a copy of an earlier part.
  private mutating func append(_ line: Substring) throws {
    let cells = line.split(separator: " ").map(String.init)
    guard let first = cells.first, first != "--" else { return }
    #expect(Int(first, radix: 16) == bytes.count, "\(line)")
    if cells[1] == "=", cells[3] == "zeros" {
      bytes += [UInt8](repeating: 0, count: try #require(Int(cells[2])))
      return
    }
    if cells[1] == "=" {
      let start = try #require(Int(cells[2].dropFirst(), radix: 16))
      let end = try #require(Int(cells[4].dropLast(), radix: 16))
      bytes += bytes[start..<end]
      return
    }
    // The bytes take 24 columns, and are followed by their meaning.
    for digits in line.dropFirst(5).prefix(24).split(separator: " ") { bytes.append(try #require(UInt8(digits, radix: 16))) }
  }
}
