import Foundation
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// A type with random values.
private protocol RandomValue: Codable, Equatable {
  static func random(_ random: inout SeededGenerator) -> Self
}

extension FixedWidthInteger {
  fileprivate static func anyNumber(_ random: inout SeededGenerator) -> Self {
    random.pick([.min, .max, 0, 1, Self(truncatingIfNeeded: random.next())])
  }
}

extension Int: RandomValue { static func random(_ random: inout SeededGenerator) -> Int { anyNumber(&random) } }
extension Int8: RandomValue { static func random(_ random: inout SeededGenerator) -> Int8 { anyNumber(&random) } }
extension UInt16: RandomValue { static func random(_ random: inout SeededGenerator) -> UInt16 { anyNumber(&random) } }
extension UInt64: RandomValue { static func random(_ random: inout SeededGenerator) -> UInt64 { anyNumber(&random) } }
extension Bool: RandomValue { static func random(_ random: inout SeededGenerator) -> Bool { random.oneIn(2) } }
extension Double: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Double { random.pick([0, -0.5, 1e300, 0.1, Double(random.next() >> 11)]) }
}
extension Float: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Float { random.pick([0, -0.5, 1e30, 0.1, .leastNonzeroMagnitude]) }
}
extension String: RandomValue {
  static func random(_ random: inout SeededGenerator) -> String {
    random.pick(["", "a", "é", "👩‍🚀", "a text that is longer than fifteen bytes", "\"\\\n"])
  }
}
extension Date: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Date { Date(timeIntervalSinceReferenceDate: Double(random.below(1 << 40)) / 1024) }
}
extension Data: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Data {
    Data((0..<random.below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }
}
extension UUID: RandomValue {
  static func random(_ random: inout SeededGenerator) -> UUID {
    func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
    return UUID(
      uuid: (byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte())
    )
  }
}
extension Optional: RandomValue where Wrapped: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Wrapped? { random.oneIn(3) ? nil : Wrapped.random(&random) }
}
extension Array: RandomValue where Element: RandomValue {
  static func random(_ random: inout SeededGenerator) -> [Element] { (0..<random.below(5)).map { _ in Element.random(&random) } }
}
extension Dictionary: RandomValue where Key == String, Value: RandomValue {
  static func random(_ random: inout SeededGenerator) -> [String: Value] {
    Dictionary((0..<random.below(5)).map { ("k\($0)", Value.random(&random)) }) { first, _ in first }
  }
}

/// A structure of two fields, one of them optional.
private struct Pair<First: RandomValue, Second: RandomValue>: RandomValue {
  var first: First
  var second: Second?

  static func random(_ random: inout SeededGenerator) -> Self {
    Pair(first: .random(&random), second: random.oneIn(3) ? nil : .random(&random))
  }
}

/// An enumeration whose cases have values.
private enum Choice<First: RandomValue, Second: RandomValue>: RandomValue {
  case none
  case first(First)
  case both(first: First, Second)

  static func random(_ random: inout SeededGenerator) -> Self {
    switch random.below(3) {
    case 0: .none
    case 1: .first(.random(&random))
    default: .both(first: .random(&random), .random(&random))
    }
  }
}

private class Base<Value: RandomValue>: Codable {
  var value: Value

  init(value: Value) { self.value = value }
}

/// A class that encodes its superclass with an encoder of its own.
private final class Derived<Value: RandomValue, Own: RandomValue>: Base<Value>, RandomValue {
  let own: Own

  private enum Key: CodingKey { case own }

  init(value: Value, own: Own) {
    self.own = own
    super.init(value: value)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    own = try container.decode(Own.self, forKey: .own)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(own, forKey: .own)
    try super.encode(to: container.superEncoder())
  }

  static func random(_ random: inout SeededGenerator) -> Derived { Derived(value: .random(&random), own: .random(&random)) }
  static func == (left: Derived, right: Derived) -> Bool { left.value == right.value && left.own == right.own }
}

/// A type that encodes as a list of different values.
private struct Row<First: RandomValue, Second: RandomValue>: RandomValue {
  var first: First
  var second: Second

  init(first: First, second: Second) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    first = try list.decode(First.self)
    second = try list.decode(Second.self)
  }

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(first)
    try list.encode(second)
  }

  static func random(_ random: inout SeededGenerator) -> Self { Row(first: .random(&random), second: .random(&random)) }
}

/// Values of random Codable types round-trip as they do with Foundation's coders.
@Suite struct RandomTypeTests {
  private static var scalars: [any RandomValue.Type] {
    [Int.self, Int8.self, UInt16.self, UInt64.self, Bool.self, Double.self, Float.self, String.self, Date.self, Data.self, UUID.self]
  }

  private static func type(_ random: inout SeededGenerator, depth: Int) -> any RandomValue.Type {
    guard depth > 0, !random.oneIn(5) else { return random.pick(scalars) }
    let first = type(&random, depth: depth - 1)
    switch random.below(7) {
    case 0: return list(first)
    case 1: return dictionary(first)
    case 2: return optionals(first)
    case 3: return pair(first, type(&random, depth: depth - 1))
    case 4: return choice(first, type(&random, depth: depth - 1))
    case 5: return derived(first, type(&random, depth: depth - 1))
    default: return row(first, type(&random, depth: depth - 1))
    }
  }

  private static func list<Value: RandomValue>(_: Value.Type) -> any RandomValue.Type { [Value].self }
  private static func dictionary<Value: RandomValue>(_: Value.Type) -> any RandomValue.Type { [String: Value].self }
  private static func optionals<Value: RandomValue>(_: Value.Type) -> any RandomValue.Type { [Value?].self }
  private static func pair<First: RandomValue, Second: RandomValue>(_: First.Type, _: Second.Type) -> any RandomValue.Type {
    Pair<First, Second>.self
  }
  private static func choice<First: RandomValue, Second: RandomValue>(_: First.Type, _: Second.Type) -> any RandomValue.Type {
    Choice<First, Second>.self
  }
  private static func derived<First: RandomValue, Second: RandomValue>(_: First.Type, _: Second.Type) -> any RandomValue.Type {
    Derived<First, Second>.self
  }
  private static func row<First: RandomValue, Second: RandomValue>(_: First.Type, _: Second.Type) -> any RandomValue.Type {
    Row<First, Second>.self
  }

  private static func check<Value: RandomValue>(_: Value.Type, _ seed: UInt64, _ random: inout SeededGenerator) throws {
    let value = Value.random(&random)
    #expect(try Fixture.roundTrip(value) == value, "seed \(seed): \(Value.self)")
    let entry = ["value": value]
    #expect(try JSONDecoder().decode([String: Value].self, from: JSONEncoder().encode(entry)) == entry, "seed \(seed): \(Value.self)")
    #expect(
      try PropertyListDecoder().decode([String: Value].self, from: PropertyListEncoder().encode(entry)) == entry,
      "seed \(seed): \(Value.self)")
    // What JSON holds of the value is in ours too: a decoder of one type reads both alike.
    let ours = try Fixture.coder { try $0.encode(value, forKey: "value") }
    #expect(try ours.decode(Value?.self, forKey: "value") == value, "seed \(seed): \(Value.self)")
  }

  /// 15,000 in the second stage.
  @Test("values of random types come back, as from Foundation's coders", arguments: 0..<3)
  func roundTrips(_ part: UInt64) throws {
    for number in 0..<UInt64(TestStage.count(100, exhaustive: 5000)) {
      let seed = part * 5000 + number
      var random = SeededGenerator(seed: seed)
      let type = Self.type(&random, depth: 3)
      try Self.check(type, seed, &random)
    }
  }
}
