import PropertyKit
import RestorationArchive
import Testing

/// Data that a coder caches for the keys of one value must not affect the next value.
@Suite struct RepeatedKeysTests {
  private enum Keys: String, CodingKey {
    case first, second
  }

  /// Keeps its container instead of reading it.
  private struct Kept: Decodable {
    let container: KeyedDecodingContainer<Keys>

    init(from decoder: any Decoder) throws {
      container = try decoder.container(keyedBy: Keys.self)
    }
  }

  @Test("a kept container still belongs to its own element")
  func keepsContainers() throws {
    let elements = (0..<40).map { ["first": $0, "second": -$0] }
    let kept = try Fixture.coder { try $0.encode(elements, forKey: "list") }.decode([Kept].self, forKey: "list")
    #expect(kept.count == 40)
    for (number, element) in kept.enumerated() {
      #expect(try element.container.decode(Int.self, forKey: .first) == number)
      #expect(try element.container.decode(Int.self, forKey: .second) == -number)
      #expect(element.container.codingPath.map(\.intValue) == [nil, number])
    }
  }

  private struct Sparse: Codable, Equatable {
    var a: Int?
    var b: String?
    var c: Double?
    var d: Bool?
    var e: [Sparse]?
    var f: Single?
  }

  /// A type whose key type occupies no bytes.
  private struct Single: Codable, Equatable {
    var a: Int
  }

  private static func sparse(_ random: inout SeededGenerator, depth: Int) -> Sparse {
    Sparse(
      a: random.below(2) == 0 ? nil : random.below(1000), b: random.below(2) == 0 ? nil : "text \(random.below(1000))",
      c: random.below(2) == 0 ? nil : Double(random.below(1000)) / 8, d: random.below(2) == 0 ? nil : random.below(2) == 0,
      e: depth == 0 || random.below(2) == 0 ? nil : (0..<random.below(6)).map { _ in sparse(&random, depth: depth - 1) },
      f: random.below(2) == 0 ? nil : Single(a: random.below(1000)))
  }

  @Test("fields that are present in one element and absent in the next round-trip, at several depths", arguments: UInt64(0)..<20)
  func keepsSparseFields(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let values = (0..<20).map { _ in Self.sparse(&random, depth: 3) }
    #expect(try Fixture.roundTrip(values) == values, "seed \(seed)")
  }

  @Test("an element without a key that all previous elements had is an error with its index")
  func reportsAbsence() throws {
    let elements = [["first": 1, "second": 1], ["first": 2, "second": 2], ["second": 3]]
    let coder = try Fixture.coder { try $0.encode(elements, forKey: "list") }
    struct Pair: Decodable {
      let first: Int
      let second: Int
    }
    do {
      _ = try coder.decode([Pair].self, forKey: "list")
      Issue.record("decoded")
    } catch DecodingError.keyNotFound(let key, let context) {
      #expect(key.stringValue == "first")
      #expect(context.codingPath.map(\.stringValue) == ["list", "Index 2"])
    }
  }
}
