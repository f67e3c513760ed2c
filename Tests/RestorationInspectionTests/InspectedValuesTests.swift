import CorpusKit
import Foundation
import PropertyKit
import RestorationArchive
import RestorationInspection
import StateRestoration
import TestStage
import Testing

/// Behaviours 69: no archived value is shown unless requested, tested on the whole corpus with markers in place of its
/// values.
@Suite struct InspectedValuesTests {
  /// Corpus files that can be decoded completely and written again.
  static func files() throws -> [CorpusFile] {
    try Corpus.files { (try? tree($0).encoded()) != nil }
  }

  private static func tree(_ file: CorpusFile) throws -> ArchiveTree {
    try ArchiveTree(decoding: ArchiveReader(file.bytes))
  }

  /// An archive unchanged, cut, and with changed bits.
  private static func variants(of bytes: [UInt8]) -> [[UInt8]] {
    var variants = [bytes]
    guard TestStage.isExhaustive || bytes.count % 8 == 0 else { return variants }
    variants.append(Array(bytes.prefix(bytes.count * 2 / 3)))
    for place in [64, bytes.count / 2, bytes.count * 4 / 5] where place < bytes.count {
      variants.append(bytes)
      variants[variants.count - 1][place] ^= 0x10
    }
    return variants
  }

  private func expectNone(_ text: String, _ what: String) {
    if let sign = MarkedArchive.sign(in: text) { Issue.record("\(what) shows \(sign)") }
  }

  @Test(
    "info, tree, check, resolve and salvage print no values", arguments: TestStage.every(8, of: try files()))
  func verbsShowNone(_ file: CorpusFile) throws {
    let bytes = [UInt8](try MarkedArchive.marked(Self.tree(file)).encoded())
    for bytes in Self.variants(of: bytes) {
      let report = CheckReport(bytes)
      expectNone(report.text + report.json, "check")
      if let overview = try? ArchiveOverview(bytes) { expectNone(overview.text() + overview.json, "info") }
      if let archive = try? ArchiveReader(inspecting: bytes) {
        var options = PathTree.Options()
        options.showsSizes = true
        var tree = PathTree(archive, options: options)
        var text = ""
        tree.write(to: &text)
        tree.writeJSON(to: &text)
        expectNone(text + "\(tree.errors)", "tree")
      }
      if let reader = try? ArchiveReader(bytes) {
        let resolution = ArchiveResolution(of: reader, with: Resolver())
        expectNone(resolution.nodes.map(\.prediction).joined() + "\(resolution.unreadable)", "resolve")
      }
      let salvage = ArchiveSalvage(bytes)
      var text = ""
      salvage.writeReportJSON(to: &text)
      salvage.writeReport(to: &text)
      expectNone(text, "salvage")
    }
  }

  @Test(
    "verbs that print values hide sensitive ones unless told to reveal them",
    arguments: TestStage.every(8, of: try files()))
  func verbsHideSensitiveValues(_ file: CorpusFile) throws {
    let bytes = [UInt8](try MarkedArchive.marked(Self.tree(file), isSensitive: true).encoded())
    for bytes in Self.variants(of: bytes) {
      for output in try SensitiveTests.outputs(of: bytes, .redact) { expectNone(output, "a verb") }
    }
  }

  // MARK: Errors

  private enum Mode: String, Decodable { case dark }
  private struct Fields: Decodable { var none: Int }

  /// Ways to request a value that most values do not match.
  private static let questions: [@Sendable (StateDecoder, String) throws -> Void] = [
    { _ = try $0.decode(Int8.self, forKey: $1) }, { _ = try $0.decode(Bool.self, forKey: $1) },
    { _ = try $0.decode(String.self, forKey: $1) }, { _ = try $0.decode(Float.self, forKey: $1) },
    { _ = try $0.decode(Date.self, forKey: $1) }, { _ = try $0.decode(UUID.self, forKey: $1) },
    { _ = try $0.decode(URL.self, forKey: $1) }, { _ = try $0.decode(Data.self, forKey: $1) },
    { _ = try $0.decode(Decimal.self, forKey: $1) }, { _ = try $0.decode(UInt128.self, forKey: $1) },
    { _ = try $0.decode([Int8].self, forKey: $1) }, { _ = try $0.decode([String: Bool].self, forKey: $1) },
    { _ = try $0.decode(Fields.self, forKey: $1) }, { _ = try $0.decode(Set<Date>.self, forKey: $1) },
    { _ = try $0.decodePath(forKey: $1) }, { _ = try $0.decodePaths(forKey: $1) }, { _ = try $0.decode(Int.self, forKey: $1 + "?") },
    { decoder, _ in _ = try decoder.decodeState([Int].self) }, { decoder, _ in _ = try decoder.decodeState([String: Int8].self) },
  ]

  @Test("errors and descriptions of everything that holds values show none", arguments: TestStage.every(8, of: try files()))
  func errorsShowNone(_ file: CorpusFile) throws {
    let tree = try MarkedArchive.marked(Self.tree(file))
    let reader = try ArchiveReader(tree.encoded())
    for text in MarkedArchive.texts(of: tree, dumps: true) { expectNone(text, "a description") }
    var rest = [try reader.application()]
    var left = TestStage.count(4, exhaustive: 16)
    while let node = rest.popLast(), left > 0 {
      left -= 1
      let decoder = try node.decoder()
      for text in MarkedArchive.texts(of: node) + MarkedArchive.texts(of: decoder) { expectNone(text, "a description") }
      for key in decoder.allKeys.prefix(TestStage.count(6, exhaustive: 12)) {
        for question in Self.questions {
          do {
            try question(decoder, key)
          } catch {
            for text in MarkedArchive.texts(of: error, dumps: true) { expectNone(text, "an error") }
            if let error = error as? ArchiveError { #expect(error.path == node.path) }
          }
        }
      }
      node.visitChildren { if let child = try? $0.get() { rest.append(child) } }
    }
  }

  @Test("errors of the JSON reader show no values", arguments: TestStage.every(20, of: try files()))
  func jsonErrorsShowNone(_ file: CorpusFile) throws {
    let json = [UInt8](try MarkedArchive.marked(Self.tree(file)).json())
    for place in stride(from: 0, to: json.count, by: max(json.count / TestStage.count(10, exhaustive: 100), 1)) {
      for byte in [UInt8(ascii: "!"), UInt8(ascii: "\""), UInt8(ascii: "}")] {
        var broken = json
        broken[place] = byte
        do {
          _ = try ArchiveTree(json: Data(broken))
        } catch {
          for text in MarkedArchive.texts(of: error, dumps: true) { expectNone(text, "an error") }
        }
      }
    }
  }

  @Test("errors of the encoder show no values")
  func encodingErrorsShowNone() throws {
    struct Bad: Encodable {
      var secret = "hunter2"
      var url = URL(string: "https://example.org/hunter2")
      var link = RestorationPath.application
    }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { coder in
      for body: () throws -> Void in [
        { try coder.encode(Bad(), forKey: "bad") }, { try coder.encode([Bad()], forKey: "bad") }, { try coder.encodeState(Bad()) },
        { try coder.encodeState("hunter2") }, { try coder.encodeState(["hunter2"]) },
        { try coder.encode([Sensitive(wrappedValue: "hunter2")], forKey: "bad") },
        { try coder.encode(.dictionary(["a": "hunter2", "b": .url("")]), forKey: "bad") },
      ] {
        let error = #expect(throws: (any Error).self, performing: body)
        for text in MarkedArchive.texts(of: error as Any, dumps: true) { expectNone(text, "an error") }
      }
    }
  }
}
