import PropertyKit
import RestorationArchive
import Testing

/// Dictionaries of a decoded tree, which refer to their keys by index in a shared list.
///
/// Changing one dictionary must not affect the others, and an inline key has no index in that list.
@Suite struct ArchiveDictionaryTests {
  /// Some keys that are in the key table, and some that are inline because they are too long for it.
  private static let keys = (0..<12).map { "key \($0)" } + (0..<4).map { "long \($0) " + String(repeating: "x", count: 300) }

  /// The ways to make a dictionary.
  enum Source: String, CaseIterable {
    case literal, tree, node
  }

  private static func make(_ models: [[String: Int]], from source: Source) throws -> [ArchiveDictionary] {
    let dictionaries = models.map { model in ArchiveDictionary(model.map { ($0.key, .integer($0.value)) }) }
    if source == .literal { return dictionaries }
    let tree = ArchiveTree(nodes: dictionaries.enumerated().map { ArchiveNode("node \($0)", state: $1) })
    let reader = try ArchiveReader(tree.encoded())
    if source == .tree { return try ArchiveTree(decoding: reader).nodes.map(\.state) }
    return try models.indices.map { try #require(try reader.node(at: RestorationPath(components: ["node \($0)"]))).state() }
  }

  private static func contents(_ dictionary: ArchiveDictionary) -> [String: ArchiveValue] {
    Dictionary(uniqueKeysWithValues: dictionary.map { ($0.key, $0.value) })
  }

  @Test(
    "a dictionary sets, adds and removes like one of the standard library, without affecting its siblings", arguments: Source.allCases,
    UInt64(0)..<12)
  func changesLikeAModel(source: Source, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var models = (0..<4).map { _ in
      Dictionary(uniqueKeysWithValues: Self.keys.filter { _ in random.below(3) == 0 }.map { ($0, random.below(1000)) })
    }
    var dictionaries = try Self.make(models, from: source)
    // Copies must keep their content.
    var copies: [(dictionary: ArchiveDictionary, model: [String: Int])] = []
    for step in 0..<120 {
      let (index, key) = (random.below(models.count), Self.keys[random.below(Self.keys.count)])
      let value = random.below(3) == 0 ? nil : random.below(1000)
      if random.below(4) == 0 { copies.append((dictionaries[index], models[index])) }
      models[index][key] = value
      dictionaries[index][key] = value.map { ArchiveValue.integer($0) }
      for (dictionary, model) in zip(dictionaries, models) {
        #expect(Self.contents(dictionary) == model.mapValues { .integer($0) }, "seed \(seed), step \(step)")
        #expect(dictionary.map(\.key) == model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, "seed \(seed), step \(step)")
      }
    }
    for (copy, model) in copies { #expect(Self.contents(copy) == model.mapValues { .integer($0) }, "seed \(seed)") }
    let again = try Self.make(models, from: .literal)
    #expect(dictionaries == again, "seed \(seed)")
    for (dictionary, model) in zip(dictionaries, models) {
      for key in Self.keys { #expect(dictionary[key] == model[key].map { ArchiveValue.integer($0) }, "seed \(seed)") }
    }
  }
}
