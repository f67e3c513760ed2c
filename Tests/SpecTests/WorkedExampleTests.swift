import Foundation
import RestorationArchive
import Testing

/// The worked example of the Spec (chapter 14): its bytes are the archive of its JSON.
@Suite struct WorkedExampleTests {
  @Test func bytesAreThoseOfTheContent() throws {
    let chapter = try #require(SpecFiles.text("Spec/format.md").components(separatedBy: "\n## 14. A worked example\n").last)
    let blocks = chapter.components(separatedBy: "```")
    let json = try #require(blocks.first { $0.hasPrefix("json\n") }).dropFirst(5)
    var bytes: [UInt8] = []
    for (index, block) in blocks.enumerated() where !index.isMultiple(of: 2) && !block.hasPrefix("json\n") {
      for line in block.split(separator: "\n") { try append(line, to: &bytes) }
    }
    let archive = try ArchiveTree(json: Data(json.utf8)).encoded()
    #expect(bytes == [UInt8](archive))
  }

  /// Appends the bytes of a row of the example: bytes with their offset, zeros, or a copy of an earlier part.
  private func append(_ line: Substring, to bytes: inout [UInt8]) throws {
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
