import PropertyKit
import Foundation
import RestorationArchive
import Testing

/// A reused writer writes each archive as a new writer would (R-8-1).
@Suite struct ArchiveWriterResetTests {
  private struct Interruption: Error {}

  @Test("a reused writer writes the same bytes as a new one, whatever came before", arguments: CanonicalTests.batches)
  func writesTheSameBytes(_ seeds: ClosedRange<UInt64>) throws {
    let writer = ArchiveWriter()
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      var generator = TreeGenerator(seed: seed)
      var tree = generator.tree()
      // More keys than have one-byte references, keys too long for the table, and more keys than the table holds.
      if seed % 9 == 0 { for number in 0..<300 { tree.applicationState["key-\(number)"] = .integer(ArchiveInteger(number)) } }
      if seed % 11 == 0 { tree.applicationState[String(repeating: "long", count: 30)] = true }
      if seed % 97 == 0 { for number in 0..<1500 { tree.applicationState["more-\(number)"] = .null } }
      let expected = try tree.encoded()
      if seed % 3 == 0 { try leaveUnfinished(writer, seed) }
      // Twice, so that the second archive finds the keys of the first.
      for _ in 0..<2 {
        try writer.reset(header: tree.header)
        let archive = try encodedInShuffledOrder(tree, with: writer, using: &random)
        #expect(archive == expected, "seed \(seed)")
      }
    }
  }

  /// Starts an archive with unique keys and types, some of which are dropped again.
  private func leaveUnfinished(_ writer: ArchiveWriter, _ seed: UInt64) throws {
    try writer.reset()
    let node = try writer.addNode("unfinished", type: "Unfinished-\(seed)", origin: ArchiveOrigin(bundleVersion: "0"))
    #expect(throws: Interruption.self) {
      try writer.encodeState(of: node) { coder in
        try coder.encode(["inner-\(seed)": 1], forKey: "dropped-\(seed)")
        throw Interruption()
      }
    }
    try writer.encodeState(of: node) { try $0.encode("x", forKey: "kept-\(seed)") }
    // More types, and a longer record, than a writer keeps capacity for.
    guard seed % 2 == 0 else { return }
    for number in 0..<300 { try writer.addNode("\(number)", type: "Type-\(number)") }
    try writer.encodeApplicationState { coder in
      try coder.encode(["b": Data(repeating: 7, count: 100_000), "a": Data()], forKey: "data")
    }
    writer.addSection(try ArchiveSection(code: "teSt", data: Data([1])))
  }

  @Test("Codable values do not reuse key numbers of the previous archive", arguments: [1, 2, 300])
  func forgetsNumbers(_ count: Int) throws {
    struct Selection: Codable, Equatable {
      var row = 7
      var list = "inbox"
    }
    let writer = ArchiveWriter()
    for round in 0..<4 {
      try writer.reset()
      // Each time, other keys come before the keys of the type.
      for number in 0..<count {
        try writer.addNode("n\(number)") { coder in
          try coder.encode(round, forKey: "\(round)-\(number)")
          try coder.encode(Selection(), forKey: "selection")
        }
      }
      let archive = try ArchiveReader(writer.finish())
      #expect(ArchiveCheck(try ArchiveTree(decoding: archive).encoded()).findings.isEmpty)
      let decoder = try archive.decoder(at: RestorationPath(components: ["n\(count - 1)"]))
      #expect(try decoder.decode(Selection.self, forKey: "selection") == Selection())
      #expect(try decoder.decode(Int.self, forKey: "\(round)-\(count - 1)") == round)
    }
  }

  @Test("types can disappear and reappear, some tags with several versions (R-4.3-12)")
  func keepsTypes() throws {
    let rounds: [[(tag: String, version: Int)]] = [
      [("b", 1), ("a", 2), ("a", 1), ("b", 1)], [("a", 1), ("b", 1), ("a", 2)], [("a", 2)], [("a", 3), ("c", 0), ("a", 1)], [],
      (0..<300).map { ("t\($0 / 2)", $0 % 2) }, [("t1", 1), ("t1", 0), ("a", 2)], [("t1", 0), ("t1", 1)],
    ]
    let kept = ArchiveWriter()
    for (place, round) in rounds.enumerated() {
      func archive(_ writer: ArchiveWriter) throws -> Data {
        for (number, type) in round.enumerated() {
          try writer.addNode("n\(number)", type: type.tag, schemaVersion: type.version) { try $0.encode(number, forKey: "n") }
        }
        return try writer.finish()
      }
      try kept.reset()
      let found = try archive(kept)
      #expect(try found == archive(ArchiveWriter()), "round \(place)")
      #expect(ArchiveCheck([UInt8](found)).findings.isEmpty, "round \(place)")
    }
  }

  @Test("types of the previous archive take no space in the table (R-4.3-12)")
  func keepsNoRoomForTypes() throws {
    let writer = ArchiveWriter()
    for number in 0..<256 { try writer.addNode("\(number)", type: "Old", schemaVersion: number) }
    _ = try writer.finish()
    try writer.reset()
    for number in 0..<65_535 { try writer.addNode("\(number)", type: "T", schemaVersion: number) }
    let refused = #expect(throws: ArchiveError.self) { try writer.addNode("old", type: "Old", schemaVersion: 7) }
    #expect(refused?.code.rawValue == "table-size")
    #expect(throws: ArchiveError.self) { try writer.addNode("more", type: "T", schemaVersion: 70_000) }
    let archive = try ArchiveReader(writer.finish())
    #expect(archive.nodeCount == 65_535)
    #expect(try archive.node(at: "65534")?.schemaVersion == 65_534)
  }

  @Test("nodes, encoders, sections and user information of the previous archive are gone")
  func startsOver() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "com.example.note"))
    let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "1"), userInfo: [key: "first"])
    var kept: StateEncoder?
    let old = try writer.addNode("old") { coder in
      kept = coder
      #expect(throws: ArchiveError.self) { try writer.reset() }
      try coder.encode(1, forKey: "row")
    }
    writer.addSection(try ArchiveSection(code: "teSt", data: Data([1])))
    _ = try writer.finish()

    try writer.reset(header: ArchiveHeader(bundleVersion: "2"), userInfo: [key: "second"])
    #expect(throws: ArchiveError.self) { try writer.addNode("new", under: old) }
    #expect(throws: ArchiveError.self) { try writer.encodeState(of: old) { _ in } }
    #expect(writer.path(of: old) == .application)
    let new = try writer.addNode("new") { coder in
      #expect(coder.userInfo[key] as? String == "second")
      #expect(throws: ArchiveError.self) { try kept?.encode(2, forKey: "row") }
    }
    #expect(new != old)
    let archive = try ArchiveReader(writer.finish())
    #expect(archive.header.bundleVersion == "2")
    #expect(archive.nodeCount == 1)
    #expect(try archive.sections().isEmpty)
  }

  @Test("an archive that fails to finish does not affect the next")
  func goesOnAfterFailure() throws {
    let writer = ArchiveWriter()
    try writer.addNode("twice") { try $0.encode(1, forKey: "row") }
    try writer.addNode("twice")
    #expect(throws: ArchiveError.self) { try writer.finish() }
    try writer.reset()
    try writer.addNode("once") { try $0.encode(2, forKey: "row") }
    #expect(try ArchiveReader(writer.finish()).node(at: "once")?.state() == ["row": 2])
  }
}
