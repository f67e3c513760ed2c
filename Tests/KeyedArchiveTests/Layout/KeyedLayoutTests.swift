import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Archives of ours as keyed archives.
@Suite struct KeyedLayoutTests {
  static func trees() throws -> [CorpusFile] { try Corpus.files { $0.expectation?.outcome == .valid && $0.bytes.count < 100_000 } }

  @Test("every valid archive of the corpus comes back with the same bytes (R-K4-1)", arguments: try trees())
  func isLossless(_ file: CorpusFile) throws {
    guard let tree = try? ArchiveTree(decoding: ArchiveReader(file.bytes)) else { return }
    let keyed = try tree.keyedArchive()
    let imported = try ImportedArchive(decoding: [UInt8](keyed))
    #expect(imported.source == .restorationArchive)
    #expect(imported.tree == tree)
    #expect(try imported.tree.encoded() == Data(file.bytes))
  }

  @Test("a second reader finds what the Spec says", arguments: TestStage.seeds(20, exhaustive: 500))
  func isReadByOthers(_ seed: UInt64) throws {
    var generator = TreeGenerator(seed: seed)
    let tree = generator.tree()
    #expect(try SlowKeyedArchive.read([UInt8](tree.keyedArchive())).sorted == KeyedForm.expected(of: tree).sorted, "seed \(seed)")
  }

  /// What the layout uses.
  private static let classes: [AnyClass] = [
    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self, NSUUID.self, NSURL.self, NSNull.self,
  ]

  @Test("Foundation's unarchiver reads it", arguments: TestStage.seeds(20, exhaustive: 500))
  func isReadByFoundation(_ seed: UInt64) throws {
    var generator = TreeGenerator(seed: seed)
    let tree = generator.tree()
    let root = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.classes, from: tree.keyedArchive()))
    let expected = KeyedForm.expected(of: tree).sorted
    let found = try UnarchivedForm.plain(root).asFoundationKeepsIt.sorted
    #expect(found.difference(from: expected.asFoundationKeepsIt.sorted) == nil, "seed \(seed)")
  }

  @Test("a tree that no archive can store is refused")
  func refuses() {
    let tree = ArchiveTree(nodes: [ArchiveNode("a"), ArchiveNode("a")])
    let error = #expect(throws: KeyedArchiveError.self) { try tree.keyedArchive() }
    #expect(error?.code == .notExpressible)
    #expect(error?.description.contains("R-3.1-3") == true)
  }
}

extension PlainPropertyList {
  /// The value without the keys that Swift's dictionaries take for one (two normal forms of a text), and with one NaN:
  /// Foundation's numbers lose the bits of others.
  var asFoundationKeepsIt: PlainPropertyList {
    switch self {
    case .array(let elements): .array(elements.map(\.asFoundationKeepsIt))
    case .dictionary(let entries):
      .dictionary(
        entries.filter { !"\($0.key)".contains("195, 169") && !"\($0.key)".contains("204, 129") }
          .map { PlainEntry(key: $0.key, value: $0.value.asFoundationKeepsIt) })
    case .real(let bits) where Double(bitPattern: bits).isNaN: .number(.nan)
    case .date(let bits) where Double(bitPattern: bits).isNaN: .date(Double.nan.bitPattern)
    default: self
    }
  }
}

/// What Foundation's unarchiver gives, as a tree in the form of ``KeyedForm``.
enum UnarchivedForm {
  static func plain(_ object: Any) throws -> PlainPropertyList {
    switch object {
    case is NSNull: return .null
    case let url as URL: return .object([("url", .string(url.absoluteString))])
    case let url as NSURL: return .object([("url", .string(url.absoluteString))])
    case let uuid as UUID: return .object([("uuid", .data(unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }))])
    case let array as [Any]: return .array(try array.map(plain))
    case let dictionary as [String: Any]: return .object(try dictionary.map { ($0.key, try plain($0.value)) })
    default: return try FoundationForm.plain(object)
    }
  }
}
