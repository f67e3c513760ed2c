import Foundation
import RestorationArchive
import Testing

/// Values that keep their decoder or container go on to see themselves, whatever is decoded later.
@Suite(.serialized) struct KeptDecoderTests {
  /// A value that keeps what it was decoded with.
  private final class Keeper: Codable {
    enum CodingKeys: String, CodingKey {
      case number, inner
    }

    let number: Int
    let inner: [Keeper]
    var decoder: (any Decoder)?
    var container: KeyedDecodingContainer<CodingKeys>?

    /// What values keep: 0 nothing, 1 the container, 2 the decoder, 3 every third value both.
    nonisolated(unsafe) static var kept = 0

    init(_ number: Int, _ inner: [Keeper] = []) { (self.number, self.inner) = (number, inner) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      inner = try container.decode([Keeper].self, forKey: .inner)
      let keepsBoth = unsafe Self.kept == 3 && number % 3 == 0
      if unsafe Self.kept == 1 || keepsBoth { self.container = container }
      if unsafe Self.kept == 2 || keepsBoth { self.decoder = decoder }
      // The container is still that of this value, after others have been decoded.
      #expect(try container.decode(Int.self, forKey: .number) == number)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
      try container.encode(inner, forKey: .inner)
    }

    var all: [Keeper] { [self] + inner.flatMap(\.all) }
  }

  @Test("a value that keeps its container or decoder goes on to see its own fields", arguments: 0...3)
  func keepsValuesApart(_ kept: Int) throws {
    unsafe Keeper.kept = kept
    let tree = (0..<4).map { outer in
      Keeper(outer, (0..<5).map { Keeper(100 + 10 * outer + $0, [Keeper(1000 + outer + $0)]) })
    }
    let coder = try Fixture.coder {
      try $0.encode(tree, forKey: "tree")
      try $0.encode([Keeper(-1), Keeper(-2)], forKey: "other")
    }
    let decoded = try coder.decode([Keeper].self, forKey: "tree").flatMap(\.all)
    #expect(decoded.map(\.number) == tree.flatMap(\.all).map(\.number))
    for value in decoded {
      if let container = value.container { #expect(try container.decode(Int.self, forKey: .number) == value.number) }
      // The record is read again by a later call, which must not show its value to an earlier decoder.
      _ = try coder.decode([Keeper].self, forKey: "other")
      if let decoder = value.decoder {
        #expect(try decoder.container(keyedBy: Keeper.CodingKeys.self).decode(Int.self, forKey: .number) == value.number)
      }
    }
  }
}
