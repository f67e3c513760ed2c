import CorpusKit
import Foundation
import Testing

/// `Spec/vectors.md` is generated from the corpus.
///
/// `BLESS=1` rewrites it.
@Suite struct VectorTests {
  private static let longest = 700

  @Test("the vectors of the Spec match those of the corpus")
  func areNotStale() throws {
    let expected = try Self.document()
    let file = SpecFiles.root.appendingPathComponent("Spec/vectors.md")
    if ProcessInfo.processInfo.environment["BLESS"] == "1" { try expected.write(to: file, atomically: true, encoding: .utf8) }
    let found = try SpecFiles.text("Spec/vectors.md")
    #expect(found == expected, "run the tests with BLESS=1")
  }

  private static func document() throws -> String {
    let files = try Corpus.files(in: "valid/vectors")
    let shown = files.filter { $0.bytes.count <= longest && $0.json != nil }
    var text = """
      # Vectors

      Small archives, bytes and content. This page is generated from `Corpus/valid/vectors`, where each of them is a commented `.hex` file with
      its content beside it as `.json`. Of \(files.count) archives there, the \(shown.count) of at most \(longest) bytes are shown here.

      The bytes are the whole file: prefix, metadata and tree, body, metadata and tree again, prefix again.

      """
    for file in shown {
      text += "\n## \(file.name)\n\n"
      if let reason = file.expectation?.reason { text += "\(reason.prefix(1).uppercased())\(reason.dropFirst())\n\n" }
      text += "```json\n\(file.json ?? "")```\n\n```\n\(rows(of: file.bytes))```\n"
    }
    return text
  }

  /// One row for each 32 bytes, with the offset.
  private static func rows(of bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 32).map { start in
      let row = bytes[start..<min(start + 32, bytes.count)]
      return "\(hexadecimal(start, 4))  \(row.map { hexadecimal(Int($0), 2) }.joined(separator: " "))\n"
    }.joined()
  }

  private static func hexadecimal(_ number: Int, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}
