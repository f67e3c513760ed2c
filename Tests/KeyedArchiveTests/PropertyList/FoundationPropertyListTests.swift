import Foundation
import KeyedArchive
import KeyedArchiveKit
import TestStage
import Testing

/// Property lists of Foundation and ours, from seeded random lists, in both directions.
@Suite struct FoundationPropertyListTests {
  @Test("binary and XML lists of PropertyListSerialization read back equal", arguments: TestStage.seeds(40, exhaustive: 1000))
  func readsFoundation(_ seed: UInt64) throws {
    var generator = PlainPropertyListGenerator(seed: seed)
    let list = generator.list()
    let object = FoundationForm.object(list)
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
      let read = try PropertyList(decoding: [UInt8](data)).plain()
      #expect(read.sorted == list.sorted, "seed \(seed), \(format == .xml ? "xml" : "binary")")
    }
  }

  @Test("our binary lists read back equal by PropertyListSerialization", arguments: TestStage.seeds(40, exhaustive: 1000))
  func writesForFoundation(_ seed: UInt64) throws {
    var generator = PlainPropertyListGenerator(seed: seed)
    let list = generator.list()
    let ours = try PropertyList(decoding: RawPropertyList(list).bytes).encodedBinary()
    let object = try unsafe PropertyListSerialization.propertyList(from: Data(ours), options: [], format: nil)
    #expect(try FoundationForm.plain(object).sorted == list.sorted, "seed \(seed)")
  }

  /// A type with a field of each kind.
  struct Sample: Codable, Equatable {
    var name: String
    var count: Int
    var big: UInt64
    var ratio: Double
    var flag: Bool
    var date: Date
    var data: Data
    var words: [String]
    var nested: [String: [Int]]
  }

  static func sample(_ seed: UInt64) -> Sample {
    let date = Date(timeIntervalSinceReferenceDate: Double(seed) * 86_399)
    return Sample(
      name: "é<\(seed)>", count: Int(seed) - 20, big: .max - seed, ratio: 1 / (Double(seed) + 3), flag: seed % 2 == 0, date: date,
      data: Data(repeating: UInt8(seed % 251), count: Int(seed)), words: ["a", "b", "a"], nested: ["x": [1, 2], "y": []])
  }

  @Test("lists of PropertyListEncoder read back, and ours by PropertyListDecoder", arguments: TestStage.seeds(20, exhaustive: 500))
  func agreesWithCoders(_ seed: UInt64) throws {
    let sample = Self.sample(seed)
    let encoder = PropertyListEncoder()
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      encoder.outputFormat = format
      let list = try PropertyList(decoding: [UInt8](encoder.encode(sample)))
      let plain = list.plain()
      #expect(plain["name"] == .string(sample.name))
      #expect(plain["big"] == .integer(Int128(sample.big)))
      #expect(plain["ratio"] == .number(sample.ratio))
      #expect(plain["date"] == .date(sample.date.timeIntervalSinceReferenceDate.bitPattern))
      #expect(plain["data"] == .data([UInt8](sample.data)))
      #expect(plain["words"] == .array([.string("a"), .string("b"), .string("a")]))
      #expect(try PropertyListDecoder().decode(Sample.self, from: Data(list.encodedBinary())) == sample)
    }
  }
}

/// Foundation's objects for plain lists, and back.
enum FoundationForm {
  static func object(_ list: PlainPropertyList) -> Any {
    switch list {
    case .bool(let value): return NSNumber(value: value)
    case .integer(let value): return NSNumber(value: Int64(value))
    case .real(let bits): return NSNumber(value: Double(bitPattern: bits))
    case .date(let bits): return NSDate(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    case .data(let bytes): return NSData(data: Data(bytes))
    case .text(let text): return NSString(string: String(decoding: text, as: UTF8.self))
    case .array(let elements): return NSArray(array: elements.map(object))
    case .dictionary(let entries):
      let dictionary = NSMutableDictionary()
      for entry in entries {
        if case .text(let key) = entry.key { dictionary[NSString(string: String(decoding: key, as: UTF8.self))] = object(entry.value) }
      }
      return dictionary
    case .null, .uid, .set: return NSNull()
    }
  }

  static func plain(_ object: Any) throws -> PlainPropertyList {
    switch object {
    case let number as NSNumber:
      switch unsafe String(cString: number.objCType) {
      case "c", "B": return .bool(number.boolValue)
      case "d", "f": return .number(number.doubleValue)
      case "Q": return .integer(Int128(number.uint64Value))
      default: return .integer(Int128(number.int64Value))
      }
    case let text as String: return .string(text)
    case let data as Data: return .data([UInt8](data))
    case let date as Date: return .date(date.timeIntervalSinceReferenceDate.bitPattern)
    case let array as [Any]: return .array(try array.map(plain))
    case let dictionary as [String: Any]: return .object(try dictionary.map { ($0.key, try plain($0.value)) })
    default: throw CocoaError(.propertyListReadCorrupt)
    }
  }
}
