import SlowReader
import Foundation
import RestorationArchive
import Testing

/// Types that encode values the format cannot store, or ignore encoding errors: the archive contains nothing of the
/// failed value, and everything around it is kept.
@Suite struct CodableMisuseTests {
  private struct Failure: Error {}

  // MARK: Empty keys

  /// A value whose only field has an empty name, encoded in several ways.
  struct Nameless: Encodable {
    enum Way: CaseIterable {
      case field, text, inner, list, ofSuperclass
    }
    /// A key whose number the encoder caches, as it does for all keys that are enumeration cases without associated
    /// values.
    enum Key: String, CodingKey {
      case none = ""
    }

    let way: Way

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      switch way {
      case .field: try container.encode(1, forKey: .none)
      case .text: try container.encode([1], forKey: .none)
      case .inner:
        var inner = container.nestedContainer(keyedBy: AnyKey.self, forKey: .none)
        try inner.encode(1, forKey: AnyKey(stringValue: "a"))
      case .list:
        var list = container.nestedUnkeyedContainer(forKey: .none)
        try list.encode(1)
      case .ofSuperclass:
        var single = container.superEncoder(forKey: .none).singleValueContainer()
        try single.encode(1)
      }
    }
  }

  @Test("a whole state cannot have an empty key, however it is encoded; a dictionary can (R-6.2-4)", arguments: Nameless.Way.allCases)
  func refusesEmptyKeys(_ way: Nameless.Way) throws {
    let archive = try Fixture.archive { coder in
      for round in 0..<2 {
        // In the second round the key is known.
        try coder.encode(Nameless(way: way), forKey: "value")
        let error = #expect(throws: EncodingError.self) { try coder.encodeState(Nameless(way: way)) }
        guard case .invalidValue(_, let context) = error else { continue }
        #expect(context.debugDescription.contains("at least one byte") && context.debugDescription.contains("root/list"), "\(round)")
      }
      #expect(throws: EncodingError.self) { try coder.encodeState(["a": 1, "": 2]) }
      try coder.encodeDictionary(forKey: "inner") { try $0.encodeState(Nameless(way: way)) }
    }
    let value: ArchiveValue =
      switch way {
      case .field, .ofSuperclass: 1
      case .text, .list: [1]
      case .inner: ["a": 1]
      }
    #expect(try archive.node(at: Fixture.path)?.state() == ["value": ["": value], "inner": ["": value]])
  }

  @Test("a state that cannot be stored completely is not stored at all")
  func encodesAllOrNothing() throws {
    let archive = try Fixture.archive { coder in
      try coder.encode(1, forKey: "a")
      for state: ArchiveDictionary in [["a": 2, "b": .url("")], ["b": 2, "": 3], ["b": .reference(.application)]] {
        #expect(throws: ArchiveError.self) { try coder.encodeState(state) }
      }
      try coder.encode(3, forKey: "c")
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["a": 1, "c": 3])
  }

  // MARK: Ignored errors

  /// A value that encodes a field and a list, then throws.
  private struct Unfinished: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: AnyKey(stringValue: "field"))
      try container.encode([1, 2], forKey: AnyKey(stringValue: "list"))
      throw Failure()
    }
  }

  /// A value that ignores the errors of its contents.
  struct Careless: Encodable {
    enum Attempt: CaseIterable {
      case reference, list, unfinished, unfinishedWithin, tooDeep
    }
    let attempt: Attempt
    let triesAgain: Bool
    let isOfSuperclass: Bool

    func encode(to encoder: any Encoder) throws {
      if isOfSuperclass {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: AnyKey(stringValue: "own"))
        encodeCarelessly(to: container.superEncoder())
        try container.encode(2, forKey: AnyKey(stringValue: "last"))
      } else {
        encodeCarelessly(to: encoder)
      }
    }

    private func encodeCarelessly(to encoder: any Encoder) {
      var container = encoder.singleValueContainer()
      switch attempt {
      case .reference: try? container.encode(RestorationPath.application)
      case .list: try? container.encode([RestorationPath("a"), .application])
      case .unfinished: try? container.encode(Unfinished())
      case .unfinishedWithin: try? container.encode(Optional(Optional(Unfinished())))
      case .tooDeep: try? container.encode(Deep(level: 130))
      }
      if triesAgain { try? container.encode("instead") }
    }

    var expected: ArchiveValue {
      let value: ArchiveValue = triesAgain ? "instead" : [:]
      return isOfSuperclass ? ["own": 1, "super": value, "last": 2] : value
    }
  }

  /// Nested arrays.
  private struct Deep: Encodable {
    let level: Int
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if level > 0 { try container.encode(Deep(level: level - 1)) }
    }
  }

  @Test(
    "a value that ignores its error is stored as empty or as its replacement", arguments: Careless.Attempt.allCases, [false, true])
  func survivesCarelessTypes(_ attempt: Careless.Attempt, _ triesAgain: Bool) throws {
    let writer = ArchiveWriter()
    // From the second round on, known keys are written in their final form.
    for round in 0..<3 {
      var tree = ArchiveTree()
      try writer.reset()
      for isOfSuperclass in [false, true] {
        let value = Careless(attempt: attempt, triesAgain: triesAgain, isOfSuperclass: isOfSuperclass)
        let name = "\(isOfSuperclass)"
        try writer.addNode(name) { coder in
          try coder.encode(1, forKey: "z")
          try coder.encode(value, forKey: "value")
          try coder.encode([value, value], forKey: "list")
          try coder.encodeArray(forKey: "elements") { try $0.encode(value) }
          try coder.encode(2, forKey: "a")
        }
        try writer.addNode("alone \(name)") { try $0.encode(value, forKey: "value") }
        let expected = value.expected
        tree.nodes.append(
          ArchiveNode(name, state: ["z": 1, "value": expected, "list": [expected, expected], "elements": [expected], "a": 2]))
        tree.nodes.append(ArchiveNode("alone \(name)", state: ["value": expected]))
      }
      let bytes = try writer.finishEncoding().data()
      #expect(try bytes == tree.encoded(), "round \(round)")
      #expect(slowCheck([UInt8](bytes)).isEmpty)
    }
  }

  // MARK: Encoders used at the wrong time

  /// A value that misuses the encoder of its node while it is encoded itself.
  private struct Intruder: Encodable {
    let coder: StateEncoder
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(1, forKey: AnyKey(stringValue: "own"))
      #expect(throws: ArchiveError.self) { try coder.encode(1, forKey: "intruder") }
      #expect(throws: ArchiveError.self) { try coder.encodeState(["intruder": 1]) }
      #expect(throws: ArchiveError.self) { try coder.encodeState(["intruder": 1] as ArchiveDictionary) }
      #expect(throws: ArchiveError.self) { try coder.encodeDictionary(forKey: "intruder") { _ in } }
    }
  }

  @Test("a node's encoder is refused while a value encodes itself, including as the whole state")
  func refusesTheEncoderWithin() throws {
    let archive = try Fixture.archive { coder in
      try coder.encodeState(["inner": Intruder(coder: coder)])
      try coder.encodeState(Intruder(coder: coder))
      try coder.encode(2, forKey: "after")
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["inner": ["own": 1], "own": 1, "after": 2])
  }

  /// A value that leaks its encoder.
  private struct Giver: Encodable {
    let give: (any Encoder) -> Void
    func encode(to encoder: any Encoder) throws {
      give(encoder)
      var container = encoder.singleValueContainer()
      try container.encode(7)
    }
  }

  /// Tries every way to encode with an encoder.
  private static func abuse(_ encoder: any Encoder) {
    var single = encoder.singleValueContainer()
    #expect(throws: EncodingError.self) { try single.encode(5) }
    #expect(throws: EncodingError.self) { try single.encode([5]) }
    var keyed = encoder.container(keyedBy: AnyKey.self)
    #expect(throws: EncodingError.self) { try keyed.encode(5, forKey: AnyKey(stringValue: "a")) }
    var inner = keyed.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "b"))
    #expect(throws: EncodingError.self) { try inner.encode(5, forKey: AnyKey(stringValue: "a")) }
    var unkeyed = encoder.unkeyedContainer()
    #expect(throws: EncodingError.self) { try unkeyed.encode(5) }
    #expect(throws: EncodingError.self) { try unkeyed.encode([5]) }
    var superclass = unkeyed.superEncoder().singleValueContainer()
    #expect(throws: EncodingError.self) { try superclass.encode(5) }
  }

  @Test("a leaked encoder is refused between values, between nodes and after the archive")
  func refusesKeptEncoders() throws {
    let writer = ArchiveWriter()
    var kept: (any Encoder)?
    for round in 0..<3 {
      try writer.reset()
      try writer.addNode("first") { coder in
        try coder.encode(Giver { kept = $0 }, forKey: "value")
        try Self.abuse(#require(kept))
        try coder.encode(1, forKey: "after")
      }
      try Self.abuse(#require(kept))
      try writer.addNode("second") { coder in
        try Self.abuse(#require(kept))
        try coder.encode([1], forKey: "list")
      }
      let encoded = try writer.finishEncoding()
      try Self.abuse(#require(kept))
      let expected = ArchiveTree(nodes: [
        ArchiveNode("first", state: ["value": 7, "after": 1]), ArchiveNode("second", state: ["list": [1]]),
      ])
      #expect(try encoded.data() == expected.encoded(), "round \(round)")
    }
  }
}
