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

  private static func redacted(_ bytes: [UInt8]) throws -> String {
    String(decoding: try ImportedArchive(decoding: bytes).tree.json(sensitiveValues: .redact), as: UTF8.self)
  }

  @Test("the tag of sensitive values is found however a text form spells it (R-K4-3)")
  func findsTagInEveryForm() throws {
    func xml(_ key: String) -> String {
      "<plist><dict><key>token</key><dict><key>\(key)</key><string>hunter2</string></dict></dict></plist>"
    }
    for key in ["$sensitive", "&#36;sensitive", "&#x24;sensitive", "$<![CDATA[sensitive]]>", "$sens&#105;tive"] {
      let bytes = Array(xml(key).utf8)
      #expect(ImportedArchive.marksSensitiveValues(bytes), "\(key)")
      #expect(!(try Self.redacted(bytes)).contains("hunter2"), "\(key)")
    }
    let wide: [UInt8] = [0xFF, 0xFE, 0, 0] + xml("$sensitive").utf8.flatMap { [$0, 0, 0, 0] as [UInt8] }
    #expect(!(try Self.redacted(wide)).contains("hunter2"), "UTF-32")
    for key in [#""\U0024sensitive""#, #""\044sensitive""#, #""$sens\itive""#] {
      #expect(!(try Self.redacted(Array("{ token = { \(key) = hunter2; }; }".utf8))).contains("hunter2"), "\(key)")
    }
  }

  @Test("a state archive that holds the tag outside of our layout has sensitive values only (R-K4-3)")
  func hidesInStateArchives() throws {
    var root = RawKeyedArchive()
    let tagged = root.addDictionary([("$sensitive", root.add(.string("hunter2")))])
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([])), ("token", tagged)]
    let imported = try ImportedArchive(decoding: root.bytes)
    #expect(imported.source == .uiKit)
    #expect(!String(decoding: imported.tree.json(sensitiveValues: .redact), as: UTF8.self).contains("hunter2"))
  }

  @Test("a state archive that holds the tag in an object, a view or a record has sensitive values only (R-K4-3)")
  func hidesInEveryPart() throws {
    var tagged = RawKeyedArchive()
    tagged.top = [("token", tagged.addDictionary([("$sensitive", tagged.add(.string("hunter2")))]))]
    var object = RawKeyedArchive()
    object.top = [
      ("own", object.add(.string("hunter2"))), ("kViewRestorationDataKey", object.addDictionary([("v", object.add(.data(tagged.bytes)))])),
    ]
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("c"))])), ("c", .data(object.bytes))]
    #expect(!(try Self.redacted(root.bytes)).contains("hunter2"))
    var state = RawSavedState()
    state.addWindow(3)
    let secret = Array("$sensitive hunter2".utf8)
    let plain = RawPropertyList(.object([("x", .string("hunter2"))])).bytes
    state.addRecord(3, "view", [("rchv", tagged.bytes), ("kyds", plain), ("none", secret)])
    let imported = try ImportedArchive(windows: state.windowList, data: state.log)
    let text = String(decoding: imported.tree.json(sensitiveValues: .redact), as: UTF8.self)
    #expect(!text.contains("hunter2") && !text.contains(Data(secret).base64EncodedString()))
    _ = try imported.tree.encoded()
  }

  @Test("a fault in the layout has the offset of its object (chapter 6)")
  func placesFaults() throws {
    var archive = RawKeyedArchive()
    let nodes = ["a", "b"].map { name in
      archive.addDictionary([("identifier", archive.add(.string(name)))] + (name == "b" ? [("x", archive.add(.integer(1)))] : []))
    }
    guard case .uid(let number) = nodes[1] else { return }
    archive.top = [
      ("root", archive.addDictionary([("restorationArchive", archive.add(.integer(1))), ("nodes", archive.addArray(nodes))]))
    ]
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
    let offset = try KeyedArchive(decoding: archive.bytes).objects[Int(number)].offset
    #expect(error?.code == .archiveLayout && error?.offset == offset && offset != nil)
  }

  @Test("a mark outside of states is refused, and not dropped (R-K4-2)")
  func refusesMarkInHeader() throws {
    var archive = RawKeyedArchive()
    let header = archive.addDictionary([("com.x", archive.addDictionary([("$sensitive", archive.add(.string("hunter2")))]))])
    archive.top = [("root", archive.addDictionary([("restorationArchive", archive.add(.integer(1))), ("header", header)]))]
    #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
  }

  @Test("a mark in attributes is refused too (R-K4-2)")
  func refusesMarkInAttributes() throws {
    var archive = RawKeyedArchive()
    let marked = archive.addDictionary([("com.x", archive.addDictionary([("$sensitive", archive.add(.string("hunter2")))]))])
    let node = archive.addDictionary([("identifier", archive.add(.string("n"))), ("attributes", marked)])
    archive.top = [
      ("root", archive.addDictionary([("restorationArchive", archive.add(.integer(1))), ("nodes", archive.addArray([node]))]))
    ]
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
    #expect(error?.code == .archiveLayout)
  }

  @Test("every text of a url comes back from a keyed archive (R-K4-1, R-K4-4)", arguments: ["$null", "http://a", "a b", "$", "\u{0}"])
  func keepsURLs(_ text: String) throws {
    let tree = ArchiveTree(applicationState: ["url": .url(text)], nodes: [ArchiveNode("$null", type: "$null", state: ["$null": "$null"])])
    #expect(try ImportedArchive(decoding: [UInt8](tree.keyedArchive())).tree == tree)
  }

  @Test("the text of an NSURL may be an NSString (R-K4-1)")
  func readsTextOfURL() throws {
    var archive = RawKeyedArchive()
    let text = archive.add("NSString", [("NS.string", .string("$null"))])
    archive.top = [("url", archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", text)]))]
    #expect(try ImportedArchive(decoding: archive.bytes).tree.applicationState == ["url": .url("$null")])
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
