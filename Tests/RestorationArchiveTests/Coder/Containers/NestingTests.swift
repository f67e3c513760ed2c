import Foundation
import RestorationArchive
import SlowReader
import Testing

/// Every way to nest containers, repeat keys, keep containers and erase types, compared with Foundation's encoders.
@Suite struct NestingTests {
  /// The place at which a value is encoded.
  enum Place: CaseIterable {
    case entry, state, element, field, listElement, superEncoder, again
  }

  /// Encodes a value at a place.
  private static func encode(_ body: NestingCase.Body, at place: Place, coder: StateEncoder) throws {
    switch place {
    case .entry: try coder.encode(body, forKey: "value")
    case .state: try coder.encodeDictionary(forKey: "value") { try $0.encodeState(body) }
    case .element: try coder.encodeArray(forKey: "value") { try $0.encode(body) }
    case .field: try coder.encode(["k": body], forKey: "value")
    case .listElement: try coder.encode([body, body], forKey: "value")
    case .superEncoder:
      try coder.encode(
        NestingCase.Body { encoder in
          var container = encoder.container(keyedBy: AnyKey.self)
          try body.encode(to: container.superEncoder())
          try container.encode(1, forKey: "z")
        }, forKey: "value")
    case .again:
      try coder.encode(1, forKey: "value")
      try coder.encode(body, forKey: "value")
    }
  }

  private static func decode(_ coder: StateDecoder, at place: Place) throws -> Plain {
    let value = try coder.decode(Plain.self, forKey: "value")
    switch (place, value) {
    case (.field, .fields(let fields)): return fields["k"] ?? nil
    case (.superEncoder, .fields(let fields)) where fields["z"] == 1: return fields["super"] ?? nil
    case (.element, .list(let list)) where list.count == 1: return list[0]
    case (.listElement, .list(let list)) where list.count == 2 && list[0] == list[1]: return list[0]
    default: return value
    }
  }

  @Test("Behaviours 2, 3: each use of an encoder has its documented outcome", arguments: NestingCase.all)
  func encodes(_ nesting: NestingCase) throws {
    let isList = if case .all(.list) = nesting.outcome { true } else { false }
    for place in Place.allCases where !(isList && place == .state) {
      let writer = ArchiveWriter()
      // In the second and third round the writer knows the keys.
      for round in 0..<3 {
        try writer.reset()
        var failure: (any Error)?
        try writer.encodeApplicationState { coder in
          try coder.encode("before", forKey: "a")
          do { try Self.encode(nesting.body, at: place, coder: coder) } catch { failure = error }
          try coder.encode("after", forKey: "b")
        }
        let bytes = try writer.finishEncoding().data()
        #expect(slowCheck([UInt8](bytes)).isEmpty, "\(place)")
        let decoder = try ArchiveReader(bytes).application().decoder()
        #expect(try decoder.decode(String.self, forKey: "a") == "before" && decoder.decode(String.self, forKey: "b") == "after")
        switch nesting.outcome {
        case .all(let expected), .own(let expected):
          #expect(failure == nil, "\(place), round \(round)")
          #expect(try Self.decode(decoder, at: place) == expected, "\(place), round \(round)")
        case .refused(let words):
          guard case EncodingError.invalidValue(_, let context)? = failure else {
            Issue.record("\(place), round \(round): \(String(describing: failure))")
            continue
          }
          #expect(context.debugDescription.contains(words), "\(place): \(context.debugDescription)")
          #expect(context.codingPath.first?.stringValue == "value", "\(place): \(context.codingPath)")
          #expect((context.underlyingError as? ArchiveError)?.code == .notStorable)
          #expect(decoder.containsValue(forKey: "value") == (place == .again))
        }
      }
    }
  }

  @Test("Foundation's encoders produce the same values", arguments: NestingCase.all)
  func agrees(_ nesting: NestingCase) throws {
    guard case .all(let expected) = nesting.outcome else { return }
    let json = try JSONEncoder().encode(["value": nesting.body])
    #expect(try JSONDecoder().decode([String: Plain].self, from: json) == ["value": expected])
    let list = try PropertyListEncoder().encode(["value": nesting.body])
    #expect(try PropertyListDecoder().decode([String: Plain].self, from: list) == ["value": expected])
  }

  // MARK: Containers kept too long

  /// Containers and encoders that a value leaks.
  private final class Kept {
    var fields: [NestingCase.Fields] = []
    var lists: [any UnkeyedEncodingContainer] = []
    var encoders: [any Encoder] = []

    /// Expects that all of them refuse to encode.
    func expectRefusal() {
      for var fields in fields {
        #expect(throws: EncodingError.self) { try fields.encode(1, forKey: "late") }
        #expect(throws: EncodingError.self) { try fields.encodeNil(forKey: "late") }
        #expect(throws: EncodingError.self) { try fields.encode([1], forKey: "late") }
        var inner = fields.nested("late")
        #expect(throws: EncodingError.self) { try inner.encode(1, forKey: "late") }
        var list = fields.list("late")
        #expect(throws: EncodingError.self) { try list.encode(1) }
        #expect(throws: EncodingError.self) { try 1.encode(to: fields.superEncoder()) }
      }
      for var list in lists {
        #expect(throws: EncodingError.self) { try list.encode(1) }
        #expect(throws: EncodingError.self) { try list.encodeNil() }
        #expect(throws: EncodingError.self) { try list.encode(["x": 1]) }
        var inner = list.nested()
        #expect(throws: EncodingError.self) { try inner.encode(1, forKey: "late") }
        #expect(throws: EncodingError.self) { try [1].encode(to: list.superEncoder()) }
      }
      for encoder in encoders {
        var single = encoder.singleValueContainer()
        #expect(throws: EncodingError.self) { try single.encode(1) }
        #expect(throws: EncodingError.self) { try single.encode([1]) }
        var fields = encoder.container(keyedBy: AnyKey.self)
        #expect(throws: EncodingError.self) { try fields.encode(1, forKey: "late") }
        var list = encoder.unkeyedContainer()
        #expect(throws: EncodingError.self) { try list.encode(1) }
      }
    }
  }

  /// A value that encodes itself with a closure of the test.
  private struct Local: Encodable {
    let body: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  private struct Failure: Error {}

  @Test(
    "nested containers and super-encoders refuse to encode once their value has ended, even by an error",
    arguments: [false, true], [false, true])
  func refusesKeptContainers(_ fails: Bool, _ isState: Bool) throws {
    let kept = Kept()
    let value = Local { encoder in
      var fields = encoder.container(keyedBy: AnyKey.self)
      var nested = fields.nested("n")
      var list = nested.list("l")
      var inner = list.nested()
      let (named, element) = (fields.superEncoder(forKey: "s"), list.superEncoder())
      try inner.encode(1, forKey: "x")
      try 2.encode(to: element)
      var ofNamed = named.container(keyedBy: AnyKey.self)
      let deep = ofNamed.nested("d")
      kept.fields += [fields, nested, inner, deep, ofNamed]
      kept.lists.append(list)
      kept.encoders += [named, element, encoder]
      if fails { throw Failure() }
    }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { coder in
      do {
        if isState {
          try coder.encodeDictionary(forKey: "value") { try $0.encodeState(value) }
        } else {
          try coder.encode(value, forKey: "value")
        }
      } catch is Failure {}
      kept.expectRefusal()
      try coder.encode(1, forKey: "next")
      // A misuse while another value is being encoded makes that value fail.
      #expect(throws: EncodingError.self) { try coder.encode(Local { _ in kept.expectRefusal() }, forKey: "within") }
    }
    kept.expectRefusal()
    let decoder = try ArchiveReader(writer.finish()).application().decoder()
    #expect(try decoder.decodeIfPresent(Plain.self, forKey: "value") == (fails ? nil : ["n": ["l": [["x": 1], 2]], "s": ["d": [:]]]))
    #expect(try decoder.decode(Int.self, forKey: "next") == 1)
  }

  @Test("many nested containers are found again by their keys, short and long", arguments: [1, 300])
  func findsNestedContainers(_ length: Int) throws {
    let keys = (0..<40).map { "\($0)" + String(repeating: "k", count: length) }
    let value = Local { encoder in
      var fields = encoder.container(keyedBy: AnyKey.self)
      for key in keys { try fields.encode(["a": 1], forKey: AnyKey(stringValue: key)) }
      for field in ["b", "c"] {
        for key in keys {
          var nested = fields.nested(AnyKey(stringValue: key))
          try nested.encode(2, forKey: AnyKey(stringValue: field))
        }
      }
      try fields.encode(7, forKey: AnyKey(stringValue: keys[39]))
    }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(value, forKey: "value") }
    let decoded = try ArchiveReader(writer.finish()).application().decoder().decode(Plain.self, forKey: "value")
    guard case .fields(let fields) = decoded else { throw Failure() }
    #expect(fields.count == 40 && fields[keys[39]] == 7)
    for key in keys.dropLast() { #expect(fields[key] == ["a": 1, "b": 2, "c": 2]) }
  }

  @Test("an error names the node, the key and the full coding path, including in containers of keyed calls")
  func namesPlaces() throws {
    func path(_ error: EncodingError?) -> [String]? {
      guard case .invalidValue(_, let context)? = error else { return nil }
      #expect(context.debugDescription.contains("root/list"))
      return context.codingPath.map(\.stringValue)
    }
    let bad = Local { encoder in
      var fields = encoder.container(keyedBy: AnyKey.self)
      var nested = fields.nested("n")
      try nested.encode([RestorationPath("a"), .application], forKey: "m")
    }
    _ = try Fixture.archive { coder in
      let plain = #expect(throws: EncodingError.self) { try coder.encode(bad, forKey: "value") }
      #expect(path(plain) == ["value", "n", "m", "Index 1"])
      try coder.encodeArray(forKey: "list") { list in
        for number in 0..<3 {
          try list.encode(number)
          try list.encode("text \(number)")
          let element = #expect(throws: EncodingError.self) { try list.encode(bad) }
          #expect(path(element) == ["list", "Index \(4 * number + 2)", "n", "m", "Index 1"])
          try list.encode(["x"])
          try list.encodeDictionary { inner in
            let state = #expect(throws: EncodingError.self) { try inner.encodeState(bad) }
            #expect(path(state) == ["list", "Index \(4 * number + 3)", "n", "m", "Index 1"])
            try inner.encodeArray(forKey: "deep") { deep in
              try deep.encode(
                Local { #expect($0.codingPath.map(\.stringValue) == ["list", "Index \(4 * number + 3)", "deep", "Index 0"]) })
              let link = #expect(throws: EncodingError.self) { try deep.encode(RestorationPath.application) }
              #expect(path(link) == ["list", "Index \(4 * number + 3)", "deep", "Index 1"])
            }
          }
        }
      }
      try coder.encodeDictionary(forKey: "filter") { filter in
        let field = #expect(throws: EncodingError.self) { try filter.encode(bad, forKey: "tag") }
        #expect(path(field) == ["filter", "tag", "n", "m", "Index 1"])
      }
    }
  }

  @Test("nesting past the limit is reported as such, including by nested containers and super-encoders", arguments: [0, 1, 2, 3])
  func reportsDepth(_ way: Int) throws {
    /// Nests containers in one of four ways.
    func nest(_ encoder: any Encoder, _ levels: Int) throws {
      if way < 2 {
        var fields = encoder.container(keyedBy: AnyKey.self)
        if levels == 1 { return try fields.encode(1, forKey: "x") }
        if way == 0 { return try nest(fields.superEncoder(), levels - 1) }
        var inner = fields
        for _ in 1..<levels { inner = inner.nested("k") }
        return try inner.encode(1, forKey: "x")
      }
      var list = encoder.unkeyedContainer()
      if levels == 1 { return try list.encode(1) }
      if way == 2 { return try nest(list.superEncoder(), levels - 1) }
      var inner: any UnkeyedEncodingContainer = list
      for _ in 1..<levels { inner = inner.nestedUnkeyedContainer() }
      try inner.encode(1)
    }
    _ = try Fixture.archive { coder in
      try coder.encode(Local { try nest($0, 128) }, forKey: "deep")
      for levels in [129, 130, 140] {
        let error = #expect(throws: EncodingError.self) { try coder.encode(Local { try nest($0, levels) }, forKey: "deeper") }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect((context.underlyingError as? ArchiveError)?.code == .nestingDepth, "\(levels): \(context.debugDescription)")
      }
    }
  }

  // MARK: Whole states

  /// Encodes a value through a single-value container.
  private struct Through<Value: Codable>: Codable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private struct Settings: Codable, Equatable {
    var zoom = 1.5
    var tabs = ["a": [1]]
  }

  @Test("Behaviours 3: a whole state can be an optional, a wrapper or a dictionary; a value without keys is refused with a clear error")
  func encodesWholeStates() throws {
    func check<Value: Codable>(_ value: Value, _ expected: Plain) throws {
      let archive = try Fixture.archive { coder in
        try coder.encode(1, forKey: "1")
        try coder.encodeState(value)
      }
      let decoder = try archive.decoder(at: Fixture.path)
      guard case .fields(let fields) = expected else { return }
      #expect(try decoder.decodeState(Plain.self) == .fields(fields.merging(["1": 1]) { mine, _ in mine }))
      _ = try decoder.decodeState(Value.self)
    }
    let settings: Plain = ["zoom": .number(1.5), "tabs": ["a": [1]]]
    try check(Settings(), settings)
    try check(Optional(Settings()), settings)
    try check(Optional(Optional(Settings())), settings)
    try check(Through(Settings()), settings)
    try check(Through(Optional(Through(Settings()))), settings)
    try check(["a": 1, "b": 2], ["a": 1, "b": 2])
    try check(Through(["a": 1]), ["a": 1])
    try check([1: 7, 2: 8], ["1": 7, "2": 8])
    try check([String: Int](), [:])

    func refuse(_ value: some Encodable) throws {
      let archive = try Fixture.archive { coder in
        try coder.encode(1, forKey: "own")
        let error = #expect(throws: EncodingError.self) { try coder.encodeState(value) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.debugDescription.contains("a whole state: expected values under keys"), "\(context.debugDescription)")
      }
      #expect(try archive.node(at: Fixture.path)?.state() == ["own": 1])
    }
    try refuse(7)
    try refuse("text")
    try refuse([1])
    try refuse(Set([1]))
    try refuse(Settings?.none)
    try refuse(Through(7))
    try refuse(Through(Optional([1])))
    try refuse(UUID())
    try refuse(Date())
    try refuse(RestorationPath("a"))
  }

  // MARK: Keys of one byte

  /// A key whose text changes.
  private enum Fickle: CodingKey, CaseIterable {
    case first, second
    @TaskLocal static var prefix = "a"
    var stringValue: String { Self.prefix + (self == .first ? "1" : "2") }
    init?(stringValue: String) { nil }
    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
  }

  /// A key that occupies no bytes.
  private struct Named: CodingKey {
    @TaskLocal static var name = "a"
    var stringValue: String { Self.name }
    init() {}
    init?(stringValue: String) { nil }
    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
  }

  @Test("the text of a key of at most one byte is read at each use, when writing and when reading")
  func asksForTexts() throws {
    struct Reader: Decodable {
      static let texts = ["a", "b", String(repeating: "long", count: 10), "a", "c", String(repeating: "longer", count: 20), "", "b"]
      init(from decoder: any Decoder) throws {
        let texts = Self.texts
        var list = try decoder.unkeyedContainer()
        for (number, text) in texts.enumerated() {
          let fields = try list.nestedContainer(keyedBy: Fickle.self)
          let named = try fields.nestedContainer(keyedBy: Named.self, forKey: .second)
          for other in texts {
            try Fickle.$prefix.withValue(other) {
              let (isThere, found) = (fields.contains(.first), try fields.decodeIfPresent(Int.self, forKey: .first))
              #expect(isThere == (other == text) && (found == number) == isThere)
            }
            let name = try Named.$name.withValue(other) { try named.decode(String.self, forKey: Named()) }
            #expect(name == other + "!")
          }
        }
      }
    }
    let texts = Reader.texts
    let value = Local { encoder in
      var list = encoder.unkeyedContainer()
      for (number, text) in texts.enumerated() {
        try list.encode(
          Local { encoder in
            var fields = encoder.container(keyedBy: Fickle.self)
            var named = fields.nestedContainer(keyedBy: Named.self, forKey: .second)
            try Fickle.$prefix.withValue(text) { try fields.encode(number, forKey: .first) }
            for name in texts { try Named.$name.withValue(name) { try named.encode(name + "!", forKey: Named()) } }
          })
      }
    }
    let writer = ArchiveWriter()
    for _ in 0..<3 {
      try writer.reset()
      try writer.encodeApplicationState { try $0.encode(value, forKey: "list") }
      _ = try ArchiveReader(writer.finishEncoding().data()).application().decoder().decode(Reader.self, forKey: "list")
    }
  }

  // MARK: Types that encode themselves

  /// Decodes a type by its own initializer, as type-erasing types do.
  private struct Own<Value: Decodable>: Decodable {
    let value: Value
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
  }

  @Test("a UUID and a date decode from the archive's form and from the form in which they encode themselves")
  func readsBothForms() throws {
    let (uuid, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 0.1))
    let (url, data) = (try #require(URL(string: "http://a/b")), Data([1, 2, 255]))
    let relative = try #require(URL(string: "c", relativeTo: url))
    let coder = try Fixture.coder { coder in
      func both(_ value: some Encodable, _ key: String) throws {
        try coder.encode(value, forKey: key)
        try coder.encode(Local { try value.encode(to: $0) }, forKey: "own " + key)
      }
      try both(uuid, "uuid")
      try both(date, "date")
      try both(url, "url")
      try both(relative, "relative")
      try both(data, "data")
      try both(Decimal(15), "decimal")
      try coder.encode(["list": [uuid]], forKey: "uuids")
    }
    for prefix in ["", "own "] {
      #expect(try coder.decode(UUID.self, forKey: prefix + "uuid") == uuid)
      #expect(try coder.decode(Own<UUID>.self, forKey: prefix + "uuid").value == uuid)
      #expect(try coder.decode(Date.self, forKey: prefix + "date") == date)
      #expect(try coder.decode(Own<Date>.self, forKey: prefix + "date").value == date)
      #expect(try coder.decode(URL.self, forKey: prefix + "url") == url)
      #expect(try coder.decode(URL.self, forKey: prefix + "relative").absoluteString == "http://a/c")
      #expect(try coder.decode(Data.self, forKey: prefix + "data") == data)
      #expect(try coder.decode([String: Int]?.self, forKey: "none", default: nil) == nil)
    }
    #expect(try coder.decode([String: [UUID]].self, forKey: "uuids") == ["list": [uuid]])
    // With calls that name a type, a value has exactly one type (Behaviours 2).
    for body: () throws -> Void in [
      { _ = try coder.decode(String.self, forKey: "uuid") }, { _ = try coder.decode(Double.self, forKey: "date") },
      { _ = try coder.decode(String?.self, forKey: "uuid") }, { _ = try coder.decode([UInt8].self, forKey: "data") },
      { _ = try coder.decode(Decimal.self, forKey: "own decimal") }, { _ = try coder.decode(UUID.self, forKey: "data") },
      { _ = try coder.decode(Data.self, forKey: "uuids") }, { _ = try coder.decode(URL.self, forKey: "uuids") },
    ] {
      let error = #expect(throws: ArchiveError.self, performing: body)
      #expect(error?.code == .wrongType && error?.path == Fixture.path && error?.key != nil)
    }
  }

  @Test("Behaviours 2: an error in a value as a whole is an archive error, whatever its type; in a part of it, a decoding error")
  func hasOneRule() throws {
    enum Mode: String, Codable { case dark }
    struct Field: Codable { var a: Int8 }
    let coder = try Fixture.coder {
      try $0.encode("text", forKey: "text")
      try $0.encode(1000, forKey: "large")
      try $0.encode(Int?.none, forKey: "null")
      try $0.encode(["a": 1000], forKey: "fields")
      try $0.encode([1, 1000], forKey: "list")
    }
    func whole<Value: Decodable>(_ type: Value.Type, _ key: String, _ code: ArchiveError.Code) {
      let error = #expect(throws: ArchiveError.self) { try coder.decode(type, forKey: key) }
      #expect(error?.code == code && error?.path == Fixture.path && error?.key == key, "\(type), \(key)")
    }
    func number<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) {
      for key in ["text", "null", "fields", "list"] where !(key == "text" && Value.bitWidth > 64) { whole(type, key, .wrongType) }
      whole(type, "none", .absentKey)
    }
    number(Int.self)
    number(Int8.self)
    number(UInt16.self)
    number(Int64.self)
    number(UInt128.self)
    whole(Int8.self, "large", .numberOutOfRange)
    for key in ["large", "null", "fields"] {
      whole(String.self, key, .wrongType)
      whole([Int].self, key, .wrongType)
      whole(Set<Int>.self, key, .wrongType)
      whole(Mode.self, key, .wrongType)
      // An integer converts (85).
      if key != "large" { whole(Float.self, key, .wrongType) }
      whole(UUID.self, key, .wrongType)
      whole(RestorationPath.self, key, .wrongType)
    }
    whole([String: Int].self, "list", .wrongType)
    whole(Field.self, "list", .wrongType)
    whole(Field?.self, "text", .wrongType)
    whole(UInt128.self, "text", .wrongType)
    func part<Value: Decodable>(_ type: Value.Type, _ key: String, _ path: [String]) {
      let error = #expect(throws: DecodingError.self) { try coder.decode(type, forKey: key) }
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context), .dataCorrupted(let context):
        #expect(context.codingPath.map(\.stringValue) == path)
      default: break
      }
    }
    part(Field.self, "fields", ["fields", "a"])
    part([Int8].self, "list", ["list", "Index 1"])
    part([String: Mode].self, "fields", ["fields", "a"])
    part(Mode.self, "text", ["text"])
    struct Other: Codable { var b: Int }
    part(Other.self, "fields", ["fields"])
    let state = #expect(throws: ArchiveError.self) { try coder.decodeState([Int].self) }
    #expect(state?.code == .wrongType && state?.key == nil)
  }

  @Test("Behaviours 1, 70: a default replaces an absent key, and null if the type is not optional")
  func givesDefaults() throws {
    let coder = try Fixture.coder {
      try $0.encode(Int?.none, forKey: "null")
      try $0.encode(7, forKey: "seven")
    }
    for key in ["null", "none"] {
      #expect(try coder.decode(Int.self, forKey: key, default: 1) == 1)
      #expect(try coder.decode([Int].self, forKey: key, default: [1]) == [1])
      #expect(try coder.decode(Settings.self, forKey: key, default: Settings(zoom: 3)) == Settings(zoom: 3))
      #expect(try coder.decodeIfPresent(Int.self, forKey: key) == nil)
    }
    #expect(try coder.decode(Int?.self, forKey: "null", default: 1) == nil)
    #expect(try coder.decode(Int?.self, forKey: "none", default: 1) == 1)
    #expect(try coder.decode(Int.self, forKey: "seven", default: 1) == 7)
    #expect(throws: ArchiveError.self) { try coder.decode(String.self, forKey: "seven", default: "") }
    #expect(throws: ArchiveError.self) { try coder.decode(Int.self, forKey: "null") }
    #expect(coder.containsValue(forKey: "null") && !coder.containsValue(forKey: "none"))
  }

  @Test("a sensitive mark survives when a container is reopened, and can be set through a keyed super-encoder")
  func keepsMarks() throws {
    struct Login: Codable {
      @Sensitive var value = ["pin": "1"]
    }
    let archive = try Fixture.archive { coder in
      try coder.encode(
        Local { encoder in
          try Login().encode(to: encoder)
          var fields = encoder.container(keyedBy: AnyKey.self)
          var nested = fields.nested("value")
          try nested.encode("2", forKey: "puk")
          try Sensitive(wrappedValue: "3").encode(to: fields.superEncoder(forKey: "token"))
        }, forKey: "login")
    }
    guard case .dictionary(let login)? = try archive.node(at: Fixture.path)?.state()["login"] else {
      Issue.record("no login")
      return
    }
    #expect(login["value"] == ["pin": "1", "puk": "2"] && login.entry(forKey: "value")?.isSensitive == true)
    #expect(login.entry(forKey: "token")?.isSensitive == true)
  }
}
