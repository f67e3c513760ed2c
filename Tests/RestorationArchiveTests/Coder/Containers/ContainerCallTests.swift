import Foundation
import RestorationArchive
import Testing

/// Every call of Codable's keyed, unkeyed and single-value containers, with every type that has its own call.
@Suite struct ContainerCallTests {
  /// One number in a single-value container.
  private struct Single<Value: Codable & Equatable & Sendable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  /// Fields of every type that has its own call in keyed containers.
  private struct Keyed: Codable, Equatable {
    var bool = true
    var string = "text"
    var double = 0.1
    var float: Float = 1.5
    var int = -7
    var int8: Int8 = .min
    var int16: Int16 = .min
    var int32: Int32 = .min
    var int64: Int64 = .min
    var int128: Int128 = 12
    var uint: UInt = .max
    var uint8: UInt8 = .max
    var uint16: UInt16 = .max
    var uint32: UInt32 = .max
    var uint64: UInt64 = .max
    var uint128: UInt128 = 13
    var list = [Single(1), Single(2)]
    var present: Int? = 5
    var absent: Int?
  }

  /// The same values in an unkeyed container, followed by null.
  private struct Unkeyed: Codable, Equatable {
    var fields = Keyed()

    init() {}

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      #expect(list.codingPath.map(\.stringValue) == ["list"])
      fields.bool = try list.decode(Bool.self)
      fields.string = try list.decode(String.self)
      fields.double = try list.decode(Double.self)
      fields.float = try list.decode(Float.self)
      fields.int = try list.decode(Int.self)
      fields.int8 = try list.decode(Int8.self)
      fields.int16 = try list.decode(Int16.self)
      fields.int32 = try list.decode(Int32.self)
      fields.int64 = try list.decode(Int64.self)
      fields.int128 = try list.decode(Int128.self)
      fields.uint = try list.decode(UInt.self)
      fields.uint8 = try list.decode(UInt8.self)
      fields.uint16 = try list.decode(UInt16.self)
      fields.uint32 = try list.decode(UInt32.self)
      fields.uint64 = try list.decode(UInt64.self)
      fields.uint128 = try list.decode(UInt128.self)
      #expect(try !list.decodeNil() == false)
      #expect(list.isAtEnd)
      #expect(throws: DecodingError.self) { try list.decode(Int.self) }
      #expect(throws: DecodingError.self) { try list.decodeNil() }
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(fields.bool)
      try list.encode(fields.string)
      try list.encode(fields.double)
      try list.encode(fields.float)
      try list.encode(fields.int)
      try list.encode(fields.int8)
      try list.encode(fields.int16)
      try list.encode(fields.int32)
      try list.encode(fields.int64)
      try list.encode(fields.int128)
      try list.encode(fields.uint)
      try list.encode(fields.uint8)
      try list.encode(fields.uint16)
      try list.encode(fields.uint32)
      try list.encode(fields.uint64)
      try list.encode(fields.uint128)
      try list.encodeNil()
      #expect(list.count == 17)
      #expect(list.codingPath.map(\.stringValue) == ["list"])
    }
  }

  /// Raw-representable values, which the standard library encodes by the calls for the raw type.
  private struct Flag: RawRepresentable, Codable, Equatable {
    var rawValue: Bool
  }
  private struct Ratio: RawRepresentable, Codable, Equatable {
    var rawValue: Double
  }
  private struct Name: RawRepresentable, Codable, Equatable {
    var rawValue: String
  }

  @Test("raw-representable types are stored as their raw values")
  func roundTripsRawValues() throws {
    let coder = try Fixture.coder {
      try $0.encode(Flag(rawValue: true), forKey: "flag")
      try $0.encode([Ratio(rawValue: 0.1)], forKey: "ratios")
      try $0.encode(["name": Name(rawValue: "n")], forKey: "names")
    }
    #expect(
      try coder.value(forKey: "flag") == true && coder.value(forKey: "ratios") == [0.1] && coder.value(forKey: "names") == ["name": "n"])
    #expect(try coder.decode(Flag.self, forKey: "flag") == Flag(rawValue: true))
    #expect(try coder.decode([Ratio].self, forKey: "ratios") == [Ratio(rawValue: 0.1)])
    #expect(try coder.decode([String: Name].self, forKey: "names") == ["name": Name(rawValue: "n")])
    #expect(throws: ArchiveError.self) { try coder.decode(Flag.self, forKey: "ratios") }
    #expect(throws: ArchiveError.self) { try coder.decode(Ratio.self, forKey: "flag") }
  }

  /// Reads the coding path of every container.
  private struct Curious: Encodable {
    func encode(to encoder: any Encoder) throws {
      var keyed = encoder.container(keyedBy: AnyKey.self)
      #expect(keyed.codingPath.map(\.stringValue) == ["here"])
      let inner = keyed.superEncoder(forKey: AnyKey(stringValue: "there")).singleValueContainer()
      #expect(inner.codingPath.map(\.stringValue) == ["here", "there"])
      #expect(inner.codingPath.map(\.intValue) == [nil, nil])
    }
  }

  @Test("containers know their coding paths")
  func tellsCodingPaths() throws {
    let coder = try Fixture.coder { try $0.encode(Curious(), forKey: "here") }
    #expect(try coder.value(forKey: "here") == ["there": [:]])
  }

  @Test("elements that are dictionaries with long keys are found by key")
  func findsLongKeys() throws {
    let names = ["first", "second"].map { "a key of more than eight bytes: \($0)" }
    let list = (0..<5).map { number in [names[0]: number, names[1]: -number] }
    let coder = try Fixture.coder { try $0.encode(list, forKey: "list") }
    #expect(try coder.decode([[String: Int]].self, forKey: "list") == list)
    struct Element: Decodable {
      var sum: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        sum = try container.allKeys.reduce(0) { try $0 + container.decode(Int.self, forKey: $1) }
        #expect(!container.contains(AnyKey(stringValue: "a key of more than eight bytes: third.")))
      }
    }
    #expect(try coder.decode([Element].self, forKey: "list").map(\.sum) == [0, 0, 0, 0, 0])
  }

  /// A value that encodes nothing.
  private struct Nothing: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
  }

  @Test("keyed containers round-trip")
  func roundTripsKeyed() throws {
    #expect(try Fixture.roundTrip(Keyed()) == Keyed())
  }

  @Test("unkeyed containers round-trip")
  func roundTripsUnkeyed() throws {
    let coder = try Fixture.coder { try $0.encode(Unkeyed(), forKey: "list") }
    #expect(try coder.decode(Unkeyed.self, forKey: "list") == Unkeyed())
  }

  @Test("single-value containers round-trip")
  func roundTripsSingle() throws {
    func check<Value: Codable & Equatable & Sendable>(_ value: Value) throws {
      #expect(try Fixture.roundTrip(Single(value)) == Single(value))
      #expect(try Fixture.roundTrip([Single(value), Single(value)]) == [Single(value), Single(value)])
    }
    try check(true)
    try check("text")
    try check(0.1)
    try check(Float(1.5))
    try check(-7)
    try check(Int8.min)
    try check(Int16.min)
    try check(Int32.min)
    try check(Int64.min)
    try check(Int128(12))
    try check(UInt.max)
    try check(UInt8.max)
    try check(UInt16.max)
    try check(UInt32.max)
    try check(UInt64.max)
    try check(UInt128(13))
    try check([1, 2])
  }

  @Test("a value that encodes nothing is stored as an empty dictionary")
  func keepsNothing() throws {
    let coder = try Fixture.coder { try $0.encode(Nothing(), forKey: "nothing") }
    #expect(try coder.value(forKey: "nothing") == [:])
    #expect(try coder.decode(Nothing.self, forKey: "nothing") == Nothing())
  }

  @Test("a wrong type in any container is an error that names the key")
  func namesWrongTypes() throws {
    func check<Value: Codable & Equatable & Sendable>(_ type: Value.Type) throws {
      let coder = try Fixture.coder { coder in
        try coder.encode(["value": ArchiveValueFixture.wrong], forKey: "keyed")
        try coder.encode([ArchiveValueFixture.wrong], forKey: "unkeyed")
        try coder.encode(ArchiveValueFixture.wrong, forKey: "single")
      }
      let keyed = #expect(throws: DecodingError.self) { try coder.decode([String: Value].self, forKey: "keyed") }
      #expect(keyed.map(Self.path) == ["keyed", "value"])
      let unkeyed = #expect(throws: DecodingError.self) { try coder.decode([Single<Value>].self, forKey: "unkeyed") }
      #expect(unkeyed.map(Self.path) == ["unkeyed", "Index 0"])
      let single = #expect(throws: ArchiveError.self) { try coder.decode(Single<Value>.self, forKey: "single") }
      #expect(single?.key == "single" && single?.code == .wrongType)
    }
    try check(Bool.self)
    try check(String.self)
    try check(Double.self)
    try check(Float.self)
    try check(Int.self)
    try check(Int8.self)
    try check(UInt64.self)
    try check(UInt128.self)
  }

  private static func path(_ error: DecodingError) -> [String] {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context), .dataCorrupted(let context):
      context.codingPath.map(\.stringValue)
    @unknown default: []
    }
  }
}

/// A value that has none of the requested types.
private enum ArchiveValueFixture {
  static let wrong = Data([1, 2, 3])
}
