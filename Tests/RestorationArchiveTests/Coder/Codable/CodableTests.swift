import Foundation
import RestorationArchive
import Testing

/// Complete Codable support: every container, every type, errors with full context; Behaviours 6 and 8.
@Suite struct CodableTests {
  // MARK: Values

  @Test("Behaviours 6: the extremes of every integer width round-trip (R-6.1-3, R-2-1)")
  func keepsIntegers() throws {
    func check<Value: FixedWidthInteger & Codable>(_ type: Value.Type) throws {
      for value in [Value.min, Value.max, 0, 1, Value.max / 3, Value.min / 3] {
        #expect(try Fixture.roundTrip(value) == value)
        #expect(try Fixture.roundTrip([value]) == [value])
        #expect(try Fixture.roundTrip(["k": value]) == ["k": value])
        #expect(try Fixture.roundTrip(Optional(value)) == value)
      }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(Int128.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(UInt128.self)
  }

  @Test("128-bit integers are stored as integers if they fit, and otherwise as digits (R-2-1)")
  func mapsWideIntegers() throws {
    let coder = try Fixture.coder {
      try $0.encode(Int128(7), forKey: "small")
      try $0.encode(Int128(UInt64.max) + 1, forKey: "large")
      try $0.encode(Int128.min, forKey: "least")
    }
    #expect(try coder.value(forKey: "small") == 7)
    #expect(try coder.value(forKey: "large") == "18446744073709551616")
    #expect(try coder.decode(Int128.self, forKey: "least") == Int128.min)
    #expect(throws: ArchiveError.self) { try coder.decode(Int64.self, forKey: "large") }
  }

  @Test("an integer that does not fit the requested type is an error")
  func reportsNarrowing() throws {
    let coder = try Fixture.coder {
      try $0.encode(300, forKey: "number")
      try $0.encode(-1, forKey: "negative")
      try $0.encode(UInt64.max, forKey: "huge")
    }
    for attempt: () throws -> Void in [
      { _ = try coder.decode(UInt8.self, forKey: "number") }, { _ = try coder.decode(UInt.self, forKey: "negative") },
      { _ = try coder.decode(Int.self, forKey: "huge") },
    ] {
      do {
        try attempt()
        Issue.record("decoded")
      } catch let error as ArchiveError {
        #expect(error.code == .numberOutOfRange)
      } catch DecodingError.dataCorrupted(let context) {
        #expect((context.underlyingError as? ArchiveError)?.code == .numberOutOfRange)
      }
    }
  }

  @Test(
    "Behaviours 6: floats round-trip bit for bit (R-6.1-4)",
    arguments: [
      0.0, -0.0, 1, -1, 1.5, 0.1, .pi, .infinity, -.infinity, .nan, .signalingNaN, Double(nan: 0x1234, signaling: false),
      .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 120, 0x1p60,
    ])
  func keepsFloats(_ value: Double) throws {
    #expect(try Fixture.roundTrip(value).bitPattern == value.bitPattern)
    #expect(try Fixture.roundTrip([value])[0].bitPattern == value.bitPattern)
    let date = Date(timeIntervalSinceReferenceDate: value)
    #expect(try Fixture.roundTrip(date).timeIntervalSinceReferenceDate.bitPattern == value.bitPattern)
  }

  @Test("narrow floats are widened, and decode only if the value is exact")
  func mapsNarrowFloats() throws {
    for value in [Float.pi, 0, -0.0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      #expect(try Fixture.roundTrip(value).bitPattern == value.bitPattern)
    }
    #expect(try Fixture.roundTrip(Float.nan).isNaN)
    #expect(throws: (any Error).self) { try Fixture.coder { try $0.encode(0.1, forKey: "wide") }.decode(Float.self, forKey: "wide") }
  }

  @Test("Behaviours 6: texts, empty containers, nulls and sets round-trip")
  func keepsOthers() throws {
    #expect(try Fixture.roundTrip("") == "")
    #expect(try Fixture.roundTrip(String(repeating: "ü", count: 10_000)).utf8.count == 20_000)
    #expect(try Fixture.roundTrip([String]()) == [])
    #expect(try Fixture.roundTrip([String: Int]()) == [:])
    #expect(try Fixture.roundTrip(["": 1, "x": 2]) == ["": 1, "x": 2])
    #expect(try Fixture.roundTrip([nil, 1, nil] as [Int?]) == [nil, 1, nil])
    #expect(try Fixture.roundTrip(Set([3, 1, 2])) == Set([1, 2, 3]))
    #expect(try Fixture.roundTrip([[1, 2], [], [3]]) == [[1, 2], [], [3]])
    #expect(try Fixture.roundTrip([1: "one", 2: "two"]) == [1: "one", 2: "two"])
    #expect(try Fixture.roundTrip([Point(x: 1, y: 2): "p"]) == [Point(x: 1, y: 2): "p"])
    #expect(try Fixture.roundTrip(1...5) == 1...5)
    #expect(try Fixture.roundTrip(Int??.some(.none)) == nil)
  }

  @Test("Foundation types have their own forms (R-2-2)")
  func keepsFoundationValues() throws {
    let data = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
    let uuid = UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff") ?? UUID()
    let url = try #require(URL(string: "https://example.com/a%20b?x=1#y"))
    let decimals = ["0", "1", "-1", "0.001", "12345678901234567890.123456789", "100000000000000000000"].compactMap { Decimal(string: $0) }
    let date = Date(timeIntervalSinceReferenceDate: 787_000_000.25)
    #expect(try Fixture.roundTrip(data) == data)
    #expect(try Fixture.roundTrip(Data()) == Data())
    #expect(try Fixture.roundTrip(uuid) == uuid)
    #expect(try Fixture.roundTrip(url) == url)
    #expect(try Fixture.roundTrip(decimals) == decimals)
    #expect(try Fixture.roundTrip(Decimal.nan).isNaN)
    #expect(try Fixture.roundTrip(date) == date)
    let coder = try Fixture.coder {
      try $0.encode(data, forKey: "data")
      try $0.encode(uuid, forKey: "uuid")
      try $0.encode(url, forKey: "url")
      try $0.encode(date, forKey: "date")
      try $0.encode(decimals[3], forKey: "decimal")
      try $0.encode([uuid], forKey: "uuids")
    }
    #expect(try coder.value(forKey: "data") == .data(data))
    #expect(try coder.value(forKey: "uuid") == .uuid(uuid))
    #expect(try coder.value(forKey: "url") == .url("https://example.com/a%20b?x=1#y"))
    #expect(try coder.value(forKey: "date") == .date(date))
    #expect(try coder.value(forKey: "decimal") == "0.001")
    #expect(try coder.value(forKey: "uuids") == [.uuid(uuid)])
  }

  // MARK: Types

  struct Point: Codable, Hashable {
    var x: Int
    var y: Int
  }

  /// Fields of many types.
  struct Document: Codable, Equatable {
    var title: String
    var position: Point
    var zoom: Double?
    var tags: [String]
    var pages: [Int: Point]
    var shape: Shape
    var next: [Document]
    var modified: Date
  }

  /// Cases with and without associated values, stored under their names (R-2-3).
  enum Shape: Codable, Equatable {
    case none
    case circle(radius: Double)
    case labelled(String, Int)
  }

  enum Mode: String, Codable {
    case list, grid
  }

  static let document = Document(
    title: "Draft", position: Point(x: 3, y: -4), zoom: nil, tags: ["a", "b"], pages: [1: Point(x: 0, y: 0), 9: Point(x: 1, y: 1)],
    shape: .labelled("l", 7),
    next: [
      Document(
        title: "", position: Point(x: 0, y: 0), zoom: 1.5, tags: [], pages: [:], shape: .circle(radius: 2), next: [],
        modified: Date(timeIntervalSinceReferenceDate: 0))
    ], modified: Date(timeIntervalSinceReferenceDate: 12.5))

  @Test("structures, optionals, recursive types and enums with associated values round-trip")
  func keepsStructures() throws {
    #expect(try Fixture.roundTrip(Self.document) == Self.document)
    #expect(try Fixture.roundTrip(Shape.none) == Shape.none)
    #expect(try Fixture.roundTrip([Mode.grid, .list]) == [.grid, .list])
  }

  @Test("Behaviours 8: enums are stored under the names chosen by the developer (R-2-3)")
  func storesNames() throws {
    let coder = try Fixture.coder {
      try $0.encode(Mode.grid, forKey: "mode")
      try $0.encode(Shape.circle(radius: 2), forKey: "shape")
    }
    #expect(try coder.value(forKey: "mode") == "grid")
    #expect(try coder.value(forKey: "shape") == ["circle": ["radius": 2.0]])
  }

  /// The same enums in a later build: their cases are in another order, and there is a new one.
  private enum Later {
    enum Mode: String, Codable {
      case gallery, grid, list
    }

    enum Shape: Codable, Equatable {
      case labelled(String, Int)
      case square(side: Double)
      case circle(radius: Double)
      case none
    }
  }

  @Test("Behaviours 8: enums are read by name, so that a build may reorder their cases and add others")
  func readsNames() throws {
    let coder = try Fixture.coder {
      try $0.encode([Mode.list, .grid], forKey: "modes")
      try $0.encode([Shape.none, .circle(radius: 2), .labelled("l", 7)], forKey: "shapes")
    }
    #expect(try coder.decode([Later.Mode].self, forKey: "modes") == [.list, .grid])
    #expect(try coder.decode([Later.Shape].self, forKey: "shapes") == [.none, .circle(radius: 2), .labelled("l", 7)])
  }

  @Test("encoding a whole state as one type gives the same bytes as keyed calls")
  func isTheSameByBothWays() throws {
    let whole = try Fixture.archive { try $0.encodeState(Point(x: 1, y: 2)) }
    let keyed = try Fixture.archive {
      try $0.encode(2, forKey: "y")
      try $0.encode(1, forKey: "x")
    }
    #expect(whole.contentDigest == keyed.contentDigest)
    #expect(try keyed.decoder(at: Fixture.path).decodeState(Point.self) == Point(x: 1, y: 2))
    #expect(throws: EncodingError.self) { try Fixture.archive { try $0.encodeState([1, 2]) } }
    #expect(throws: EncodingError.self) { try Fixture.archive { try $0.encodeState(7) } }
  }

  class Base: Codable {
    var name = "base"
  }

  /// A class hierarchy as in the documentation of `superEncoder()`.
  final class Derived: Base {
    var number = 7

    enum CodingKeys: CodingKey { case number }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: container.superEncoder())
      try container.encode(number, forKey: .number)
    }
  }

  @Test("class hierarchies round-trip through super-encoders")
  func keepsClassHierarchies() throws {
    let object = Derived()
    object.name = "changed"
    object.number = 8
    let back = try Fixture.roundTrip(object)
    #expect(back.name == "changed")
    #expect(back.number == 8)
    let coder = try Fixture.coder { try $0.encode(object, forKey: "object") }
    #expect(try coder.value(forKey: "object") == ["super": ["name": "changed"], "number": 8])
  }

  /// Nested containers of all kinds, written in a different order from their creation.
  struct Scattered: Codable, Equatable {
    var values: [Int]

    enum Keys: String, CodingKey { case keyed, unkeyed, named, plain, again }

    init(values: [Int]) { self.values = values }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let keyed = try container.nestedContainer(keyedBy: Keys.self, forKey: .keyed)
      var unkeyed = try container.nestedUnkeyedContainer(forKey: .unkeyed)
      let first = try unkeyed.decode(Int.self)
      var inner = try unkeyed.nestedUnkeyedContainer()
      let second = try inner.decode(Int.self)
      let nested = try unkeyed.nestedContainer(keyedBy: Keys.self)
      let third = try nested.decode(Int.self, forKey: .plain)
      let fourth = try unkeyed.superDecoder().singleValueContainer().decode(Int.self)
      let fifth = try unkeyed.decode(Int.self)
      #expect(unkeyed.isAtEnd && inner.isAtEnd && unkeyed.count == 5 && unkeyed.currentIndex == 5)
      let sixth = try container.superDecoder(forKey: .named).singleValueContainer().decode(Int.self)
      values = [first, second, third, fourth, fifth, sixth, try keyed.decode(Int.self, forKey: .again)]
      #expect(try container.decodeNil(forKey: .plain))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var keyed = container.nestedContainer(keyedBy: Keys.self, forKey: .keyed)
      var unkeyed = container.nestedUnkeyedContainer(forKey: .unkeyed)
      let named = container.superEncoder(forKey: .named)
      try unkeyed.encode(values[0])
      var inner = unkeyed.nestedUnkeyedContainer()
      var nested = unkeyed.nestedContainer(keyedBy: Keys.self)
      let element = unkeyed.superEncoder()
      try unkeyed.encode(values[4])
      try container.encodeNil(forKey: .plain)
      try nested.encode(values[2], forKey: .plain)
      try inner.encode(values[1])
      var single = element.singleValueContainer()
      try single.encode(values[3])
      var namedSingle = named.singleValueContainer()
      try namedSingle.encode(values[5])
      try keyed.encode(values[6], forKey: .again)
      #expect(unkeyed.count == 5)
    }
  }

  @Test("nested containers can be written in any order")
  func keepsScatteredWriting() throws {
    let value = Scattered(values: [1, 2, 3, 4, 5, 6, 7])
    #expect(try Fixture.roundTrip(value) == value)
    #expect(try Fixture.roundTrip([value, value]) == [value, value])
    let coder = try Fixture.coder { try $0.encode(value, forKey: "value") }
    let expected: ArchiveValue = [
      "keyed": ["again": 7], "unkeyed": [1, [2], ["plain": 3], 4, 5], "named": 6, "plain": nil,
    ]
    #expect(try coder.value(forKey: "value") == expected)
  }

  struct Empty: Codable, Equatable {}

  /// A type with one value and no key.
  struct Wrapped: Codable, Equatable {
    var value: Point
    init(value: Point) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Point.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  @Test("empty types are stored as empty dictionaries, single values as themselves")
  func keepsOddTypes() throws {
    #expect(try Fixture.roundTrip(Empty()) == Empty())
    #expect(try Fixture.roundTrip([Empty(), Empty()]) == [Empty(), Empty()])
    #expect(try Fixture.roundTrip(Wrapped(value: Point(x: 1, y: 2))) == Wrapped(value: Point(x: 1, y: 2)))
    let coder = try Fixture.coder {
      try $0.encode(Empty(), forKey: "empty")
      try $0.encode(Wrapped(value: Point(x: 1, y: 2)), forKey: "wrapped")
    }
    #expect(try coder.value(forKey: "empty") == [:])
    #expect(try coder.value(forKey: "wrapped") == ["x": 1, "y": 2])
  }

  // MARK: Sensitive values

  struct Login: Codable, Equatable {
    var user: String
    @Sensitive var token: String
    @Sensitive var codes: [Int]
  }

  @Test("sensitive fields and calls mark their entries, and decode as usual (R-6.1-8)")
  func marksSensitiveValues() throws {
    let login = Login(user: "u", token: "secret", codes: [1, 2])
    #expect(try Fixture.roundTrip(login) == login)
    let archive = try Fixture.archive {
      try $0.encode(login, forKey: "login")
      try $0.encode("draft", forKey: "draft", isSensitive: true)
      try $0.encode([1], forKey: "list", isSensitive: true)
      try $0.encode(Sensitive(wrappedValue: 5), forKey: "wrapped")
      // One mark is enough.
      try $0.encode(Sensitive(wrappedValue: 6), forKey: "wrapped twice", isSensitive: true)
      try $0.encode(Sensitive(wrappedValue: Sensitive(wrappedValue: 7)), forKey: "wrapped within")
    }
    let state = try #require(try archive.node(at: Fixture.path)).state()
    #expect(state.filter(\.isSensitive).map(\.key) == ["draft", "list", "wrapped", "wrapped twice", "wrapped within"])
    guard case .dictionary(let fields) = state["login"] else {
      Issue.record("no dictionary")
      return
    }
    #expect(fields.filter(\.isSensitive).map(\.key) == ["codes", "token"])
    #expect(state.hasSensitiveValues)
    #expect(!"\(state)".contains("draft\""))
    #expect(throws: EncodingError.self) { try Fixture.archive { try $0.encode([Sensitive(wrappedValue: 1)], forKey: "list") } }
    let json = try JSONEncoder().encode(login)
    #expect(try JSONDecoder().decode(Login.self, from: json) == login)
  }

  @Test("an optional field may be marked as sensitive later: state without it decodes to nil")
  func decodesAbsentSensitiveValue() throws {
    struct Before: Codable { var user = "u" }
    struct Account: Codable, Equatable {
      var user: String
      @Sensitive var token: String?
    }
    let coder = try Fixture.coder {
      try $0.encode(Before(), forKey: "account")
      try $0.encode(Account(user: "v", token: nil), forKey: "empty")
      try $0.encode(Account(user: "w", token: "t"), forKey: "full")
    }
    #expect(try coder.decode(Account.self, forKey: "account") == Account(user: "u", token: nil))
    #expect(try coder.decode(Account.self, forKey: "empty") == Account(user: "v", token: nil))
    #expect(try coder.decode(Account.self, forKey: "full") == Account(user: "w", token: "t"))
  }

  @Test("a header entry that is marked as sensitive is refused: the format has no place for the mark")
  func refusesSensitiveHeader() throws {
    var header = ArchiveHeader()
    header.additional["a.b"] = "secret"
    header.additional.setSensitive(true, forKey: "a.b")
    let tree = ArchiveTree(header: header, nodes: [])
    #expect(#expect(throws: ArchiveError.self) { try tree.encoded() }?.code.rawValue == "sensitive-misplaced")
    let error = #expect(throws: ArchiveError.self) { try ArchiveHeader(entries: header.additional) }
    #expect(error?.code.rawValue == "sensitive-misplaced" && error?.key == "a.b")
  }

  @Test("a decimal number with zeros at the end of its fraction comes back (R-2-2)", arguments: ["1.1", "100", "-20.05", "0", "0.001"])
  func roundTripsDenormalDecimals(_ text: String) throws {
    var number = try #require(Decimal(string: text)), other = try #require(Decimal(string: "0.000001"))
    #expect(unsafe NSDecimalNormalize(&number, &other, .plain) == .noError)
    let coder = try Fixture.coder { try $0.encode(number, forKey: "number") }
    #expect(try coder.decode(Decimal.self, forKey: "number") == number)
    #expect(try coder.value(forKey: "number") == .string(text))
  }

  // MARK: Context

  static let key = CodingUserInfoKey(rawValue: "test") ?? { preconditionFailure("a name") }()

  struct Curious: Codable {
    var answer: String
    init() { answer = "" }
    init(from decoder: any Decoder) throws {
      let path = decoder.codingPath.map(\.stringValue).joined(separator: ".")
      answer = "\(decoder.userInfo[CodableTests.key] as? String ?? "nothing") at \(path)"
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      let path = encoder.codingPath.map(\.stringValue).joined(separator: ".")
      try container.encode("\(encoder.userInfo[CodableTests.key] as? String ?? "nothing") at \(path)")
    }
  }

  @Test("user information and coding paths reach the types")
  func passesContext() throws {
    let writer = ArchiveWriter(userInfo: [Self.key: "here"])
    try writer.addNode("root") {
      try $0.encode(Curious(), forKey: "direct")
      try $0.encode(["k": [Curious()]], forKey: "nested")
    }
    let coder = try ArchiveReader(writer.finish()).decoder(at: "root")
    #expect(try coder.value(forKey: "direct") == "here at direct")
    #expect(try coder.value(forKey: "nested") == ["k": ["here at nested.k.Index 0"]])
    #expect(try coder.decode(Curious.self, forKey: "direct").answer == "nothing at direct")
    let told = try coder.with(userInfo: [Self.key: "there"])
    #expect(try told.decode([String: [Curious]].self, forKey: "nested")["k"]?[0].answer == "there at nested.k.Index 0")
  }

  @Test("decoding errors have the full coding path")
  func reportsDecodingErrors() throws {
    struct Other: Codable {
      var title: Int
    }
    struct Outer: Codable {
      var documents: [Document]
    }
    let coder = try Fixture.coder {
      try $0.encode(["documents": [Self.document]], forKey: "outer")
      try $0.encode(.dictionary(["documents": [["title": "x", "position": ["x": 1, "y": "no"]]]]), forKey: "broken")
      try $0.encode(.dictionary(["documents": [["title": "x"]]]), forKey: "short")
      try $0.encode(.dictionary(["documents": nil]), forKey: "null")
    }
    #expect(try coder.decode(Outer.self, forKey: "outer").documents == [Self.document])
    func context(_ key: String) -> (String, DecodingError.Context)? {
      do {
        let outer = try coder.decode(Outer.self, forKey: key)
        Issue.record("decoded \(outer)")
      } catch DecodingError.typeMismatch(_, let context) {
        return ("typeMismatch", context)
      } catch DecodingError.keyNotFound(let key, let context) {
        return ("keyNotFound \(key.stringValue)", context)
      } catch DecodingError.valueNotFound(_, let context) {
        return ("valueNotFound", context)
      } catch {
        Issue.record(error)
      }
      return nil
    }
    let mismatch = try #require(context("broken"))
    #expect(mismatch.0 == "typeMismatch")
    #expect(mismatch.1.codingPath.map(\.stringValue) == ["broken", "documents", "Index 0", "position", "y"])
    #expect(mismatch.1.codingPath[2].intValue == 0)
    let missing = try #require(context("short"))
    #expect(missing.0 == "keyNotFound position")
    #expect(missing.1.codingPath.map(\.stringValue) == ["short", "documents", "Index 0"])
    #expect((missing.1.underlyingError as? ArchiveError)?.path == Fixture.path)
    #expect(try #require(context("null")).0 == "valueNotFound")
  }

  @Test("encoding errors have the full coding path")
  func reportsEncodingErrors() throws {
    struct Deep: Encodable {
      var level: Int
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if level > 0 { try container.encode(Deep(level: level - 1)) }
      }
    }
    _ = try Fixture.archive { try $0.encode(Deep(level: 127), forKey: "deep") }
    let error = #expect(throws: EncodingError.self) {
      try Fixture.archive { try $0.encode(["k": Deep(level: 127)], forKey: "deep") }
    }
    guard case .invalidValue(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.count == 129)
    #expect(context.codingPath[0].stringValue == "deep")
    #expect(context.debugDescription.contains("root/list"))
  }

  /// Uses containers in ways that Codable forbids, which must cause errors, never traps or wrong bytes.
  struct Misuse: Encodable {
    var kind: Int

    func encode(to encoder: any Encoder) throws {
      switch kind {
      case 0:
        var keyed = encoder.container(keyedBy: AnyKey.self)
        try keyed.encode(1, forKey: AnyKey(stringValue: "a"))
        var unkeyed = encoder.unkeyedContainer()
        try unkeyed.encode(1)
      case 1:
        var single = encoder.singleValueContainer()
        try single.encode(1)
        try single.encode(2)
      case 2:
        var keyed = encoder.container(keyedBy: AnyKey.self)
        var copy = keyed
        try keyed.encode(Thief { try copy.encode(1, forKey: AnyKey(stringValue: "b")) }, forKey: AnyKey(stringValue: "a"))
      case 3:
        var keyed = encoder.container(keyedBy: AnyKey.self)
        var copy = keyed
        let thief = Thief {
          var stolen = copy.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "b"))
          try stolen.encode(1)
        }
        try keyed.encode(thief, forKey: AnyKey(stringValue: "a"))
      case 4:
        var unkeyed = encoder.unkeyedContainer()
        var copy = unkeyed
        try unkeyed.encode(Thief { _ = copy.superEncoder() })
      default:
        var single = encoder.singleValueContainer()
        try single.encodeNil()
        _ = encoder.container(keyedBy: AnyKey.self)
      }
    }

    /// Writes to another value's container while it is encoded itself.
    struct Thief: Encodable {
      var body: () throws -> Void
      func encode(to encoder: any Encoder) throws { try body() }
    }
  }

  @Test("misuse of containers is an error", arguments: 0...5)
  func reportsMisuse(_ kind: Int) throws {
    let plain = try Fixture.archive { try $0.encode(1, forKey: "a") }
    let misused = try Fixture.archive { coder in
      try coder.encode(1, forKey: "a")
      #expect(throws: EncodingError.self) { try coder.encode(Misuse(kind: kind), forKey: "misuse") }
    }
    #expect(plain.contentDigest == misused.contentDigest)
  }
}
