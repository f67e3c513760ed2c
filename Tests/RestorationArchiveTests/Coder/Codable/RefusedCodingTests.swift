import Foundation
import RestorationArchive
import Testing

/// Values that the coder refuses, by every call, and the errors.
@Suite struct RefusedCodingTests {
  private static let longKey = String(repeating: "k", count: 65_536)

  /// A call that encodes a value under a key.
  struct Call: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encode: @Sendable (StateEncoder, String) throws -> Void
  }

  static let calls: [Call] = [
    Call(testDescription: "truth value") { try $0.encode(true, forKey: $1) },
    Call(testDescription: "number") { try $0.encode(1, forKey: $1) },
    Call(testDescription: "float") { try $0.encode(1.5, forKey: $1) }, Call(testDescription: "text") { try $0.encode("x", forKey: $1) },
    Call(testDescription: "instant") { try $0.encode(Date(timeIntervalSinceReferenceDate: 0), forKey: $1) },
    Call(testDescription: "bytes") { try $0.encode(Data([1]), forKey: $1) },
    Call(testDescription: "Codable") { try $0.encode([1], forKey: $1) },
    Call(testDescription: "value") { try $0.encode(.null, forKey: $1) },
    Call(testDescription: "reference") { try $0.encode(path: "a", forKey: $1) },
    Call(testDescription: "references") { try $0.encode(paths: ["a"], forKey: $1) },
    Call(testDescription: "array") { try $0.encodeArray(forKey: $1) { try $0.encode(1) } },
    Call(testDescription: "dictionary") { try $0.encodeDictionary(forKey: $1) { try $0.encode(1, forKey: "a") } },
  ]

  @Test("empty keys and overlong keys are refused by every call (R-6.2-4)", arguments: calls)
  func refusesKeys(_ call: Call) throws {
    let archive = try Fixture.archive { coder in
      try coder.encode(1, forKey: "a")
      for (key, code) in [("", ArchiveError.Code.emptyKey), (Self.longKey, .stringLength)] {
        let error = #expect(throws: ArchiveError.self) { try call.encode(coder, key) }
        #expect(error?.code == code)
        #expect(error?.path == Fixture.path && error?.key == key)
      }
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["a": 1])
  }

  @Test("a value that an array cannot hold is refused with the path of the node, and no element is added")
  func refusesElements() throws {
    let archive = try Fixture.archive { coder in
      try coder.encodeArray(forKey: "list") { list in
        for value: ArchiveValue in [.url(""), .reference(.application), KeyedCoderTests.nested(128)] {
          let error = #expect(throws: ArchiveError.self) { try list.encode(value) }
          #expect(error?.path == Fixture.path)
        }
        try list.encode(1)
      }
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["list": [1]])
  }

  /// A value that requests no container.
  private struct Nothing: Encodable {
    func encode(to encoder: any Encoder) throws {}
  }

  /// A value without fields, for which the compiler requests a container.
  private struct Empty: Codable {}

  /// Nested arrays around another value.
  private struct Nested<Inner: Encodable>: Encodable {
    var level: Int
    var inner: Inner
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if level > 1 { try container.encode(Nested(level: level - 1, inner: inner)) } else { try container.encode(inner) }
    }
  }

  @Test("fields and values that the format cannot store are refused with the coding path")
  func refusesFields() throws {
    func check(_ value: some Encodable, _ path: [String]) throws {
      let error = #expect(throws: EncodingError.self) { try Fixture.archive { try $0.encode(value, forKey: "value") } }
      guard case .invalidValue(_, let context) = error else { return }
      #expect(context.codingPath.map(\.stringValue) == ["value"] + path)
      #expect(context.debugDescription.contains("root/list"))
    }
    try check([Self.longKey: 1], [])
    try check([RestorationPath.application], ["Index 0"])
    // The 129th level is the empty dictionary that both values become.
    try check(Nested(level: 128, inner: Nothing()), [String](repeating: "Index 0", count: 128))
    try check(Nested(level: 128, inner: Empty()), [String](repeating: "Index 0", count: 128))
    _ = try Fixture.archive {
      try $0.encode(Nested(level: 127, inner: Nothing()), forKey: "nothing")
      try $0.encode(Nested(level: 127, inner: Empty()), forKey: "empty")
    }
  }

  // MARK: Decoding

  private static func context(_ error: DecodingError?) -> DecodingError.Context? {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context), .dataCorrupted(let context): context
    default: nil
    }
  }

  @Test("malformed text of a type is distinguished from a value of another type")
  func refusesTexts() throws {
    struct Price: Codable {
      var amount: Decimal
    }
    struct Link: Codable {
      var url: URL
    }
    let coder = try Fixture.coder {
      try $0.encode("1.50", forKey: "decimal")
      try $0.encode(ArchiveValue.url("http://[broken"), forKey: "url")
      try $0.encode("0x7", forKey: "wide")
      try $0.encode(["amount": "one"], forKey: "price")
      try $0.encode(.dictionary(["url": .url("http://[broken")]), forKey: "link")
    }
    let decimal = #expect(throws: ArchiveError.self) { try coder.decode(Decimal.self, forKey: "decimal") }
    #expect(decimal?.code == .wrongType && decimal?.subject == "text" && decimal?.expected == "that of Decimal")
    let url = #expect(throws: ArchiveError.self) { try coder.decode(URL.self, forKey: "url") }
    #expect(url?.subject == "text" && url?.expected == "that of URL" && url?.key == "url")
    let wide = #expect(throws: ArchiveError.self) { try coder.decode(Int128.self, forKey: "wide") }
    #expect(wide?.expected == "that of Int128" && wide?.key == "wide")
    let price = #expect(throws: DecodingError.self) { try coder.decode(Price.self, forKey: "price") }
    #expect(Self.context(price)?.codingPath.map(\.stringValue) == ["price", "amount"])
    let link = #expect(throws: DecodingError.self) { try coder.decode(Link.self, forKey: "link") }
    guard case .dataCorrupted(let context) = link else {
      Issue.record("\(String(describing: link))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["link", "url"])
  }

  /// A number in a single-value container.
  private struct Single: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      #expect(!container.decodeNil())
      #expect(container.codingPath.isEmpty)
      _ = try container.decode(Int.self)
    }
  }

  @Test("a whole state can be decoded neither as a list nor as a single value")
  func refusesWholeStates() throws {
    let coder = try Fixture.coder { try $0.encode(1, forKey: "a") }
    let list = #expect(throws: ArchiveError.self) { try coder.decodeState([Int].self) }
    let single = #expect(throws: ArchiveError.self) { try coder.decodeState(Single.self) }
    for error in [list, single] { #expect(error?.found == "the whole state" && error?.key == nil && error?.path == Fixture.path) }
  }

  @Test("an element of the wrong type is an error with its index, including by typed calls")
  func refusesElementTypes() throws {
    struct Pair: Decodable {
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        #expect(try list.decode(Int.self) == 1)
        let errors = [
          #expect(throws: DecodingError.self) { try list.decode(Int.self) },
          #expect(throws: DecodingError.self) { try list.decode(Bool.self) },
          #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() },
        ]
        for error in errors { #expect(RefusedCodingTests.context(error)?.codingPath.map(\.stringValue) == ["pair", "Index 1"]) }
        // A call that throws does not advance past the element.
        #expect(try list.decode(String.self) == "two" && list.isAtEnd)
      }
    }
    let coder = try Fixture.coder { try $0.encode(.array([1, "two"]), forKey: "pair") }
    _ = try coder.decode(Pair.self, forKey: "pair")
  }

  @Test("if keys collide, no value can be decoded, not even that of a superclass")
  func refusesCollidingKeys() throws {
    struct Derived: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        #expect(container.codingPath.map(\.stringValue) == ["value"])
        #expect(container.allKeys.count == 3)
        for body: () throws -> Void in [
          { _ = try container.superDecoder() }, { _ = try container.superDecoder(forKey: AnyKey(stringValue: "super")) },
          { _ = try container.decode(Int.self, forKey: AnyKey(stringValue: "super")) },
          { _ = try container.decodeIfPresent(Int.self, forKey: AnyKey(stringValue: "super")) },
        ] {
          let error = #expect(throws: DecodingError.self, performing: body)
          #expect((RefusedCodingTests.context(error)?.underlyingError as? ArchiveError)?.code == .keysCollide)
        }
      }
    }
    let coder = try Fixture.coder { try $0.encode(.dictionary(["caf\u{E9}": 1, "cafe\u{301}": 2, "super": 3]), forKey: "value") }
    _ = try coder.decode(Derived.self, forKey: "value")
  }

  @Test("a value with more parts than the reader allows is refused (R-10-1)")
  func keepsBudget() throws {
    struct Part: Codable {
      var number: Int
    }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode((0..<10).map { Part(number: $0) }, forKey: "list") }
    let bytes = try writer.finish()
    let decoder = try ArchiveReader(bytes, limits: ReaderLimits(values: 10)).application().decoder()
    // The budget applies to each call.
    for _ in 0..<2 { #expect(try decoder.decode([Part].self, forKey: "list").count == 10) }
    let stingy = try ArchiveReader(bytes, limits: ReaderLimits(values: 9)).application().decoder()
    let error = #expect(throws: DecodingError.self) { try stingy.decode([Part].self, forKey: "list") }
    #expect((Self.context(error)?.underlyingError as? ArchiveError)?.code == .valueBudget)
    #expect(Self.context(error)?.codingPath.map(\.stringValue) == ["list", "Index 9"])
  }
}
