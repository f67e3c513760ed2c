import PropertyKit
import RestorationArchive
import Testing

/// A key is identified by its text: the coder caches keys by the address of their strings, which must not be
/// observable.
@Suite struct KeyTextTests {
  /// A copy of the text with its own storage, unless the text is short enough to need none.
  private static func copy(_ text: String) -> String {
    String(decoding: Array(text.utf8), as: UTF8.self)
  }

  @Test("keys that are mutated, copied and reused are stored by their text", arguments: 0..<20 as Range<UInt64>)
  func followsText(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var expected: [String: Int] = [:]
    // Short keys are stored in the string itself, longer ones in allocated storage. Two letters, so that keys repeat.
    var keys = (0..<40).map { _ in Self.copy(String(repeating: "ab", count: 1 + random.below(12))) }
    let writer = ArchiveWriter()
    try writer.addNode("root") { coder in
      for number in 0..<2000 {
        let place = random.below(keys.count)
        switch random.below(4) {
        case 0: keys[place].append(random.below(2) == 0 ? "a" : "b")
        case 1: keys[place] = Self.copy(keys[place])
        case 2 where keys[place].utf8.count > 1: keys[place].removeLast()
        default: break
        }
        if keys[place].utf8.count > 40 { keys[place] = "a" }
        try coder.encode(number, forKey: keys[place])
        expected[keys[place]] = number
      }
    }
    let node = try #require(try ArchiveReader(writer.finish()).node(at: "root"))
    let state = try node.state()
    #expect(state.count == expected.count, "seed \(seed)")
    for (key, number) in expected { #expect(state[key] == .integer(ArchiveInteger(number)), "seed \(seed), key \(key)") }
  }

  @Test("more keys than the cache holds, with common prefixes or suffixes, in two copies each, are distinguished")
  func tellsManyKeysApart() throws {
    let writer = ArchiveWriter()
    let count = 3000
    func keys(_ number: Int) -> [String] { ["\(number)", "a key with number \(number)", "\(number) is the number of a key"] }
    try writer.addNode("root") { coder in
      for round in 0..<2 {
        for number in 0..<count {
          for key in keys(number) { try coder.encode(number + round, forKey: Self.copy(key)) }
        }
      }
    }
    let state = try #require(try ArchiveReader(writer.finish()).node(at: "root")).state()
    #expect(state.count == 3 * count)
    for number in 0..<count {
      for key in keys(number) where state[key] != .integer(ArchiveInteger(number + 1)) { Issue.record("key \(key)") }
    }
  }
}
