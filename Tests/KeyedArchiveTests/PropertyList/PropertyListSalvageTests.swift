import Foundation
import KeyedArchive
import KeyedArchiveKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// What is whole of a damaged property list is read, and nothing is invented (rule R-K2-8).
@Suite struct PropertyListSalvageTests {
  /// A list with enough strings as keys to tell the size of a reference.
  private static func sample(_ seed: UInt64) -> PlainPropertyList {
    var generator = PlainPropertyListGenerator(seed: seed, kinds: .all)
    return .object((0..<12).map { ("key \($0)", .object([("name", .string("value \($0)")), ("more", generator.list())])) })
  }

  @Test("of a list that was cut off, every object before the cut is whole (R-K2-8)", arguments: TestStage.seeds(10, exhaustive: 200))
  func readsCutList(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let raw = RawPropertyList(Self.sample(seed), referenceSize: random.pick([1, 2, 2, 2, 3, 4, 8]))
    guard raw.objects.count < 256 || raw.referenceSize > 1 else { return }
    let whole = raw.bytes
    let original = try PropertyList(decoding: whole)
    let ends = raw.places.dropFirst() + [raw.places.last.map { $0 + (raw.objects.last?.count ?? 0) } ?? 0]
    for _ in 0..<20 {
      let cut = (raw.places.dropFirst(8).first ?? 8) + random.below(whole.count - (raw.places.dropFirst(8).first ?? 8))
      let list = try PropertyList(decoding: Array(whole[..<cut]), tolerance: .salvage)
      let count = ends.prefix { $0 <= cut }.count
      // The offset table itself can look like further objects.
      #expect(list.objects.count >= count, "seed \(seed), \(cut) bytes")
      for number in 0..<count where original[number].contents == nil {
        #expect(list[number] == original[number], "seed \(seed), \(cut) bytes, object \(number)")
      }
      #expect(!list.oddities.isEmpty && list.oddities.allSatisfy(\.isLoss))
      #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: Array(whole[..<cut])) }
    }
  }

  @Test("a trailer that is lost costs nothing else", arguments: TestStage.seeds(10, exhaustive: 200))
  func readsListWithoutTrailer(_ seed: UInt64) throws {
    let raw = RawPropertyList(Self.sample(seed))
    let whole = raw.bytes
    for lost in [1, 8, 31, 32] {
      let list = try PropertyList(decoding: Array(whole.dropLast(lost)), tolerance: .salvage)
      #expect(list.plain() == (try PropertyList(decoding: whole).plain()), "seed \(seed)")
    }
  }

  @Test("an object that is damaged costs itself, and every other one is kept", arguments: TestStage.seeds(10, exhaustive: 200))
  func readsDamagedObjects(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let raw = RawPropertyList(Self.sample(seed))
    let original = try PropertyList(decoding: raw.bytes)
    for _ in 0..<20 {
      let damaged = 1 + random.below(raw.objects.count - 1)
      var copy = raw
      copy.objects[damaged][0] = 0xE0
      let list = try PropertyList(decoding: copy.bytes, tolerance: .salvage)
      #expect(list.lost == [damaged])
      for number in original.objects.indices where number != damaged {
        #expect(list[number] == original[number], "seed \(seed), object \(damaged)")
      }
      // In the place of the object is a record with its number; the name of a value is replaced.
      let text = String(decoding: try ImportedArchive(decoding: copy.bytes, tolerance: .salvage).tree.json(), as: UTF8.self)
      let isRecord = text.contains("\"$class\": \"$lost\"") && text.contains("\"number\": \(damaged)")
      #expect(isRecord || text.contains("\"$$lost \(damaged)\""), "seed \(seed), object \(damaged)")
    }
  }

  @Test("circles are broken at one reference each, and references beyond the table lead to a lost object")
  func breaksCircles() throws {
    var raw = RawPropertyList()
    for object in [[0xA3, 1, 2, 9], [0xA2, 0, 2], RawPropertyList.ascii("kept")] as [[UInt8]] { raw.add(object) }
    let list = try PropertyList(decoding: raw.bytes, tolerance: .salvage)
    #expect(list.plain() == .array([.array([.null, .string("kept")]), .string("kept"), .null]))
    #expect(list.oddities.map(\.fault.code) == [.objectReference, .containerCycle])
    #expect(list.lost == [3])
  }

  @Test("of a keyed archive, the objects that are whole are kept, and references to others are marked")
  func readsKeyedArchive() throws {
    var archive = RawKeyedArchive()
    let type = archive.addClass("AppNote")
    let text = archive.add(.string("kept"))
    archive.top = [
      ("whole", archive.add(.object([("text", text), ("$class", type)]))),
      ("broken", archive.add(.object([("text", text), ("$class", .uid(99))]))), ("far", .uid(77)),
      ("uuid", archive.add("NSUUID", [("NS.uuidbytes", .data([1]))])),
    ]
    #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
    let imported = try ImportedArchive(decoding: archive.bytes, tolerance: .salvage)
    #expect(imported.source == .keyedArchive)
    let state = imported.tree.applicationState
    #expect(state["whole"] == ["$class": "AppNote", "text": "kept"])
    for key in ["broken", "far", "uuid"] {
      guard case .dictionary(let record)? = state[key] else {
        Issue.record("\(key) is no record")
        continue
      }
      #expect(record["$class"] == "$lost")
    }
    #expect(imported.notes.count(where: \.isLoss) >= 2)

    // Even the nil object may be lost.
    var bytes = archive.bytes
    let null = try #require(bytes.firstRange(of: [0x55] + Array("$null".utf8)))
    bytes[null.lowerBound] = 0xE0
    let graph = try KeyedArchive(decoding: bytes, tolerance: .salvage)
    #expect(graph.objects.first?.type?.name == "$lost" && graph.objects.last?.type?.name == "$lost")
    let lost = graph.top.filter { field in
      // No value leads out of the table.
      _ = graph.resolve(field.value)
      return if case .object(let number) = field.value { graph.objects[number].type?.name == "$lost" } else { false }
    }
    #expect(lost.map(\.key) == ["broken", "far", "uuid"])
    #expect(graph.oddities.count(where: \.isLoss) >= 3)
  }

  /// An archive of 50 nodes in our layout, with a sensitive value.
  private static func layout() throws -> [UInt8] {
    var nodes = (10..<60).map { ArchiveNode("node \($0)", type: "Row", state: ["text": .string("text \($0).")]) }
    nodes[3].state["token"] = "hunter2"
    nodes[3].state.setSensitive(true, forKey: "token")
    return try [UInt8](ArchiveTree(nodes: nodes).keyedArchive())
  }

  /// Salvages a damaged archive in our layout, and checks that all texts in it are kept, and that no secret is.
  private static func salvaged(_ bytes: [UInt8]) throws -> ImportedArchive {
    let imported = try ImportedArchive(decoding: bytes, tolerance: .salvage)
    let tree = try ArchiveTree(decoding: imported.tree.encoded())
    let all = String(decoding: tree.json(sensitiveValues: .reveal), as: UTF8.self)
    for number in 10..<60 where bytes.firstRange(of: Array("text \(number).".utf8)) != nil { #expect(all.contains("text \(number).")) }
    #expect(!String(decoding: tree.json(sensitiveValues: .redact), as: UTF8.self).contains("hunter2"))
    #expect(imported.notes.contains { $0.isLoss })
    return imported
  }

  private static func replaced(_ text: String, by bytes: [UInt8], before count: Int = 0) throws -> [UInt8] {
    var archive = try layout()
    let place = try #require(archive.firstRange(of: Array(text.utf8)))
    archive.replaceSubrange((place.lowerBound - count)..<(place.lowerBound - count + bytes.count), with: bytes)
    return archive
  }

  @Test("of an archive in our layout, an object that is damaged costs itself (R-K2-8)")
  func salvagesLayout() throws {
    // The marker of a text, and its first byte.
    let value = try Self.salvaged(Self.replaced("text 17.", by: [0x77, 0x54], before: 1))
    #expect(value.source == .restorationArchive && value.tree.nodes.count == 50)
    guard case .dictionary(let record)? = value.tree.nodes[7].state["text"] else { throw CancellationError() }
    #expect(record["$class"] == "$lost" && record["number"] != nil)
    #expect(value.tree.nodes[8].state == ["text": "text 18."])
    // A member of the nodes that is not known, and two nodes with one identifier: the objects are kept without the layout.
    #expect(try Self.salvaged(Self.replaced("identifier", by: Array("identifieR".utf8))).source == .keyedArchive)
    #expect(try Self.salvaged(Self.replaced("node 20", by: Array("node 21".utf8))).source == .keyedArchive)
  }

  @Test("of an archive in our layout that was cut off, every object before the cut is kept (R-K2-8)", arguments: [40, 60, 75, 95])
  func salvagesCutLayout(_ percent: Int) throws {
    let bytes = try Self.layout()
    _ = try Self.salvaged(Array(bytes.prefix(bytes.count * percent / 100)))
  }

  @Test("of an XML or old-style list everything before the fault is kept")
  func readsCutText() throws {
    let xml = "<plist><dict><key>a</key><integer>1</integer><key>bad</key><integer>x</integer><key>b</key><array><true/><string>cut"
    let list = try PropertyList(decoding: Array(xml.utf8), tolerance: .salvage)
    #expect(list.plain() == .object([("a", .integer(1)), ("bad", .null), ("b", .array([.bool(true)]))]))
    #expect(list.oddities.map(\.fault.code) == [.xmlValue, .xmlSyntax])
    let text = try PropertyList(decoding: Array("{ a = 1; b = (x, y; c = 2; }".utf8), tolerance: .salvage)
    #expect(text.plain() == .object([("a", .string("1")), ("b", .array([.string("x"), .string("y")]))]))
    #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: Array("<plist>".utf8), tolerance: .salvage) }
    #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: Array("bplist00".utf8), tolerance: .salvage) }
  }

  @Test("of an XML list with a missing or wrong end tag, everything before it is kept (R-K2-8)")
  func readsUnbalancedList() throws {
    for (body, isDictionary) in [
      ("<dict><key>x</key><string>precious</string><key>a</key></dict>", true),
      ("<array><string>one</string><dict><key>x</key><string>precious</string></array>", false),
    ] {
      let list = try PropertyList(decoding: Array("<plist version=\"1.0\">\(body)</plist>".utf8), tolerance: .salvage)
      let inner = PlainPropertyList.object([("x", .string("precious"))])
      #expect(list.plain() == (isDictionary ? inner : .array([.string("one"), inner])))
    }
  }

  @Test("a window without a usable key or number costs its records only (R-K2-8)")
  func readsWindows() throws {
    let title = ("NSTitle", PlainPropertyList.string("precious"))
    let windows = RawPropertyList(
      .array([
        .object([("NSWindowID", .integer(4)), title]), .object([("NSWindowID", .integer(5)), ("NSDataKey", .data([1])), title]),
        .object([("NSDataKey", .data(RawSavedState.key(6))), title]), .integer(1),
      ])
    ).bytes
    let imported = try ImportedArchive(windows: windows, data: nil, tolerance: .salvage)
    #expect(imported.tree.nodes.map(\.identifier) == ["4", "5", ":unplaced"])
    let nodes = imported.tree.nodes.prefix(2) + imported.tree.nodes[2].children
    #expect(nodes.count == 3 && nodes.allSatisfy { $0.state["NSTitle"] == "precious" })
    for words in ["NSDataKey", "NSWindowID", "a dictionary"] {
      #expect(imported.notes.contains { $0.isLoss && $0.text.contains(words) })
    }
  }

  @Test("a key of a window that is damaged costs itself (R-K2-8)")
  func keepsWindowOfDamagedKey() throws {
    var state = RawSavedState()
    state.addWindow(3, [("bad", .integer(7)), ("NSTitle", .string("precious"))])
    var bytes = state.windowList
    let key = try #require(bytes.firstRange(of: RawPropertyList.ascii("bad")))
    bytes[key.lowerBound] = 0x73
    let node = try #require(ImportedArchive(windows: bytes, data: nil, tolerance: .salvage).tree.nodes.first)
    #expect(node.state["NSTitle"] == "precious" && node.state.contains { $0.key.hasPrefix("$$lost ") && $0.value == 7 })
  }

  @Test("an object whose class is lost keeps its fields, as sensitive (R-K2-8)")
  func keepsFieldsWithoutClass() throws {
    var archive = RawKeyedArchive()
    let large = archive.addArray((0..<20).map { .integer($0) })
    archive.top = [
      ("root", archive.add(.object([("count", .integer(777)), ("title", .string("precious")), ("list", large), ("$class", .uid(99))]))),
      ("list", large),
    ]
    let imported = try ImportedArchive(decoding: archive.bytes, tolerance: .salvage)
    guard case .dictionary(let record)? = imported.tree.applicationState["root"] else { throw CancellationError() }
    #expect(record["$class"] == "$lost" && record["number"] == 3 && record["count"] == 777 && record["title"] == "precious")
    #expect(record.filter(\.isSensitive).map(\.key) == ["count", "list", "title"])
    // What such an object shares with others is sensitive too.
    #expect(imported.tree.applicationState.filter(\.isSensitive).map(\.key) == ["$objects"])
    #expect(imported.notes.contains { $0.isLoss && $0.text.contains("without its class") })
  }

  @Test("limits hold for salvage too")
  func limitsSalvage() throws {
    let fixture = try #require(AppleFixture.all.first { $0.name == "property-lists/hostile/overlapping-data" })
    let error = #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: fixture.bytes, tolerance: .salvage) }
    #expect(error?.kind == .limit)
  }

  @Test("a container loses each reference to one around it, and keeps all others (R-K2-8)")
  func breaksCirclesOfOneContainer() throws {
    var raw = RawPropertyList()
    raw.add(raw.array([0, 2, 0, 1, 0]))
    raw.add(raw.dictionary([2, 3], [0, 1]))
    raw.add(RawPropertyList.ascii("kept"))
    raw.add(RawPropertyList.ascii("own"))
    let list = try PropertyList(decoding: raw.bytes, tolerance: .salvage)
    #expect(list.plain() == .array([.null, .string("kept"), .null, .object([("kept", .null), ("own", .null)]), .null]))
  }

  /// A damaged owner of objects that refer to each other, as a child does to its parent.
  @Test("salvage keeps objects on a circle to which nothing else leads (R-K2-8)")
  func keepsLostCircle() throws {
    var archive = RawKeyedArchive()
    let type = archive.addClass("AppNote")
    archive.objects.append(.null)
    archive.objects.append(.null)
    let (parent, child) = (PlainPropertyList.uid(2), PlainPropertyList.uid(3))
    archive.objects[2] = .object([("text", .string("first kept")), ("child", child), ("$class", type)])
    archive.objects[3] = .object([("text", .string("second kept")), ("parent", parent), ("$class", type)])
    // The owner is damaged: its class is none.
    archive.top = [("root", archive.add(.object([("note", parent), ("$class", .uid(99))]))), ("other", .integer(1))]
    let imported = try ImportedArchive(decoding: archive.bytes, tolerance: .salvage)
    let text = String(decoding: imported.tree.json(sensitiveValues: .reveal), as: UTF8.self)
    #expect(text.contains("first kept") && text.contains("second kept"))
  }

  @Test("salvage keeps the objects of UIKit's root archive to which nothing leads any more (R-K2-8)")
  func keepsStraysOfRoot() throws {
    var root = RawKeyedArchive()
    let kept = root.add(.string("kept in the root"))
    root.top = [
      ("kRootRestorationIdentifiersKey", root.addArray([])), ("own", root.add(.object([("text", kept), ("$class", .uid(99))]))),
    ]
    let imported = try ImportedArchive(decoding: root.bytes, tolerance: .salvage)
    #expect(imported.source == .uiKit)
    #expect(String(decoding: imported.tree.json(), as: UTF8.self).contains("kept in the root"))
  }

  @Test("salvage keeps the objects of an object's archive to which nothing leads any more (R-K2-8)")
  func keepsStraysOfObject() throws {
    var object = RawKeyedArchive()
    let kept = object.add(.string("kept in the object"))
    object.top = [("own", object.add(.object([("text", kept), ("$class", .uid(99))])))]
    var view = RawKeyedArchive()
    let seen = view.add(.string("kept in the view"))
    view.top = [("own", view.add(.object([("text", seen), ("$class", .uid(99))])))]
    object.top.append(("kViewRestorationDataKey", object.addDictionary([("view", object.add(.data(view.bytes)))])))
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("c"))])), ("c", .data(object.bytes))]
    let imported = try ImportedArchive(decoding: root.bytes, tolerance: .salvage)
    let text = String(decoding: imported.tree.json(), as: UTF8.self)
    #expect(text.contains("kept in the object"))
    #expect(text.contains("kept in the view"))
  }

  @Test("salvage keeps the objects of AppKit's records to which nothing leads any more (R-K2-8)")
  func keepsStraysOfRecord() throws {
    var archive = RawKeyedArchive()
    let kept = archive.add(.string("kept in the record"))
    archive.top = [("own", archive.add(.object([("text", kept), ("$class", .uid(99))])))]
    var state = RawSavedState()
    state.addWindow(3, [("NSTitle", .string("Draft"))])
    state.addRecord(3, "_NSWindow", [("rchv", archive.bytes)])
    let imported = try ImportedArchive(windows: state.windowList, data: state.log, tolerance: .salvage)
    #expect(String(decoding: imported.tree.json(), as: UTF8.self).contains("kept in the record"))
  }

  @Test("salvage of our layout replaces no value of the application state (R-K2-8)")
  func keepsOwnObjects() throws {
    var deep: ArchiveValue = "bottom"
    for _ in 0..<40 { deep = .array([deep]) }
    // As an import has it whose objects are shared.
    let tree = ArchiveTree(
      applicationState: ["$objects": ["1": "precious"], "a": ["$object": 1]], nodes: [ArchiveNode("n", state: ["deep": deep, "b": 1])])
    let bytes = try [UInt8](tree.keyedArchive())
    for part in BinaryPropertyListParts(bytes).objects {
      var damaged = bytes
      damaged[part.offset] = 0xE0
      guard (try? part.content.get()) != .string("precious"), let imported = try? ImportedArchive(decoding: damaged, tolerance: .salvage),
        imported.source == .restorationArchive
      else { continue }
      let text = String(decoding: imported.tree.json(sensitiveValues: .reveal), as: UTF8.self)
      #expect(text.contains("precious"), "object \(part.number)")
      #expect(text.contains("bottom") || (try? part.content.get()) == .string("bottom"), "object \(part.number)")
    }
  }

  @Test(
    "of a keyed archive whose table or outermost object is lost, the objects are kept (R-K2-8)",
    arguments: ["$objects", "$top", "$version"])
  func keepsObjectsWithoutTable(_ name: String) throws {
    let bytes = try [UInt8](ArchiveTree(nodes: [ArchiveNode("n", state: ["text": "precious"])]).keyedArchive())
    let list = try PropertyList(decoding: bytes)
    var damaged = bytes
    damaged[list.offset(of: try #require(list.value(name, of: list.top))) ?? 0] = 0xE0
    let imported = try ImportedArchive(decoding: damaged, tolerance: .salvage)
    #expect(String(decoding: imported.tree.json(sensitiveValues: .reveal), as: UTF8.self).contains("precious"))
  }

  @Test("an object to which nothing leads is sensitive, also beside a value with its name (R-K2-8)")
  func hidesStrayBesideItsName() throws {
    var archive = RawKeyedArchive()
    let secret = archive.add(.string("hunter2"))
    let owner = archive.add(.object([("$sensitive", secret), ("$class", .uid(99))]))
    archive.top = [("$lost 1", .integer(1)), ("owner", owner)]
    let imported = try ImportedArchive(decoding: archive.bytes, tolerance: .salvage)
    #expect(!String(decoding: imported.tree.json(sensitiveValues: .redact), as: UTF8.self).contains("hunter2"))
    // The same without the tag, which marks everything.
    archive.objects[2] = .object([("x", secret), ("$class", .uid(99))])
    let other = try ImportedArchive(decoding: archive.bytes, tolerance: .salvage)
    #expect(!String(decoding: other.tree.json(sensitiveValues: .redact), as: UTF8.self).contains("hunter2"))
  }

  private static func secret() throws -> [UInt8] {
    var node = ArchiveNode("a", state: ["token": "hunter2", "title": "x"])
    node.state.setSensitive(true, forKey: "token")
    return try [UInt8](ArchiveTree(nodes: [node]).keyedArchive())
  }

  private static func redacted(_ bytes: [UInt8]) throws -> String {
    String(decoding: try ImportedArchive(decoding: bytes, tolerance: .salvage).tree.json(sensitiveValues: .redact), as: UTF8.self)
  }

  /// What is not read as our layout any more has lost what marks its values. (Without the `$`, the tag is a key like any other.)
  @Test("a sensitive value stays hidden if the tag itself is damaged (R-K4-3)", arguments: [1, 5, 9])
  func hidesAfterDamageOfTag(_ place: Int) throws {
    var bytes = try Self.secret()
    let tag = try #require(bytes.firstRange(of: Array("$sensitive".utf8)))
    bytes[tag.lowerBound + place] ^= 1
    #expect(!(try Self.redacted(bytes)).contains("hunter2"))
  }

  @Test("an object of our layout to which nothing leads is in a node of its own, and sensitive (R-K2-8)")
  func keepsStraysOfLayout() throws {
    let tree = ArchiveTree(applicationState: ["list": ["precious"]], nodes: [ArchiveNode(":lost")])
    var bytes = try [UInt8](tree.keyedArchive())
    // The array that has the text is no array any more.
    let list = try PropertyList(decoding: bytes)
    let array = try #require(list.objects.indices.first { list.value("$class", of: $0) != nil && list[$0].contents?.count == 4 })
    bytes[try #require(list.offset(of: array))] = 0xE0
    let imported = try ImportedArchive(decoding: bytes, tolerance: .salvage)
    #expect(imported.source == .restorationArchive)
    let node = try #require(imported.tree.nodes.first { $0.identifier == ":lost 2" })
    #expect(node.state.contains { $0.value == "precious" } && node.state.allSatisfy(\.isSensitive))
    #expect(imported.notes.contains { $0.path == ":lost 2" })
    _ = try imported.tree.encoded()
  }
}
