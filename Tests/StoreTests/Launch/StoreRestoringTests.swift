import Foundation
import ProcessKit
import StateRestoration
import Testing

/// Behaviours of the engine observed through the store: the files on disk, and the next launch.
@Suite struct StoreRestoringTests {
  /// A document with a text of some length, so that several documents take several blocks.
  final class Document: Restorable {
    static let restorationType = "Document"
    let restorationIdentifier: String?
    var text: String
    var wasRestored = false
    /// Whether this build cannot decode its state.
    var isBroken = false

    init(_ identifier: String, text: String = "") {
      restorationIdentifier = identifier
      self.text = text
    }

    func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(text, forKey: "text") }

    func decodeRestorableState(with coder: StateDecoder) throws {
      text = try coder.decode(String.self, forKey: isBroken ? "content" : "text")
      wasRestored = true
    }
  }

  final class Window: Restorable {
    static let restorationType = "Window"
    let restorationIdentifier: String? = "window"
    var documents: [Document]
    var restorationChildren: [any Restorable] { documents }

    init(_ documents: [Document]) {
      self.documents = documents
    }
  }

  private let temporary: TemporaryFolder
  private var folder: String { temporary.url("store").path }
  private let header = ArchiveHeader(bundleVersion: "1")

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// Saves a window with documents, in a launch of its own.
  private func save(_ documents: [Document]) throws {
    let store = try RestorationStore(folder: folder)
    let application = RestorableTree(roots: [Window(documents)])
    _ = try store.restore(application, with: Resolver {})
    try store.save(application.preserve(header: header))
    store.endLaunch()
  }

  /// The documents "0" to "29", each of a kilobyte.
  private static func thirty() -> [Document] {
    (0..<30).map { number in Document("\(number)", text: String(repeating: "text \(number) ", count: 120)) }
  }

  private func file() throws -> URL {
    let name = try #require(try RestorationStore(folder: folder, access: .reading).generations().first?.fileName)
    return URL(fileURLWithPath: "\(folder)/\(name)")
  }

  /// Restores into empty documents, saves, and returns the restored texts by identifier.
  private func restored() throws -> (texts: [String: String], report: RestorationReport?, load: StoreLoad) {
    let store = try RestorationStore(folder: folder)
    let window = Window((0..<30).map { Document("\($0)") })
    let application = RestorableTree(roots: [window])
    let restored = try store.restore(application, with: Resolver {})
    try store.save(application.preserve(header: header))
    let found = window.documents.filter(\.wasRestored)
    return (
      Dictionary(uniqueKeysWithValues: found.map { ($0.restorationIdentifier ?? "", $0.text) }), restored.report, restored.plan.load
    )
  }

  /// Checks that each document was restored unchanged, or that the report has an error for it.
  private func expectUnaltered(_ documents: [Document], _ texts: [String: String], _ report: RestorationReport?) {
    for document in documents {
      let identifier = document.restorationIdentifier ?? ""
      if let text = texts[identifier] {
        #expect(text == document.text)
      } else {
        #expect(report?.node(at: ("window" as RestorationPath).appending(identifier))?.error != nil)
      }
    }
  }

  @Test("25: state that a live object could not decode stays in its own file, whatever is saved over it")
  func keepsWhatCouldNotBeDecoded() throws {
    try save([Document("draft", text: "precious")])
    for round in 1...3 {
      let store = try RestorationStore(folder: folder)
      let draft = Document("draft")
      draft.isBroken = true
      let application = RestorableTree(roots: [Window([draft])])
      let report = try #require(try store.restore(application, with: Resolver {}).report)
      #expect(!report.isDegraded && report.node(at: "window/draft")?.isKept == true, "round \(round)")
      draft.text = "defaults \(round)"
      try store.save(application.preserve(header: header))
      let texts = try store.generations().map { generation in
        let reader = try ArchiveReader(contentsOfFile: "\(folder)/\(generation.fileName)")
        return try reader.decoder(at: "window/draft").decode(String.self, forKey: "text")
      }
      #expect(texts.contains("precious") && texts.first == "defaults \(round)", "round \(round): \(texts)")
      store.endLaunch()
    }
  }

  @Test("25: only the save that replaces such a state is written as a whole; the next ones are links after it, and pin no other file")
  func linksAfterReplacedState() throws {
    try save(Self.thirty())
    let store = try RestorationStore(folder: folder)
    let documents = (0..<30).map { Document("\($0)") }
    documents[7].isBroken = true
    let application = RestorableTree(roots: [Window(documents)])
    _ = try store.restore(application, with: Resolver {})
    documents[7].text = "new"
    try store.save(application.preserve(header: header))
    #expect(try store.generations().map(\.description) == ["2", "1 (pinned)"])
    for number in 0..<3 {
      documents[8].text = "edit \(number)"
      let preservation = try application.preserve(header: header)
      #expect(preservation.report.notes(at: "window/7").map(\.kind) == [.superseded])
      try store.save(preservation)
    }
    #expect(try store.generations().map(\.description) == ["2", "1 (pinned)"])
    let links = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".link-") }
    #expect(links.count == 3)
    let reader = try #require(try store.load().archive).reader
    #expect(try reader.decoder(at: "window/8").decode(String.self, forKey: "text") == "edit 2")
  }

  @Test("33: state without a key, or with keys of a newer build, is accepted; no key is required")
  func acceptsOtherBuilds() throws {
    final class Pane: Restorable {
      static let restorationType = "Pane", restorationSchemaVersion = 2
      let restorationIdentifier: String? = "pane"
      @Restored var row = 7
      @Restored var column = 8
    }
    for (schema, state) in [(1, ["row": 1]), (1, [:]), (2, ["row": 1, "column": 2]), (3, ["row": 1, "zoom": "new"]), (9, ["row": [1]])]
      as [(Int, ArchiveDictionary)]
    {
      let store = try RestorationStore(folder: "\(folder)-\(schema)-\(state.count)")
      try store.save(ArchiveTree(nodes: [ArchiveNode("pane", type: "Pane", schemaVersion: schema, state: state)]).encoded())
      let pane = Pane()
      let report = try #require(try store.restore(RestorableTree(roots: [pane]), with: Resolver {}).report)
      // The value of the wrong type is an error of this node; the other property keeps its default.
      let isWrong = schema == 9
      // An older state without an upgrade is decoded, and said to be old (81).
      #expect(
        report.node(at: "pane")?.outcome == (isWrong ? .failed : schema < 2 ? .notUpgraded : .located),
        "schema \(schema): \(report.why("pane"))")
      #expect(pane.row == (state["row"] == nil || isWrong ? 7 : 1) && pane.column == (state["column"] == nil ? 8 : 2), "schema \(schema)")
    }
  }

  /// A document of the build after that of ``Document``.
  final class Page: Restorable {
    static let restorationType = "Document", restorationSchemaVersion = 1
    let restorationIdentifier: String?
    @Restored var text = ""

    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  final class Binder: Restorable {
    static let restorationType = "Window", restorationSchemaVersion = 1
    let restorationIdentifier: String? = "window"
    let restorationChildren: [any Restorable]

    init(_ pages: [Page]) { restorationChildren = pages }
  }

  @Test(
    "58: an upgrade that kills the app counts against its node, which is left out alone, and as it was saved",
    arguments: ["Document", nil])
  func blamesUpgrades(_ type: String?) throws {
    struct Died: Error {}
    let nodes = ["a", "b", "c"].enumerated().map { ArchiveNode("\($0)", type: type, state: ["text": .string($1)]) }
    let saved = ArchiveTree(nodes: [ArchiveNode("window", type: "Window", state: ["tab": "t"], children: nodes)])
    try RestorationStore(folder: folder).save(saved.encoded())
    for launch in 1...3 {
      let (here, next) = (launch == 1 ? folder : temporary.url("launch \(launch)").path, temporary.url("launch \(launch + 1)").path)
      var upgraded: [String] = []
      let resolver = try Resolver {
        // Fails, because the node that it leads to cannot take the value.
        Upgrade(Binder.self, from: 0, to: 1) { $0.move("tab", toChild: "1") }
        Upgrade(Page.self, from: 0, to: 1) { state in
          upgraded.append(state.path.description)
          guard state.path == "window/1" else { return }
          // What is on the disk now is what a killed process leaves.
          try FileManager.default.copyItem(atPath: here, toPath: next)
          throw Died()
        }
      }
      let pages = (0..<3).map { Page("\($0)") }
      let application = RestorableTree(roots: [Binder(pages)])
      let store = try RestorationStore(folder: here)
      let report = try #require(try store.restore(application, with: resolver).report)
      if launch < 3 {
        #expect(upgraded == ["window/0", "window/1", "window/2"])
        continue
      }
      #expect(upgraded == ["window/0", "window/2"])
      #expect(report.node(at: "window/1")?.outcome == .quarantined, "\(report.summary)")
      #expect(pages.map(\.text) == ["a", "", "c"])
      try store.save(application.preserve(header: header))
      let node = try #require(try store.load().archive?.reader.node(at: "window/1"))
      #expect(try node.type == type && node.schemaVersion == 0 && node.state() == ["text": "b"])
      #expect(try store.load().archive?.reader.node(at: "window")?.state() == ["tab": "t"])
    }
  }

  @Test("37: a truncated file never counts as intact; each object whose state remains is restored unchanged")
  func restoresOfATornFile() throws {
    let documents = Self.thirty()
    try save(documents)
    let file = try file()
    let bytes = try Data(contentsOf: file)
    try bytes.prefix(bytes.count * 6 / 10).write(to: file)
    let (texts, report, load) = try restored()
    #expect(load.archive?.isPartial == true)
    #expect(load.candidates.first?.outcome.description.hasPrefix("partly restored: ") == true, "\(load.candidates)")
    #expect((10...25).contains(texts.count), "\(texts.count) of 30")
    expectUnaltered(documents, texts, report)
    // The launch has saved since, and the rest of the file is still there.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasSuffix(".damaged.rsta") || $0.hasSuffix(".pinned.rsta") }
    )
  }

  @Test("38: a damaged block affects only the objects whose state lies in it")
  func restoresAroundADamagedBlock() throws {
    let documents = Self.thirty()
    try save(documents)
    let file = try file()
    var bytes = [UInt8](try Data(contentsOf: file))
    // A state takes just under a kilobyte, so up to six lie at least partly in a block of 4 KiB.
    let block = bytes.count / 2 / 4096
    for index in (block * 4096)..<((block + 1) * 4096) { bytes[index] ^= 0x5A }
    try Data(bytes).write(to: file)
    let (texts, report, _) = try restored()
    #expect((24...27).contains(texts.count), "\(texts.count) of 30")
    expectUnaltered(documents, texts, report)
  }
}
