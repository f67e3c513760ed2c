import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// The content that is preserved by reading, changing and writing (R-8-4 to R-8-6), and content that a writer does not
/// invent (R-8-2).
@Suite struct ArchiveTreeTests {
  @Test("foreign header keys survive a change (R-8-5)")
  func keepsHeaderKeys() throws {
    let tree = ArchiveTree(header: ArchiveHeader(additional: ["com.example.channel": "beta", "org.example.n": .uuid(UUID())]))
    var read = try ArchiveTree(decoding: tree.encoded())
    read.applicationState["theme"] = "dark"
    let again = try ArchiveTree(decoding: read.encoded())
    #expect(again.header == tree.header)
  }

  @Test("foreign sections survive byte for byte, and unsafe-to-copy ones can be dropped (R-8-6, R-9.3-1)")
  func keepsSections() throws {
    let data = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let safe = try ArchiveSection(code: "saFe", data: data)
    let bound = try ArchiveSection(code: "boUN", data: Data([1]))
    #expect(safe.isSafeToCopy)
    #expect(!bound.isSafeToCopy)
    let tree = ArchiveTree(nodes: [ArchiveNode("root")], sections: [safe, bound])
    var read = try ArchiveTree(decoding: tree.encoded())
    #expect(read.sections == [bound, safe])
    read.applicationState["theme"] = "dark"
    read.sections.removeAll { !$0.isSafeToCopy }
    #expect(try ArchiveTree(decoding: read.encoded()).sections == [safe])
    #expect(try ArchiveReader(read.encoded()).sections() == [safe])
  }

  @Test("invalid section codes are rejected", arguments: ["", "abc", "abCde", "NODE", "XtRA", "teST ", "te5T", "tesT", "téS"])
  func refusesSectionCodes(_ code: String) {
    #expect(throws: ArchiveError.self) { try ArchiveSection(code: code, data: Data()) }
  }

  @Test("a duplicate section is rejected")
  func refusesSectionsTwice() throws {
    let section = try ArchiveSection(code: "teSt", data: Data())
    let error = #expect(throws: ArchiveError.self) { try ArchiveTree(sections: [section, section]).encoded() }
    #expect(error?.code.rawValue == "section-order")
  }

  @Test("a file of a later minor version keeps its version and its unknown content (R-8-4, R-9.1-1)")
  func keepsLaterMinorVersions() throws {
    for file in try Corpus.files(in: "forward") where ArchiveCheck(file.bytes).isValid {
      let tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
      #expect([UInt8](try tree.encoded()) == file.bytes, "\(file.path)")
      #expect([UInt8](try ArchiveTree(json: tree.json()).encoded()) == file.bytes, "\(file.path)")
    }
    #expect(try ArchiveReader(ArchiveTree().encoded()).formatVersion == .current)
  }

  @Test("a decoded archive has all its nodes, or decoding throws")
  func readsAllNodes() throws {
    func count(_ nodes: [ArchiveNode]) -> Int { nodes.reduce(0) { $0 + 1 + count($1.children) } }
    for file in try Corpus.files() {
      guard let reader = try? ArchiveReader(file.bytes), let tree = try? ArchiveTree(decoding: reader) else { continue }
      #expect(count(tree.nodes) == reader.nodeCount, "\(file.path)")
    }
    for (name, code) in [("path-257-components", "path-depth"), ("first-child-of-root-record-2", "child-range")] {
      let file = try #require(try Corpus.files().first { $0.path.contains(name) })
      let error = #expect(throws: ArchiveError.self) { try ArchiveTree(decoding: ArchiveReader(file.bytes)) }
      #expect(error?.code.rawValue == code, "\(name)")
      if code == "path-depth" { #expect(error?.offset == ArchiveCheck(file.bytes).findings.first?.offset) }
    }
  }

  @Test("reader and checker report the same key and offset (R-12-1)")
  func namesKeys() throws {
    var count = 0
    for file in try Corpus.files(in: "forward") + Corpus.files(in: "invalid/6.1-values") + Corpus.files(in: "invalid/6.2-entries") {
      let findings = ArchiveCheck(file.bytes).findings
      guard let finding = findings.first, findings.count == 1, let path = finding.path, finding.key != nil else { continue }
      let reader = try ArchiveReader(file.bytes)
      guard let node = path.isEmpty ? try reader.application() : try reader.node(at: path) else { continue }
      let errors = [
        #expect(throws: ArchiveError.self, "\(file.path)") { _ = (try node.state(), try node.attributes()) },
        #expect(throws: ArchiveError.self, "\(file.path)") { try ArchiveTree(decoding: reader) },
      ]
      for error in errors { #expect(error?.key == finding.key && error?.offset == finding.offset, "\(file.path)") }
      count += 1
    }
    #expect(count > 20)
  }

  @Test("JSON text has the same limits on header entries and sections as an archive (R-4.3-14)")
  func limitsTables() throws {
    func header(_ count: Int) -> Data {
      let entries = (0..<count).map { "\"a.\($0)\": 1" }.joined(separator: ", ")
      return Data("{\"header\": {\"timestamp\": {\"$date\": 0}, \(entries)}, \"restorationArchive\": 1}".utf8)
    }
    func sections(_ count: Int) -> Data {
      let letters = "abcdefghijklmnopqrstuvwxyz".map { String($0) }
      let codes = (0..<count).map { "\(letters[$0 / 676])\(letters[$0 / 26 % 26])A\(letters[$0 % 26])" }
      let list = codes.map { "{\"code\": \"\($0)\", \"data\": \"AQ==\"}" }.joined(separator: ", ")
      return Data("{\"restorationArchive\": 1, \"sections\": [\(list)]}".utf8)
    }
    for (text, limit) in [(header, 1024), (sections, 1021)] as [((Int) -> Data, Int)] {
      let most = try ArchiveTree(json: text(limit)).encoded()
      #expect(ArchiveCheck(most).isValid)
      #expect(#expect(throws: ArchiveError.self) { try ArchiveTree(json: text(limit + 1)) }?.code.rawValue == "table-size")
    }
  }

  @Test("the writer does not read the clock (R-8-2)")
  func readsNoClock() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("root")])
    #expect(try ArchiveTree(decoding: tree.encoded()).header.timestamp == nil)
    #expect(try ArchiveReader(ArchiveWriter().finish()).header == ArchiveHeader())
  }

  @Test("header keys must have their registered types (R-3.3-1, R-3.3-2)")
  func checksHeaders() throws {
    for (additional, code) in [
      (["plain": 1], "unknown-header-key"), (["a.b": [1]], "header-type"), (["a.b": nil], "header-type"),
      (["a.b": .reference("root")], "header-type"), (["bundleVersion": 4], "header-type"), (["": 1], "string-length"),
      ([String(repeating: "a.", count: 128): 1], "string-length"), (["a.b": .url("")], "string-length"),
    ] as [(ArchiveDictionary, String)] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveTree(header: ArchiveHeader(entries: additional)).encoded() }
      #expect(error?.code.rawValue == code)
    }
    let header = try ArchiveHeader(entries: ["bundleVersion": "1", "timestamp": .date(Date(timeIntervalSinceReferenceDate: 1)), "x.y": 1])
    #expect(header.bundleVersion == "1")
    #expect(header.additional == ["x.y": 1])
  }

  @Test("a registered key among the additional ones is treated as registered: neither lost nor written with a wrong type")
  func keepsMisplacedHeaderKeys() throws {
    let header = ArchiveHeader(additional: ["bundleVersion": "4", "writer": "w"])
    #expect(try ArchiveTree(decoding: ArchiveTree(header: header).encoded()).header == ArchiveHeader(bundleVersion: "4", writer: "w"))
    #expect(ArchiveHeader(bundleVersion: "5", additional: ["bundleVersion": "4"]).entries == ["bundleVersion": "5"])
    let wrong = ArchiveTree(header: ArchiveHeader(additional: ["bundleVersion": 4]))
    let error = #expect(throws: ArchiveError.self) { try wrong.encoded() }
    #expect(error?.code.rawValue == "header-type")
    #expect(error?.found == "integer")
  }

  @Test("a header has at most 1,024 entries (R-4.3-14)")
  func boundsHeaders() throws {
    let additional = ArchiveDictionary((0..<1024).map { ("key.\($0)", ArchiveValue.bool(true)) })
    let tree = ArchiveTree(header: ArchiveHeader(systemVersion: "1", writer: "w", additional: additional))
    #expect(try ArchiveTree(decoding: tree.encoded()) == tree)
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveTree(header: ArchiveHeader(bundleVersion: "1", additional: additional)).encoded()
    }
    #expect(error?.code.rawValue == "table-size")
    #expect(error?.rule == "R-4.3-14")
  }

  @Test("the tree refuses content that the format cannot store, with its path (R-8-3)")
  func refusesTrees() throws {
    for (node, code, path) in [
      (ArchiveNode("a", children: [ArchiveNode("x"), ArchiveNode("y"), ArchiveNode("x")]), "duplicate-identifier", "a/x"),
      (ArchiveNode("a", children: [ArchiveNode("")]), "string-length", "a"), (ArchiveNode("a", type: ""), "string-length", ""),
      (ArchiveNode("a", schemaVersion: 2), "not-storable", nil), (ArchiveNode("a", attributes: ["plain": 1]), "unknown-attribute", "a"),
      (ArchiveNode("a", provider: ProviderReference(name: "", identifier: "x")), "string-length", "a"),
      (ArchiveNode("a", state: ["": 1]), "empty-key", "a"),
    ] as [(ArchiveNode, String, RestorationPath?)] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveTree(nodes: [node]).encoded() }
      #expect(error?.code.rawValue == code)
      #expect(error?.path == path)
    }
  }
}
