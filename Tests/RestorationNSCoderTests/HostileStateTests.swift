import Foundation
import PropertyKit
import RestorationNSCoder
import TestStage
import Testing

/// A value that is no valid object, and the code of its error.
struct InvalidObject: Sendable, CustomStringConvertible {
  let value: ArchiveValue
  let code: String
  var description: String { "\(value): \(code)" }

  init(_ value: ArchiveValue, _ code: String = "wrong-type") {
    self.value = value
    self.code = code
  }

  private static func object(_ name: String, _ fields: ArchiveDictionary = [:]) -> ArchiveValue {
    var fields = fields
    fields["$class"] = .string(name)
    return .dictionary(fields)
  }

  static let all: [InvalidObject] =
    [
      "NSValue", "NSDecimalNumber", "NSURL", "NSMutableString", "NSMutableData", "NSMutableArray", "NSSet", "NSMutableSet", "NSCountedSet",
      "NSOrderedSet", "NSMutableOrderedSet", "NSDictionary", "NSMutableDictionary", "NSIndexPath", "NSIndexSet", "NSMutableIndexSet",
      "NSAttributedString", "NSMutableAttributedString", "NSLocale", "NSTimeZone", "NSCalendar", "NSDateInterval", "NSURLQueryItem",
      "NSRegularExpression", "NSMeasurement", "NSUnit", "NSError",
    ].map { InvalidObject(object($0)) }
    + [
      InvalidObject(["$class": 1]), InvalidObject(["$class": .null]), InvalidObject(["$class": "NSObject"], "object-class"),
      InvalidObject(["$class": "NSString", "string": "a"], "object-class"), InvalidObject(["$class": ""], "object-class"),
      InvalidObject(["$class": "Foundation.NSTask"], "object-class"), InvalidObject(["$class": "nsset", "elements": []], "object-class"),
      InvalidObject(["a": 1, "$$x": 1, "$x": 2], "keys-collide"), InvalidObject(object("NSSet", ["elements": ["a", "a"]]), "keys-collide"),
      InvalidObject(object("NSOrderedSet", ["elements": [1, 1.0]]), "keys-collide"),
      InvalidObject(object("NSDictionary", ["entries": ["a", 1, "a", 2]]), "keys-collide"),
      InvalidObject(object("NSDictionary", ["entries": ["a"]])),
      InvalidObject(object("NSValue", ["point": [1.0]])), InvalidObject(object("NSValue", ["point": [1, 2]])),
      InvalidObject(object("NSValue", ["rect": [1.0, 2.0, 3.0, 4.0, 5.0]])), InvalidObject(object("NSValue", ["range": [1]])),
      InvalidObject(object("NSValue", ["range": [-1, 1]])), InvalidObject(object("NSIndexPath", ["indexes": [-1]])),
      InvalidObject(object("NSIndexPath", ["indexes": [.integer(ArchiveInteger(exactly: UInt64.max) ?? 0)]])),
      InvalidObject(object("NSIndexSet", ["ranges": [0]])), InvalidObject(object("NSIndexSet", ["ranges": [0, 0]])),
      InvalidObject(object("NSIndexSet", ["ranges": [5, 1, 4, 1]])), InvalidObject(object("NSIndexSet", ["ranges": [5, 1, 6, 1]])),
      InvalidObject(object("NSIndexSet", ["ranges": [-1, 1]])),
      InvalidObject(object("NSIndexSet", ["ranges": [1, .integer(.max)]])),
      InvalidObject(object("NSMutableIndexSet", ["ranges": [.integer(.max), 1]])),
      InvalidObject(object("NSIndexSet", ["ranges": [2, .integer(.max - 1)]])),
      InvalidObject(object("NSIndexSet", ["ranges": [0, .integer(.max), .integer(.max), 1]])),
      InvalidObject(object("NSLocale", ["identifier": "a/b"])), InvalidObject(object("NSLocale", ["identifier": 1])),
      InvalidObject(object("NSTimeZone", ["name": "../../etc/passwd"])), InvalidObject(object("NSTimeZone", ["name": "/etc/localtime"])),
      InvalidObject(object("NSTimeZone", ["name": "Nowhere/City"])), InvalidObject(object("NSTimeZone", ["seconds": 64_801])),
      InvalidObject(object("NSTimeZone", ["seconds": .integer(.min)])), InvalidObject(object("NSTimeZone", ["seconds": 1.5])),
      InvalidObject(
        object(
          "NSCalendar", ["identifier": "martian", "firstWeekday": 1, "minimumDays": 1, "timeZone": object("NSTimeZone", ["seconds": 0])])),
      InvalidObject(
        object(
          "NSCalendar", ["identifier": "gregorian", "firstWeekday": 8, "minimumDays": 1, "timeZone": object("NSTimeZone", ["seconds": 0])])),
      InvalidObject(object("NSCalendar", ["identifier": "gregorian", "firstWeekday": 1, "minimumDays": 1, "timeZone": "GMT"])),
      InvalidObject(object("NSDateComponents", ["year": "2026"])), InvalidObject(object("NSDateComponents", ["isLeapMonth": 1])),
      InvalidObject(object("NSDateComponents", ["calendar": object("NSLocale", ["identifier": "a"])])),
      InvalidObject(object("NSDateInterval", ["start": .date(Date(timeIntervalSinceReferenceDate: 0)), "duration": -1.0])),
      InvalidObject(object("NSDateInterval", ["start": .date(Date(timeIntervalSinceReferenceDate: .infinity)), "duration": 1.0])),
      InvalidObject(object("NSDateInterval", ["start": .date(Date(timeIntervalSinceReferenceDate: 0)), "duration": .float(.nan)])),
      InvalidObject(object("NSPersonNameComponents", ["givenName": 1])), InvalidObject(object("NSPersonNameComponents", ["phonetic": "a"])),
      InvalidObject(object("NSRegularExpression", ["pattern": "(", "options": 0])),
      InvalidObject(object("NSRegularExpression", ["pattern": "a", "options": -1])),
      InvalidObject(object("NSUnit", ["symbol": "m", "dimension": "width", "coefficient": 1.0, "constant": 0.0])),
      InvalidObject(object("NSUnit", ["symbol": "m", "dimension": "length", "coefficient": 1])),
      InvalidObject(object("NSMeasurement", ["value": 1.0, "unit": "m"])),
      InvalidObject(object("NSError", ["domain": "a", "code": 1, "userInfo": []])),
      InvalidObject(object("NSError", ["domain": "a", "code": 1, "userInfo": object("NSDictionary", ["entries": [1, 2]])])),
      InvalidObject(object("NSError", ["domain": "a", "code": 1, "userInfo": ["a": object("Nothing")]]), "object-class"),
      InvalidObject(object("NSValue", ["edgeInsets": [1.0, 2.0, 3.0]])),
      InvalidObject(object("NSDecimalNumber", ["decimal": "1.0"])), InvalidObject(object("NSDecimalNumber", ["decimal": "one"])),
      InvalidObject(object("NSURL", ["relative": "a", "base": 1])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [1, [:]]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [3, [:]]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [2]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [-2, [:], 4, [:]]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [2, ["$class": "NSNull"]]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [2, ["a": ["$class": "NSNull"]]]])),
      InvalidObject(object("NSAttributedString", ["string": "ab", "runs": [2, ["a": [1]]]])),
      InvalidObject(object("Article", ["title": 1]), "object-class"), InvalidObject([["$class": "Nothing"]], "object-class"),
      InvalidObject(object("NSSet", ["elements": [object("NSDecimalNumber", ["decimal": "1"])]]), "object-limit"),
      InvalidObject(object("NSDictionary", ["entries": [object("NSDecimalNumber", ["decimal": "1"]), 1]]), "object-limit"),
      InvalidObject(object("NSSet", ["elements": [[]]]), "object-limit"),
      InvalidObject(object("NSSet", ["elements": [.null]]), "object-limit"),
      InvalidObject(object("NSCountedSet", ["elements": [[:]]]), "object-limit"),
      InvalidObject(object("NSDictionary", ["entries": [object("NSSet", ["elements": []]), 1]]), "object-limit"),
      InvalidObject(object("NSOrderedSet", ["elements": [object("NSAttributedString", ["string": "", "runs": []])]]), "object-limit"),
    ]
}

@Suite struct HostileStateTests {
  @Test("an invalid object is an error, and nothing (R-11-3)", arguments: InvalidObject.all)
  func refuses(_ invalid: InvalidObject) throws {
    let archive = try saved(["k": invalid.value, "after": 5])
    let (result, error) = try archive.attempt { coder in
      let object = coder.decodeObject(forKey: "k")
      #expect(coder.decodeInteger(forKey: "after") == 5)
      return object
    }
    #expect(result == nil && code(error) == invalid.code)
  }

  /// 10,000 in the second stage; a test case for each would take longer than its work.
  @Test("random values never trap, whatever is asked", arguments: 0..<4)
  func survives(_ part: UInt64) throws {
    for number in 0..<UInt64(TestStage.count(25, exhaustive: 2500)) { try decodeRandomValue(part * 5000 + number) }
  }

  private func decodeRandomValue(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let state: ArchiveDictionary = ["k": Self.value(&random, depth: 4), "after": 5]
    let archive = try saved(state)
    for name in ScalarConversion.calls.keys.sorted() {
      let (_, error) = try archive.attempt { coder -> String in
        let result = ScalarConversion.calls[name]?(coder) ?? ""
        #expect(coder.decodeInteger(forKey: "after") == 5)
        if coder.error != nil { #expect(result == ScalarConversion.absent[name], "seed \(seed), \(name)") }
        return result
      }
      #expect(
        [
          "none", "wrong-type", "number-out-of-range", "object-class", "object-refused", "object-limit", "keys-collide", "Failure",
          "no-session",
        ].contains(code(error)), "seed \(seed)")
    }
    _ = try archive.attempt { $0.decodeObject(of: [Article.self, Person.self, Link.self, NSArray.self, NSSet.self], forKey: "k") }
    _ = try archive.attempt { coder in (coder.decodePoint(forKey: "k"), coder.decodeRect(forKey: "k"), coder.containsValue(forKey: "k")) }
  }

  private static let names: [ArchiveValue] =
    FoundationCase.containers.map { .string("\($0.objectClass)") } + [
      "NSURL", "NSValue", "NSDecimalNumber", "NSIndexSet", "NSIndexPath", "NSLocale", "NSTimeZone", "NSCalendar", "NSDateComponents",
    ]
    + ["NSDateInterval", "NSPersonNameComponents", "NSURLQueryItem", "NSRegularExpression", "NSMeasurement", "NSUnit", "NSError"]
    + ["Article", "Person", "Editor", "Link", "Failing", "Other", 7]
  private static let fields = [
    "elements", "entries", "string", "runs", "data", "decimal", "relative", "base", "indexes", "ranges", "point", "rect", "range", "title",
    "author",
    "tags", "next", "other", "$$class", "$$$count", "identifier", "name", "seconds", "timeZone", "firstWeekday", "minimumDays", "locale",
    "year", "month", "isLeapMonth", "calendar", "start", "duration", "givenName", "phonetic", "value", "pattern", "options", "unit",
    "symbol",
    "dimension", "coefficient", "constant", "domain", "code", "userInfo", "edgeInsets",
  ]

  private static func value(_ random: inout SeededGenerator, depth: Int) -> ArchiveValue {
    if depth > 0, random.oneIn(2) {
      var dictionary: ArchiveDictionary = random.oneIn(8) ? [:] : ["$class": random.pick(names)]
      for _ in 0..<random.below(5) { dictionary[random.pick(fields)] = value(&random, depth: depth - 1) }
      return .dictionary(dictionary)
    }
    if depth > 0, random.oneIn(2) { return .array((0..<random.below(5)).map { _ in value(&random, depth: depth - 1) }) }
    switch random.below(9) {
    case 0: return .null
    case 1: return .bool(random.oneIn(2))
    case 2: return .integer(random.pick([0, 1, 2, -1, .max, .min, NSNotFound - 1]))
    case 3: return .float(random.pick([0, 1.5, .nan, .infinity]))
    case 4: return .string(ObjectGenerator.text(&random))
    case 5: return .data(Data())
    case 6: return .url("a:b")
    case 7: return .reference("a/b")
    default: return .date(Date(timeIntervalSinceReferenceDate: 0))
    }
  }

  @Test("texts take time in proportion to their length, whatever they are compared with (R-11-1)")
  func comparesHostileTexts() throws {
    // Normalization sorts these marks by insertion: comparing the text with `==` takes minutes.
    let marks = String(repeating: "\u{301}", count: 150_000) + String(repeating: "\u{327}", count: 150_000)
    let key = String(repeating: "\u{301}", count: 16_000) + String(repeating: "\u{327}", count: 16_000)
    let text = ArchiveValue.string(marks)
    for (value, expected) in [
      (["$class": "NSDecimalNumber", "decimal": text], "wrong-type"), (["$class": text], "object-class"),
      (["$class": "NSSet", "elements": [text]], "object-limit"), (["$class": "NSDictionary", "entries": [text, 1]], "object-limit"),
      (.dictionary([key: 1]), "object-limit"),
      (["$class": "NSAttributedString", "string": "ab", "runs": [2, .dictionary([key: 1])]], "wrong-type"),
      (["$class": "NSUnit", "symbol": "m", "dimension": text, "coefficient": 1.0, "constant": 0.0], "wrong-type"),
      (
        [
          "$class": "NSCalendar", "identifier": text, "firstWeekday": 1, "minimumDays": 1,
          "timeZone": ["$class": "NSTimeZone", "seconds": 0],
        ],
        "wrong-type"
      ),
    ] as [(ArchiveValue, String)] {
      let (_, error) = try saved(["k": value]).attempt { $0.decodeObject(forKey: "k") }
      #expect(code(error) == expected)
    }
  }

  @Test("texts that Foundation hashes alike would take quadratic time, and are refused (R-11-4)")
  func collisions() throws {
    // Foundation's hash of a long text ignores most of it.
    func text(_ number: Int) -> String {
      String(repeating: "a", count: 40) + String(number + 100_000) + String(repeating: "b", count: 200) + String(repeating: "c", count: 40)
    }
    let texts = (0..<1500).map { ArchiveValue.string(text($0)) }
    let isAlike = NSString(string: text(0)).hash == NSString(string: text(1)).hash
    for state: ArchiveDictionary in [
      ["k": ["$class": "NSSet", "elements": .array(texts)]], ["k": ["$class": "NSOrderedSet", "elements": .array(texts)]],
      ["k": .dictionary(ArchiveDictionary((0..<1500).map { (text($0), ArchiveValue.null) }))],
    ] {
      let (_, error) = try saved(state).attempt { $0.decodeObject(forKey: "k") }
      #expect(code(error) == (isAlike ? "object-limit" : "none"))
    }
    // Objects of an app's own class hash alike whatever Foundation does.
    for (count, expected) in [(1000, "none"), (1001, "object-limit")] {
      let set = NSSet(array: (0..<count).map { Namesake("\($0)") })
      #expect(code { _ = try saved { $0.encode(set, forKey: "k") } } == expected)
    }
  }
}
