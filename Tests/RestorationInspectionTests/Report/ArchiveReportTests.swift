import ArchiveFormat
import CorpusKit
import Foundation
import PropertyKit
import ReportPage
import RestorationArchive
import TestStage
import Testing

@testable import RestorationInspection

/// The page of a report: its size, its safety, and the copy of the archive in it.
@Suite struct ArchiveReportTests {
  /// A page, taken apart.
  struct Page {
    let text: String
    let isSound: Bool

    init(_ bytes: [UInt8], named name: String = "x", _ sensitive: SensitiveValues = .redact) throws(ArchiveError) {
      var text = ""
      let report = ArchiveReport(title: name, [ArchiveReport.Item(name: name) { () throws(ArchiveError) in bytes }], sensitive: sensitive)
      isSound = try report.write { piece throws(ArchiveError) in text += piece }
      self.text = text
    }

    /// The contents of the blocks that begin so.
    private func blocks(_ start: String) -> [String] {
      Self.parts(of: Data(text.utf8), separatedBy: start).dropFirst().map {
        String(decoding: Self.parts(of: $0, separatedBy: "</script>")[0], as: UTF8.self)
      }
    }

    /// A search of bytes, because one of text takes longer than making the pages.
    private static func parts(of text: Data, separatedBy separator: String) -> [Data] {
      var parts: [Data] = []
      var start = text.startIndex
      while let end = text.range(of: Data(separator.utf8), in: start..<text.endIndex) {
        parts.append(text[start..<end.lowerBound])
        start = end.upperBound
      }
      return parts + [text[start...]]
    }

    /// The copy of the archive.
    var copy: [UInt8] { blocks("<script type=\"text/plain\" class=\"archive-0\">").flatMap { Data(base64Encoded: $0) ?? Data() } }

    var descriptions: [String] {
      blocks("<script type=\"application/json\" id=\"report\">") + blocks("<script type=\"application/json\" id=\"archive-0\">")
    }

    /// The page without its blocks of data, each on a line of its own: the same for every archive.
    var markup: [Data] {
      let parts = Self.parts(of: Data(text.utf8), separatedBy: "</script>").map { part in
        let starts = ["<script type=\"application/json\"", "<script type=\"text/plain\""].compactMap { part.range(of: Data($0.utf8)) }
        return part[..<(starts.map(\.lowerBound).min() ?? part.endIndex)]
      }
      return parts.filter { $0 != Data("\n".utf8) }
    }
  }

  /// The markup of a page without hostile content.
  private static let harmless = try? Page([UInt8](ArchiveTree(nodes: [ArchiveNode("a")]).encoded())).markup

  static func files() throws -> [CorpusFile] {
    try Corpus.files { TestStage.isExhaustive || $0.bytes.count <= 8192 }
  }

  @Test("every file gives a page within its size, with JSON and Base64 in it", arguments: TestStage.every(9, of: try files()))
  func everyFile(_ file: CorpusFile) throws {
    let page = try Page(file.bytes)
    #expect(page.text.utf8.count < file.bytes.count * 3 / 2 + (1 << 20))
    #expect(page.isSound == ArchiveCheck(file.bytes).isValid)
    for description in page.descriptions {
      #expect(!description.contains("<"))
      #expect(try JSONSerialization.jsonObject(with: Data(description.utf8)) is [String: Any])
    }
    #expect(page.copy.isEmpty == ((try? InspectedArchive(file.bytes)) == nil))
  }

  @Test("of a valid file without sensitive values, the copy is its metadata and required sections")
  func isTheArchive() throws {
    var compared = 0
    for file in try Corpus.files(in: "valid", where: { $0.bytes.count < 65_536 }) {
      let reader = try ArchiveReader(file.bytes)
      let (layout, metadata) = (reader.records.layout, reader.records.metadata)
      let end = layout.body.lowerBound + metadata.states.upperBound
      let expected = Array(file.bytes[layout.metadataCopies[0]] + file.bytes[layout.body.lowerBound..<end])
      #expect(try Page(file.bytes, .reveal).copy == expected, "\(file.path)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test(
    "the page has the overhead by the names and lengths of `sizes`",
    arguments: TestStage.every(6, of: try Corpus.files(in: "valid/apps")))
  func namesTheOverhead(_ file: CorpusFile) throws {
    struct Description: Decodable {
      struct Part: Decodable, Equatable {
        let name: String
        let byteCount: Int
      }
      let overhead: [Part]
    }
    let description = try #require(try Page(file.bytes).descriptions.last)
    let found = try JSONDecoder().decode(Description.self, from: Data(description.utf8)).overhead
    let all = ArchiveSizes(try InspectedArchive(file.bytes)).overhead.map { Description.Part(name: $0.name, byteCount: $0.byteCount) }
    #expect(found == all.filter { $0.name != "shared identifiers" } && found.count > 5)
  }

  @Test("no sensitive value is in the page, in whatever form, also of damaged files")
  func hidesSensitiveValues() throws {
    let notes = try ArchiveTree(decoding: ArchiveReader(Corpus.bytes(of: "valid/apps/notes.rsta")))
    let bytes = [UInt8](try MarkedArchive.marked(notes, isSensitive: true).encoded())
    // The characters that no text decoding loses.
    func visible(_ page: Page) -> String { page.text + String(decoding: page.copy.map { $0 < 0x80 ? $0 : 0x2E }, as: UTF8.self) }
    #expect(MarkedArchive.sign(in: visible(try Page(bytes))) == nil)
    #expect(MarkedArchive.sign(in: visible(try Page(bytes, .reveal))) != nil)
    for place in stride(from: 0, to: bytes.count, by: TestStage.isExhaustive ? 7 : 211) {
      var damaged = bytes
      damaged[place] ^= 0x04
      let cut = Array(bytes.prefix(place))
      for file in [damaged, cut, bytes + cut] {
        #expect(MarkedArchive.sign(in: visible(try Page(file))) == nil, "at \(place)")
      }
    }
  }

  @Test("hostile identifiers, keys, types, values and file names never become markup", arguments: TestStage.seeds(20, exhaustive: 1000))
  func isSafe(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tree = HostileText.tree(&random)
    let bytes = [UInt8](try tree.encoded())
    let page = try Page(bytes, named: HostileText.text(&random), .reveal)
    let isSame = page.markup == Self.harmless
    #expect(isSame, "seed \(seed)")
    for description in page.descriptions { #expect(!description.contains("<"), "seed \(seed)") }
    #expect(page.copy.count > 192)
  }

  @Test("hostile files, such as a thousand faults with a path of a quarter of a megabyte each, give pages within their size")
  func limitsHostileFiles() throws {
    let files = HostileArchive.all(count: TestStage.count(300, exhaustive: 10_000))
    for file in files + [.faultyStatesBelowLongPath(count: 2000, identifierLength: 1024)] {
      let page = try Page(file.bytes)
      let length = page.text.utf8.count
      #expect(length < file.bytes.count * 3 / 2 + (1 << 20), "\(file.name): \(length) of \(file.bytes.count)")
    }
  }

  @Test("the markup has each place once and in order, and style and script cannot end their elements")
  func fixedParts() {
    #expect(ReportPage.markup.count == ReportPage.Place.allCases.count + 1)
    #expect(ReportPage.markup.allSatisfy { !$0.contains("{{") })
    for text in [ReportPage.style, ReportPage.script] {
      for end in ["</", "<!--"] {
        let isThere = text.contains(end)
        #expect(!isThere, "\(end)")
      }
    }
    // No way from a string to markup or code, and no address.
    for word in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(", "http:", "https:", "import(",
    ] {
      let isThere = ReportPage.script.contains(word) || ReportPage.style.contains(word)
      #expect(!isThere, "\(word)")
    }
    #expect(ArchiveReport.policy.contains("default-src 'none'"))
  }
}

/// Texts that a careless page would take for markup or code.
enum HostileText {
  private static let pieces = [
    "</script>", "<script>", "alert(1)", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", "\"", "'", "&", "&lt;", "\\", "\\u003c",
    "{{script}}",
    "{{archives}}", "{{style}}", "`${alert(1)}`", "\u{2028}", "\u{202E}", "\u{0}", "\u{7}", "\r\n", "</SCRIPT ", "<svg/onload=alert(1)>",
    "</style>",
    "javascript:", "x", "é", "漢", "👩‍🚀",
  ]

  static func text(_ random: inout SeededGenerator) -> String {
    (0...random.below(4)).map { _ in pieces[random.below(pieces.count)] }.joined()
  }

  static func tree(_ random: inout SeededGenerator) -> ArchiveTree {
    var nodes: [ArchiveNode] = []
    for place in 0...random.below(4) { nodes.append(node(&random, place, depth: 2)) }
    return ArchiveTree(
      header: ArchiveHeader(bundleVersion: text(&random)), applicationState: entries(&random, isNested: true), nodes: nodes)
  }

  private static func node(_ random: inout SeededGenerator, _ place: Int, depth: Int) -> ArchiveNode {
    let children = depth == 0 ? [] : (0..<random.below(3)).map { node(&random, $0, depth: depth - 1) }
    return ArchiveNode(
      "\(place)\(text(&random))", type: "t\(text(&random))", state: entries(&random, isNested: true), children: children)
  }

  private static func entries(_ random: inout SeededGenerator, isNested: Bool) -> ArchiveDictionary {
    var entries: [ArchiveDictionary.Entry] = []
    for place in 0...random.below(3) {
      let value: ArchiveValue =
        switch random.below(isNested ? 5 : 3) {
        case 0: .string(text(&random))
        case 1: .url("u\(text(&random))")
        case 2: .data(Data(text(&random).utf8))
        case 3: .array([.string(text(&random))])
        default: .dictionary(self.entries(&random, isNested: false))
        }
      entries.append(ArchiveDictionary.Entry(key: "\(place)\(text(&random))", value: value, isSensitive: random.oneIn(3)))
    }
    return ArchiveDictionary(entries)
  }
}
