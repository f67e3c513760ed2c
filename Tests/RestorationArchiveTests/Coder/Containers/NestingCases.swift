import Foundation
import RestorationArchive
import Testing

/// The values that every encoder can distinguish, for comparing encoders.
indirect enum Plain: Equatable, Sendable, Decodable {
  case null
  case number(Double)
  case text(String)
  case list([Plain])
  case fields([String: Plain])

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      self = .fields(
        try Dictionary(uniqueKeysWithValues: container.allKeys.map { ($0.stringValue, try container.decode(Plain.self, forKey: $0)) }))
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [Plain] = []
      while !container.isAtEnd { elements.append(try container.decode(Plain.self)) }
      self = .list(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let number = try? container.decode(Int.self) {
        self = .number(Double(number))
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        let text = try container.decode(String.self)
        // The form of null in a property list.
        self = text == "$null" ? .null : .text(text)
      }
    }
  }
}

extension Plain {
  /// The value that Foundation reads from JSON or a property list without knowing its type.
  init(_ value: Any) {
    switch value {
    case let text as String: self = text == "$null" ? .null : .text(text)
    case let number as NSNumber: self = .number(number.doubleValue)
    case let number as Int: self = .number(Double(number))
    case let number as Double: self = .number(number)
    case let elements as [Any]: self = .list(elements.map { Plain($0) })
    case let fields as [String: Any]: self = .fields(fields.mapValues { Plain($0) })
    default: self = .null
    }
  }
}

extension Plain: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(stringLiteral value: String) { self = .text(value) }
  init(arrayLiteral elements: Plain...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, Plain)...) { self = .fields(Dictionary(uniqueKeysWithValues: elements)) }
  init(nilLiteral: ()) { self = .null }
}

/// A use of an encoder, and its outcome.
struct NestingCase: Sendable, CustomTestStringConvertible {
  /// A value that encodes itself with a closure.
  struct Body: Encodable {
    let encode: @Sendable (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try encode(encoder) }
  }

  typealias Fields = KeyedEncodingContainer<AnyKey>

  enum EncodingOutcome: Sendable {
    /// The value that all encoders produce.
    case all(Plain)
    /// The value that this package produces. Other encoders produce different values, depend on deallocation order, or
    /// stop the process.
    case own(Plain)
    /// An error whose message contains this text. Other encoders drop the value or stop the process.
    case refused(String)
  }

  let testDescription: String
  let outcome: EncodingOutcome
  let body: Body

  /// A case that encodes values under keys.
  init(_ description: String, _ outcome: EncodingOutcome, _ encode: @escaping @Sendable (inout Fields) throws -> Void) {
    self.init(
      testDescription: description, outcome: outcome,
      body: Body { encoder in
        var container = encoder.container(keyedBy: AnyKey.self)
        try encode(&container)
      })
  }

  private init(testDescription: String, outcome: EncodingOutcome, body: Body) {
    self.testDescription = testDescription
    self.outcome = outcome
    self.body = body
  }

  /// A case that uses the encoder directly.
  static func whole(
    _ description: String, _ outcome: EncodingOutcome, _ encode: @escaping @Sendable (any Encoder) throws -> Void
  ) -> NestingCase {
    NestingCase(testDescription: description, outcome: outcome, body: Body(encode: encode))
  }
}

/// A coding key with any name.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    nil
  }

  init(stringLiteral value: String) {
    self.init(stringValue: value)
  }
}

extension NestingCase.Fields {
  mutating func nested(_ key: AnyKey) -> NestingCase.Fields { nestedContainer(keyedBy: AnyKey.self, forKey: key) }
  mutating func list(_ key: AnyKey) -> any UnkeyedEncodingContainer { nestedUnkeyedContainer(forKey: key) }
}

extension UnkeyedEncodingContainer {
  mutating func nested() -> NestingCase.Fields { nestedContainer(keyedBy: AnyKey.self) }
}

extension NestingCase {
  /// A key type of one byte.
  private enum Letter: String, CodingKey {
    case a, b, c, k
  }

  private struct Pair: Encodable {
    var a = 1
    var b = 2
  }

  /// A class and a subclass that nest under the same key.
  private class Base: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Letter.self)
      var nested = container.nestedContainer(keyedBy: Letter.self, forKey: .k)
      try nested.encode("base", forKey: .a)
      try nested.encode("base", forKey: .b)
      var list = container.nestedUnkeyedContainer(forKey: .c)
      try list.encode("base")
    }
  }
  private final class Derived: Base {
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: AnyKey.self)
      var nested = container.nested("k")
      try nested.encode("derived", forKey: "b")
      var list = container.list("c")
      try list.encode("derived")
    }
  }

  private static let longKey = AnyKey(stringValue: String(repeating: "long", count: 30))

  // MARK: Nesting

  private static let nesting: [NestingCase] = [
    NestingCase("nothing", .all([:])) { _ in },
    NestingCase("fields in fields", .all(["a": 1, "k": ["x": 2, "y": [:]], "z": 3])) { container in
      try container.encode(1, forKey: "a")
      var nested = container.nested("k")
      try nested.encode(2, forKey: "x")
      _ = nested.nested("y")
      try container.encode(3, forKey: "z")
    },
    NestingCase("elements in fields", .all(["k": [1, [2, []], ["x": 3], 4], "z": 5])) { container in
      var list = container.list("k")
      try list.encode(1)
      var inner = list.nestedUnkeyedContainer()
      try inner.encode(2)
      _ = inner.nestedUnkeyedContainer()
      var nested = list.nested()
      try nested.encode(3, forKey: "x")
      try list.encode(4)
      try container.encode(5, forKey: "z")
    },
    NestingCase("by turns", .all(["a": ["1": 1, "2": 2], "b": [1, 2], "c": ["l": [1, 2]]])) { container in
      var first = container.nested("a")
      var second = container.list("b")
      var third = container.nested("c")
      var inner = third.list("l")
      for number in 1...2 {
        try inner.encode(number)
        try second.encode(number)
        try first.encode(number, forKey: AnyKey(stringValue: "\(number)"))
      }
    },
    NestingCase("super-encoders", .all(["super": 1, "b": ["x": 2], "c": [3]])) { container in
      var single = container.superEncoder().singleValueContainer()
      try single.encode(1)
      try Body {
        var inner = $0.container(keyedBy: AnyKey.self); try inner.encode(2, forKey: "x")
      }.encode(to: container.superEncoder(forKey: "b"))
      try [3].encode(to: container.superEncoder(forKey: "c"))
    },
    NestingCase("super-encoders of elements", .all(["k": [1, ["x": 2], [3], 4]])) { container in
      var list = container.list("k")
      try list.encode(1)
      try ["x": 2].encode(to: list.superEncoder())
      try [3].encode(to: list.superEncoder())
      try list.encode(4)
    },
    NestingCase("a super-encoder in a nested container", .all(["k": ["super": ["super": [1]]]])) { container in
      var nested = container.nested("k")
      var inner = nested.superEncoder().container(keyedBy: AnyKey.self)
      try [1].encode(to: inner.superEncoder())
    },
    .whole("a list as a value", .all([1, [2], ["x": 3]])) { encoder in
      var list = encoder.unkeyedContainer()
      try list.encode(1)
      var inner = list.nestedUnkeyedContainer()
      try inner.encode(2)
      try list.encode(["x": 3])
    },
  ]

  // MARK: Repeating

  private static let repeating: [NestingCase] = [
    NestingCase("a key again", .all(["a": 2])) { container in
      try container.encode(1, forKey: "a")
      try container.encode(2, forKey: "a")
    },
    NestingCase("null and a value", .all(["a": 1, "b": nil])) { container in
      try container.encodeNil(forKey: "a")
      try container.encode(1, forKey: "a")
      try container.encode(1, forKey: "b")
      try container.encodeNil(forKey: "b")
    },
    NestingCase("fields under a key again", .all(["k": ["x": 1, "y": 3, "z": 4]])) { container in
      var first = container.nested("k")
      try first.encode(1, forKey: "x")
      try first.encode(2, forKey: "y")
      var second = container.nested("k")
      try second.encode(3, forKey: "y")
      try first.encode(4, forKey: "z")
    },
    NestingCase("elements under a key again", .all(["k": [1, 2, 3]])) { container in
      var first = container.list("k")
      try first.encode(1)
      var second = container.list("k")
      try second.encode(2)
      var third = container.list("k")
      try third.encode(3)
    },
    NestingCase("one inside of the other again", .all(["k": ["i": ["x": 1, "y": 2, "l": [1, 2]]]])) { container in
      for number in 1...2 {
        var outer = container.nested("k")
        var inner = outer.nested("i")
        try inner.encode(number, forKey: number == 1 ? "x" : "y")
        var list = inner.list("l")
        try list.encode(number)
      }
    },
    .whole("a derived class under the key of its base class", .all(["k": ["a": "base", "b": "derived"], "c": ["base", "derived"]])) {
      try Derived().encode(to: $0)
    },
    NestingCase("a derived class in a super-encoder", .all(["super": ["k": ["a": "base", "b": "derived"], "c": ["base", "derived"]]])) {
      container in try Derived().encode(to: container.superEncoder())
    },
    NestingCase("fields behind a value with fields", .all(["k": ["a": 1, "b": 3, "c": 4], "z": 5])) { container in
      try container.encode(Pair(), forKey: "k")
      try container.encode(5, forKey: "z")
      var nested = container.nested("k")
      try nested.encode(3, forKey: "b")
      try nested.encode(4, forKey: "c")
    },
    NestingCase("fields behind a dictionary with nested ones", .all(["k": ["a": ["b": [1, 2]], "c": 2]])) { container in
      try container.encode(["a": ["b": [1]]], forKey: "k")
      var nested = container.nested("k")
      try nested.encode(2, forKey: "c")
      var inner = nested.nested("a")
      var list = inner.list("b")
      try list.encode(2)
    },
    NestingCase("elements behind a list", .all(["k": [["a": 1], [], 2]])) { container in
      try container.encode([["a": 1]], forKey: "k")
      var list = container.list("k")
      _ = list.nestedUnkeyedContainer()
      try list.encode(list.count)
    },
    NestingCase("fields behind an empty value", .all(["k": ["a": 1]])) { container in
      try container.encode([String: Int](), forKey: "k")
      var nested = container.nested("k")
      try nested.encode(1, forKey: "a")
    },
    NestingCase("fields behind what a super-encoder made", .own(["k": ["a": 1, "b": 2, "c": 3]])) { container in
      try Pair().encode(to: container.superEncoder(forKey: "k"))
      var nested = container.nested("k")
      try nested.encode(3, forKey: "c")
    },
    .whole("the container itself again, by another type of keys", .all(["a": 1, "b": 2])) { encoder in
      var first = encoder.container(keyedBy: AnyKey.self)
      try first.encode(0, forKey: "a")
      var second = encoder.container(keyedBy: Letter.self)
      try second.encode(1, forKey: .a)
      try first.encode(2, forKey: "b")
    },
    .whole("a list again", .all([1, 2])) { encoder in
      var first = encoder.unkeyedContainer()
      try first.encode(1)
      var second = encoder.unkeyedContainer()
      try second.encode(2)
    },
    NestingCase("super-encoders under one key: each is a value of its own, and the later counts", .all(["k": ["b": 2]])) { container in
      try ["a": 1].encode(to: container.superEncoder(forKey: "k"))
      try ["b": 2].encode(to: container.superEncoder(forKey: "k"))
    },
    NestingCase("a super-encoder behind a value", .all(["k": 2, "l": ["a": 1]])) { container in
      try container.encode(["x": 1], forKey: "k")
      try 2.encode(to: container.superEncoder(forKey: "k"))
      try container.encode(3, forKey: "l")
      try ["a": 1].encode(to: container.superEncoder(forKey: "l"))
    },
    NestingCase("long keys", .all(["k": [longKey.stringValue: ["a": 1, "b": [1, 2], "c": 3]], longKey.stringValue: ["x": 1, "y": 2]])) {
      container in
      try container.encode(["x": 1], forKey: longKey)
      var nested = container.nested(longKey)
      try nested.encode(2, forKey: "y")
      var other = container.nested("k")
      try other.encode(["a": 1, "c": 3], forKey: longKey)
      for number in 1...2 {
        var inner = other.nested(longKey)
        var list = inner.list("b")
        try list.encode(number)
      }
    },
    NestingCase("many keys", .all(.fields(Dictionary(uniqueKeysWithValues: (0..<400).map { ("\($0)", Plain.fields(["a": 1, "b": 2])) })))) {
      container in
      for number in 0..<400 { try container.encode(["a": 1], forKey: AnyKey(stringValue: "\(number)")) }
      for number in 0..<400 {
        var nested = container.nested(AnyKey(stringValue: "\(number)"))
        try nested.encode(0, forKey: "b")
      }
      for number in 0..<400 {
        var nested = container.nested(AnyKey(stringValue: "\(number)"))
        try nested.encode(2, forKey: "b")
      }
    },
  ]

  // MARK: Keeping

  private static let keeping: [NestingCase] = [
    NestingCase("a number in place of fields", .all(["k": 42, "z": 1])) { container in
      var nested = container.nested("k")
      try nested.encode(1, forKey: "x")
      try container.encode(42, forKey: "k")
      try container.encode(1, forKey: "z")
      withExtendedLifetime(nested) {}
    },
    NestingCase("null, a text, a flag, a float in place of containers", .all(["a": nil, "b": "t", "c": 0.5, "d": 7])) { container in
      _ = (container.list("a"), container.nested("b"), container.list("c"), container.nested("d"))
      try container.encodeNil(forKey: "a")
      try container.encode("t", forKey: "b")
      try container.encode(0.5, forKey: "c")
      try container.encode(UInt8(7), forKey: "d")
    },
    NestingCase("a value with fields in place of fields", .all(["k": ["a": 1, "b": 2]])) { container in
      var nested = container.nested("k")
      try nested.encode(1, forKey: "x")
      try container.encode(Pair(), forKey: "k")
    },
    NestingCase("fields behind the value in place of fields", .all(["k": ["a": 1, "b": 2, "y": 3]])) { container in
      var first = container.nested("k")
      try first.encode(1, forKey: "x")
      try container.encode(Pair(), forKey: "k")
      var second = container.nested("k")
      try second.encode(3, forKey: "y")
    },
    NestingCase("a number in place of a super-encoder", .own(["k": 42])) { container in
      let inner = container.superEncoder(forKey: "k")
      var single = inner.singleValueContainer()
      try single.encode(1)
      try container.encode(42, forKey: "k")
    },
    NestingCase("a value that cannot be encoded leaves the fields in their place", .all(["k": ["x": 1, "y": 2]])) { container in
      var nested = container.nested("k")
      try nested.encode(1, forKey: "x")
      try? container.encode(Body { _ in throw CancellationError() }, forKey: "k")
      try nested.encode(2, forKey: "y")
    },
    NestingCase(
      "many keys in place of fields", .all(.fields(Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0)", Plain.number(Double($0))) })))
    ) {
      container in
      for number in 0..<40 { _ = container.nested(AnyKey(stringValue: "\(number)")) }
      for number in 0..<40 { try container.encode(number, forKey: AnyKey(stringValue: "\(number)")) }
    },
  ]

  // MARK: Erasing

  private static let erasing: [NestingCase] = [
    NestingCase("values whose type is not known", .all(["a": [1, "x", ["k": nil]], "b": ["a": 1, "b": 2]])) { container in
      let values: [any Encodable & Sendable] = [1, "x", ["k": Int?.none]]
      try container.encode(
        Body {
          var list = $0.unkeyedContainer(); for value in values { try list.encode(value) }
        }, forKey: "a")
      let pair: any Encodable & Sendable = Pair()
      try container.encode(Body { try pair.encode(to: $0) }, forKey: "b")
    },
    NestingCase("optionals in optionals", .all(["a": 1, "b": nil, "c": nil])) { container in
      try container.encode(Int???.some(.some(.some(1))), forKey: "a")
      try container.encode(Int???.some(.some(.none)), forKey: "b")
      try container.encode(Int???.none, forKey: "c")
    },
    NestingCase("a value in the place of another, several times", .all(["a": ["x": 1]])) { container in
      let inner = Body {
        var single = $0.singleValueContainer(); try single.encode(["x": 1])
      }
      try container.encode(
        Body {
          var single = $0.singleValueContainer(); try single.encode(inner)
        }, forKey: "a")
    },
    NestingCase("a uuid and a date that encode themselves", .all(["a": "00112233-4455-6677-8899-AABBCCDDEEFF", "b": 0.5])) { container in
      let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
      try container.encode(Body { try uuid?.encode(to: $0) }, forKey: "a")
      try container.encode(Body { try Date(timeIntervalSinceReferenceDate: 0.5).encode(to: $0) }, forKey: "b")
    },
  ]

  // MARK: Refusals

  private static let refused: [NestingCase] = [
    NestingCase("elements behind fields", .refused("two kinds")) { container in
      _ = container.nested("k")
      var list = container.list("k")
      try list.encode(1)
    },
    NestingCase("fields behind elements", .refused("two kinds")) { container in
      _ = container.list("k")
      _ = container.nested("k")
    },
    NestingCase("fields behind a list", .refused("two kinds")) { container in
      try container.encode([1], forKey: "k")
      _ = container.nested("k")
    },
    NestingCase("elements behind a value with fields", .refused("two kinds")) { container in
      try container.encode(Pair(), forKey: "k")
      _ = container.list("k")
    },
    NestingCase("fields behind a number", .refused("container of the same kind")) { container in
      try container.encode(1, forKey: "k")
      _ = container.nested("k")
    },
    NestingCase("elements behind null", .refused("container of the same kind")) { container in
      try container.encodeNil(forKey: "k")
      _ = container.list("k")
    },
    NestingCase("fields behind a number that took the place of fields", .refused("container of the same kind")) { container in
      _ = container.nested("k")
      try container.encode(42, forKey: "k")
      var nested = container.nested("k")
      try nested.encode(1, forKey: "x")
    },
    NestingCase("fields behind the number of a super-encoder", .refused("two kinds")) { container in
      try 1.encode(to: container.superEncoder(forKey: "k"))
      _ = container.nested("k")
    },
    .whole("two kinds from one encoder", .refused("two kinds")) { encoder in
      _ = encoder.container(keyedBy: AnyKey.self)
      _ = encoder.unkeyedContainer()
    },
    .whole("a single value behind fields", .refused("two kinds")) { encoder in
      _ = encoder.container(keyedBy: AnyKey.self)
      var single = encoder.singleValueContainer()
      try single.encode(1)
    },
    NestingCase("fields whose place a number took", .refused("took its place")) { container in
      var nested = container.nested("k")
      try container.encode(42, forKey: "k")
      try nested.encode(1, forKey: "x")
    },
    NestingCase("elements whose place null took, and what is nested in them", .refused("took its place")) { container in
      var list = container.list("k")
      var inner = list.nestedUnkeyedContainer()
      try container.encodeNil(forKey: "k")
      try inner.encode(1)
    },
    NestingCase("a super-encoder whose place another took", .refused("took its place")) { container in
      let first = container.superEncoder()
      _ = container.superEncoder()
      var single = first.singleValueContainer()
      try single.encode(1)
    },
    NestingCase("fields whose place was taken while a value in them was encoded", .refused("took its place")) { container in
      var nested = container.nested("k")
      // A container is a reference, so this copy and the original write to the same place.
      nonisolated(unsafe) var outer = container
      try? nested.encode(
        Body { encoder in
          try unsafe outer.encode(1, forKey: "k")
          _ = encoder.unkeyedContainer()
        }, forKey: "x")
      try nested.encode(2, forKey: "y")
    },
  ]

  static let all = nesting + repeating + keeping + erasing + refused
}
