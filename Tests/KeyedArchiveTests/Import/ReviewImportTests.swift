import Foundation
@testable import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// What a review of the imports found.
@Suite struct ReviewImportTests {
  // MARK: Salvage

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

  @Test("circles of a list that is salvaged are broken in time in proportion to it")
  func breaksCirclesInLinearTime() throws {
    func time(_ count: Int) throws -> Duration {
      var raw = RawPropertyList()
      raw.add(raw.array([Int](repeating: 0, count: count) + [1]))
      raw.add(RawPropertyList.ascii("x"))
      let bytes = raw.bytes
      return try ContinuousClock().measure { _ = try PropertyList(decoding: bytes, tolerance: .salvage) }
    }
    _ = try time(1000)
    let (short, long) = (try time(20_000), try time(160_000))
    #expect(long < short * 24, "\(short) and \(long)")
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

  @Test("of a keyed archive whose table or outermost object is lost, the objects are kept (R-K2-8)", arguments: ["$objects", "$top", "$version"])
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

  // MARK: Sensitive values

  private static func layout() throws -> [UInt8] {
    var node = ArchiveNode("a", state: ["token": "hunter2", "title": "x"])
    node.state.setSensitive(true, forKey: "token")
    return try [UInt8](ArchiveTree(nodes: [node]).keyedArchive())
  }

  private static func redacted(_ bytes: [UInt8], _ tolerance: ImportTolerance) throws -> String {
    String(decoding: try ImportedArchive(decoding: bytes, tolerance: tolerance).tree.json(sensitiveValues: .redact), as: UTF8.self)
  }

  /// What is not read as our layout any more has lost what marks its values.
  @Test("a sensitive value stays hidden if the tag itself is damaged", arguments: [0, 1, 5, 9])
  func hidesAfterDamageOfTag(_ place: Int) throws {
    var bytes = try Self.layout()
    let tag = try #require(bytes.firstRange(of: Array("$sensitive".utf8)))
    bytes[tag.lowerBound + place] ^= 1
    #expect(!(try Self.redacted(bytes, .salvage)).contains("hunter2"))
  }

  @Test("the tag of sensitive values is found however a text form spells it (R-K4-3)")
  func findsTagInEveryForm() throws {
    func xml(_ key: String) -> String { "<plist><dict><key>token</key><dict><key>\(key)</key><string>hunter2</string></dict></dict></plist>" }
    for key in ["$sensitive", "&#36;sensitive", "&#x24;sensitive", "$<![CDATA[sensitive]]>", "$sens&#105;tive"] {
      let bytes = Array(xml(key).utf8)
      #expect(ImportedArchive.marksSensitiveValues(bytes), "\(key)")
      #expect(!(try Self.redacted(bytes, .oddities)).contains("hunter2"), "\(key)")
    }
    let wide: [UInt8] = [0xFF, 0xFE, 0, 0] + xml("$sensitive").utf8.flatMap { [$0, 0, 0, 0] as [UInt8] }
    #expect(!(try Self.redacted(wide, .oddities)).contains("hunter2"), "UTF-32")
    for key in [#""\U0024sensitive""#, #""\044sensitive""#, #""$sens\itive""#] {
      #expect(!(try Self.redacted(Array("{ token = { \(key) = hunter2; }; }".utf8), .oddities)).contains("hunter2"), "\(key)")
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

  @Test("a mark outside of states is refused, and not dropped (R-K4-2)")
  func refusesMarkInHeader() throws {
    var archive = RawKeyedArchive()
    let header = archive.addDictionary([("com.x", archive.addDictionary([("$sensitive", archive.add(.string("hunter2")))]))])
    archive.top = [("root", archive.addDictionary([("restorationArchive", archive.add(.integer(1))), ("header", header)]))]
    #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
  }

  // MARK: Layout

  @Test("every text of a url comes back from a keyed archive (R-K4-1, R-K4-4)", arguments: ["$null", "http://a", "a b", "$", "\u{0}"])
  func keepsURLs(_ text: String) throws {
    let tree = ArchiveTree(applicationState: ["url": .url(text)], nodes: [ArchiveNode("$null", type: "$null", state: ["$null": "$null"])])
    #expect(try ImportedArchive(decoding: [UInt8](tree.keyedArchive())).tree == tree)
  }

  // MARK: Storing

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
    let imported = try ImportedArchive(decoding: root.bytes)
    let text = String(decoding: imported.tree.json(), as: UTF8.self)
    #expect(text.contains("111") && (text.contains("222") || imported.notes.contains(where: \.isLoss)))
  }

  @Test("no provider is invented for an object whose path cannot be a path here")
  func inventsNoProvider() throws {
    var object = RawKeyedArchive()
    object.top = [("UIStateRestorationViewControllerStoryboardKey", .string("Main"))]
    var root = RawKeyedArchive()
    root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string("a//b"))])), ("a//b", .data(object.bytes))]
    let tree = try ImportedArchive(decoding: root.bytes).tree
    #expect(tree.nodes.first?.children.first?.provider?.identifier != "1")
  }

  @Test("what a saved state of AppKit has in unusual places can be stored", arguments: 0..<4)
  func storesAppKit(_ number: Int) throws {
    let long = String(repeating: "x", count: 100_000)
    var state = RawSavedState()
    var entries: [(String, PlainPropertyList)] = [("NSIsGlobal", .bool(true))]
    switch number {
    case 0: entries.append(("NSSystemVersion", .array([PlainPropertyList](repeating: .integer(.max), count: 4))))
    case 1: entries.append(("CFBundleVersion", .string(long)))
    case 2: entries.append(("CFBundleVersion", .string("")))
    default: entries.append(("NSSystemVersion", .array([PlainPropertyList](repeating: .integer(.min), count: 4))))
    }
    state.addWindow(3, entries)
    state.addRecord(3, number == 2 ? "" : long, [("rchv", []), ("\u{1B}[2J", [1])])
    let imported = try ImportedArchive(windows: state.windowList, data: state.log)
    _ = try imported.tree.encoded()
    for note in imported.notes { #expect(!note.description.unicodeScalars.contains("\u{1B}")) }
  }

  // MARK: Work

  @Test("a long path is paid for by each view below it (R-K7-1)")
  func countsPathsOfViews() throws {
    func time(_ components: Int) throws -> Duration {
      let path = Array(repeating: String(repeating: "a", count: 1000), count: components).joined(separator: "/")
      var object = RawKeyedArchive()
      let bad = object.add(.data([1]))
      let views = object.addDictionary((0..<1000).map { ("\($0)", bad) })
      object.top = [("kViewRestorationDataKey", views)]
      var root = RawKeyedArchive()
      root.top = [("kRootRestorationIdentifiersKey", root.addArray([root.add(.string(path))])), (path, .data(object.bytes))]
      let bytes = root.bytes
      return ContinuousClock().measure { _ = try? ImportedArchive(decoding: bytes) }
    }
    _ = try time(1)
    let (short, long) = (try time(1), try time(200))
    // The file is three times as long.
    #expect(long < short * 12, "\(short) and \(long)")
  }
}
