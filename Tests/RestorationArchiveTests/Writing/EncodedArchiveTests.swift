import PropertyKit
import Foundation
import Testing

@testable import RestorationArchive

/// A handed-over archive has the same bytes as one from ``ArchiveWriter/finish()`` (R-8-1), wherever and whenever it is
/// assembled.
@Suite struct EncodedArchiveTests {
  private struct Interruption: Error {}

  @Test("archives assembled immediately, later, on another thread or never match those of new writers", arguments: CanonicalTests.batches)
  func givesTheSameBytes(_ seeds: ClosedRange<UInt64>) async throws {
    let writer = ArchiveWriter()
    var later: [(seed: UInt64, encoded: EncodedArchive, expected: Data)] = []
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      var generator = TreeGenerator(seed: seed)
      let tree = generator.tree()
      let expected = try tree.encoded()
      try writer.reset(header: tree.header)
      try addInShuffledOrder(tree, to: writer, using: &random)
      let encoded = try writer.finishEncoding()
      switch seed % 4 {
      case 0: #expect(try encoded.data() == expected, "seed \(seed)")
      case 1: later.append((seed, encoded, expected))
      case 2: #expect(try await Task.detached { try encoded.data() }.value == expected, "seed \(seed)")
      default: break  // Discarded.
      }
      if later.count > 5 {
        let (seed, encoded, expected) = later.removeFirst()
        #expect(try encoded.data() == expected, "seed \(seed)")
      }
    }
    for (seed, encoded, expected) in later { #expect(try encoded.data() == expected, "seed \(seed)") }
  }

  @Test("many threads that request the bytes get equal ones, while the writer writes the next archive")
  func servesManyThreads() async throws {
    let writer = ArchiveWriter()
    var seen: [Int: Data] = [:]
    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for round in 0..<40 {
        try writer.reset()
        for number in 0...round { try writer.addNode("n\(number)") { try $0.encode(round, forKey: "round") } }
        let encoded = try writer.finishEncoding()
        for _ in 0..<3 { group.addTask { (round, try encoded.data()) } }
      }
      for try await (round, data) in group {
        #expect(seen.updateValue(data, forKey: round).map { $0 == data } ?? true)
        let archive = try ArchiveReader(data)
        #expect(archive.nodeCount == round + 1)
        #expect(try archive.node(at: "n0")?.state() == ["round": .integer(round)])
      }
    }
  }

  @Test("records sorted in several parts hold the last values written, in key order", arguments: [100, 3000])
  func sortsInParts(_ length: Int) throws {
    let writer = ArchiveWriter()
    let text = String(repeating: "x", count: length)
    for _ in 0..<2 {
      var tree = ArchiveTree()
      try writer.reset()
      for number in 0..<400 {
        let key = "key-\(number % 70)"
        tree.nodes.append(ArchiveNode("\(number)", state: [key: "new", "a": .string(text), "z": .integer(number)]))
        try writer.addNode("\(number)") { coder in
          try coder.encode(number, forKey: "z")
          try coder.encode("old", forKey: key)
          try coder.encode(text, forKey: "a")
          try coder.encode("new", forKey: key)
        }
      }
      #expect(try writer.finishEncoding().data() == tree.encoded())
    }
  }

  @Test("a node whose encoding failed has no state, and its neighbors keep theirs", arguments: [1, 40_000])
  func dropsRecords(_ length: Int) throws {
    let writer = ArchiveWriter()
    let text = String(repeating: "x", count: length)
    try writer.addNode("a") { try $0.encode(text, forKey: "text") }
    #expect(throws: Interruption.self) {
      try writer.addNode("b") { coder in
        try coder.encode(text, forKey: "gone")
        throw Interruption()
      }
    }
    try writer.addNode("c") { try $0.encode(text, forKey: "text") }
    let expected = ArchiveTree(nodes: [
      ArchiveNode("a", state: ["text": .string(text)]), ArchiveNode("b"), ArchiveNode("c", state: ["text": .string(text)]),
    ])
    #expect(try writer.finishEncoding().data() == expected.encoded())
  }

  @Test("a removed node leaves no trace, whether or not another node follows", arguments: [false, true])
  func takesNodesBack(_ hasAnother: Bool) throws {
    let writer = ArchiveWriter()
    try writer.addNode("a") { try $0.encode(1, forKey: "row") }
    let empty = try writer.addNode("b") { _ in }
    let kept = try writer.addNode("c") { try $0.encode(2, forKey: "row") }
    let last = try writer.addNode("d") { _ in }
    #expect(!writer.removeIfLastAndEmpty(empty) && !writer.removeIfLastAndEmpty(kept))
    #expect(writer.removeIfLastAndEmpty(last))
    #expect(!writer.removeIfLastAndEmpty(kept))
    var expected = ArchiveTree(nodes: [ArchiveNode("a", state: ["row": 1]), ArchiveNode("b"), ArchiveNode("c", state: ["row": 2])])
    if hasAnother {
      try writer.addNode("e")
      expected.nodes.append(ArchiveNode("e"))
    }
    #expect(try writer.finishEncoding().data() == expected.encoded())
  }

  @Test("a handed-over archive and its writer are independent")
  func isApart() throws {
    let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "1"))
    var kept: StateEncoder?
    let old = try writer.addNode("old") { coder in
      kept = coder
      #expect(throws: ArchiveError.self) { try writer.finishEncoding() }
      try coder.encode(1, forKey: "row")
    }
    let encoded = try writer.finishEncoding()
    #expect(throws: ArchiveError.self) { try writer.finishEncoding() }
    #expect(throws: ArchiveError.self) { try writer.finish() }
    #expect(throws: ArchiveError.self) { try writer.addNode("new") }
    #expect(throws: ArchiveError.self) { try writer.encodeState(of: old) { _ in } }
    #expect(throws: ArchiveError.self) { try kept?.encode(2, forKey: "row") }
    #expect(writer.path(of: old) == .application)

    try writer.reset(header: ArchiveHeader(bundleVersion: "2"))
    #expect(throws: ArchiveError.self) { try writer.addNode("new", under: old) }
    try writer.addNode("new") { coder in
      #expect(throws: ArchiveError.self) { try kept?.encode(2, forKey: "row") }
      try coder.encode(3, forKey: "row")
    }
    let second = try writer.finishEncoding()
    let first = try ArchiveReader(encoded.data())
    #expect(first.header.bundleVersion == "1")
    #expect(try first.node(at: "old")?.state() == ["row": 1])
    #expect(try ArchiveReader(second.data()).node(at: "new")?.state() == ["row": 3])
  }

  @Test("keys of a discarded archive are not in the next one, whether or not it was partly sorted", arguments: [1, 240], [1, 40_000])
  func forgetsUnwantedKeys(_ count: Int, _ length: Int) throws {
    let writer = ArchiveWriter()
    func add(isLarge: Bool) throws {
      try writer.addNode("n") { coder in
        try coder.encodeDictionary(forKey: "inner") { dictionary in
          try dictionary.encode(1, forKey: "a")
          if isLarge { try dictionary.encode(2, forKey: "b") }
        }
        if isLarge {
          for number in 0..<count { try coder.encode(number, forKey: "key-\(number)") }
          try coder.encode(String(repeating: "x", count: length), forKey: "text")
        }
      }
      if isLarge { try writer.addNode("o") { try $0.encode(1, forKey: "other") } }
    }
    let expected = try ArchiveTree(nodes: [ArchiveNode("n", state: ["inner": ["a": 1]])]).encoded()
    for isKnown in [false, true] {
      for isFinished in [false, true] {
        try writer.reset()
        if isKnown {
          try add(isLarge: true)
          _ = try writer.finishEncoding().data()
          try writer.reset()
        }
        try add(isLarge: true)
        if isFinished {
          // More than once, so that a discarded assembler is reused.
          for _ in 0..<3 {
            _ = try writer.finishEncoding()
            try writer.reset()
            try add(isLarge: true)
          }
        }
        for _ in 0..<3 {
          try writer.reset()
          try add(isLarge: false)
          #expect(try writer.finishEncoding().data() == expected)
        }
      }
    }
  }

  @Test("the nodes of a discarded archive are kept only on request", arguments: [false, true])
  func releasesUnwantedNodes(_ keepsNodes: Bool) throws {
    let writer = ArchiveWriter()
    for number in 0..<100 { try writer.addNode("\(number)") }
    _ = try writer.finishEncodingDistinct(keepsNodes: keepsNodes)
    try writer.reset()
    // The writer now takes back the assembler of the first archive.
    _ = try writer.finishEncoding()
    #expect(writer.nodeCount == (keepsNodes ? 100 : 0))
  }

  @Test("a leaked encoder forces the archive to be assembled at handover", arguments: ["state", "value", "container", "failed", "none"])
  func keepsEncodersApart(_ kind: String) async throws {
    struct Value: Encodable {
      let keep: (any Encoder) -> Void
      func encode(to encoder: any Encoder) throws {
        keep(encoder)
        var container = encoder.singleValueContainer()
        try container.encode(1)
      }
    }
    let writer = ArchiveWriter()
    for _ in 0..<3 {
      try writer.reset()
      var kept: [Any] = []
      for number in 0..<10 {
        _ = try? writer.addNode("\(number)") { coder in
          try coder.encode(Value { if kind == "value" { kept.append($0) } }, forKey: "value")
          try coder.encodeArray(forKey: "array") { if kind == "container" { kept.append($0) } }
          if kind == "state" { kept.append(coder) }
          if kind == "failed" {
            kept.append(coder)
            throw Interruption()
          }
        }
      }
      let encoded = try writer.finishEncoding()
      #expect(encoded.isAssembled == (kind != "none"))
      let other = Task.detached { try encoded.data() }
      for coder in kept {
        #expect(throws: (any Error).self) {
          switch coder {
          case let coder as StateEncoder: try coder.encode(1, forKey: "late")
          case let coder as ElementEncoder: try coder.encode(1)
          default: throw Interruption()
          }
        }
      }
      #expect(try await ArchiveReader(other.value).nodeCount == 10)
    }
  }

  @Test("siblings that differ in any byte are distinct, and duplicates are found among any number", arguments: UInt64(0)..<40)
  func tellsSiblingsApart(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Many identifiers differ only in the middle, or in length.
    let ends = ["", "a", "same-end", "the same long end"]
    var paths: Set<[String]> = []
    let writer = ArchiveWriter()
    var parents: [(node: ArchiveWriter.Node?, path: [String])] = [(nil, [])]
    for _ in 0..<(1 + random.below(400)) {
      let parent = parents[random.below(parents.count)]
      let identifier = ends[random.below(4)] + String(random.below(300)) + ends[random.below(4)]
      guard paths.insert(parent.path + [identifier]).inserted else { continue }
      let node = try writer.addNode(identifier, under: parent.node)
      if parents.count < 6 { parents.append((node, parent.path + [identifier])) }
    }
    guard seed.isMultiple(of: 2) else {
      #expect(try ArchiveReader(writer.finishEncoding().data()).nodeCount == paths.count, "seed \(seed)")
      return
    }
    let twice = try #require(paths.min { $0.joined() < $1.joined() })
    try writer.addNode(twice[twice.count - 1], under: try #require(parents.first { $0.path == twice.dropLast() }).node)
    let error = #expect(throws: ArchiveError.self, "seed \(seed)") { try writer.finishEncoding() }
    #expect(error?.code.rawValue == "duplicate-identifier", "seed \(seed)")
    #expect(error?.path == (try RestorationPath(components: twice)), "seed \(seed)")
  }

  @Test("content that cannot be stored is reported at handover")
  func saysWhatIsWrong() throws {
    let writer = ArchiveWriter(header: ArchiveHeader(writer: String(repeating: "w", count: 300)))
    #expect(#expect(throws: ArchiveError.self) { try writer.finishEncoding() }?.code.rawValue == "string-length")
    try writer.reset(header: ArchiveHeader(additional: ["plain": 1]))
    #expect(#expect(throws: ArchiveError.self) { try writer.finishEncoding() }?.code.rawValue == "unknown-header-key")
    try writer.reset()
    try writer.addNode("twice") { try $0.encode(1, forKey: "row") }
    try writer.addNode("twice")
    let error = #expect(throws: ArchiveError.self) { try writer.finishEncoding() }
    #expect(error?.code.rawValue == "duplicate-identifier" && error?.path == "twice")
    try writer.reset()
    for _ in 0..<2 { writer.addSection(try ArchiveSection(code: "teSt", data: Data([1]))) }
    #expect(#expect(throws: ArchiveError.self) { try writer.finishEncoding() }?.code.rawValue == "section-order")
    try writer.reset()
    try writer.addNode("twice") { try $0.encode(1, forKey: "row") }
    try writer.addNode("twice")
    let encoded = try writer.finishEncodingDistinct(keepsNodes: true)
    for _ in 0..<2 {
      let error = #expect(throws: ArchiveError.self) { try encoded.data() }
      #expect(error?.code.rawValue == "duplicate-identifier" && error?.path == "twice")
    }
    try writer.reset()
    try writer.addNode("once") { try $0.encode(2, forKey: "row") }
    #expect(try ArchiveReader(writer.finishEncoding().data()).node(at: "once")?.state() == ["row": 2])
  }
}
