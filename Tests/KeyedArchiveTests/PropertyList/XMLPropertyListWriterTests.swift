import Foundation
import KeyedArchive
import KeyedArchiveKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Property lists as XML, and archives as plain property lists.
@Suite struct XMLPropertyListWriterTests {
  @Test("our XML lists read back equal, by us and by PropertyListSerialization", arguments: TestStage.seeds(40, exhaustive: 1000))
  func readsBack(_ seed: UInt64) throws {
    var generator = PlainPropertyListGenerator(seed: seed)
    let plain = generator.list()
    let xml = try PropertyList(decoding: RawPropertyList(plain).bytes).encodedXML()
    #expect(xml.cutDates == 0)
    #expect(try PropertyList(decoding: xml.bytes).plain() == plain)
    let object = try unsafe PropertyListSerialization.propertyList(from: Data(xml.bytes), options: [], format: nil)
    #expect(try FoundationForm.plain(object).sorted == plain.sorted, "seed \(seed)")
  }

  @Test("dates of all years are written as Foundation's parser reads them")
  func writesDates() throws {
    for seconds in [-63_114_076_800.0, -63_177_062_400, -1e12, 1e14, 0, 86_399, -1] {
      let xml = try PropertyList(decoding: RawPropertyList(.array([.date(seconds.bitPattern)])).bytes).encodedXML()
      #expect(try PropertyList(decoding: xml.bytes).plain() == .array([.date(seconds.bitPattern)]))
      let object = try unsafe PropertyListSerialization.propertyList(from: Data(xml.bytes), options: [], format: nil)
      #expect(try FoundationForm.plain(object) == .array([.date(seconds.bitPattern)]))
    }
    let cut = try PropertyList(decoding: RawPropertyList(.array([.date(Double(1.75).bitPattern), .date(Double(-0.5).bitPattern)])).bytes)
      .encodedXML()
    #expect(cut.cutDates == 2)
    #expect(try PropertyList(decoding: cut.bytes).plain() == .array([.date(Double(1).bitPattern), .date(Double(-1).bitPattern)]))
  }

  @Test("a dictionary whose CF$UID no UID can have stays one in both directions (R-K2-3)", arguments: [-1, 1 << 32] as [Int128])
  func keepsDictionaries(_ number: Int128) throws {
    let list = PlainPropertyList.array([.object([("CF$UID", .integer(number))])])
    let xml = try PropertyList(decoding: RawPropertyList(list).bytes).encodedXML().bytes
    #expect(try PropertyList(decoding: xml).plain() == list)
  }

  @Test(
    "what XML cannot hold is refused, not dropped",
    arguments: [
      .null, .set([.bool(true)]), .object([("CF$UID", .integer(1))]), .date(Double.infinity.bitPattern), .string("nul\0"),
      .string("\u{1B}[31m"), .string("\u{B}"), .string("\u{1F}"), .string("\u{FFFE}"), .string("\u{FFFF}"),
      .object([("bell\u{7}", .integer(1))]), .real(0x7FF8_0000_0000_0001), .real(0xFFF8_0000_0000_0000), .real(0x7FF0_0000_0000_0001),
    ] as [PlainPropertyList])
  func refuses(_ value: PlainPropertyList) throws {
    let list = try PropertyList(decoding: RawPropertyList(.array([value])).bytes)
    let error = #expect(throws: KeyedArchiveError.self) { try list.encodedXML() }
    #expect(error?.code == .notExpressible && error?.offset != nil)
  }

  @Test("carriage returns, other white space, the usual NaN and all other characters are read back, by Foundation too")
  func keepsCharacters() throws {
    let text = "a\rb\r\nc\td\ne\u{7F}\u{85}\u{FFFD}\u{1FFFE}\u{10FFFF}"
    let plain = PlainPropertyList.object([(text, .string(text)), ("nan", .real(Double.nan.bitPattern))])
    let xml = try PropertyList(decoding: RawPropertyList(plain).bytes).encodedXML()
    #expect(try PropertyList(decoding: xml.bytes).plain() == plain)
    let object = try unsafe PropertyListSerialization.propertyList(from: Data(xml.bytes), options: [], format: nil)
    #expect((object as? [String: Any])?[text] as? String == text)
  }

  @Test("a list whose sharing would make it too large is refused")
  func limitsSharing() throws {
    let fixture = try #require(AppleFixture.all.first { $0.name == "property-lists/hostile/exponential-sharing" })
    let error = #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: fixture.bytes).encodedXML() }
    #expect(error?.code == .workLimit)
  }

  @Test("an archive as a plain property list has the members of the layout, and tags for what has no class (R-K4-3)")
  func writesArchives() throws {
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var tree = ArchiveTree(nodes: [
      ArchiveNode(
        "root", type: "Root",
        state: ["n": .null, "u": .uuid(uuid), "url": .url("a:b"), "r": .reference("root/x"), "d": ["$a": 1], "list": [1, "$null"]])
    ])
    tree.applicationState["date"] = .date(Date(timeIntervalSinceReferenceDate: 5))
    let plain = try tree.propertyList().plain()
    #expect(plain["restorationArchive"] == .integer(1))
    #expect(plain["application"]?["date"] == .date(Double(5).bitPattern))
    guard case .array(let nodes)? = plain["nodes"], let state = nodes.first?["state"] else {
      Issue.record("no nodes")
      return
    }
    #expect(nodes.first?["identifier"] == .string("root"))
    #expect(state["n"] == .object([("$null", .bool(true))]))
    #expect(state["u"] == .object([("$uuid", .string("01020304-0506-0708-090a-0b0c0d0e0f10"))]))
    #expect(state["url"] == .object([("$url", .string("a:b"))]))
    #expect(state["r"] == .object([("$reference", .array([.string("root"), .string("x")]))]))
    #expect(state["d"] == .object([("$dictionary", .object([("$a", .integer(1))]))]))
    #expect(state["list"] == .array([.integer(1), .string("$null")]))
    // Foundation reads it in both forms.
    for bytes in [try tree.propertyList().encodedBinary(), try tree.propertyList().encodedXML().bytes] {
      let object = try unsafe PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
      #expect(try FoundationForm.plain(object).sorted == plain.sorted)
    }
  }
}
