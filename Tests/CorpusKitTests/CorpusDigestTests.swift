import CorpusKit
import Foundation
import SlowReader
import Testing

/// The digest that a claim of conformance names (Spec chapter 13).
@Suite struct CorpusDigestTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Corpus").path

  private static func digits(_ bytes: [UInt8]) -> String {
    let digits = String(SlowXXH64.hash(bytes, seed: 0), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  @Test("the corpus digest is that of the lines of its files, sorted by their paths (R-13-10)")
  func isThatOfTheFiles() throws {
    let paths = try #require(FileManager.default.enumerator(atPath: Self.root)).compactMap { $0 as? String }
    let files = paths.filter { path in
      var isFolder: ObjCBool = false
      _ = unsafe FileManager.default.fileExists(atPath: "\(Self.root)/\(path)", isDirectory: &isFolder)
      return !isFolder.boolValue && !path.hasPrefix("engine/") && !path.hasSuffix(".md") && path != "digest.txt"
    }
    #expect(files.count > 2000)
    let lines = try files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { path in
      Self.digits([UInt8](try #require(FileManager.default.contents(atPath: "\(Self.root)/\(path)")))) + "  \(path)\n"
    }
    let digest = try #require(FileManager.default.contents(atPath: "\(Self.root)/\(CorpusDigest.path)"))
    #expect(String(decoding: digest, as: UTF8.self) == Self.digits(Array(lines.joined().utf8)) + "\n")
  }

  @Test("one changed byte, one renamed file and one absent file change the digest")
  func dependsOnEachFile() {
    let lines = [CorpusDigest.line("a.hex", [1]), CorpusDigest.line("b.hex", [2])]
    #expect(lines[0] == "8a4127811b21e730  a.hex\n")
    let others = [
      [CorpusDigest.line("a.hex", [0]), lines[1]], [CorpusDigest.line("c.hex", [1]), lines[1]], [lines[0]],
    ]
    #expect(Set((others + [lines]).map { CorpusDigest.text(of: $0) }).count == 4)
  }
}
