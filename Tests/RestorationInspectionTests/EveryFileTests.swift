import CorpusKit
import Foundation
import RestorationArchive
import RestorationInspection
import TestStage
import Testing

/// Every function of the tool terminates on every file, and its output for programs is JSON.
@Suite struct EveryFileTests {
  /// All files; in the first stage only those of up to 8 KiB, since longer ones take most of the time.
  static func files() throws -> [CorpusFile] {
    try Corpus.files { TestStage.isExhaustive || $0.bytes.count <= 8192 }
  }

  @Test("every function terminates on every file", arguments: try files())
  func everythingReturns(_ file: CorpusFile) throws {
    // The first stage uses one of the two modes, depending on the file.
    let modes = TestStage.isExhaustive ? [SensitiveValues.reveal, .redact] : [file.bytes.count % 2 == 0 ? .reveal : .redact]
    for sensitive in modes {
      let outputs = try SensitiveTests.outputs(of: file.bytes, sensitive)
      #expect(outputs.allSatisfy { $0.isEmpty || $0.hasSuffix("\n") })
    }
  }

  @Test("JSON output is valid JSON, with the keys of each object sorted", arguments: TestStage.every(5, of: try files()))
  func jsonIsJSON(_ file: CorpusFile) throws {
    var texts = [CheckReport(file.bytes).json]
    if let overview = try? ArchiveOverview(file.bytes) { texts.append(overview.json) }
    if let archive = try? InspectedArchive(file.bytes) {
      var options = PathTree.Options()
      (options.showsState, options.showsSizes) = (true, true)
      var tree = PathTree(archive, options: options)
      var text = ""
      tree.writeJSON(to: &text)
      texts.append(text)
    }
    var dump = ""
    ArchiveDump(file.bytes).writeJSON(to: &dump)
    texts.append(dump)
    var salvage = ""
    ArchiveSalvage(file.bytes).writeReportJSON(to: &salvage)
    texts.append(salvage)
    for text in texts {
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      #expect(value is [String: Any])
      expectSortedMembers(text)
    }
  }

  /// Checks the writer's layout: members at the same indentation within one object are sorted.
  private func expectSortedMembers(_ text: String) {
    // The last member on each level of the open objects.
    var keys: [Substring.UTF8View?] = []
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let rest = line.drop { $0 == UInt8(ascii: " ") }
      let level = (line.count - rest.count) / 2
      keys.removeLast(max(keys.count - level - 1, 0))
      while keys.count <= level { keys.append(nil) }
      guard rest.first == quote, let end = rest.firstRange(of: "\": ".utf8)?.lowerBound else { continue }
      let key = rest[..<end]
      // An escape is sorted by the character it represents.
      if let last = keys[level], !last.contains(backslash), !key.contains(backslash), !last.lexicographicallyPrecedes(key) {
        Issue.record("\(Substring(last)) before \(Substring(key))")
      }
      keys[level] = key
    }
  }

  @Test("the dump, the tree and the overview of a valid file report no errors", arguments: try Corpus.files(in: "valid"))
  func validFilesAreFine(_ file: CorpusFile) throws {
    #expect(try ArchiveOverview(file.bytes).findings.isEmpty)
    var tree = PathTree(try InspectedArchive(file.bytes))
    var text = ""
    tree.write(to: &text)
    #expect(tree.errors.isEmpty)
    // One line for the application and one for each node.
    #expect(text.split(separator: "\n").count == (try ArchiveReader(file.bytes).nodeCount) + 1)
  }
}
