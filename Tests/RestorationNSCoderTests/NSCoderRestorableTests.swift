import Foundation
import RestorationNSCoder
import Testing

/// A controller with values, an object of the app and references to other controllers.
@MainActor private class ListController: NSCoderRestorableObject {
  override class var restorationType: String { "List" }
  override class var restorableClasses: ObjectClasses { ["Article": Article.self, "Person": Person.self] }
  override var restorationChildren: [any Restorable] { details }

  var details: [DetailController] = []
  var front: DetailController?
  var pinned: [DetailController] = []
  var article: Article?
  var row = 0
  @Restored var isOpen = false

  override func encodeRestorableState(with coder: NSCoder) {
    super.encodeRestorableState(with: coder)
    coder.encode(row, forKey: "row")
    coder.encode(article, forKey: "article")
    coder.encode(front, forKey: "front")
    coder.encode(["pinned": pinned], forKey: "lists")
    coder.encodeConditionalObject(front, forKey: "conditional")
  }

  override func decodeRestorableState(with coder: NSCoder) {
    super.decodeRestorableState(with: coder)
    row = coder.decodeInteger(forKey: "row")
    article = coder.decodeObject(of: Article.self, forKey: "article")
    front = coder.decodeObject(forKey: "front") as? DetailController
    pinned = (coder.decodeObject(forKey: "lists") as? [String: Any])?["pinned"] as? [DetailController] ?? []
    #expect(coder.decodeObject(forKey: "conditional") as? DetailController === front)
    #expect(coder.decodeObject(of: [DetailController.self], forKey: "front") as? DetailController === front)
    #expect(coder.decodeObject(forKey: KeyedStateCoder.bundleVersionKey) as? String == "42")
  }
}

/// A controller of another class hierarchy, which refers back.
@MainActor private final class DetailController: NSObject, @MainActor NSCoderRestorable {
  static let restorationType = "Detail"
  let restorationIdentifier: String?
  weak var list: ListController?
  var offset = 0.0
  var fails = false

  init(_ identifier: String) { restorationIdentifier = identifier }

  func encodeRestorableState(with coder: NSCoder) {
    coder.encode(offset, forKey: "offset")
    coder.encodeConditionalObject(list, forKey: "list")
    if fails { coder.encode(Insecure(), forKey: "bad") }
  }

  func decodeRestorableState(with coder: NSCoder) {
    offset = coder.decodeDouble(forKey: "offset")
    list = coder.decodeObject(forKey: "list") as? ListController
  }

  static func viewController(withRestorationIdentifierPath path: [String], coder: NSCoder) -> DetailController? {
    path.last.flatMap { coder.containsValue(forKey: "offset") ? DetailController($0) : nil }
  }
}

@MainActor private final class Delegate: @MainActor NSCoderRestorationDelegate {
  var theme = "light"
  var answersNo = false
  var caught: [String] = []
  var keys: [String] = []

  func shouldSaveApplicationState(to coder: NSCoder) -> Bool {
    coder.encode("1", forKey: "schema")
    return !answersNo
  }
  func willEncodeRestorableState(with coder: NSCoder) { coder.encode(theme, forKey: "theme") }
  func shouldRestoreApplicationState(from coder: NSCoder) -> Bool {
    for key in [
      KeyedStateCoder.bundleVersionKey, KeyedStateCoder.systemVersionKey, KeyedStateCoder.timestampKey,
      KeyedStateCoder.userInterfaceIdiomKey,
    ] {
      keys.append(coder.decodeObject(forKey: key).map { "\($0)" } ?? "nil")
    }
    keys.append("\(coder.decodeInteger(forKey: KeyedStateCoder.userInterfaceIdiomKey))")
    keys.append(coder.decodeObject(forKey: "schema") as? String ?? "nil")
    return !answersNo
  }
  func didDecodeRestorableState(with coder: NSCoder) { theme = coder.decodeObject(of: NSString.self, forKey: "theme") as String? ?? "none" }
  func didCatch(_ error: any Error, at path: RestorationPath) { caught.append("\(path): \(code(error))") }
}

@MainActor @Suite struct NSCoderRestorableTests {
  private static let header = ArchiveHeader(
    bundleVersion: "42", systemVersion: "6.1", timestamp: Date(timeIntervalSinceReferenceDate: 0), userInterfaceIdiom: .pad)

  private func list() -> ListController {
    let list = ListController(restorationIdentifier: "list")
    list.details = [DetailController("a"), DetailController("b")]
    for detail in list.details { detail.list = list }
    list.front = list.details[1]
    list.pinned = list.details.reversed()
    list.article = Article("News", author: Person("Ann"), tags: ["x"])
    (list.row, list.isOpen, list.details[0].offset) = (7, true, 1.5)
    return list
  }

  private func resolver(_ list: ListController) throws -> Resolver {
    try Resolver {
      Factory(DetailController.self) { node in
        let detail = try node.withNSCoder { coder in
          DetailController.viewController(withRestorationIdentifierPath: node.path.components, coder: coder)
        }
        if let detail { list.details.append(detail) }
        return detail
      }
    }
  }

  private func saved(_ roots: [any Restorable], _ delegate: Delegate? = nil) throws -> ArchiveReader {
    let application = RestorableTree(roots: roots, delegate: delegate)
    try application.startFresh()
    return try ArchiveReader(#require(try application.preserve(header: Self.header).archive))
  }

  @Test("a whole app saves and restores with NSCoder: values, objects, references, restored properties")
  func wholeApp() throws {
    let before = list()
    let delegate = Delegate()
    delegate.theme = "dark"
    let archive = try saved([before], delegate)
    let list = ListController(restorationIdentifier: "list")
    let next = Delegate()
    let report = try RestorableTree(roots: [list], delegate: next).restore(from: archive, with: resolver(list))
    #expect(report.summary == "restored 3 of 3" && report.application == .restored)
    #expect(list.row == 7 && list.isOpen && list.article == before.article)
    #expect(list.details.map(\.restorationIdentifier) == ["a", "b"] && list.details[0].offset == 1.5)
    #expect(list.front === list.details[1] && list.pinned.map(\.restorationIdentifier) == ["b", "a"])
    #expect(list.details.allSatisfy { $0.list === list })
    #expect(next.theme == "dark" && next.caught == [])
    #expect(next.keys == ["42", "6.1", "\(Date(timeIntervalSinceReferenceDate: 0))", "1", "1", "1"])
  }

  @Test("references are paths in the archive, which other code reads too")
  func references() throws {
    let state = try #require(try saved([list()]).node(at: "list")).state()
    #expect(state["front"] == .reference("list/b") && state["conditional"] == .reference("list/b"))
    #expect(state["lists"] == ["pinned": [.reference("list/b"), .reference("list/a")]])
  }

  @Test("a reference to an object that is not saved is nil, and left out of a collection; the reports say so")
  func danglingReferences() throws {
    let before = list()
    before.front = DetailController("elsewhere")
    before.pinned.append(DetailController("nowhere"))
    before.front?.list = nil
    let application = RestorableTree(roots: [before])
    try application.startFresh()
    // At the top level, an object that is only referenced is saved; one without an identifier has no path.
    before.front = nil
    let preservation = try application.preserve(header: Self.header)
    let archive = try ArchiveReader(#require(try preservation.archive))
    let list = ListController(restorationIdentifier: "list")
    let none = try Resolver { Factory(DetailController.self) { _ in nil } }
    let report = try RestorableTree(roots: [list]).restore(from: archive, with: none)
    #expect(list.front == nil && list.pinned.isEmpty && list.row == 7)
    #expect("\(report)".contains("reference \"lists\""))
  }

  @Test("an object without a path is null, or left out of a collection")
  func withoutPath() throws {
    @MainActor final class Nameless: NSObject, @MainActor NSCoderRestorable {
      let restorationIdentifier: String? = nil
      func encodeRestorableState(with coder: NSCoder) {}
      func decodeRestorableState(with coder: NSCoder) {}
    }
    @MainActor final class Holder: NSObject, @MainActor NSCoderRestorable {
      let restorationIdentifier: String? = "holder"
      func encodeRestorableState(with coder: NSCoder) {
        coder.encode(Nameless(), forKey: "one")
        coder.encode([Nameless(), self], forKey: "all")
      }
      func decodeRestorableState(with coder: NSCoder) {}
    }
    let application = RestorableTree(roots: [Holder()])
    try application.startFresh()
    let preservation = try application.preserve(header: Self.header)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try #require(try archive.node(at: "holder")).state() == ["one": .null, "all": [.reference("holder")]])
    let messages = preservation.report.notes(at: "holder").map(\.message)
    #expect(messages.contains { $0.contains("is stored as null") } && messages.contains { $0.contains("is left out of its collection") })
  }

  @Test("an object that cannot encode keeps its previous state; the delegate gets the error")
  func keepsPrevious() throws {
    let before = list()
    let delegate = Delegate()
    let application = RestorableTree(roots: [before], delegate: delegate)
    try application.startFresh()
    _ = try application.preserve(header: Self.header)
    (before.details[0].offset, before.details[0].fails) = (9, true)
    let preservation = try application.preserve(header: Self.header)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.decoder(at: "list/a").decode(Double.self, forKey: "offset") == 1.5)
    #expect(delegate.caught == ["list/a: object-class"])
    #expect("\(preservation.report)".contains("key \"bad\": a Insecure"))
  }

  @Test("a value of another kind fails its object alone, which decodes everything else")
  func failsAlone() throws {
    var tree = try ArchiveTree(decoding: saved([list()]))
    tree.nodes[0].state["row"] = "seven"
    let list = ListController(restorationIdentifier: "list")
    let report = try RestorableTree(roots: [list]).restore(from: ArchiveReader(tree.encoded()), with: resolver(list))
    #expect(list.row == 0 && list.article?.title == "News" && list.front === list.details[1])
    #expect(report.summary == "restored 2 of 3; 1 not: 1 failed; its state is kept" && report.why("list").contains("key row"))
  }

  @Test("the delegate's no: the previous state is kept, the saved state stays available")
  func decisions() throws {
    let delegate = Delegate()
    let archive = try saved([list()], delegate)
    delegate.answersNo = true
    let application = RestorableTree(roots: [ListController(restorationIdentifier: "list")], delegate: delegate)
    let report = try application.restore(from: archive, with: Resolver())
    #expect(application.condition == .fresh && report.summary.contains("restored nothing (not-now)"))
    #expect(try application.preserve(header: Self.header).decision == .keepPrevious)
  }

  @Test("an error in a decision of the delegate reaches it")
  func errorsInDecisions() throws {
    final class Careless: NSCoderRestorationDelegate {
      var caught: [String] = []
      func shouldSaveApplicationState(to coder: NSCoder) -> Bool {
        coder.encode(Insecure(), forKey: "bad")
        return true
      }
      func shouldRestoreApplicationState(from coder: NSCoder) -> Bool { coder.decodeInteger(forKey: "theme") == 0 }
      func didCatch(_ error: any Error, at path: RestorationPath) { caught.append(code(error)) }
    }
    let delegate = Careless()
    let archive = try ArchiveReader(ArchiveTree(applicationState: ["theme": "dark"]).encoded())
    let application = RestorableTree(delegate: delegate)
    #expect(try application.restore(from: archive, with: Resolver()).application == .restored)
    #expect(try application.preserve(header: Self.header).decision == .keepPrevious)
    #expect(delegate.caught == ["wrong-type", "object-class"])
  }

  @Test("an app with a store: saved by one run, restored by the next")
  func withStore() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nscoder-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = AppConfiguration(bundleIdentifier: "org.example.nscoder", bundleVersion: "42", folder: folder.path)
    (configuration.handlesSignals, configuration.recordsFatalSignals) = (false, false)
    let before = list()
    let first = try AppRestoration(configuration, roots: { [before] })
    #expect(try first.launch().freshStart == .nothingSaved)
    try first.endNow()
    let list = ListController(restorationIdentifier: "list")
    let second = try AppRestoration(configuration, roots: { [list] }) {
      Factory(DetailController.self) { node in
        let detail = DetailController(node.identifier)
        list.details.append(detail)
        return detail
      }
    }
    #expect(try second.launch().report?.summary == "restored 3 of 3")
    #expect(list.row == 7 && list.front === list.details[1])
    await second.end()
  }
}
