import ArchiveFormat
import Foundation
import Locking
import RestorationArchive
import Testing

/// Texts of hostile files take time in proportion to their length, whatever they are compared with (R-11-1).
///
/// The texts here are runs of combining marks that normalization sorts by insertion: comparing one with `==` takes
/// minutes.
@Suite struct HostileTextTests {
  /// Marks of two classes, all of them in the wrong order.
  static let marks = String(repeating: "\u{301}", count: 150_000) + String(repeating: "\u{327}", count: 150_000)
  /// As many as fit into a key.
  static let key = String(repeating: "\u{301}", count: 16_000) + String(repeating: "\u{327}", count: 16_000)

  @Test("a decimal", arguments: ["", "NaN", "1"])
  func refusesDecimals(_ start: String) throws {
    let coder = try Fixture.coder { try $0.encode(.string(start + Self.marks), forKey: "number") }
    #expect(#expect(throws: ArchiveError.self) { try coder.decode(Decimal.self, forKey: "number") }?.code == .wrongType)
    #expect(#expect(throws: ArchiveError.self) { try coder.decode(Int128.self, forKey: "number") }?.code == .wrongType)
  }

  @Test("a member or a tag of the JSON form")
  func refusesJSON() throws {
    let long = Self.marks
    for (text, code) in [
      (#"{"restorationArchive": 1, "\#(long)": 1}"#, "json-member"),
      (#"{"restorationArchive": 1, "change": "\#(long)"}"#, "json-member"),
      (#"{"restorationArchive": 1, "header": {"\#(long)": 1}}"#, "string-length"),
      (#"{"restorationArchive": 1, "nodes": [{"identifier": "a", "\#(long)": 1}]}"#, "json-member"),
      (#"{"restorationArchive": 1, "nodes": [{"identifier": "a", "change": "\#(long)"}]}"#, "json-member"),
      (#"{"restorationArchive": 1, "application": {"a": {"$\#(long)": 1}}}"#, "json-tag"),
      (#"{"restorationArchive": 1, "application": {"a": {"$float": "\#(long)"}}}"#, "json-tag"),
      (#"{"restorationArchive": 1, "application": {"a": {"$float": "0\#(long)"}}}"#, "json-tag"),
      (#"{"restorationArchive": 1, "application": {"a": {"$date": {"$\#(long)": 1}}}}"#, "json-tag"),
      (#"{"restorationArchive": 1, "application": {"a": {"$uuid": "\#(long)"}}}"#, "json-tag"),
      (#"{"restorationArchive": 1, "application": {"a": {"$data": "\#(long)"}}}"#, "json-tag"),
    ] {
      let error = #expect(throws: ArchiveError.self) { try ArchiveTree(json: Data(text.utf8)) }
      #expect(error?.code.rawValue == code)
    }
  }

  @Test("keys of a dictionary")
  func refusesKeys() throws {
    enum Field: String, CodingKey { case number }
    struct Fields: Decodable {
      let keys: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Field.self)
        keys = container.allKeys.count
        _ = try container.decode(Int.self, forKey: .number)
      }
    }
    let coder = try Fixture.coder {
      try $0.encode(.dictionary([Self.key: 1, "number": 2]), forKey: "counts")
      try $0.encode(.dictionary([String(repeating: "e\u{301}", count: 20_000): 1]), forKey: "fine")
    }
    #expect(try coder.decode([String: Int].self, forKey: "fine").count == 1)
    for attempt in [
      { _ = try coder.decode([String: Int].self, forKey: "counts") }, { _ = try coder.decode(Fields.self, forKey: "counts") },
    ] {
      let error = #expect(throws: ArchiveError.self) { try attempt() }
      #expect(error?.code == .readerLimit && error?.key == "counts" && error?.path == Fixture.path)
    }
    // Whoever compares keys by their bytes reads them all.
    guard case .dictionary(let counts)? = try coder.value(forKey: "counts") else { throw CancellationError() }
    #expect(counts.count == 2 && counts[Self.key] == 1)
  }

  @Test("the keys that were asked for, which are different if their bytes are")
  func accountsForKeys() throws {
    let archive = try Fixture.archive {
      for key in [Self.key, "caf\u{E9}", "cafe\u{301}", "last"] { try $0.encode(1, forKey: key) }
    }
    let keys = ReadKeys()
    let decoder = try StateDecoder(node: try #require(try archive.node(at: Fixture.path)), readKeys: keys)
    #expect(try decoder.decode(Int.self, forKey: "caf\u{E9}") == 1)
    #expect(try decoder.decode(Int.self, forKey: Self.key) == 1)
    #expect(keys.unread.map { Array($0.utf8) } == ["cafe\u{301}", "last"].map { Array($0.utf8) })
  }

  @Test("the text of an error does not grow with its key, and has its end cut off")
  func shortensKeys() throws {
    let key = String(repeating: "k", count: 65_535)
    let coder = try Fixture.coder { try $0.encode(.dictionary(["a": 1, key: 2]), forKey: key) }
    struct Probe: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for name in ["a", String(repeating: "x", count: 65_535)] {
          do {
            _ = try container.decode(String.self, forKey: AnyKey(stringValue: name))
          } catch DecodingError.typeMismatch(_, let context), DecodingError.keyNotFound(_, let context) {
            #expect(context.debugDescription.utf8.count < 2048)
            #expect((context.underlyingError as? ArchiveError)?.key?.utf8.count == 65_535, "the key itself is whole")
          }
        }
      }
    }
    _ = try coder.decode(Probe.self, forKey: key)
    let error = #expect(throws: ArchiveError.self) { try coder.decode(Int.self, forKey: key) }
    #expect(try #require(error).description.utf8.count < 2048)
  }
}

/// The details of errors, limits, and defaults of decoders.
@Suite struct DecoderFaultTests {
  @Test("an absent superclass is an error without an offset")
  func locatesNoAbsentSuper() throws {
    struct Derived: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for decoder in [try container.superDecoder(), try container.superDecoder(forKey: AnyKey(stringValue: "absent"))] {
          #expect(try decoder.singleValueContainer().decodeNil())
          let error = #expect(throws: DecodingError.self) { try decoder.container(keyedBy: AnyKey.self) }
          guard case .valueNotFound(_, let context)? = error else { throw CancellationError() }
          let cause = context.underlyingError as? ArchiveError
          #expect(cause?.offset == nil && cause?.code == .absentKey && cause?.key == "object")
          #expect(throws: DecodingError.self) { try decoder.unkeyedContainer() }
          #expect(throws: DecodingError.self) { try decoder.singleValueContainer().decode(Int.self) }
        }
      }
    }
    _ = try Fixture.coder { try $0.encode(.dictionary(["a": 1]), forKey: "object") }.decode(Derived.self, forKey: "object")
  }

  @Test("an element that is no path is an error at the element")
  func locatesElements() throws {
    let archive = try Fixture.archive { try $0.encode(.array([.null, .reference("root"), "text"]), forKey: "many") }
    let coder = try archive.decoder(at: Fixture.path)
    let list = try #require(#expect(throws: ArchiveError.self) { try coder.decode(Int.self, forKey: "many") }?.offset)
    let error = #expect(throws: ArchiveError.self) { try coder.decodePaths(forKey: "many") }
    #expect(error?.code == .wrongType && error?.key == "many" && error?.path == Fixture.path)
    #expect(error?.found == "string" && error?.expected == "RestorationPath")
    #expect(try #require(error?.offset) > list)
  }

  @Test("paths count as values (R-10-1), and no limit is below 0")
  func countsPaths() throws {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(paths: [nil, nil, nil], forKey: "many") }
    let bytes = try writer.finish()
    func paths(_ values: Int) throws -> Int {
      try ArchiveReader(bytes, limits: ReaderLimits(values: values)).application().decoder().decodePaths(forKey: "many").count
    }
    #expect(try paths(3) == 3)
    for values in [2, 0, -1, .min] {
      let error = #expect(throws: ArchiveError.self) { try paths(values) }
      #expect(error?.code == .valueBudget && error?.key == "many")
      #expect(throws: ArchiveError.self) { try ArchiveReader(bytes, limits: ReaderLimits(values: values)).application().state() }
    }
    var limits = ReaderLimits.standard
    limits.values = .min
    #expect(limits.values == 0)
  }

  @Test("the first keys that are asked for do not keep later ones from being known")
  func keepsLearning() throws {
    let archive = try Fixture.archive { coder in
      for number in 0..<900 { try coder.encode(number, forKey: "a key that is longer than fifteen bytes, \(number)") }
    }
    // Each round asks with strings of its own.
    for _ in 0..<4 {
      let coder = try archive.decoder(at: Fixture.path)
      for number in 0..<900 {
        #expect(try coder.decode(Int.self, forKey: "a key that is longer than fifteen bytes, \(number)") == number)
      }
    }
  }

  @Test("fields of thousands of nested values are taken from their defaults, each searched once")
  func takesNestedDefaults() throws {
    struct Part: Codable, Equatable {
      var row = 1
      var column: Int
    }
    struct Whole: Codable, Equatable { var parts: [String: Part] }
    let keys = (0..<10_000).map { "part \($0)" }
    let state = try Fixture.coder { coder in
      try coder.encode(.dictionary(ArchiveDictionary(keys.map { ($0, ["row": 2]) })), forKey: "parts")
    }
    let whole = Whole(parts: Dictionary(uniqueKeysWithValues: keys.map { ($0, Part(column: 3)) }))
    let defaults = try Fixture.coder { try $0.encodeState(whole) }
    let decoded = try state.decodeState(Whole.self, defaults: defaults)
    #expect(decoded.parts.count == 10_000 && decoded.parts.values.allSatisfy { $0 == Part(row: 2, column: 3) })
  }

  @Test("the fields of a superclass are taken from its defaults, even if it has none")
  func takesSuperDefaults() throws {
    struct Base: Codable, Equatable {
      var name: String
      var size: Int
    }
    struct Derived: Codable, Equatable {
      enum Field: CodingKey { case number }
      var base: Base
      var number: Int
      init(_ base: Base, _ number: Int) { (self.base, self.number) = (base, number) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Field.self)
        (base, number) = (try Base(from: container.superDecoder()), try container.decode(Int.self, forKey: .number))
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        try base.encode(to: container.superEncoder())
        try container.encode(number, forKey: .number)
      }
    }
    let defaults = try Fixture.coder { try $0.encodeState(Derived(Base(name: "default", size: 1), 2)) }
    let absent = try Fixture.coder { try $0.encode(3, forKey: "number") }
    #expect(try absent.decodeState(Derived.self, defaults: defaults) == Derived(Base(name: "default", size: 1), 3))
    let partial = try Fixture.coder { try $0.encode(.dictionary(["size": 4]), forKey: "super") }
    #expect(try partial.decodeState(Derived.self, defaults: defaults) == Derived(Base(name: "default", size: 4), 2))
  }

  /// A file that is still being downloaded.
  private final class GrowingSource: ArchiveByteSource {
    private let bytes: [UInt8]
    let present: Lock<Int>

    init(_ bytes: [UInt8], present: Int) {
      self.bytes = bytes
      self.present = Lock(present)
    }

    func byteCount() throws(ArchiveError) -> Int { present.withLock { $0 } }
    func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
      let count = present.withLock { $0 }
      return Array(bytes[range.clamped(to: 0..<count)])
    }
  }

  @Test("a truncated file that grows while it is open has the nodes that it had")
  func survivesGrowth() throws {
    let tree = ArchiveTree(
      nodes: (0..<400).map { ArchiveNode("node-\($0)", state: ["row": .integer($0)], children: [ArchiveNode("below")]) })
    let bytes = [UInt8](try tree.encoded())
    let nodes = try ArchiveReader(bytes).records.metadata.nodes
    for share in [16, 8, 4] {
      let source = GrowingSource(bytes, present: nodes.upperBound - nodes.count + nodes.count / share + 8192)
      let reader = try ArchiveReader(inspecting: source)
      #expect(reader.records.presentRecordCount < reader.records.recordCount)
      source.present.withLock { $0 = bytes.count }
      var codes: Set<String> = []
      for number in stride(from: 0, to: 400, by: 20) {
        let node = tree.nodes[number]
        do {
          let node = try #require(try reader.node(at: RestorationPath(components: [node.identifier])))
          _ = try node.state()
          node.visitChildren { _ in }
          codes.insert("read")
        } catch let error as ArchiveError {
          codes.insert(error.code.rawValue)
        }
      }
      var childCount = 0
      try reader.application().visitChildren { child in
        guard let child = try? child.get() else { return }
        childCount += 1
        _ = try? child.state()
        child.visitChildren { _ in }
      }
      #expect(childCount < 400 && codes.contains("truncated"))
    }
  }
}
