import StateRestoration
import Testing

/// A whole state as one `Codable` value, with missing fields from a default value (`decodeState(_:default:)`); Behaviours 68.
@Suite struct DefaultValueTests {
  private struct Inner: Codable, Equatable {
    var first = 1
    var note: String? = "a note"
    var last = 3
  }

  private struct Outer: Codable, Equatable {
    var inner = Inner()
    var absent = Inner()
    var optional: Inner? = Inner()
    var hidden = Sensitive(wrappedValue: Inner())
    var items: [Inner] = []
    var names: [String: Int] = ["a": 1]
    var count: Double = 0.5
  }

  private class Base: Codable, Equatable {
    var title = "untitled"
    var width = 80

    static func == (left: Base, right: Base) -> Bool { left.title == right.title && left.width == right.width }
  }

  private final class Derived: Base {
    var height = 24

    override init() { super.init() }

    private enum CodingKeys: CodingKey { case height, base }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      height = try container.decode(Int.self, forKey: .height)
      try super.init(from: container.superDecoder(forKey: .base))
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(height, forKey: .height)
      try super.encode(to: container.superEncoder(forKey: .base))
    }
  }

  /// Reads its parts through nested containers.
  private struct ByHand: Codable, Equatable {
    var x = 1
    var list = [1]

    private enum CodingKeys: CodingKey { case x, list, part }

    init() {}

    init(from decoder: any Decoder) throws {
      let part = try decoder.container(keyedBy: CodingKeys.self).nestedContainer(keyedBy: CodingKeys.self, forKey: .part)
      x = try part.decodeNil(forKey: .x) ? -1 : part.decode(Int.self, forKey: .x)
      var elements = try part.nestedUnkeyedContainer(forKey: .list)
      list = []
      while !elements.isAtEnd { list.append(try elements.decode(Int.self)) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var part = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .part)
      try part.encode(x, forKey: .x)
      try part.encode(list, forKey: .list)
    }
  }

  private static func decoder(_ state: ArchiveDictionary) throws -> StateDecoder {
    try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("pane", state: state)]).encoded()).decoder(at: "pane")
  }

  @Test("missing fields are taken from the default, in nested, optional and marked values too; an optional field stays nil")
  func fillsMissingFields() throws {
    let state: ArchiveDictionary = [
      "inner": ["first": 7], "optional": ["last": 8], "hidden": ["first": 9, "note": "kept"], "items": [["first": 1, "last": 2]],
      "names": ["b": 2],
    ]
    var expected = Outer()
    expected.inner = Inner(first: 7, note: nil, last: 3)
    expected.optional = Inner(first: 1, note: nil, last: 8)
    expected.hidden = Sensitive(wrappedValue: Inner(first: 9, note: "kept", last: 3))
    expected.items = [Inner(first: 1, note: nil, last: 2)]
    expected.names = ["b": 2]
    #expect(try Self.decoder(state).decodeState(default: Outer()) == expected)
  }

  @Test("missing fields of a superclass and of nested containers are taken from the default")
  func fillsContainers() throws {
    let derived = try Self.decoder(["base": ["width": 100]]).decodeState(default: Derived())
    #expect(derived.height == 24 && derived.width == 100 && derived.title == "untitled")
    let withoutBase = try Self.decoder(["height": 30]).decodeState(default: Derived())
    #expect(withoutBase.height == 30 && withoutBase.width == 80 && withoutBase.title == "untitled")
    #expect(try Self.decoder([:]).decodeState(default: ByHand()) == ByHand())
    var expected = ByHand()
    expected.x = 5
    #expect(try Self.decoder(["part": ["x": 5]]).decodeState(default: ByHand()) == expected)
  }

  @Test("a field that the default lacks too, or of an array element, is missing at its own place")
  func reportsMissingFields() throws {
    var withoutOptional = Outer()
    withoutOptional.optional = nil
    for (state, path) in [(["optional": ["first": 1]], ["optional", "last"]), (["items": [["first": 1]]], ["items", "Index 0", "last"])]
      as [(ArchiveDictionary, [String])]
    {
      do {
        _ = try Self.decoder(state).decodeState(default: withoutOptional)
        Issue.record("decoded")
      } catch DecodingError.keyNotFound(let key, let context) {
        #expect((context.codingPath + [key]).map(\.stringValue) == path)
        #expect("\(try #require(context.underlyingError))".contains("pane"))
      }
    }
  }

  @Test("the default is encoded once, however many fields are missing, and not at all if none is")
  func encodesDefaultOnce() throws {
    var calls = 0
    func value() -> Outer {
      calls += 1
      return Outer()
    }
    var expected = Outer()
    expected.optional = nil
    #expect(try Self.decoder([:]).decodeState(default: value()) == expected)
    #expect(calls == 1)
    #expect(
      try Self.decoder(["first": 1, "last": 2]).decodeState(
        default: {
          calls += 1; return Inner()
        }()) == Inner(first: 1, note: nil, last: 2))
    #expect(calls == 1)
  }
}
