import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// UIKit's state archives, by the facts.
@Suite struct UIKitImportTests {
  private static func imported(_ name: String) throws -> ImportedArchive {
    let fixture = try #require(AppleFixture.all.first { $0.name == "uikit/valid/\(name)" })
    return try ImportedArchive(decoding: fixture.bytes)
  }

  @Test("every key becomes what the registry says (R-K5-1, R-K5-4)")
  func mapsEveryKey() throws {
    let tree = try Self.imported("every-key").tree
    #expect(tree.header.bundleVersion == "42")
    #expect(tree.header.systemVersion == "17.2")
    #expect(tree.header.timestamp == Date(timeIntervalSinceReferenceDate: 700_000_000.25))
    #expect(tree.header.userInterfaceIdiom == .pad)
    #expect(tree.header.additional == ["uikit.majorVersion": 2, "uikit.minorVersion": 1])
    #expect(tree.applicationState == ["theme": "dark", "current": .reference("Tabs/:[0]:/Detail")])
    #expect(tree.nodes.map(\.identifier) == ["Tabs", "Document"])
    let tabs = tree.nodes[0]
    #expect(tabs.type == "UITabBarController")
    #expect(tabs.state.isEmpty)
    #expect(
      tabs.attributes == [
        "uikit.isViewController": true, "uikit.children": [.reference("Tabs/:[0]:/Detail")],
        "uikit.selectedViewController": .reference("Tabs/:[0]:/Detail"),
      ])
    let place = tabs.children[0]
    #expect(place.identifier == ":[0]:" && place.attributes == ["restoration.placeholder": true])
    let detail = place.children[0]
    #expect(detail.identifier == "Detail" && detail.type == "DetailController")
    #expect(detail.provider == ProviderReference(name: "Main", identifier: "Detail"))
    #expect(
      detail.attributes == ["uikit.isViewController": true, "uikit.viewWasLoaded": true, "uikit.restorationClass": "DetailFactory"])
    #expect(detail.state == ["title": "Draft", "documents": [.reference("Document")]])
    #expect(detail.children.map(\.identifier) == [":views"])
    #expect(detail.children[0].children == [ArchiveNode("scroll", state: ["offset": 12.5])])
    #expect(tree.nodes[1].state == ["page": 3])
  }

  @Test("a view and a child controller may have the same identifier (R-K5-2)")
  func separatesViews() throws {
    var root = RawKeyedArchive()
    var controller = RawKeyedArchive()
    var view = RawKeyedArchive()
    view.top = [("x", .integer(1))]
    controller.top = [("kViewRestorationDataKey", controller.addDictionary([("same", controller.add(.data(view.bytes)))]))]
    var child = RawKeyedArchive()
    child.top = [("x", .integer(2))]
    root.top = [
      ("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("c")), root.add(.string("c/same"))])),
      ("c", .data(controller.bytes)), ("c/same", .data(child.bytes)),
    ]
    let tree = try ImportedArchive(decoding: root.bytes).tree
    let nodes = try #require(tree.nodes.first).children
    #expect(nodes.first { $0.identifier == "same" }?.state == ["x": 2])
    #expect(nodes.first { $0.identifier == ":views" }?.children.first?.state == ["x": 1])
    _ = try tree.encoded()
  }

  @Test("references are found in arrays, sets and dictionaries, and a path that cannot be one here stays a record (R-K5-4)")
  func findsReferences() throws {
    var root = RawKeyedArchive()
    func reference(_ path: String) -> PlainPropertyList {
      root.add("_UIObjectIdentifierPathProxy", [("kObjectIdentifierPathProxyIdentifierPathKey", root.add(.string(path)))])
    }
    let (first, second, wrong) = (reference("a"), reference("a/:[1]:/b"), reference("a//b"))
    root.top = [
      ("kUIStateRestorationArchiveMajorVersionKey", .integer(2)), ("list", root.addArray([first, second])),
      ("set", root.addArray([second], type: "NSSet")), ("map", root.addDictionary([("front", second), ("back", .uid(0))])),
      ("wrong", wrong),
    ]
    #expect(
      try ImportedArchive(decoding: root.bytes).tree.applicationState == [
        "list": [.reference("a"), .reference("a/:[1]:/b")], "set": [.reference("a/:[1]:/b")],
        "map": ["front": .reference("a/:[1]:/b"), "back": .null],
        "wrong": ["$class": "_UIObjectIdentifierPathProxy", "kObjectIdentifierPathProxyIdentifierPathKey": "a//b"],
      ])
  }

  @Test("idioms have UIKit's numbers", arguments: [(0, "phone"), (1, "pad"), (2, "tv"), (3, "carPlay"), (5, "mac"), (6, "vision")])
  func readsIdioms(_ number: Int, _ idiom: String) throws {
    var root = RawKeyedArchive()
    root.top = [("UIApplicationStateRestorationUserInterfaceIdiom", .integer(Int128(number)))]
    #expect(try ImportedArchive(decoding: root.bytes).tree.header.userInterfaceIdiom?.rawValue == idiom)
  }

  @Test("an unknown idiom and version are kept, and the version is noted")
  func toleratesTheUnknown() throws {
    let imported = try Self.imported("other-version-and-idiom")
    #expect(imported.tree.header.additional["uikit.userInterfaceIdiom"] == 9)
    #expect(imported.notes.count == 1 && !imported.notes[0].isLoss)
  }

  @Test("a value of another type under one of UIKit's keys is the app's, in the root archive too (R-K5-3)")
  func keepsOtherTypes() throws {
    for key in UIKitKey.allCases where key.place == .root {
      var root = RawKeyedArchive()
      root.top = [(key.rawValue, .data([1]))]
      let imported = try ImportedArchive(decoding: root.bytes)
      #expect(imported.tree.applicationState == [key.rawValue: .data(Data([1]))])
      #expect(imported.source == .uiKit && imported.tree.nodes.isEmpty)
    }
    var root = RawKeyedArchive()
    let number = root.add(.integer(1))
    root.top = [("kViewControllerRestorationClassMapKey", root.addDictionary([("a", root.add(.string("A"))), ("b", number)]))]
    let imported = try ImportedArchive(decoding: root.bytes)
    #expect(imported.tree.applicationState == ["kViewControllerRestorationClassMapKey": ["a": "A", "b": 1]])
    #expect(imported.notes.count == 1 && !imported.notes[0].isLoss)
  }

  @Test(
    "the storyboard is read under both strings that its key may have, as a name or as a record",
    arguments: [
      "UIStateRestorationViewControllerStoryboardKey", "UIStateRestorationViewControllerStoryboard",
    ])
  func readsStoryboards(_ key: String) throws {
    for isRecord in [false, true] {
      var object = RawKeyedArchive()
      let name = object.add(.string("Main"))
      object.top = [(key, isRecord ? object.add("UIStoryboard", [("any", name)]) : name)]
      var root = RawKeyedArchive()
      root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("a/:[1]:"))])), ("a/:[1]:", .data(object.bytes))]
      let node = try #require(try ImportedArchive(decoding: root.bytes).tree.nodes.first?.children.first)
      #expect(node.provider == ProviderReference(name: "Main", identifier: "a"))
    }
  }

  @Test("an object whose archive cannot be read costs itself only (R-K5-3)")
  func containsFaults() throws {
    let imported = try Self.imported("unreadable-object")
    #expect(imported.tree.nodes.map(\.identifier) == ["broken", "sound"])
    #expect(imported.tree.nodes[0].state == ["$data": .data(Data("bplist00 cut off".utf8))])
    #expect(imported.tree.nodes[1].state == ["row": 7])
    #expect(imported.notes.count == 1 && imported.notes[0].path == "broken")
  }

  @Test("many views that cannot be read are kept, and noted together after the first ones (R-K5-3)")
  func bundlesNotes() throws {
    let path = Array(repeating: String(repeating: "a", count: 100), count: 50).joined(separator: "/")
    var object = RawKeyedArchive()
    let bad = object.add(.data([1]))
    object.top = [("kViewRestorationDataKey", object.addDictionary((0..<150).map { ("\($0)", bad) }))]
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string(path))])), (path, .data(object.bytes))]
    let imported = try ImportedArchive(decoding: root.bytes)
    #expect(imported.notes.count == 101 && imported.notes.last?.text == "and 50 more parts kept as bytes")
    #expect(imported.notes[0].path?.components.count == 52)
    // The paths of the notes are paid for.
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: root.bytes, limits: ImportLimits(workPerByte: 16)) }
    #expect(error?.code == .workLimit)
  }

  @Test("a view has no place beyond the deepest one of a path (R-K5-3)")
  func limitsDepthOfViews() throws {
    for count in [254, 255] {
      let path = Array(repeating: "a", count: count).joined(separator: "/")
      var view = RawKeyedArchive()
      view.top = [("x", .integer(1))]
      var object = RawKeyedArchive()
      object.top = [("kViewRestorationDataKey", object.addDictionary([("v", object.add(.data(view.bytes)))]))]
      var root = RawKeyedArchive()
      root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string(path))])), (path, .data(object.bytes))]
      let tree = try ImportedArchive(decoding: root.bytes).tree
      #expect(tree.nodes.map(\.identifier) == (count == 254 ? ["a"] : ["a", ":unplaced"]))
      _ = try tree.encoded()
    }
  }

  @Test("what a saved state of UIKit has in unusual places can be stored", arguments: 0..<6)
  func storesUIKit(_ number: Int) throws {
    let long = String(repeating: "x", count: 100_000)
    var object = RawKeyedArchive()
    object.top = [("x", .integer(1))]
    var root = RawKeyedArchive()
    var path = "c"
    switch number {
    case 0: root.top.append(("UIApplicationStateRestorationBundleVersion", .string(long)))
    case 1:
      path = ":[0]:"
      object.top.append(("UIStateRestorationViewControllerStoryboardKey", .string("Main")))
    case 2: root.top.append(("kViewControllerRestorationClassMapKey", root.addDictionary([("c", root.add(.string(long)))])))
    case 3: root.top.append(("UIApplicationStateRestorationBundleVersion", .string("")))
    case 4: root.top.append(("UIApplicationStateRestorationSystemVersion", .string(String(repeating: "x", count: 128))))
    default: object.top.append(("kObjectIsViewControllerKey", .string(long)))
    }
    root.top += [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string(path))])), (path, .data(object.bytes))]
    let imported = try ImportedArchive(decoding: root.bytes)
    _ = try imported.tree.encoded()
  }

  @Test("an attribute of a view without a place says whose it is (R-K5-3)")
  func namesOwnerOfView() throws {
    var object = RawKeyedArchive()
    object.top = [("kViewRestorationDataKey", object.addDictionary([("", object.add(.integer(1)))]))]
    var root = RawKeyedArchive()
    let paths = ["first", "a//b"]
    root.top = [("kRootRestorationIdentifiersKey", root.addArray(paths.map { root.add(.string($0)) }))]
    root.top += paths.map { ($0, .data(object.bytes)) }
    let nodes = try ImportedArchive(decoding: root.bytes).tree.nodes
    let views = try #require(nodes.first { $0.identifier == ":unplaced" }).children.map { $0.attributes["uikit.path"] }
    #expect(views == ["first/:views/", "a//b", "a//b/:views/"])
  }

  @Test("a class of a path without an object stays under its key, and so does a second one of a path")
  func keepsOtherClasses() throws {
    var root = RawKeyedArchive()
    func text(_ text: String) -> PlainPropertyList { root.add(.string(text)) }
    let map = root.addDictionary([("c", text("Used")), ("c", text("Second")), ("gone", text("Precious"))])
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([text("c")])), ("c", .data(RawKeyedArchive().bytes))]
    root.top.append(("kViewControllerRestorationClassMapKey", map))
    let tree = try ImportedArchive(decoding: root.bytes).tree
    #expect(tree.nodes[0].attributes == ["uikit.restorationClass": "Used"])
    #expect(tree.applicationState == ["kViewControllerRestorationClassMapKey": ["c": "Second", "gone": "Precious"]])
  }

  @Test("a storyboard with more than its name is kept beside the provider")
  func keepsStoryboard() throws {
    var object = RawKeyedArchive()
    let key = UIKitKey.storyboard.rawValue
    object.top = [(key, object.add("UIStoryboard", [("name", object.add(.string("Main"))), ("bundle", .integer(7))]))]
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("a"))])), ("a", .data(object.bytes))]
    let node = try #require(try ImportedArchive(decoding: root.bytes).tree.nodes.first)
    #expect(node.provider?.name == "Main")
    #expect(node.state == [key: ["$class": "UIStoryboard", "name": "Main", "bundle": 7]])
  }

  @Test("of many notes of one kind, the first ones are listed and the others counted, and texts are cut")
  func limitsNotes() throws {
    func notes(_ element: PlainPropertyList, count: Int) throws -> [ImportedArchive.Note] {
      var root = RawKeyedArchive()
      let element = root.add(element)
      root.top = [("kRootRestorationIdentifiersKey", root.addArray(Array(repeating: element, count: count)))]
      return try ImportedArchive(decoding: root.bytes).notes
    }
    let numbers = try notes(.integer(1), count: 5000)
    #expect(numbers.count == 101 && numbers.last?.text == "and 4900 more elements that are none" && numbers.last?.isLoss == true)
    let texts = try notes(.string(String(repeating: "\u{1}", count: 50_000)), count: 60)
    #expect(texts.count == 61 && texts.allSatisfy { $0.text.utf8.count < 4000 })
  }

  @Test("references to one long path take no time each (R-K7-1)", .timeLimit(.minutes(1)))
  func countsNoUnusedReference() throws {
    var root = RawKeyedArchive()
    let text = root.add(.string(String(repeating: "a/", count: 500_000) + "a"))
    let type = root.addClass("_UIObjectIdentifierPathProxy")
    let proxies = (0..<30_000).map { _ in
      root.add(.object([("kObjectIdentifierPathProxyIdentifierPathKey", text), ("$class", type)]))
    }
    root.top = [("kRootRestorationIdentifiersKey", root.addArray(proxies + proxies)), ("own", .string("x"))]
    let imported = try ImportedArchive(decoding: RawPropertyList(root.plain, referenceSize: 4).bytes)
    // What is shared and in no state is not copied.
    #expect(imported.copiedObjectCount == 0)
  }

  @Test("an object without a place here replaces no other one (R-K5-3)")
  func replacesNoNamesake() throws {
    func object(_ number: Int128) -> PlainPropertyList {
      var object = RawKeyedArchive()
      object.top = [("x", .integer(number))]
      return .data(object.bytes)
    }
    var root = RawKeyedArchive()
    let paths = [":unplaced/1", "a//b"]
    root.top = [("kRootRestorationIdentifiersKey", root.addArray(paths.map { root.add(.string($0)) }))]
    root.top += [(paths[0], object(111)), (paths[1], object(222))]
    let text = String(decoding: try ImportedArchive(decoding: root.bytes).tree.json(), as: UTF8.self)
    #expect(text.contains("111") && text.contains("222"))
  }

  @Test("of a key that occurs twice in UIKit's root archive all values are kept (R-K2-6)")
  func keepsBothValues() throws {
    func object(_ number: Int128) -> PlainPropertyList {
      var object = RawKeyedArchive()
      object.top = [("x", .integer(number))]
      return .data(object.bytes)
    }
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("c"))])), ("c", object(111)), ("c", object(222))]
    let tree = try ImportedArchive(decoding: root.bytes).tree
    #expect(tree.nodes[0].state == ["x": 111])
    guard case .data(let other)? = tree.applicationState["c"] else { throw CancellationError() }
    #expect(try ImportedArchive(decoding: [UInt8](other)).tree.applicationState == ["x": 222])
  }

  @Test("the provider of an object whose path cannot be a path here is named by the path of the source (R-K5-3)")
  func namesProviderBySource() throws {
    var object = RawKeyedArchive()
    object.top = [("UIStateRestorationViewControllerStoryboardKey", .string("Main"))]
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("a//b"))])), ("a//b", .data(object.bytes))]
    let tree = try ImportedArchive(decoding: root.bytes).tree
    #expect(tree.nodes.first?.children.first?.provider?.identifier == "b")
  }
}
