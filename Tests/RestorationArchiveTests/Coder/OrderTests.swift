import Foundation
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Behaviours 71: unordered collections are sorted by their bytes, so that one state has one digest (R-2-4).
@Suite struct OrderTests {
  /// A key or element that has no text form.
  private struct Place: Codable, Hashable {
    var row: Int
    var name: String?
  }

  /// Encodes a value through a single-value container, as generic wrapper types do.
  private struct Wrapped<Value: Codable & Hashable>: Codable, Hashable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  /// A value of erased type.
  private struct Erased: Encodable {
    let value: any Encodable
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private struct State: Codable, Equatable {
    var numbers: Set<Int>
    var texts: Set<String>
    var places: Set<Place>
    var nested: Set<Set<Set<Int>>>
    var optional: Set<Int?>?
    var inLists: [[Set<String>]]
    var byPlace: [Place: Set<Int>]
    var byFlag: [Bool: [Double: String]]
    var byNumber: [Int: Set<String>]
    @Sensitive var secrets: Set<String>
    var wrapped: Wrapped<Set<Wrapped<Set<Int>>>>
  }

  /// The same content, built in another order and with another capacity, both of which affect the order of a set.
  private static func state(_ random: inout SeededGenerator) -> State {
    func set<Element: Hashable>(_ elements: [Element]) -> Set<Element> {
      var set = Set<Element>(minimumCapacity: random.below(200))
      for element in elements.shuffled(using: &random) { set.insert(element) }
      return set
    }
    func dictionary<Key: Hashable, Value>(_ keys: [Key], _ value: (Key) -> Value) -> [Key: Value] {
      var result = [Key: Value](minimumCapacity: random.below(200))
      for key in keys.shuffled(using: &random) { result[key] = value(key) }
      return result
    }
    let numbers = Array(0..<40).map { $0 * 37 % 101 - 20 }
    let texts = numbers.map { "text \($0)" } + ["", "caf\u{E9}", String(repeating: "long", count: 40)]
    let places = (0..<12).map { Place(row: $0 % 5, name: $0 % 3 == 0 ? nil : "n\($0)") }
    let inner = (0..<5).map { first in set((0..<4).map { second in set([first, second, first * second]) }) }
    return State(
      numbers: set(numbers), texts: set(texts), places: set(places), nested: set(inner), optional: set([1, nil, 3]),
      inLists: [[set(texts), []], [], [set(["b", "a"])]], byPlace: dictionary(places) { [$0.row] },
      byFlag: dictionary([true, false]) { flag in dictionary([1.5, -0.25, 1e300]) { "\(flag) \($0)" } },
      byNumber: dictionary([3, 1, 2]) { set(["x\($0)", "y"]) }, secrets: set(["b", "a", "c"]),
      wrapped: Wrapped(set([Wrapped(set([1, 2, 3])), Wrapped(set([4]))])))
  }

  @Test(
    "Behaviours 71: one state has one digest (R-2-4), by every call, in a new writer and in one that knows the keys",
    arguments: TestStage.seeds(4, exhaustive: 400))
  func sortsCollections(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let first = Self.state(&random)
    let writer = ArchiveWriter()
    var all: Set<Data> = []
    for round in 0..<4 {
      let state = Self.state(&random)
      #expect(state == first)
      try writer.reset()
      // Keys that were used before have other numbers.
      if round == 1 { try writer.encodeApplicationState { try $0.encode(["row": 1, "name": 2, "zz": 3], forKey: "other") } }
      try writer.addNode("whole") { try $0.encodeState(state) }
      try writer.addNode("keyed") { try $0.encode(state, forKey: "state") }
      try writer.addNode("pieces") { coder in
        try coder.encode(state.places, forKey: "places", isSensitive: true)
        try coder.encode(Erased(value: Erased(value: state.byPlace)), forKey: "erased")
        try coder.encodeArray(forKey: "list") { list in
          try list.encode(state.nested)
          try list.encodeDictionary { try $0.encode(state.byFlag, forKey: "flags") }
        }
      }
      let archive = try ArchiveReader(writer.finish())
      for name in ["whole", "keyed", "pieces"] {
        let node = try #require(try archive.node(at: RestorationPath(components: [name])))
        let copy = ArchiveTree(nodes: [ArchiveNode("node", state: try node.state())])
        all.insert(try copy.encoded())
      }
      #expect(all.count == 3, "seed \(seed), round \(round)")
      #expect(try archive.decoder(at: "whole").decodeState(State.self) == first, "seed \(seed)")
      #expect(try archive.decoder(at: "keyed").decode(State.self, forKey: "state") == first, "seed \(seed)")
    }
  }

  @Test("elements are sorted by their bytes, with their keys inline")
  func sortsByBytes() throws {
    let coder = try Fixture.coder {
      // Later keys have larger numbers, and sorting by number would put "z" before "a".
      try $0.encode(["z": 1], forKey: "first")
      try $0.encode(Set([["z": 1], ["a": 1], ["a": 1, "z": 1]]), forKey: "dictionaries")
      try $0.encode(Set([300, -1, 2, 70_000]), forKey: "numbers")
      try $0.encode([2.5: "b", 1.5: "a"], forKey: "pairs")
    }
    // A dictionary's length comes before its first key, and a number's low bytes before its high ones.
    #expect(try coder.value(forKey: "dictionaries") == [["a": 1], ["z": 1], ["a": 1, "z": 1]])
    #expect(try coder.value(forKey: "numbers") == [300, 70_000, -1, 2])
    #expect(try coder.value(forKey: "pairs") == [2.5, "b", 1.5, "a"])
  }

  /// A value that encodes itself as a set.
  private struct Posing: Encodable {
    let set: Set<Int>
    func encode(to encoder: any Encoder) throws { try set.encode(to: encoder) }
  }

  @Test("a set that a type encodes as itself keeps its order, since it is indistinguishable from an array")
  func leavesPosingSets() throws {
    let set = Set(0..<50)
    let coder = try Fixture.coder { try $0.encode(Posing(set: set), forKey: "set") }
    #expect(try coder.decode([Int].self, forKey: "set") == Array(set))
  }
}
