import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// What becomes of keyed archives as state.
@Suite struct GraphConversionTests {
  private static func state(_ build: (inout RawKeyedArchive) -> Void) throws -> ArchiveDictionary {
    var archive = RawKeyedArchive()
    build(&archive)
    return try ImportedArchive(decoding: archive.bytes).tree.applicationState
  }

  @Test("named values have their keys, with another $ where it is needed (R-K3-1)")
  func namesValues() throws {
    let long = String(repeating: "k", count: 65_536)
    let state = try Self.state { $0.top = [("", .integer(1)), ("$a", .integer(2)), ("b", .integer(3)), (long, .integer(4))] }
    #expect(state == ["$": 1, "$$a": 2, "b": 3, "$entries": [[.string(long), 4]]])
    // The limit is that of the key as it is stored.
    let (fits, exceeds) = ("$" + String(repeating: "k", count: 65_533), "$" + String(repeating: "k", count: 65_534))
    let limits = try Self.state { $0.top = [(fits, .integer(1)), (exceeds, .integer(2)), (String(long.dropLast()), .integer(3))] }
    #expect(limits["$" + fits] == 1 && limits[String(long.dropLast())] == 3 && limits["$entries"] == [[.string(exceeds), 2]])
    #expect(limits.count == 3)
  }

  @Test("circles, large shared objects and deep ones are out of line; small shared ones are copied (R-K3-2)")
  func movesObjects() throws {
    let circle = try Self.state { archive in
      let type = archive.addClass("Node")
      let node = archive.add(.null)
      archive.objects[2] = .object([("next", node), ("row", .integer(7)), ("$class", type)])
      archive.top = [("root", node)]
    }
    #expect(circle == ["root": ["$object": 2], "$objects": ["2": ["$class": "Node", "next": ["$object": 2], "row": 7]]])
    let shared = try Self.state { archive in
      let small = archive.addArray([.integer(1), .integer(2)])
      let large = archive.addArray((0..<17).map { .integer($0) })
      archive.top = [("a", small), ("b", small), ("c", large), ("d", large)]
    }
    #expect(shared["a"] == [1, 2] && shared["b"] == [1, 2])
    #expect(shared["c"] == ["$object": 4] && shared["d"] == ["$object": 4])
    #expect(shared["$objects"] == ["4": .array((0..<17).map { .integer($0) })])
    let deep = try Self.state { archive in
      var last = archive.add(.string("end"))
      for _ in 0..<2000 { last = archive.addArray([last]) }
      archive.top = [("root", last)]
    }
    guard case .dictionary(let objects)? = deep["$objects"] else {
      Issue.record("nothing is out of line")
      return
    }
    #expect(objects.count > 30)
  }

  @Test("an object that is referred to once stays in its place, and 16 values are the most that are copied (R-K3-2)")
  func keepsTheRest() throws {
    // The dictionary at the top is no object of the state.
    let list = RawPropertyList(.object([("long", .array((0..<100).map { .integer($0) }))])).bytes
    let imported = try ImportedArchive(decoding: list)
    #expect(imported.tree.applicationState == ["long": .array((0..<100).map { .integer($0) })])
    #expect(!imported.hasOutOfLineObjects && imported.copiedObjectCount == 0)
    for (count, isCopied) in [(15, true), (16, false)] {
      let state = try Self.state { archive in
        let array = archive.addArray((0..<count).map { archive.add(.integer(Int128($0))) })
        archive.top = [("a", array), ("b", array)]
      }
      #expect((state["$objects"] == nil) == isCopied, "\(count)")
    }
    // What only an unreachable object refers to is not shared.
    let state = try Self.state { archive in
      let array = archive.addArray((0..<100).map { .integer($0) })
      _ = archive.addArray([array])
      archive.top = [("a", array)]
    }
    #expect(state == ["a": .array((0..<100).map { .integer($0) })])
  }

  @Test("text and data of 512 bytes are large: an honest archive may share them many times (R-K3-2)")
  func sharesLongTexts() throws {
    for (count, isCopied) in [(511, true), (512, false)] {
      for object in [PlainPropertyList.string(String(repeating: "x", count: count)), .data([UInt8](repeating: 1, count: count))] {
        let state = try Self.state { archive in
          let object = archive.add(object)
          archive.top = [("a", object), ("b", object)]
        }
        #expect((state["$objects"] == nil) == isCopied, "\(count)")
      }
    }
    // Rows that share an image, in an object of its own and in line.
    for isInLine in [false, true] {
      let state = try Self.state { archive in
        let bytes = PlainPropertyList.data([UInt8](repeating: 7, count: 100_000))
        let image = isInLine ? archive.add("Image", [("bytes", bytes)]) : archive.add("NSData", [("NS.data", bytes)])
        let type = archive.addClass("Row")
        archive.top = [("rows", archive.addArray((0..<80).map { _ in archive.add(.object([("image", image), ("$class", type)])) }))]
      }
      #expect(state["$objects"] != nil)
    }
  }

  @Test("an object of a known class with a further or repeated field is a record, which keeps all (chapter 3)")
  func keepsFurtherFields() throws {
    let text = PlainPropertyList.string("text")
    let classes: [(String, [(String, PlainPropertyList)])] = [
      ("NSNull", []), ("NSString", [("NS.string", text)]), ("NSMutableString", [("NS.bytes", .data([65]))]),
      ("NSData", [("NS.data", .data([1]))]),
      ("NSDate", [("NS.time", .number(1))]), ("NSURL", [("NS.base", .uid(0)), ("NS.relative", text)]), ("NSURL", [("NS.relative", text)]),
      ("NSUUID", [("NS.uuidbytes", .data(Array(0..<16)))]), ("NSArray", [("NS.objects", .array([]))]), ("NSSet", [("NS.object.0", text)]),
      ("NSDictionary", [("NS.keys", .array([])), ("NS.objects", .array([]))]),
    ]
    for (name, fields) in classes {
      let state = try Self.state { archive in
        archive.top = [("plain", archive.add(name, fields)), ("more", archive.add(name, fields + [("extra", .string("precious"))]))]
        if let first = fields.first { archive.top.append(("twice", archive.add(name, fields + [(first.0, .string("precious"))]))) }
      }
      if case .dictionary(let record)? = state["plain"] { #expect(record["$class"] == nil, "\(name)") }
      for key in ["more", "twice"] where state[key] != nil {
        guard case .dictionary(let record)? = state[key] else {
          Issue.record("\(name) is no record")
          continue
        }
        #expect(record["$class"] == .string(name) && (record["extra"] == "precious") == (key == "more"))
        #expect((record["$fields"] == nil) == (key == "more"))
      }
    }
    // The text of a URL may be an object with more than its text.
    let url = try Self.state { archive in
      let text = archive.add("NSString", [("NS.string", .string("a")), ("extra", .string("precious"))])
      archive.top = [("url", archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", text)]))]
    }
    guard case .dictionary(let record)? = url["url"] else { throw CancellationError() }
    #expect(record["NS.relative"] == ["$class": "NSString", "NS.string": "a", "extra": "precious"])
  }

  @Test("a reference with a further field is a record")
  func keepsFieldsOfReferences() throws {
    let state = try Self.state { archive in
      let proxy = [("kObjectIdentifierPathProxyIdentifierPathKey", archive.add(.string("a"))), ("more", archive.add(.integer(1)))]
      archive.top = [(UIKitKey.majorVersion.rawValue, .integer(2)), ("a", archive.add("_UIObjectIdentifierPathProxy", proxy))]
    }
    guard case .dictionary(let record)? = state["a"] else { throw CancellationError() }
    #expect(record["more"] == 1 && record["$class"] == "_UIObjectIdentifierPathProxy")
  }

  @Test(
    "of a repeated key of the archive itself no value is dropped: it is refused", arguments: ["$top", "$objects", "$classname"])
  func refusesRepeatedKeys(_ key: String) throws {
    var archive = RawKeyedArchive()
    let type = archive.add(.object([("$classname", .string("A")), (key, .string("B")), ("$classes", .array([.string("A")]))]))
    archive.top = [("a", archive.add(.object([("$class", type)])))]
    guard case .dictionary(let entries) = archive.plain else { return }
    let repeated = PlainPropertyList.dictionary(entries + [PlainEntry(key: .string(key), value: .object([("b", .string("precious"))]))])
    let error = #expect(throws: KeyedArchiveError.self) {
      try ImportedArchive(decoding: RawPropertyList(key == "$classname" ? archive.plain : repeated).bytes)
    }
    #expect(error?.code == (key == "$classname" ? .objectFields : .notKeyedArchive))
    let salvaged = try ImportedArchive(decoding: RawPropertyList(repeated).bytes, tolerance: .salvage)
    #expect(String(decoding: salvaged.tree.json(), as: UTF8.self).contains("precious"))
  }

  @Test("an object to which nothing leads is noted, and a description of a class that a value refers to is kept whole")
  func notesUnreachedObjects() throws {
    var archive = RawKeyedArchive()
    archive.top = [("a", archive.add(.integer(1)))]
    #expect(try ImportedArchive(decoding: archive.bytes, tolerance: .strict).notes.isEmpty)
    _ = archive.addArray([archive.add(.string("precious"))])
    let notes = try ImportedArchive(decoding: archive.bytes, tolerance: .strict).notes
    #expect(notes.map(\.text) == ["2 objects, to which nothing leads, are left out"] && notes[0].kind == .remark)
    let state = try Self.state { archive in
      let names = PlainPropertyList.array([.string("Other")])
      archive.top = [("a", archive.add(.object([("$classname", .string("Mine")), ("$classes", names), ("more", .string("precious"))])))]
    }
    #expect(state["a"] == ["$entries": [["$classname", "Mine"], ["$classes", ["Other"]], ["more", "precious"]]])
  }

  @Test("a date of whole seconds that no real number can be is a record")
  func keepsLargeDates() throws {
    let large = Int128(1 << 53) + 1
    let state = try Self.state { archive in
      archive.top = [large - 1, large].map { ("\($0)", archive.add("NSDate", [("NS.time", .integer($0))])) }
    }
    #expect(state["\(large - 1)"] == .date(Date(timeIntervalSinceReferenceDate: Double(1 << 53))))
    #expect(state["\(large)"] == ["$class": "NSDate", "NS.time": .integer(Int(large))])
  }

  @Test("the numbers of objects out of line are those of the list, and errors name the object (R-K3-2, chapter 6)")
  func numbersObjects() throws {
    var list = RawPropertyList()
    list.add(list.array([1, 1]))
    list.add(list.array(Array(repeating: 2, count: 20)))
    list.add([9])
    let state = try ImportedArchive(decoding: list.bytes).tree.applicationState
    #expect(state["root"] == [["$object": 1], ["$object": 1]] && state["$objects"] == ["1": .array(Array(repeating: true, count: 20))])
    var archive = RawKeyedArchive()
    var deep = PlainPropertyList.integer(1)
    for _ in 0..<130 { deep = .array([deep]) }
    archive.top = [("a", archive.add("Deep", [("list", deep)]))]
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
    #expect(error?.code == .depthLimit && error?.offset != nil)
  }

  @Test("small shared collections and records are counted, since their copies do not show it (R-K3-2)")
  func countsCopies() throws {
    func count(_ name: String) throws -> Int {
      let fixture = try #require(AppleFixture.all.first { $0.name == name })
      return try ImportedArchive(decoding: fixture.bytes).copiedObjectCount
    }
    #expect(try count("keyed-archives/valid/shared-small-objects") == 2)
    #expect(try count("property-lists/valid/shared-objects") == 0)
    // Out of line, and shown as such.
    for name in ["shared-large-object", "circle", "self-reference"] { #expect(try count("keyed-archives/valid/\(name)") == 0) }
    // References to nodes are not objects.
    #expect(try count("uikit/valid/every-key") == 0)
  }

  @Test("keys that are not strings, and those of ours, make a list of pairs (R-K3-3)")
  func listsEntries() throws {
    let state = try Self.state { archive in
      let one = archive.add(.integer(1))
      archive.top = [
        ("numbers", archive.add("NSDictionary", [("NS.keys", .array([one])), ("NS.objects", .array([one]))])),
        ("dollar", archive.addDictionary([("$object", one)])), ("twice", archive.addDictionary([("k", one), ("k", .uid(0))])),
        ("fields", archive.add("Record", [("$1", one), ("$objects", one)])),
      ]
    }
    #expect(state["numbers"] == ["$entries": [[1, 1]]])
    #expect(state["dollar"] == ["$entries": [["$object", 1]]])
    #expect(state["twice"] == ["$entries": [["k", 1], ["k", nil]]])
    #expect(state["fields"] == ["$class": "Record", "$1": 1, "$fields": [["$objects", 1]]])
  }

  @Test("lists of pairs count with all their levels: what is imported can be stored (R-K3-3)")
  func countsLevelsOfPairs() throws {
    for key in ["$x", "x"] {
      for count in [30, 39, 40, 45, 115, 125] {
        var value = PlainPropertyList.integer(1)
        for _ in 0..<count { value = .object([(key, value)]) }
        var (archive, record) = (RawKeyedArchive(), RawKeyedArchive())
        archive.top = [("a", value)]
        record.top = [("a", record.add("Record", [("$x", value)]))]
        for archive in [archive, record] {
          do {
            _ = try ImportedArchive(decoding: archive.bytes).tree.encoded()
          } catch let error as KeyedArchiveError {
            #expect(error.code == .depthLimit && count > (key == "x" ? 110 : 30), "\(key), \(count)")
          }
        }
      }
    }
  }

  @Test("a URL without text, which is no url of ours, is a record (R-K3-1)")
  func keepsEmptyURLs() throws {
    var archive = RawKeyedArchive()
    archive.top = [
      ("url", archive.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", archive.add(.string("")))])), ("kept", .integer(1)),
    ]
    let imported = try ImportedArchive(decoding: archive.bytes)
    #expect(imported.tree.applicationState == ["kept": 1, "url": ["$class": "NSURL", "NS.base": .null, "NS.relative": ""]])
    _ = try imported.tree.encoded()
    // Our layout has two forms of a URL; neither may be empty.
    for isTagged in [false, true] {
      var layout = RawKeyedArchive()
      let text = layout.add(.string(""))
      let url = isTagged ? layout.addDictionary([("$url", text)]) : layout.add("NSURL", [("NS.base", .uid(0)), ("NS.relative", text)])
      let state = layout.addDictionary([("url", url)])
      layout.top = [("root", layout.addDictionary([("restorationArchive", .integer(1)), ("application", state)]))]
      let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: layout.bytes) }
      #expect(error?.code == .archiveLayout)
    }
  }

  @Test("the names of superclasses are kept in the graph")
  func keepsSuperclasses() throws {
    var archive = RawKeyedArchive()
    let type = archive.addClass("A", "B")
    archive.top = [("root", archive.add(.object([("$class", type)])))]
    let graph = try KeyedArchive(decoding: archive.bytes)
    guard case .object(let number)? = graph["root"] else {
      Issue.record("no object")
      return
    }
    #expect(graph.objects[number].type == KeyedClass(name: "A", names: ["A", "B", "NSObject"]))
  }

  @Test("names and keys take time in proportion to their length, whatever they are compared with (R-11-1)")
  func comparesHostileTexts() throws {
    // Normalization sorts these marks by insertion: comparing the text with `==` takes minutes.
    let marks = String(repeating: "\u{301}", count: 150_000) + String(repeating: "\u{327}", count: 150_000)
    let key = String(repeating: "\u{301}", count: 16_000) + String(repeating: "\u{327}", count: 16_000)
    let state = try Self.state { archive in
      let one = archive.add(.integer(1))
      archive.top = [
        ("$\(key)", one), (key, archive.addDictionary([(marks, one)])), ("class", archive.add(marks, [("NS.object.\(key)", one)])),
        ("set", archive.add("NSOrderedSet", [(key, one)])),
      ]
    }
    #expect(state.count == 4)
    for text in [
      "<plist><dict><key>\(marks)</key><integer>1</integer></dict></plist>", "<plist><integer>\(marks)</integer></plist>",
      "<plist><integer>-\(marks)</integer></plist>", "<?xml encoding='\(marks)'?><plist><true/></plist>",
    ] {
      #expect(PropertyList.form(of: Array(text.utf8)) == .xml)
      _ = try? ImportedArchive(decoding: Array(text.utf8))
    }
    var layout = RawKeyedArchive()
    layout.top = [("root", layout.addDictionary([("restorationArchive", .integer(1)), (marks, .integer(2))]))]
    #expect(#expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: layout.bytes) }?.code == .archiveLayout)
  }

  @Test("a layout that is not ours is refused, or is an archive like any other (R-K4-2)")
  func refusesLayouts() throws {
    var other = RawKeyedArchive()
    other.top = [("root", other.addDictionary([("restorationArchive", .integer(1)), ("unknown", .integer(2))]))]
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: other.bytes) }
    #expect(error?.code == .archiveLayout)
    var later = RawKeyedArchive()
    later.top = [("root", later.addDictionary([("restorationArchive", .integer(2))]))]
    let version = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: later.bytes) }
    #expect(version?.code == .archiveVersion)
    var circle = RawKeyedArchive()
    let nodes = circle.add(.null)
    let node = circle.addDictionary([("identifier", circle.add(.string("a"))), ("children", nodes)])
    let type = circle.addClass("NSArray")
    circle.objects[1] = .object([("NS.objects", .array([node])), ("$class", type)])
    circle.top = [("root", circle.addDictionary([("restorationArchive", .integer(1)), ("nodes", nodes)]))]
    let depth = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: circle.bytes) }
    #expect(depth?.code == .depthLimit)
  }
}
