import Foundation
import RestorationNSCoder
import Testing

/// A row of the table of objects in the article "Foundation's objects".
struct BridgeObject: Sendable {
  /// How the object is made.
  let name: String
  let make: @Sendable () -> Any
  /// Whether Foundation's coder on Linux ends the process for it.
  var endsFoundation = false

  init(_ name: String, endsFoundation: Bool = false, _ make: @escaping @Sendable () -> Any) {
    self.name = name
    self.endsFoundation = endsFoundation
    self.make = make
  }

  private static let day = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
  private static func url(_ text: String) -> NSURL { NSURL(string: text) ?? NSURL(fileURLWithPath: "/") }

  static let all: [BridgeObject] = values + collections + structures + foundation + others + impossible

  private static let values: [BridgeObject] = [
    BridgeObject("NSString(\"text\")") { NSString(string: "text") }, BridgeObject("NSString(\"\")") { NSString(string: "") },
    BridgeObject("NSString(\"é, composed\")") { NSString(string: "\u{E9}") },
    BridgeObject("NSString(\"é, decomposed\")") { NSString(string: "e\u{301}") },
    BridgeObject("NSString with U+0000") { NSString(string: "a\0b") }, BridgeObject("NSString(\"$null\")") { NSString(string: "$null") },
    BridgeObject("NSMutableString") { NSMutableString(string: "text") },
    BridgeObject("NSNumber(true)") { NSNumber(value: true) }, BridgeObject("NSNumber(false)") { NSNumber(value: false) },
    BridgeObject("NSNumber(0)") { NSNumber(value: 0) }, BridgeObject("NSNumber(-1)") { NSNumber(value: -1) },
    BridgeObject("NSNumber(Int8.min)") { NSNumber(value: Int8.min) }, BridgeObject("NSNumber(UInt8.max)") { NSNumber(value: UInt8.max) },
    BridgeObject("NSNumber(Int16.min)") { NSNumber(value: Int16.min) },
    BridgeObject("NSNumber(UInt16.max)") { NSNumber(value: UInt16.max) },
    BridgeObject("NSNumber(Int32.min)") { NSNumber(value: Int32.min) },
    BridgeObject("NSNumber(UInt32.max)") { NSNumber(value: UInt32.max) },
    BridgeObject("NSNumber(Int.min)") { NSNumber(value: Int.min) }, BridgeObject("NSNumber(Int.max)") { NSNumber(value: Int.max) },
    BridgeObject("NSNumber(UInt64.max)") { NSNumber(value: UInt64.max) }, BridgeObject("NSNumber(1.5)") { NSNumber(value: 1.5) },
    BridgeObject("NSNumber(-0.0)") { NSNumber(value: -0.0) },
    BridgeObject("NSNumber(Double.infinity)") { NSNumber(value: Double.infinity) },
    BridgeObject("NSNumber(Float.pi)") { NSNumber(value: Float.pi) },
    BridgeObject("NSDecimalNumber(1.10)", endsFoundation: true) { NSDecimalNumber(string: "1.10") },
    BridgeObject("NSDecimalNumber(38 digits)", endsFoundation: true) { NSDecimalNumber(string: "12345678901234567890123456789012345678") },
    BridgeObject("NSDecimalNumber.notANumber", endsFoundation: true) { NSDecimalNumber.notANumber },
    BridgeObject("NSData(3 bytes)") { NSData(data: Data([1, 2, 3])) }, BridgeObject("NSData(empty)") { NSData() },
    BridgeObject("NSMutableData") { NSMutableData(data: Data([1])) },
    BridgeObject("NSDate") { NSDate(timeIntervalSinceReferenceDate: 1.25) },
    BridgeObject("NSDate.distantPast") { NSDate.distantPast as NSDate },
    BridgeObject("NSDate.distantFuture") { NSDate.distantFuture as NSDate },
    BridgeObject("NSUUID") { NSUUID(uuidString: "01020304-0506-0708-090A-0B0C0D0E0F10") ?? NSUUID() },
    BridgeObject("NSURL(absolute)") { url("https://example.org/a?b#c") },
    BridgeObject("NSURL(relative to a base)") {
      NSURL(string: "c", relativeTo: URL(string: "https://example.org/a/")) ?? NSURL(fileURLWithPath: "/")
    },
    BridgeObject("NSURL(file)") { NSURL(fileURLWithPath: "/tmp/a b") }, BridgeObject("NSNull") { NSNull() },
  ]

  private static let collections: [BridgeObject] = [
    BridgeObject("NSArray(empty)") { NSArray() }, BridgeObject("NSArray of values") { NSArray(array: ["a", 1, 2.5, true]) },
    BridgeObject("NSArray with NSNull") { NSArray(array: [NSNull()]) },
    BridgeObject("NSArray in NSArray") { NSArray(array: [NSArray(array: [1])]) },
    BridgeObject("NSMutableArray") { NSMutableArray(array: ["a"]) }, BridgeObject("NSDictionary(empty)") { NSDictionary() },
    BridgeObject("NSDictionary of strings") { NSDictionary(dictionary: ["a": 1, "b": "c"]) },
    BridgeObject("NSDictionary with keys from $") { NSDictionary(dictionary: ["$class": "x", "$0": 1]) },
    BridgeObject("NSDictionary of numbers") { NSDictionary(dictionary: [1: "a", 2: "b"]) },
    BridgeObject("NSDictionary of dates") { NSDictionary(dictionary: [day: "a"]) },
    BridgeObject("NSMutableDictionary") { NSMutableDictionary(dictionary: ["a": 1]) },
    BridgeObject("NSSet(empty)") { NSSet() }, BridgeObject("NSSet of strings") { NSSet(array: ["a", "b"]) },
    BridgeObject("NSSet of numbers") { NSSet(array: [1, 2, 3]) }, BridgeObject("NSMutableSet") { NSMutableSet(array: ["a"]) },
    BridgeObject("NSCountedSet") { NSCountedSet(array: ["a", "b", "a"]) },
    BridgeObject("NSOrderedSet") { NSOrderedSet(array: ["b", "a"]) },
    BridgeObject("NSMutableOrderedSet") { NSMutableOrderedSet(array: ["b", "a"]) },
    BridgeObject("NSIndexSet(empty)") { NSIndexSet() },
    BridgeObject("NSIndexSet(one range)") { NSIndexSet(indexesIn: NSRange(location: 3, length: 4)) },
    BridgeObject("NSIndexSet(several ranges)") { NSIndexSet(indexSet: IndexSet([1, 2, 5, 9])) },
    BridgeObject("NSIndexSet(0 to NSNotFound - 1)") { NSIndexSet(indexesIn: NSRange(location: 0, length: NSNotFound)) },
    BridgeObject("NSIndexSet(NSNotFound - 1)") { NSIndexSet(index: NSNotFound - 1) },
    BridgeObject("NSIndexSet(50 before NSNotFound)") { NSIndexSet(indexesIn: NSRange(location: NSNotFound - 50, length: 50)) },
    BridgeObject("NSMutableIndexSet") { NSMutableIndexSet(indexesIn: NSRange(location: 3, length: 4)) },
    BridgeObject("NSIndexPath(empty)") { IndexPath() as NSIndexPath },
    BridgeObject("NSIndexPath(1, 2, 3)") { IndexPath(indexes: [1, 2, 3]) as NSIndexPath },
    BridgeObject("NSAttributedString(plain)") { NSAttributedString(string: "abc") },
    BridgeObject("NSAttributedString(empty)") { NSAttributedString(string: "") },
    BridgeObject("NSAttributedString(number)") { NSAttributedString(string: "abc", attributes: [.init("n"): 1]) },
    BridgeObject("NSAttributedString(URL)") { NSAttributedString(string: "abc", attributes: [.init("NSLink"): url("http://a")]) },
    BridgeObject("NSMutableAttributedString(two runs)") {
      let text = NSMutableAttributedString(string: "one two")
      text.addAttribute(.init("k"), value: "v", range: NSRange(location: 4, length: 3))
      return text
    },
  ]

  private static let structures: [BridgeObject] = [
    BridgeObject("NSValue(point)") { NSValue(point: CGPoint(x: 1, y: 2)) },
    BridgeObject("NSValue(size)") { NSValue(size: CGSize(width: 1, height: 2)) },
    BridgeObject("NSValue(rect)") { NSValue(rect: CGRect(x: 1, y: 2, width: 3, height: 4)) },
    BridgeObject("NSValue(range)") { NSValue(range: NSRange(location: 1, length: 2)) },
    BridgeObject("NSValue(edgeInsets)") { NSValue(edgeInsets: NSEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)) },
  ]

  private static let foundation: [BridgeObject] = [
    BridgeObject("NSLocale(de_CH)") { NSLocale(localeIdentifier: "de_CH") },
    BridgeObject("NSLocale(with keywords)") { NSLocale(localeIdentifier: "de_DE@collation=phonebook") },
    BridgeObject("NSTimeZone(Europe/Zurich)") { NSTimeZone(name: "Europe/Zurich") ?? NSNull() },
    BridgeObject("NSTimeZone(GMT)") { NSTimeZone(forSecondsFromGMT: 0) },
    BridgeObject("NSTimeZone(3,661 seconds)") { NSTimeZone(forSecondsFromGMT: 3661) },
    BridgeObject("NSCalendar(gregorian)") { NSCalendar(identifier: .gregorian) ?? NSNull() },
    BridgeObject("NSCalendar(buddhist, changed)") {
      let calendar = NSCalendar(identifier: .buddhist)
      calendar?.firstWeekday = 3
      calendar?.minimumDaysInFirstWeek = 4
      calendar?.timeZone = TimeZone(secondsFromGMT: 7200) ?? .current
      calendar?.locale = Locale(identifier: "th_TH")
      return calendar ?? NSNull()
    },
    BridgeObject("NSDateComponents(empty)") { NSDateComponents() },
    BridgeObject("NSDateComponents(date)") {
      let components = NSDateComponents()
      (components.year, components.month, components.day, components.isLeapMonth) = (2026, 11, 26, true)
      return components
    },
    BridgeObject("NSDateComponents(calendar and zone)") {
      let components = NSDateComponents()
      (components.hour, components.calendar, components.timeZone) = (
        7, Calendar(identifier: .gregorian), TimeZone(identifier: "Asia/Tokyo")
      )
      return components
    },
    BridgeObject("NSDateInterval") { NSDateInterval(start: day, duration: 5) },
    BridgeObject("NSPersonNameComponents") {
      let name = NSPersonNameComponents()
      (name.givenName, name.familyName, name.nickname) = ("Anna", "Muster", "A.")
      return name
    },
    BridgeObject("NSURLQueryItem") { NSURLQueryItem(name: "a", value: "b c") },
    BridgeObject("NSURLQueryItem(nil)") { NSURLQueryItem(name: "a", value: nil) },
    BridgeObject("NSRegularExpression") { (try? NSRegularExpression(pattern: "a(b)+", options: [.caseInsensitive])) ?? NSNull() },
    BridgeObject("Unit(\"pages\")") { Unit(symbol: "pages") }, BridgeObject("UnitLength.kilometers") { UnitLength.kilometers },
    BridgeObject("UnitTemperature.fahrenheit") { UnitTemperature.fahrenheit },
    BridgeObject("UnitFuelEfficiency.milesPerGallon") { UnitFuelEfficiency.milesPerGallon },
    BridgeObject("NSMeasurement(length)") { NSMeasurement(doubleValue: 2.5, unit: UnitLength.miles) },
    BridgeObject("NSMeasurement(of a unit alone)") { NSMeasurement(doubleValue: 3, unit: Unit(symbol: "pages")) },
    BridgeObject("NSError(empty)", endsFoundation: true) { NSError(domain: "org.example", code: -3) },
    BridgeObject("NSError(values)", endsFoundation: true) {
      NSError(domain: "org.example", code: 3, userInfo: [NSLocalizedDescriptionKey: "text", "n": 5])
    },
    BridgeObject("NSError(error inside)", endsFoundation: true) {
      NSError(domain: "a", code: 1, userInfo: [NSUnderlyingErrorKey: NSError(domain: "b", code: 2, userInfo: ["url": url("http://a")])])
    },
  ]

  private static let others: [BridgeObject] = [
    BridgeObject("NSAffineTransform") { NSAffineTransform() },
    BridgeObject("NSCharacterSet") { NSCharacterSet(charactersIn: "abc") },
    BridgeObject("NSObject", endsFoundation: true) { NSObject() },
  ]

  private static let impossible: [BridgeObject] = [
    BridgeObject("Set<Decimal>", endsFoundation: true) { Set<Decimal>([1.5]) },
    BridgeObject("[Decimal: String]", endsFoundation: true) { [Decimal(1.5): "a"] },
    BridgeObject("Set<Decimal> in arrays", endsFoundation: true) { [[Set<Decimal>([1.5])]] },
    BridgeObject("NSMutableArray that contains itself", endsFoundation: true) {
      let array = NSMutableArray()
      array.add(array)
      return array
    },
    BridgeObject("NSMutableDictionary that contains itself", endsFoundation: true) {
      let dictionary = NSMutableDictionary()
      dictionary.setObject(NSMutableArray(array: [dictionary]), forKey: NSString("k"))
      return dictionary
    },
    BridgeObject("NSError(Set<Decimal>)", endsFoundation: true) { NSError(domain: "a", code: 1, userInfo: ["a": Set<Decimal>([1.5])]) },
    BridgeObject("NSError(NSMutableArray that contains itself)", endsFoundation: true) {
      let array = NSMutableArray()
      array.add(array)
      return NSError(domain: "a", code: 1, userInfo: ["a": array])
    },
  ]
}

#if !canImport(ObjectiveC)
  /// The table of objects, made from what Foundation's coder and this package's do with each.
  ///
  /// Foundation's answers are those of Linux. `BLESS=1` rewrites the article.
  @Suite struct BridgeTableTests {
    @Test("no object ends the process, and each is equal or an error", arguments: BridgeObject.all.map(\.name))
    func isEqualOrRefused(_ name: String) throws {
      let object = try #require(BridgeObject.all.first { $0.name == name })
      let result = Self.ours(object.make())
      #expect(result == "equal" || result.hasPrefix("object-"), "\(result)")
    }

    @Test("what is said to end the process in Foundation does", arguments: BridgeObject.all.filter(\.endsFoundation).map(\.name))
    func endsFoundation(_ name: String) async throws {
      await #expect(processExitsWith: .failure) { [name] in
        guard let object = BridgeObject.all.first(where: { $0.name == name }) else { return }
        _ = BridgeTableTests.foundation(object.make())
      }
    }

    @Test("the table of the article is that of the objects")
    func tableIsCurrent() throws {
      var rows: [String] = []
      for object in BridgeObject.all {
        let foundation = object.endsFoundation ? "ends the process" : Self.foundation(object.make())
        rows.append("| \(object.name) | \(foundation) | \(Self.ours(object.make())) |")
      }
      let table = "| object | Foundation | here |\n|---|---|---|\n\(rows.joined(separator: "\n"))\n"
      let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/RestorationNSCoder/RestorationNSCoder.docc/FoundationObjects.md").standardized
      let text = try String(contentsOf: url, encoding: .utf8)
      let start = try #require(text.range(of: "| object | Foundation | here |"))
      let updated = text[..<start.lowerBound] + table
      if ProcessInfo.processInfo.environment["BLESS"] == "1" { try updated.write(to: url, atomically: true, encoding: .utf8) }
      #expect(text == updated)
    }

    /// Returns the outcome of Foundation's coder.
    private static func foundation(_ object: Any) -> String {
      guard let object = object as AnyObject as? NSObject else { return "no object" }
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      archiver.encode(object, forKey: "k")
      archiver.finishEncoding()
      guard archiver.error == nil, let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) else { return "an error" }
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      // The classes inside count too: Foundation asks for all of them.
      let inside: [AnyClass] = [
        NSArray.self, NSDictionary.self, NSNull.self, NSURL.self, NSString.self, NSNumber.self, NSData.self, NSDate.self,
      ]
      let decoded = unarchiver.decodeObject(of: [publicClass(of: object)] + inside, forKey: "k") as AnyObject as? NSObject
      guard unarchiver.error == nil else { return "an error" }
      return decoded.map { isEqual($0, object) ? "equal" : "another \(type(of: $0))" } ?? "nil"
    }

    /// Returns the outcome here: equality, or the code of the error.
    private static func ours(_ any: Any) -> String {
      do {
        let archive = try saved { $0.encode(any, forKey: "k") }
        guard let object = any as AnyObject as? NSObject else { return "no object" }
        let decoded = try archive.decode { $0.decodeObject(of: [publicClass(of: object), NSNull.self], forKey: "k") as? NSObject }
        return decoded.map { isEqual($0, object) ? "equal" : "another \(type(of: $0))" } ?? "nil"
      } catch {
        return code(error)
      }
    }

    /// Returns the class to ask for: numbers and values have private ones.
    private static func publicClass(of object: NSObject) -> AnyClass {
      if object is NSNumber, !(object is NSDecimalNumber) { return NSNumber.self }
      return object is NSNumber || !(object is NSValue) ? type(of: object) : NSValue.self
    }

    /// Compares two objects; on Linux, `isEqual` of an interval is false for equal ones.
    private static func isEqual(_ left: NSObject, _ right: NSObject) -> Bool {
      if let left = left as? NSDateInterval, let right = right as? NSDateInterval {
        return left.startDate == right.startDate && left.duration == right.duration
      }
      return left.isEqual(right) && right.isEqual(left)
    }
  }
#endif
