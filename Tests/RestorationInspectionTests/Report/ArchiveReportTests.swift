import ArchiveFormat
import CorpusKit
import Foundation
import KeyedArchive
import PropertyKit
import ReportPage
import RestorationArchive
import TestStage
import Testing

@testable import RestorationInspection

/// The page of a report: its size, its safety, and the archives in it.
@Suite struct ArchiveReportTests {
  /// A page, taken apart.
  struct Page {
    let text: String
    let isSound: Bool

    init(text: String, isSound: Bool) {
      self.text = text
      self.isSound = isSound
    }

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

    /// The states, a line each.
    var states: [String] {
      blocks("<script type=\"text/plain\" class=\"states\">").flatMap { $0.split(separator: "\n").map(String.init) }
    }

    /// The trees and descriptions of the archives, and that of the page.
    var descriptions: [String] {
      ["report", "tree-0", "archive-0", "archive-1"].flatMap { blocks("<script type=\"application/json\" id=\"\($0)\">") }
    }

    /// The members of the objects of JSON that are in the page.
    func members() throws -> [String: Any] {
      try descriptions.reduce(into: [:]) { members, text in
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? [String: Any]
        members.merge(object ?? [:]) { _, last in last }
      }
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
    for state in page.states { #expect(!state.contains("<")) }
    #expect((try page.members()["tree"] == nil) == ((try? ArchiveReader(inspecting: file.bytes)) == nil))
  }

  @Test("of every valid file, the page has each node in saved order, with its type, size and state, and nothing else")
  func isTheArchive() throws {
    var compared = 0
    for file in try Corpus.files(in: "valid", where: { $0.bytes.count < 65_536 }) {
      let archive = try ArchiveReader(inspecting: file.bytes)
      let expected = try PageModel(archive)
      let found = try PageModel(Page(file.bytes, .reveal))
      #expect(found.rows == expected.rows, "\(file.path)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test("what a damaged file has lost is marked, and all else is there", arguments: TestStage.every(9, of: try Corpus.files(in: "damaged")))
  func marksLosses(_ file: CorpusFile) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    let members = try Page(file.bytes, .reveal).members()
    let marks = try #require(members["marks"] as? [Int])
    let check = ArchiveCheck(file.bytes)
    let lostStates = check.losses.reduce(0) { $0 + $1.states.count }
    // A record that is lost is marked as that, and its state is lost with it.
    let lost: Set = [PageNodes.Mark.stateLost.rawValue, PageNodes.Mark.recordLost.rawValue]
    #expect(marks.count { lost.contains($0) } >= lostStates, "\(file.path)")
    #expect(marks.count { $0 < PageNodes.Mark.unplaced.rawValue } == archive.records.presentRecordCount, "\(file.path)")
  }

  @Test(
    "the page has the overhead by the names and lengths of `sizes`",
    arguments: TestStage.every(6, of: try Corpus.files(in: "valid/apps")))
  func namesTheOverhead(_ file: CorpusFile) throws {
    let found = try #require(try Page(file.bytes).members()["overhead"] as? [[Any]])
    let all = ArchiveSizes(try ArchiveReader(inspecting: file.bytes)).overhead
    #expect(found.map { $0[0] as? String } == all.map(\.name) && found.map { $0[1] as? Int } == all.map(\.byteCount))
    #expect(found.count > 5)
  }

  @Test("the page has the sizes of the largest keys by the numbers of `sizes`, and none of a short value; and the volatile keys")
  func namesTheLargestKeys() throws {
    let text = ArchiveValue.string(String(repeating: "x", count: 900))
    let nodes = (0..<3).map { ArchiveNode("n\($0)", state: ["large": text, "small": .integer(1)]) }
    let bytes = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    let members = try Page(bytes).members()
    let found = try #require(members["keySizes"] as? [[Any]])
    let share = try #require(ArchiveSizes(try ArchiveReader(inspecting: bytes)).keys.first { $0.name == "large" })
    #expect(found.count == 1 && found[0][0] as? String == "large")
    #expect(found[0].dropFirst().map { $0 as? Int } == [share.byteCount, 3])
    #expect(members["volatile"] as? [String] == ["systemVersion", "timestamp", "writer", "content digest"])
  }

  @Test("no sensitive value is in the page, in whatever form, also of damaged files")
  func hidesSensitiveValues() throws {
    let notes = try ArchiveTree(decoding: ArchiveReader(Corpus.bytes(of: "valid/apps/notes.rsta")))
    let bytes = [UInt8](try MarkedArchive.marked(notes, isSensitive: true).encoded())
    #expect(MarkedArchive.sign(in: try Page(bytes).text) == nil)
    #expect(MarkedArchive.sign(in: try Page(bytes, .reveal).text) != nil)
    for place in stride(from: 0, to: bytes.count, by: TestStage.isExhaustive ? 7 : 211) {
      var damaged = bytes
      damaged[place] ^= 0x04
      let cut = Array(bytes.prefix(place))
      for file in [damaged, cut, bytes + cut] {
        #expect(MarkedArchive.sign(in: try Page(file).text) == nil, "at \(place)")
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
    for state in page.states { #expect(!state.contains("<"), "seed \(seed)") }
    #expect(page.states.count > 1)
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

  @Test("states beyond the length of a page are left out, and the page says so")
  func limitsStates() throws {
    // A byte of such a text takes six in JSON.
    let text = String(repeating: "\u{1}", count: 200_000)
    let nodes = (0..<12).map { ArchiveNode("n\($0)", state: ["text": .string(text), "n": .integer(ArchiveInteger($0))]) }
    let bytes = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    let page = try Page(bytes)
    #expect(page.text.utf8.count < bytes.count * 3 / 2 + (1 << 20))
    let marks = try #require(try page.members()["marks"] as? [Int])
    let omitted = marks.count { $0 == PageNodes.Mark.stateOmitted.rawValue }
    #expect(omitted > 5 && omitted < 12)
    #expect(try page.members()["omittedCount"] as? Int == omitted)
  }

  @Test("two saves share the states that did not change, and differ in a sensitive value that is not on the page")
  func sharesStates() throws {
    func bytes(_ word: String, _ row: Int) throws -> [UInt8] {
      let secret = ArchiveDictionary([ArchiveDictionary.Entry(key: "word", value: .string(word), isSensitive: true)])
      let nodes = (0..<50).map { ArchiveNode("n\($0)", state: ["row": .integer(ArchiveInteger($0 == 7 ? row : $0))]) }
      return [UInt8](try ArchiveTree(nodes: nodes + [ArchiveNode("secret", state: secret)]).encoded())
    }
    let items = try [bytes("swordfish", 1001), bytes("sailfishy", 1002)].map { bytes in
      ArchiveReport.Item(name: "x") { () throws(ArchiveError) in bytes }
    }
    var text = ""
    try ArchiveReport(title: "x", items).write { piece throws(ArchiveError) in text += piece }
    let page = Page(text: text, isSound: true)
    // The line of nodes without state, those of the first save, and the two nodes that changed.
    #expect(page.states.count == 1 + 51 + 2)
    #expect(page.states.filter { $0.contains("masked") }.count == 2 && !text.contains("fish"))
    #expect(text.components(separatedBy: "id=\"tree-").count == 2)
  }

  @Test("the saves of a long history are there as far as the page has room, and every file is")
  func limitsSaves() throws {
    let words = String(repeating: "word ", count: 4000)
    let items = try (0..<120).map { place in
      let nodes = (0..<20).map { ArchiveNode("n\($0)", state: ["row": .integer(ArchiveInteger($0 == 7 ? 1000 + place : $0))]) }
      let bytes = [UInt8](try ArchiveTree(nodes: nodes + [ArchiveNode("text", state: ["text": .string(words + "\(place)")])]).encoded())
      var item = ArchiveReport.Item(name: "\(place)") { () throws(ArchiveError) in bytes }
      item.hasFile = place == 119
      return item
    }
    var text = ""
    #expect(try ArchiveReport(title: "x", items).write { piece throws(ArchiveError) in text += piece })
    #expect(text.utf8.count < 30_000 * 3 / 2 + (1 << 20))
    let omitted = text.components(separatedBy: "\"status\": \"not on this page").count - 1
    #expect(omitted > 50 && omitted < 119, "\(omitted)")
    // Each text ends with its number. (To search for whole texts takes quadratic time: they repeat one word.)
    #expect(!text.contains(" 118\"") && text.contains("word 119\"") && text.contains("word 0\""))
  }

  @Test("a page says what an import lost, and has no overhead of a file that does not exist")
  func showsImports() throws {
    let list: [UInt8] = Array(
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><real>0</real><key>a</key><real>1</real></dict></plist>".utf8)
    let imported = try ImportedArchive(decoding: list, tolerance: .salvage)
    let bytes = [UInt8](try imported.tree.encoded())
    var item = ArchiveReport.Item(name: "x") { () throws(ArchiveError) in bytes }
    (item.imported, item.form, item.sourceByteCount) = (imported, imported.source.words, list.count)
    var text = ""
    try ArchiveReport(title: "x", [item]).write { piece throws(ArchiveError) in text += piece }
    let page = Page(text: text, isSound: true)
    let members = try page.members()
    let losses = imported.notes.count { $0.isLoss }
    let words = losses == 0 ? "" : losses == 1 ? " with 1 loss" : " with \(losses) losses"
    #expect(members["status"] as? String == "imported from a property list\(words)")
    #expect((members["notes"] as? [Any])?.count == imported.notes.count && !imported.notes.isEmpty)
    #expect(members["overhead"] == nil && members["byteCount"] as? Int == list.count)
    // A number that is a float shows as one.
    #expect(page.states.contains { $0.contains("{\"float\":\"0.0\"}") || $0.contains("{\"float\":\"1.0\"}") })
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

/// The nodes of an archive, read from its page or by the reader: a text for each, with everything that both have.
private struct PageModel {
  private(set) var rows: [String] = []

  init(_ archive: ArchiveReader) throws {
    let sizes = ArchiveSizes(archive)
    func add(_ node: NodeReader, depth: Int) throws {
      let contents = try node.everything()
      var parts = ["\(depth)", node.identifier ?? "", node.type.map { node.schemaVersion == 0 ? $0 : "\($0) \(node.schemaVersion)" } ?? ""]
      parts += ["\(sizes.byteCount(of: node))", Self.text(.dictionary(contents.state)), Self.text(.dictionary(contents.attributes))]
      parts += [contents.provider.map { "\($0.name) \($0.identifier)" } ?? ""]
      rows.append(parts.joined(separator: "|"))
      for child in try node.children() { try add(child, depth: depth + 1) }
    }
    try add(try archive.application(), depth: 0)
  }

  init(_ page: ArchiveReportTests.Page) throws {
    let members = try page.members()
    func column<Value>(_ name: String, _ type: Value.Type) throws -> [Value] { try #require(members[name] as? [Value], "\(name)") }
    let (depths, types, bytes) = try (column("depths", Int.self), column("types", Int.self), column("bytes", Int.self))
    let (names, tags, keys) = try (column("names", String.self), column("tags", String.self), column("keys", String.self))
    let lines = try column("runs", [Int].self).flatMap { ($0[0]..<($0[0] + $0[1])).map { page.states[$0] } }
    for (row, line) in lines.enumerated() {
      let parts = line.split(separator: " ", maxSplits: 1)
      let json = parts.count > 1 ? try JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [Any] ?? [] : []
      let provider = json.count > 2 ? (json[2] as? [String] ?? []).joined(separator: " ") : ""
      let size = 48 + bytes[row] + (try #require(Int(parts[0])))
      rows.append(
        [
          "\(depths[row])", names[row], types[row] == 0 ? "" : tags[types[row] - 1], "\(size)",
          Self.text(entries: json.first as? [Any] ?? [], keys), Self.text(entries: json.count > 1 ? json[1] as? [Any] ?? [] : [], keys),
          provider,
        ].joined(separator: "|"))
    }
  }

  /// The text of a value of an archive.
  private static func text(_ value: ArchiveValue) -> String {
    switch value {
    case .string(let text): "s:\(text)"
    case .url(let text): "url:\(text)"
    case .data(let data): "data:\(data.base64EncodedString())"
    case .array(let elements): "[\(elements.map(text).joined(separator: ","))]"
    case .dictionary(let entries):
      "{\(entries.map { "\($0.key)=\($0.isSensitive ? "!" : "")\(text($0.value))" }.joined(separator: ","))}"
    case .reference(let path): "reference:\(path.components.joined(separator: "/"))"
    case .float(let number): "float:\(number)"
    default: value.displayText
    }
  }

  private static func text(entries: [Any], _ keys: [String]) -> String {
    let texts = stride(from: 0, to: entries.count, by: 2).map { place in
      "\((entries[place] as? Int).map { keys[$0] } ?? entries[place] as? String ?? "")=\(text(json: entries[place + 1], keys))"
    }
    return "{\(texts.joined(separator: ","))}"
  }

  /// The text of a value of a page.
  private static func text(json: Any, _ keys: [String]) -> String {
    if let text = json as? String { return "s:\(text)" }
    if let elements = json as? [Any] { return "[\(elements.map { text(json: $0, keys) }.joined(separator: ","))]" }
    guard let object = json as? [String: Any] else {
      guard let number = json as? NSNumber, !(json is NSNull) else { return "null" }
      if isBoolean(number) { return number.boolValue ? "true" : "false" }
      return number.doubleValue == number.doubleValue.rounded() ? "\(number.int64Value)" : "float:\(number.doubleValue)"
    }
    if let inner = object["sensitive"] { return "!\(text(json: inner, keys))" }
    if let entries = object["entries"] as? [Any] { return text(entries: entries, keys) }
    if let path = object["reference"] as? [String] { return "reference:\(path.joined(separator: "/"))" }
    if let data = object["data"] as? String { return "data:\(data)" }
    if let text = object["url"] as? String { return "url:\(text)" }
    if let text = object["float"] as? String { return "float:\(text)" }
    return object.values.first as? String ?? ""
  }

  /// Whether a number of JSON was written as `true` or `false`.
  private static func isBoolean(_ number: NSNumber) -> Bool { unsafe String(cString: number.objCType) == "c" }
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
