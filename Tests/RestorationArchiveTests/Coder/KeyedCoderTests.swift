import SlowReader
import Foundation
import RestorationArchive
import Testing

/// The keyed calls, and Behaviours 1 to 5, 7, 9 of values and keys.
@Suite struct KeyedCoderTests {
  @Test("Behaviours 1: an absent key is distinguished from a stored null")
  func tellsAbsentFromNull() throws {
    let coder = try Fixture.coder {
      try $0.encode(Int?.none, forKey: "null")
      try $0.encode(path: nil, forKey: "nowhere")
    }
    #expect(coder.containsValue(forKey: "null"))
    #expect(!coder.containsValue(forKey: "absent"))
    #expect(try coder.decode(Int?.self, forKey: "null") == nil)
    #expect(try coder.decodeIfPresent(Int.self, forKey: "null") == nil)
    #expect(try coder.decodeIfPresent(Int.self, forKey: "absent") == nil)
    #expect(try coder.value(forKey: "null") == .null)
    #expect(try coder.value(forKey: "absent") == nil)
    #expect(try coder.decodePath(forKey: "nowhere") == nil)
    #expect(#expect(throws: ArchiveError.self) { try coder.decode(Int?.self, forKey: "absent") }?.code == .absentKey)
    #expect(#expect(throws: ArchiveError.self) { try coder.decodePath(forKey: "absent") }?.code == .absentKey)
    #expect(#expect(throws: ArchiveError.self) { try coder.decode(Int.self, forKey: "null") }?.code == .wrongType)
  }

  @Test("Behaviours 2: a wrong type is an error that names path and key")
  func namesWrongTypes() throws {
    let coder = try Fixture.coder { try $0.encode("text", forKey: "title") }
    let attempts: [(StateDecoder) throws -> Void] = [
      { _ = try $0.decode(Int.self, forKey: "title") }, { _ = try $0.decode(Double.self, forKey: "title") },
      { _ = try $0.decode(Bool.self, forKey: "title") }, { _ = try $0.decode(Date.self, forKey: "title") },
      { _ = try $0.decode(URL.self, forKey: "title") }, { _ = try $0.decode(UUID.self, forKey: "title") },
      { _ = try $0.decode(Data.self, forKey: "title") }, { _ = try $0.decodePath(forKey: "title") },
      { _ = try $0.decodePaths(forKey: "title") }, { _ = try $0.decode(Int.self, forKey: "title", default: 1) },
      { _ = try $0.decodeIfPresent(Int.self, forKey: "title") }, { _ = try $0.decode([Int].self, forKey: "title") },
      { _ = try $0.decode(Int8.self, forKey: "title") }, { _ = try $0.decode([String: Int].self, forKey: "title") },
    ]
    for attempt in attempts {
      let error = #expect(throws: ArchiveError.self) { try attempt(coder) }
      #expect(error?.code == .wrongType)
      #expect(error?.path == Fixture.path)
      #expect(error?.key == "title")
      #expect(error?.description.contains("root/list") == true)
      #expect(error?.description.contains("text\"") == false, "no archived value in an error (R-12-1)")
    }
  }

  @Test("Behaviours 3: a value that cannot be stored is rejected when it is encoded, with path and key (R-8-3)")
  func rejectsWhenEncoding() throws {
    let writer = ArchiveWriter()
    let root = try writer.addNode("root")
    let node = try writer.addNode("list", under: root)
    try writer.encodeState(of: node) { coder in
      let long = String(repeating: "k", count: 65_536)
      for (key, value, code) in [
        ("", 1 as ArchiveValue, ArchiveError.Code.emptyKey), (long, 1, .stringLength), ("url", .url(""), .stringLength),
        ("deep", Self.nested(129), .nestingDepth), ("empty", .reference(.application), ArchiveError.Code(rawValue: "empty-reference")),
      ] {
        let error = #expect(throws: ArchiveError.self) { try coder.encode(value, forKey: key) }
        #expect(error?.code == code)
        #expect(error?.path == Fixture.path)
        #expect(error?.key == key)
      }
      // Rejected values leave no trace, and values at the limit are stored.
      try coder.encode(Self.nested(128), forKey: "deep")
      try coder.encode("x", forKey: String(repeating: "k", count: 65_535))
    }
    let reader = try ArchiveReader(writer.finish())
    let state = try #require(try reader.node(at: Fixture.path)).state()
    #expect(state.map(\.key.count) == [4, 65_535])
    #expect(state["deep"] == Self.nested(128))
  }

  static func nested(_ depth: Int) -> ArchiveValue {
    (1..<depth).reduce(.array([])) { inside, level in level % 2 == 0 ? .array([inside]) : .dictionary(["in": inside]) }
  }

  @Test(
    "Behaviours 4: keys and identifiers of all kinds round-trip; empty ones are rejected (R-3.1-1, R-6.2-4)",
    arguments: [
      "a", " ", "a b", "line\nend", "a/b", "~", "~0~1", "*", "**", "日本語", "👩‍👩‍👧‍👦", "𝔘𝔫𝔦", "שלום עולם", "\u{202E}gnirts", "x#fragment?q=1&r=%20",
      String(repeating: "é", count: 500), String(repeating: "0123456789", count: 51), "\0", "$date", ".", "0",
    ])
  func roundTripsTexts(_ text: String) throws {
    let writer = ArchiveWriter()
    try writer.addNode(text) { try $0.encode(7, forKey: text) }
    let archive = try writer.finish()
    let reader = try ArchiveReader(archive)
    let path = try RestorationPath(components: [text])
    #expect(try RestorationPath(parsing: path.description) == path)
    #expect(try reader.decoder(at: path).decode(Int.self, forKey: text) == 7)
    #expect(try ArchiveTree(json: ArchiveTree(decoding: archive).json()).encoded() == archive)
  }

  @Test("Behaviours 4: empty and overlong identifiers are rejected")
  func refusesIdentifiers() throws {
    for identifier in ["", String(repeating: "x", count: 1025), String(repeating: "é", count: 513)] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveWriter().addNode(identifier) }
      #expect(error?.code == .stringLength)
      #expect(#expect(throws: ArchiveError.self) { try RestorationPath(components: [identifier]) }?.rule == "R-3.1-1")
    }
    try ArchiveWriter().addNode(String(repeating: "x", count: 1024))
  }

  @Test("Behaviours 5: two normalization forms are two identifiers and two keys (R-1.3-1)")
  func keepsNormalizationForms() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == decomposed, "to Swift they are the same text")
    let writer = ArchiveWriter()
    for (index, name) in [composed, decomposed].enumerated() {
      try writer.addNode(name) {
        try $0.encode(index, forKey: composed)
        try $0.encode(index + 10, forKey: decomposed)
      }
    }
    let reader = try ArchiveReader(writer.finish())
    #expect(reader.nodeCount == 2)
    for (index, name) in [composed, decomposed].enumerated() {
      let coder = try reader.decoder(at: RestorationPath(components: [name]))
      #expect(try coder.decode(Int.self, forKey: composed) == index)
      #expect(try coder.decode(Int.self, forKey: decomposed) == index + 10)
      #expect(coder.allKeys.count == 2)
    }
    let paths = try [composed, decomposed].map { try RestorationPath(components: [$0]) }
    #expect(paths[0] != paths[1])
    #expect(Set(paths).count == 2)
  }

  @Test("Behaviours 5: colliding keys in a Swift dictionary are an error, not a loss (R-11-5)")
  func reportsCollidingKeys() throws {
    let coder = try Fixture.coder {
      try $0.encode(.dictionary(["caf\u{E9}": 1, "cafe\u{301}": 2]), forKey: "counts")
      try $0.encode(.dictionary(["caf\u{E9}": 1, "cafe": 2]), forKey: "fine")
    }
    #expect(try coder.decode([String: Int].self, forKey: "fine").count == 2)
    let error = #expect(throws: ArchiveError.self) { try coder.decode([String: Int].self, forKey: "counts") }
    #expect(error?.code == .keysCollide)
    #expect(error?.path == Fixture.path)
    #expect(error?.key == "counts")
  }

  @Test("typed calls return the encoded values, in every node that has the key", arguments: [0, 1, 47, 48, 200, 70_000])
  func keepsEachType(_ length: Int) throws {
    let text = String(repeating: "x", count: length)
    let bytes = Data(repeating: 7, count: length)
    let writer = ArchiveWriter()
    for name in ["a", "b", "c"] {
      try writer.addNode(name) {
        try $0.encode(true, forKey: "bool")
        try $0.encode(-length, forKey: "int")
        try $0.encode(0.1, forKey: "double")
        try $0.encode(text, forKey: "text")
        try $0.encode(text, forKey: "secret", isSensitive: true)
        try $0.encode(bytes, forKey: "data")
        try $0.encode(Date(timeIntervalSinceReferenceDate: 1), forKey: "date")
      }
    }
    let archive = try ArchiveReader(writer.finish())
    for name in ["a", "b", "c"] {
      let coder = try archive.decoder(at: RestorationPath(components: [name]))
      #expect(try coder.decode(Bool.self, forKey: "bool"))
      #expect(try coder.decode(Int.self, forKey: "int") == -length)
      #expect(try coder.decode(Double.self, forKey: "double") == 0.1)
      #expect(try coder.decode(String.self, forKey: "text") == text && coder.decode(String.self, forKey: "secret") == text)
      #expect(try coder.decode(Data.self, forKey: "data") == bytes)
      #expect(try coder.decode(Date.self, forKey: "date") == Date(timeIntervalSinceReferenceDate: 1))
    }
  }

  @Test("Behaviours 7: omitted defaults are restored as defaults")
  func returnsDefaults() throws {
    let coder = try Fixture.coder { try $0.encode(3, forKey: "row") }
    #expect(try coder.decode(Int.self, forKey: "row", default: 9) == 3)
    #expect(try coder.decode(Int.self, forKey: "column", default: 9) == 9)
    #expect(try coder.decode([String].self, forKey: "tabs", default: ["first"]) == ["first"])
  }

  @Test("encoding a key again replaces its value, and the order of calls does not matter")
  func replacesValues() throws {
    let once = try Fixture.archive {
      try $0.encode(1, forKey: "a")
      try $0.encode("two", forKey: "b")
    }
    let twice = try Fixture.archive {
      try $0.encode([1, 2, 3], forKey: "b")
      try $0.encode("two", forKey: "b")
      try $0.encode(9.5, forKey: "a")
      try $0.encode(1, forKey: "a")
    }
    #expect(once.contentDigest == twice.contentDigest)
  }

  @Test("a call that throws leaves the state unchanged")
  func undoesFailedCalls() throws {
    struct Failing: Encodable {
      struct Failure: Error {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode("half")
        _ = container.nestedContainer(keyedBy: AnyKey.self)
        throw Failure()
      }
    }
    let plain = try Fixture.archive { try $0.encode(1, forKey: "a") }
    let failed = try Fixture.archive { coder in
      try coder.encode(1, forKey: "a")
      #expect(throws: Failing.Failure.self) { try coder.encode(Failing(), forKey: "b") }
      #expect(throws: Failing.Failure.self) { try coder.encode(["x": Failing()], forKey: "c") }
      #expect(throws: EncodingError.self) { try coder.encodeState(Failing()) }
    }
    #expect(plain.contentDigest == failed.contentDigest)
    #expect(plain.byteCount == failed.byteCount)
  }

  @Test("a node whose encoding throws has no state, and can be encoded again")
  func keepsNodesThatFailed() throws {
    struct Failure: Error {}
    let writer = ArchiveWriter()
    let node = try writer.addNode("root")
    #expect(throws: Failure.self) {
      try writer.encodeState(of: node, provider: ProviderReference(name: "p", identifier: "i"), attributes: ["a.b": 1]) {
        try $0.encode("half", forKey: "half")
        throw Failure()
      }
    }
    try writer.encodeState(of: node) { try $0.encode(true, forKey: "whole") }
    let archive = try writer.finish()
    #expect(ArchiveCheck(archive).findings.isEmpty)
    let expected = ArchiveTree(nodes: [ArchiveNode("root", state: ["whole": true])])
    #expect(try ArchiveTree(decoding: archive) == expected)
    #expect(try expected.encoded() == archive)
  }

  @Test("references are explicit, and round-trip")
  func keepsReferences() throws {
    let coder = try Fixture.coder {
      try $0.encode(path: "root/list", forKey: "one")
      try $0.encode(paths: ["root", nil, "elsewhere/a~1b"], forKey: "many")
      try $0.encode(RestorationPath("root"), forKey: "codable")
    }
    #expect(try coder.decodePath(forKey: "one") == "root/list")
    #expect(try coder.decodePathIfPresent(forKey: "none") == nil)
    #expect(try coder.decodePaths(forKey: "many") == ["root", nil, "elsewhere/a~1b"])
    #expect(try coder.decode(RestorationPath.self, forKey: "codable") == "root")
    #expect(try coder.value(forKey: "codable") == .reference("root"))
  }

  @Test("a decoder reports the properties of its node and archive")
  func answersContext() throws {
    let origin = ArchiveOrigin(bundleVersion: "40", timestamp: Date(timeIntervalSinceReferenceDate: 1), sessionsCarried: 3)
    let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "42", userInterfaceIdiom: .terminal))
    try writer.encodeApplicationState { try $0.encode("dark", forKey: "theme") }
    let root = try writer.addNode("root")
    try writer.addNode("list", under: root, type: "List", schemaVersion: 5, origin: origin) { #expect($0.path == Fixture.path) }
    let coder = try ArchiveReader(writer.finish()).decoder(at: Fixture.path)
    #expect(coder.path == Fixture.path)
    #expect(coder.type == "List")
    #expect(coder.schemaVersion == 5)
    #expect(coder.origin == origin)
    #expect(coder.header.bundleVersion == "42")
    #expect(coder.header.userInterfaceIdiom == .terminal)
    #expect(try coder.applicationState().decode(String.self, forKey: "theme") == "dark")
    #expect(try coder.applicationState().path.isEmpty)
  }

  @Test("an encoder is valid only while its node is being encoded")
  func closesEncoders() throws {
    var kept: StateEncoder?
    _ = try Fixture.archive { kept = $0 }
    let coder = try #require(kept)
    #expect(#expect(throws: ArchiveError.self) { try coder.encode(1, forKey: "late") }?.code == .notStorable)
    #expect(throws: ArchiveError.self) { try coder.encode([1], forKey: "late") }
    #expect(throws: ArchiveError.self) { try coder.encodeState(["late": 1]) }
  }

  @Test(
    "many keys are stored in the table, inline, or both (R-4.3-13, R-6.2-2)",
    arguments: [1, 238, 239, 240, 254, 255, 256, 1023, 1024, 1025, 3000])
  func keepsManyKeys(_ count: Int) throws {
    let keys = (0..<count).map { "key-\($0)" }
    let archive = try Fixture.archive { coder in
      for (index, key) in keys.enumerated() { try coder.encode(index, forKey: key) }
      for (index, key) in keys.enumerated() where index % 7 == 0 { try coder.encode(["nested": [key: index]], forKey: "in-\(index)") }
    }
    let coder = try archive.decoder(at: Fixture.path)
    for (index, key) in keys.enumerated() { #expect(try coder.decode(Int.self, forKey: key) == index) }
    for (index, key) in keys.reversed().enumerated() { #expect(try coder.decode(Int.self, forKey: key) == count - 1 - index) }
    #expect(try coder.decode([String: [String: Int]].self, forKey: "in-0") == ["nested": ["key-0": 0]])
    let tree = try ArchiveTree(decoding: archive)
    let bytes = try tree.encoded()
    #expect(slowCheck([UInt8](bytes)).isEmpty)
    #expect(ArchiveCheck(bytes).isValid)
    #expect(bytes.count == archive.byteCount)
  }
}
