import ArchiveFormat
import Foundation
@testable import PropertyKit
@testable import RestorationArchive
import Testing

/// Values that are encoded or found in unusual places: a whole state again, a mark in a wrapper, a record that is cut, a later type.
@Suite struct UnusualValueTests {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Filter: Encodable {
    var entries: [String: Int]
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("filter"))
      for (key, value) in entries { try nested.encode(value, forKey: Key(key)) }
    }
  }

  @Test("a whole state that is encoded again replaces what it has in nested containers, and earlier values")
  func replacesNestedContainers() throws {
    let archive = try Fixture.archive { coder in
      try coder.encodeState(Filter(entries: ["a": 1, "b": 2]))
      try coder.encodeState(Filter(entries: ["c": 3]))
    }
    #expect(try archive.node(at: Fixture.path)?.state() == ["filter": ["c": 3]])
    let other = try Fixture.archive { coder in
      try coder.encode(5, forKey: "filter")
      try coder.encodeState(Filter(entries: ["c": 3]))
    }
    #expect(try other.node(at: Fixture.path)?.state() == ["filter": ["c": 3]])
  }

  private struct Through<Value: Encodable>: Encodable {
    var value: Value
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  @Test("a marked value of a key may be in an optional or a wrapper")
  func marksThroughWrappers() throws {
    let state = try Fixture.archive { coder in
      try coder.encode(Optional(Sensitive(wrappedValue: "x")), forKey: "optional")
      try coder.encode(Through(value: Sensitive(wrappedValue: "x")), forKey: "wrapper")
      try coder.encode(["a": Optional(Sensitive(wrappedValue: "x"))], forKey: "dictionary")
    }.node(at: Fixture.path)?.state()
    #expect(state?.entry(forKey: "optional")?.isSensitive == true && state?.entry(forKey: "wrapper")?.isSensitive == true)
    guard case .dictionary(let inner)? = state?["dictionary"] else { return #expect(Bool(false)) }
    #expect(inner.entry(forKey: "a")?.isSensitive == true)
    #expect(throws: EncodingError.self) { try Fixture.archive { try $0.encode([Optional(Sensitive(wrappedValue: 1))], forKey: "list") } }
  }

  @Test(
    "of a truncated record, the attributes before the cut are kept, and the value that is cut is named (R-7.6-9)", arguments: [false, true])
  func keepsEntriesBeforeTheCut(_ inAttributes: Bool) throws {
    let writer = ArchiveWriter()
    let big = ArchiveValue.data(Data(repeating: 7, count: 20_000))
    try writer.addNode("n", attributes: inAttributes ? ["x.a": 1, "x.b": big, "x.c": 3] : [:]) { coder in
      try coder.encode(1, forKey: "a")
      try coder.encode(inAttributes ? .null : big, forKey: "b")
      try coder.encode(3, forKey: "c")
    }
    let salvage = ArchiveSalvage(try writer.finish().prefix(9000))
    let node = salvage.tree?.nodes.first
    #expect(node?.attributes == (inAttributes ? ["x.a": 1] : [:]) && node?.state == (inAttributes ? [:] : ["a": 1]))
    #expect(salvage.losses.map(\.kind) == (inAttributes ? [.attribute, .attributes, .values] : [.value, .values]))
    #expect(salvage.losses.first?.key == (inAttributes ? "x.b" : "b"))
  }

  @Test("a value of a later type is unknown-value-type, whatever type is asked for (R-6.1-1, Spec 9.2)")
  func reportsUnknownTypes() throws {
    var archive = RawArchive()
    archive.keys = [1, 1, UInt8(ascii: "a")]
    archive.states = [0x01, 0xC3, 0x02, 9, 9]
    archive.addRecord(parent: 0, children: 1..<2)
    archive.addRecord(parent: 0, children: 2..<2, state: 0..<5)
    let reader = try ArchiveReader(archive.assembled())
    let decoder = try reader.decoder(at: "0000000001")
    let expected = try #require(#expect(throws: ArchiveError.self) { try decoder.value(forKey: "a") })
    #expect(expected.code == .unknownValueType)
    #expect(throws: expected) { try decoder.decode(String.self, forKey: "a") }
    #expect(throws: expected) { try decoder.decode(Int.self, forKey: "a") }
    #expect(throws: expected) { try decoder.decodeIfPresent([Int].self, forKey: "a") }
    #expect(throws: expected) { try decoder.decodePath(forKey: "a") }
  }
}
