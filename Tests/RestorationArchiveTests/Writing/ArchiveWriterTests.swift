import SlowReader
import Foundation
import RestorationArchive
import Testing

/// Content that a writer refuses, and records that are rewritten because of their many keys.
@Suite struct ArchiveWriterTests {
  private static func code(_ body: () throws -> Void) -> String? {
    #expect(throws: ArchiveError.self, performing: body)?.code.rawValue
  }

  @Test(
    "records with providers, attributes and sensitive values are rewritten if there are many keys (R-6.2-2)", arguments: [10, 300])
  func rewritesRecords(_ count: Int) throws {
    var state: ArchiveDictionary = [:]
    for number in 0..<count { state["key-\(number)"] = .integer(ArchiveInteger(number)) }
    state["list"] = [["key-1": [true, ["deep": "x"]]], "y"]
    let sensitive = ArchiveDictionary([.init(key: "secret", value: "s", isSensitive: true)])
    let provider = ProviderReference(name: "list", identifier: "42")
    let writer = ArchiveWriter()
    let root = try writer.addNode("root", type: "Root", schemaVersion: 3)
    try writer.encodeState(of: root, provider: provider, attributes: ["com.example.note": ["key-1": 1]]) { coder in
      try coder.encodeState(state)
      try coder.encodeState(sensitive)
    }
    let archive = try ArchiveReader(writer.finish())
    let node = try #require(try archive.node(at: "root"))
    #expect(try node.provider() == provider)
    #expect(try node.attributes() == ["com.example.note": ["key-1": 1]])
    #expect(try node.state()["list"] == state["list"])
    #expect(try node.state()["key-\(count - 1)"] == .integer(ArchiveInteger(count - 1)))
    #expect(try node.state()["secret"] == "s")
    #expect(slowCheck([UInt8](try ArchiveTree(decoding: archive).encoded())).isEmpty)
  }

  @Test("a writer that is finished, or has an open state, refuses additions")
  func refusesMisuse() throws {
    let writer = ArchiveWriter()
    let root = try writer.addNode("root") { _ in
      #expect(Self.code { try writer.addNode("within") } == "no-parent")
      #expect(Self.code { _ = try writer.finish() } == "not-storable")
    }
    #expect(writer.path(of: root) == "root")
    #expect(Self.code { try writer.encodeState(of: root) { _ in } } == "not-storable")
    _ = try writer.finish()
    #expect(Self.code { try writer.addNode("late") } == "no-parent")
    #expect(Self.code { _ = try writer.finish() } == "not-storable")
  }

  @Test("texts that do not fit the volatile header are refused (R-4.3-15)", arguments: [(64, 83), (83, 64), (0, 147), (147, 0)])
  func refusesLongVolatileTexts(_ systemVersion: Int, _ writer: Int) throws {
    func encode(_ more: Int) throws -> Data {
      let header = ArchiveHeader(
        bundleVersion: String(repeating: "b", count: 500), systemVersion: String(repeating: "s", count: systemVersion),
        timestamp: Date(timeIntervalSinceReferenceDate: 816_901_200.1), writer: String(repeating: "w", count: writer + more))
      return try ArchiveWriter(header: header).finish()
    }
    let archive = try encode(0)
    #expect(try ArchiveReader(archive).header.writer?.count == writer)
    #expect(slowCheck([UInt8](archive)).isEmpty)
    #expect(Self.code { _ = try encode(1) } == "string-length")
  }

  @Test("invalid providers and attributes are refused, and the node can be encoded again")
  func refusesContents() throws {
    let writer = ArchiveWriter()
    let root = try writer.addNode("root")
    let long = String(repeating: "x", count: 70_000)
    func encode(_ provider: ProviderReference? = nil, _ attributes: ArchiveDictionary = [:]) -> String? {
      Self.code { try writer.encodeState(of: root, provider: provider, attributes: attributes) { _ in } }
    }
    #expect(encode(ProviderReference(name: "", identifier: "x")) == "string-length")
    #expect(encode(ProviderReference(name: "x", identifier: long)) == "string-length")
    #expect(encode(nil, ["": 1]) == "empty-key")
    #expect(encode(nil, ["plain": 1]) == "unknown-attribute")
    #expect(encode(nil, ArchiveDictionary([.init(key: "a.b", value: .null, isSensitive: true)])) == "sensitive-misplaced")
    try writer.encodeState(of: root) { try $0.encode(1, forKey: "row") }
    #expect(try ArchiveReader(writer.finish()).node(at: "root")?.state() == ["row": 1])
  }

  @Test("a refused node leaves neither its type nor its origin (R-4.3-11, R-4.3-12)")
  func forgetsRefusedNodes() throws {
    let tooLong = String(repeating: "1", count: 70_000)
    let writer = ArchiveWriter()
    let origin = ArchiveOrigin(bundleVersion: "1")
    #expect(Self.code { try writer.addNode("type", type: tooLong, origin: origin) } == "string-length")
    #expect(Self.code { try writer.addNode("origin", type: "T", origin: ArchiveOrigin(bundleVersion: tooLong)) } == "string-length")
    // The type is checked first.
    let refused = #expect(throws: ArchiveError.self) {
      try writer.addNode("both", type: "", origin: ArchiveOrigin(bundleVersion: tooLong))
    }
    #expect(refused?.description.contains("type tag length") == true)
    try writer.addNode("good", type: "U")
    let archive = [UInt8](try writer.finish())
    #expect(ArchiveCheck(archive).findings.isEmpty)
    let tree = try ArchiveTree(decoding: ArchiveReader(archive))
    #expect(try tree.encoded() == Data(archive))
  }

  @Test("a schema version is 0 to 2^32-1 (R-4.3-12)", arguments: [-1, 1 << 32, .min, .max])
  func refusesSchemaVersions(_ version: Int) throws {
    let writer = ArchiveWriter()
    #expect(Self.code { try writer.addNode("node", type: "T", schemaVersion: version) } == "not-storable")
    let tree = ArchiveTree(nodes: [ArchiveNode("node", schemaVersion: version)])
    #expect(Self.code { _ = try tree.encoded() } == "not-storable")
  }

  @Test("full tables and overlong texts are refused (R-4.3-11, R-4.3-12, R-4.3-14)")
  func refusesFullTables() throws {
    let types = ArchiveWriter()
    for number in 0..<65_535 { try types.addNode("\(number)", type: "T", schemaVersion: number) }
    #expect(Self.code { try types.addNode("more", type: "T", schemaVersion: 70_000) } == "table-size")
    #expect(try ArchiveReader(types.finish()).nodeCount == 65_535)

    let origins = ArchiveWriter()
    func origin(_ version: String) -> ArchiveOrigin { ArchiveOrigin(bundleVersion: version) }
    #expect(Self.code { try origins.addNode("long", origin: origin(String(repeating: "1", count: 70_000))) } == "string-length")
    for number in 0..<65_535 { try origins.addNode("\(number)", origin: origin("\(number)")) }
    #expect(Self.code { try origins.addNode("more", origin: origin("more")) } == "table-size")

    let sections = ArchiveWriter()
    let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
    let codes =
      letters.flatMap { second in letters.map { "a\(second)A\($0)" } } + letters.flatMap { second in letters.map { "b\(second)A\($0)" } }
    for code in codes.prefix(1_022) { sections.addSection(try ArchiveSection(code: code, data: Data([1]))) }
    #expect(Self.code { _ = try sections.finish() } == "table-size")
  }
}
