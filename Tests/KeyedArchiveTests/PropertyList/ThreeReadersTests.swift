import Foundation
import KeyedArchive
import KeyedArchiveKit
import ProcessKit
import PropertyKit
import TestStage
import Testing

/// Generated lists, valid and oddly written, read by this package, by Foundation and by Python's `plistlib`.
///
/// Each list is known, so that this package is right or wrong by itself. The others may differ only where a feature of
/// the list says so: `foundationDiffers` and `pythonDiffers` are the whole of their disagreement, and say who is right.
@Suite struct ThreeReadersTests {
  private typealias Feature = OddListWriter.Feature

  /// Foundation keeps one value of a repeated key, and drops the last bytes of base64 without padding.
  private static let foundationDiffers: Set<Feature> = [.repeatedKey, .noPadding]
  /// Python refuses more.
  ///
  /// Half of a surrogate pair, bytes above 127 under ASCII, base64 without padding, years it does not
  /// know and times that do not exist, attributes that XML does not allow, anything behind the end, an integer with a plus
  /// sign and a base, and lists that begin with a comment or a document type. It keeps the last value of a repeated key.
  private static let pythonDiffers: Set<Feature> = [
    .repeatedKey, .noPadding, .behindEnd, .oddAttribute, .impossibleDate, .farDate, .unusualInteger, .beforeProlog, .latin1, .loneSurrogate,
    .utf16, .documentTypeFirst,
  ]

  private struct Sample {
    let seed: UInt64
    let bytes: [UInt8]
    let list: PlainPropertyList
    let features: Set<Feature>
  }

  /// 5,000 in the second stage.
  private static var samples: [Sample] {
    TestStage.seeds(300, exhaustive: 5000).map { seed in
      var generator = PlainPropertyListGenerator(seed: seed)
      var writer = OddListWriter(seed: seed)
      let (bytes, list) = writer.write(generator.list())
      return Sample(seed: seed, bytes: bytes, list: list, features: writer.features)
    }
  }

  @Test("every list is read as what it stands for, with a note exactly if it is odd; a strict reader refuses the odd ones (R-K2-6)")
  func readsAll() throws {
    let odd: Set<Feature> = [
      .repeatedKey, .noPadding, .behindEnd, .oddAttribute, .impossibleDate, .latin1, .loneSurrogate, .unusedObject,
    ]
    for sample in Self.samples {
      let list: PropertyList
      do {
        list = try PropertyList(decoding: sample.bytes)
      } catch {
        Issue.record("seed \(sample.seed), \(sample.features): \(error)")
        continue
      }
      #expect(list.plain() == sample.list, "seed \(sample.seed), \(sample.features): \(list.plain().difference(from: sample.list) ?? "")")
      let isOdd = !sample.features.isDisjoint(with: odd)
      #expect(list.oddities.isEmpty == !isOdd, "seed \(sample.seed), \(sample.features): \(list.oddities)")
      #expect(((try? PropertyList(decoding: sample.bytes, tolerance: .strict)) == nil) == isOdd, "seed \(sample.seed)")
    }
  }

  #if !canImport(ObjectiveC)
    @Test("Foundation reads every list alike, except for what is known")
    func agreesWithFoundation() throws {
      var differing: Set<Feature> = []
      for sample in Self.samples {
        let object = try? unsafe PropertyListSerialization.propertyList(from: Data(sample.bytes), options: [], format: nil)
        let plain = try object.map { try FoundationForm.plain($0) }
        Self.compare(sample, isEqual: plain?.sorted == sample.list.sorted, Self.foundationDiffers, &differing)
      }
      Self.expectAll(Self.foundationDiffers, in: differing)
    }
  #endif

  @Test(
    "Python's plistlib reads every list alike, except for what is known",
    .enabled(if: hasPython, "python3 is not installed here: this comparison is known to be absent"))
  func agreesWithPython() throws {
    let folder = try TemporaryFolder()
    let samples = Self.samples
    for sample in samples { try Data(sample.bytes).write(to: folder.url("\(sample.seed).plist")) }
    let result = try TestProcess.run("/usr/bin/env", ["python3", "-c", Self.program, folder.url("").path])
    #expect(result.status == 0, "\(result.error)")
    let answers = Dictionary(
      result.text.split(separator: "\n").map { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }, uniquingKeysWith: { first, _ in first })
    #expect(answers.count == samples.count)
    var differing: Set<Feature> = []
    for sample in samples {
      let isEqual = answers["\(sample.seed).plist"] == Self.text(sample.list)
      Self.compare(sample, isEqual: isEqual, Self.pythonDiffers, &differing)
    }
    Self.expectAll(Self.pythonDiffers, in: differing)
  }

  /// Expects that a list is read alike, unless one of its features is known to be read otherwise.
  private static func compare(_ sample: Sample, isEqual: Bool, _ known: Set<Feature>, _ differing: inout Set<Feature>) {
    if isEqual { return }
    let features = sample.features.intersection(known)
    #expect(!features.isEmpty, "seed \(sample.seed): read otherwise, with \(sample.features.map(\.rawValue).sorted())")
    // Of a list with several features it is not known which one was the reason.
    if features.count == 1 { differing.formUnion(features) }
  }

  /// Expects that each known difference occurs: in the second stage, there are enough lists for all of them.
  private static func expectAll(_ known: Set<Feature>, in differing: Set<Feature>) {
    guard TestStage.isExhaustive else { return }
    #expect(known.subtracting(differing).isEmpty)
  }

  static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/python3")
  }

  /// Returns the line of the program for a value.
  private static func text(_ value: PlainPropertyList) -> String {
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    func bits(_ bits: UInt64) -> String { hex(RawPropertyList.integer(bits, 8)) }
    switch value {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .integer(let value): return "integer \(value)"
    case .real(let value): return "real \(bits(value))"
    case .date(let value): return "date \(bits(value))"
    case .data(let data): return "data \(hex(data))"
    case .text(let bytes): return "text \(hex(bytes))"
    case .uid(let uid): return "uid \(uid)"
    case .array(let elements), .set(let elements): return "[\(elements.map(text).joined(separator: ", "))]"
    case .dictionary(let entries):
      let lines = entries.map { (key: text($0.key), value: text($0.value)) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      return "{\(lines.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
    }
  }

  /// Prints the name and content of each file of a folder, or "refused".
  private static let program = """
    import datetime, os, plistlib, struct, sys

    def text(value):
        if value is True or value is False: return str(value).lower()
        if isinstance(value, int): return 'integer ' + str(value)
        if isinstance(value, float): return 'real ' + struct.pack('>d', value).hex()
        if isinstance(value, str): return 'text ' + value.encode('utf-8').hex()
        if isinstance(value, bytes): return 'data ' + value.hex()
        if isinstance(value, datetime.datetime):
            return 'date ' + struct.pack('>d', (value - datetime.datetime(2001, 1, 1)).total_seconds()).hex()
        if isinstance(value, list): return '[' + ', '.join(text(element) for element in value) + ']'
        return '{' + ', '.join(key + ': ' + inner for key, inner in sorted((text(key), text(inner)) for key, inner in value.items())) + '}'

    for name in sorted(os.listdir(sys.argv[1])):
        try:
            with open(os.path.join(sys.argv[1], name), 'rb') as file: answer = text(plistlib.load(file))
        except Exception as error: answer = 'refused: ' + type(error).__name__
        print(name + '\\t' + answer)
    """
}
