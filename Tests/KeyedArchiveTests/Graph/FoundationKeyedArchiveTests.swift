import Foundation
import KeyedArchive
import KeyedArchiveKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Keyed archives that Foundation's own archiver writes read back equal.
@Suite struct FoundationKeyedArchiveTests {
  @Test("random graphs of Foundation's value classes read back equal", arguments: TestStage.seeds(40, exhaustive: 1000))
  func readsFoundation(_ seed: UInt64) throws {
    var generator = FoundationGraphGenerator(seed: seed)
    let (object, expected) = generator.graph()
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let archiver = NSKeyedArchiver(requiringSecureCoding: false)
      archiver.outputFormat = format
      archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
      archiver.encode(seed % 2 == 0, forKey: "flag")
      archiver.encode(Int(seed), forKey: "count")
      archiver.encode(0.5, forKey: "ratio")
      archiver.finishEncoding()
      let archive = try KeyedArchive(decoding: [UInt8](archiver.encodedData))
      let found = archive.plain(try #require(archive["root"])).sorted
      #expect(found.difference(from: expected.sorted) == nil, "seed \(seed)")
      #expect(archive.plain(try #require(archive["flag"])) == .bool(seed % 2 == 0))
      #expect(archive.plain(try #require(archive["count"])) == .integer(Int128(seed)))
      #expect(archive.plain(try #require(archive["ratio"])) == .number(0.5))
    }
  }

  @Test("objects of an app's classes are inert records; circles and sharing are kept")
  func keepsCircles() throws {
    let (first, second) = (SampleNote("first"), SampleNote("second"))
    first.next = second
    second.next = first
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode([first, second, first] as NSArray, forKey: "notes")
    archiver.finishEncoding()
    let archive = try KeyedArchive(decoding: [UInt8](archiver.encodedData))
    guard case .array(let notes)? = archive["notes"].map(archive.resolve), case .record(let fields) = archive.resolve(notes[0]) else {
      Issue.record("no records")
      return
    }
    #expect(notes[0] == notes[2])
    #expect(Set(fields.map(\.key)) == ["title", "next", "row"])
    #expect(fields.first { $0.key == "next" }?.value == notes[1])
    #expect(fields.first { $0.key == "row" }?.value == .integer(7))
    if case .object(let number) = notes[0] { #expect(archive.objects[number].type?.name.hasSuffix("Note") == true) }
    // The circle is out of line, and the import ends.
    let imported = try ImportedArchive(decoding: [UInt8](archiver.encodedData))
    #expect(imported.hasOutOfLineObjects)
    #expect(imported.tree.applicationState["$objects"] != nil)
    _ = try imported.tree.encoded()
  }
}

/// A class of an app.
final class SampleNote: NSObject, NSSecureCoding {
  static let supportsSecureCoding = true
  let title: String
  var next: SampleNote?

  init(_ title: String) { self.title = title }
  init?(coder: NSCoder) { title = "" }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "title")
    coder.encode(next, forKey: "next")
    coder.encode(7, forKey: "row")
  }
}

/// Random graphs of Foundation's value classes, with what they must read as.
struct FoundationGraphGenerator {
  private var random: SeededGenerator
  // On Linux, equal instances of NSNull, and equal ordered sets of the two classes, have different hashes, and
  // Foundation's archiver traps on them. A graph therefore has one null, and one class of ordered sets.
  private let null = NSNull()
  private let hasMutableOrderedSets: Bool
  private let texts = ["", "a", "é", "日本", "$null", "NS.objects", "long \(String(repeating: "x", count: 200))"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    hasMutableOrderedSets = seed % 2 == 0
  }

  mutating func graph() -> (NSObject, PlainPropertyList) {
    value(depth: 0)
  }

  private mutating func value(depth: Int) -> (NSObject, PlainPropertyList) {
    switch random.below(depth < 4 ? 15 : 8) {
    case 0:
      let flag = random.oneIn(2)
      return (NSNumber(value: flag), .bool(flag))
    case 1:
      // Foundation's archiver writes equal numbers once, and takes 0 and 1 for equal to Boolean values.
      let number = Int64(truncatingIfNeeded: random.next() >> UInt64(random.below(64)) | 2)
      return (NSNumber(value: number), .integer(Int128(number)))
    case 2:
      let number = random.pick([0.5, 1e300, -0.1])
      return (NSNumber(value: number), .number(number))
    case 3:
      let bytes = (0..<random.below(40)).map { UInt8($0) }
      return (random.oneIn(2) ? NSData(data: Data(bytes)) : NSMutableData(data: Data(bytes)), .data(bytes))
    case 4:
      let seconds = Double(random.below(1_000_000)) / 8
      return (NSDate(timeIntervalSinceReferenceDate: seconds), .date(seconds.bitPattern))
    case 5:
      let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      return (unsafe NSUUID(uuidBytes: bytes), .object([("uuid", .data(bytes))]))
    case 6:
      return (
        NSURL(string: "https://example.org/a?b=1") ?? NSURL(fileURLWithPath: "/"), .object([("url", .string("https://example.org/a?b=1"))])
      )
    case 7:
      let text = random.pick(texts)
      return (random.oneIn(2) ? NSString(string: text) : NSMutableString(string: text), .string(text))
    case 8, 9:
      let (objects, plain) = values(depth)
      return (random.oneIn(2) ? NSArray(array: objects) : NSMutableArray(array: objects), .array(plain))
    case 10:
      let numbers = (2..<(2 + random.below(6))).map { NSNumber(value: $0) }
      return (random.oneIn(2) ? NSSet(array: numbers) : NSMutableSet(array: numbers), .set(numbers.map { .integer(Int128($0.int64Value)) }))
    case 11:
      let numbers = (2..<(2 + random.below(14))).map { NSNumber(value: $0) }
      let set = hasMutableOrderedSets ? NSOrderedSet(array: numbers) : NSMutableOrderedSet(array: numbers)
      return (set, .array(numbers.map { .integer(Int128($0.int64Value)) }))
    case 12: return (null, .null)
    default:
      let dictionary = NSMutableDictionary()
      var entries: [(String, PlainPropertyList)] = []
      for key in texts.prefix(random.below(6)) where !key.hasPrefix("$") {
        let (object, plain) = value(depth: depth + 1)
        dictionary[NSString(string: key)] = object
        entries.append((key, plain))
      }
      return (random.oneIn(2) ? dictionary : NSDictionary(dictionary: dictionary as? [AnyHashable: Any] ?? [:]), .object(entries))
    }
  }

  private mutating func values(_ depth: Int) -> ([NSObject], [PlainPropertyList]) {
    let values = (0..<random.below(5)).map { _ in value(depth: depth + 1) }
    return (values.map(\.0), values.map(\.1))
  }
}

extension KeyedArchive {
  /// A value as a tree, in the form of ``SlowKeyedArchive``.
  func plain(_ value: KeyedValue) -> PlainPropertyList {
    switch resolve(value) {
    case .null, .bare(.null): return .null
    case .bare(.bool(let value)): return .bool(value)
    case .bare(.integer(let value)): return .integer(value)
    case .bare(.real(let value)): return .number(value)
    case .bare(.string(let text)), .string(let text): return .string(text)
    case .bare(.data(let bytes)), .data(let bytes): return .data(bytes)
    case .bare(.date(let seconds)), .date(let seconds): return .date(seconds.bitPattern)
    case .uuid(let bytes): return .object([("uuid", .data(bytes))])
    case .url(_, let text): return .object([("url", .string(text))])
    case .array(let values), .orderedSet(let values), .bare(.array(let values)): return .array(values.map(plain))
    case .set(let values): return .set(values.map(plain))
    case .dictionary(let entries): return .dictionary(entries.map { PlainEntry(key: plain($0.key), value: plain($0.value)) })
    case .bare, .record, .classDescription: return .string("a record")
    }
  }
}
