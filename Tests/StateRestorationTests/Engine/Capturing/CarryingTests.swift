import CorpusKit
import PropertyKit
import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 24 and 25: state that no object claims is carried over, within limits.
@Suite struct CarryingTests {
  @Test("24: unclaimed state is written again, equal in value, under its own origin, for any number of sessions (R-3.5-1)")
  func behaviour24CarriesOver() throws {
    var archive = try ArchiveReader.ofPlugin()
    let original = try #require(try ArchiveTree(decoding: archive).nodes.first?.children.first)
    for session in 1...4 {
      let application = RestorableTree(roots: [SampleObject("root")])
      let report = try application.restore(from: archive, with: Resolver())
      #expect(report.node(at: "root/plugin")?.outcome == .skipped(.noFactory))
      #expect(report.node(at: "root/plugin")?.isCarriedOver == true)
      let first = try application.saved(header: .at(build: "41", seconds: 200 + Double(session)))
      archive = try application.saved(header: .at(build: "41", seconds: 200 + Double(session)))
      #expect(first.contentDigest == archive.contentDigest)
      let plugin = try #require(try archive.node(at: "root/plugin"))
      #expect(
        plugin.origin
          == ArchiveOrigin(bundleVersion: "40", timestamp: Date(timeIntervalSinceReferenceDate: 100), sessionsCarried: UInt32(session)))
      #expect(try plugin.state() == original.state)
      #expect(plugin.type == "List")
      #expect(try archive.state("root/plugin/deep") == ["y": 2])
    }
    let plugin = List("plugin")
    let application = RestorableTree(roots: [SampleObject("root", children: [plugin])])
    _ = try application.restore(from: archive, with: Resolver())
    #expect(plugin.values == ["x": 1])
    #expect(try application.saved().node(at: "root/plugin")?.origin == nil)
  }

  @Test("24: state that its object has replaced does not count against the limit of what is carried")
  func replacedStateTakesNoRoom() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("tab", state: ["text": .string(String(repeating: "x", count: 2000))]),
        ArchiveNode("plugin", state: ["text": .string(String(repeating: "y", count: 600))]),
      ])
    let tab = SampleObject("tab")
    tab.decoding = { _ in throw Refusal() }
    let tree = RestorableTree(roots: [tab])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    tree.endFirstTurn()
    tab.values["x"] = 1
    var saved: ArchiveReader?
    for _ in 0..<2 { saved = try tree.saved(options: PreservationOptions(carryLimits: CarryLimits(byteCount: 3000))) }
    saved = try tree.saved(options: PreservationOptions(carryLimits: CarryLimits(byteCount: 1000)))
    #expect(try saved?.state("tab") == ["x": 1] && saved?.node(at: "plugin") != nil)
  }

  private struct Refusal: Error {}

  @Test("88: what is set aside before the first save of a launch, or after a fresh start, is as old as that", arguments: [true, false])
  func ageOfWhatIsSetAsideEarly(_ isFresh: Bool) throws {
    let day = 86_400.0
    func header(_ days: Double) -> ArchiveHeader { .at(build: "2", seconds: days * day) }
    let page = SampleObject("page", values: ["x": 1])
    let tree = RestorableTree(roots: [page])
    let options = RestorationOptions(launch: LaunchContext(now: header(400).timestamp))
    let old = ArchiveTree(header: .at(build: "1", seconds: 0), nodes: [ArchiveNode("page", state: ["x": 1])])
    if isFresh {
      try tree.startFresh()
    } else {
      _ = try tree.restore(from: ArchiveReader(old.encoded()), with: Resolver(), options: options)
    }
    #expect(try tree.setAside(page))
    tree.roots = []
    let saved = try #require(try tree.saved(header: header(400)).node(at: "page"))
    #expect(saved.origin?.timestamp == header(400).timestamp)
  }

  @Test("24: an attribute of a carried node that this build does not know stays as it is, of whatever type (R-3.5-1, R-3.5-6)")
  func behaviour24KeepsAttributes() throws {
    for file in try Corpus.files(in: "valid/vectors") where file.path.contains("origin-last-claimable") {
      let node = try #require(try ArchiveTree(decoding: ArchiveReader(file.bytes)).nodes.first)
      var archive = try ArchiveReader(file.bytes)
      for session in 1...3 {
        let application = RestorableTree(roots: [SampleObject("root")])
        let report = try application.restore(from: archive, with: Resolver())
        #expect(report.node(at: "old")?.outcome == .skipped(.noFactory))
        archive = try application.saved(header: .at(build: "42", seconds: 816_900_000 + Double(session)))
        let carried = try #require(try ArchiveTree(decoding: archive).nodes.first { $0.identifier == "old" })
        #expect(!node.attributes.isEmpty && carried.attributes == node.attributes && carried.state == node.state)
        #expect(carried.origin?.sessionsCarried == 3 + UInt32(session))
      }
    }
  }

  @Test("24: unclaimed state is carried over even if a late object is below it (R-3.5-1, R-3.5-2)")
  func behaviour24CarriesAboveLiveObjects() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    let deep = SampleObject("deep")
    #expect(application.register(deep, at: "root/plugin/deep") == .data)
    #expect(deep.values == ["y": 2])
    deep.values = ["y": 3]
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes.map(\.kind) == [.carriedOver])
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.state("root/plugin") == ["x": 1] && archive.state("root/plugin/deep") == ["y": 3])
    #expect(try archive.node(at: "root/plugin")?.type == "List")
    #expect(try archive.node(at: "root/plugin")?.origin?.bundleVersion == "40")
    #expect(try archive.node(at: "root/plugin/deep")?.origin == nil)
  }

  @Test(
    "24: a node of a later format version is carried over, except attributes that this version does not allow (R-3.3-3, R-3.5-1)"
  )
  func behaviour24DropsLaterAttributes() throws {
    let file = try #require(try Corpus.files(in: "forward").first { $0.path.contains("minor-1-attribute") })
    // The tree keeps its version when it is encoded again.
    var tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    let later = tree.nodes[0].attributes
    tree.nodes[0].attributes = [:]
    var plugin = ArchiveNode("plugin", state: ["x": 1], children: [ArchiveNode("deep", state: ["y": 2])])
    plugin.attributes = later
    plugin.attributes["app.note"] = 2
    tree.nodes[0].children = [plugin]
    let application = RestorableTree(roots: [SampleObject("root")])
    _ = try application.restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "root/plugin").map(\.kind) == [.lost, .carriedOver])
    #expect(preservation.report.notes(at: "root/plugin/deep").map(\.kind) == [.carriedOver])
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.state("root/plugin") == ["x": 1] && archive.state("root/plugin/deep") == ["y": 2])
    #expect(try archive.node(at: "root/plugin")?.attributes() == ["app.note": 2])
  }

  @Test("header keys and attributes of a later format version are harmless, including for upgrades (R-3.3-1, R-9.1-1)")
  func restoresLaterVersions() throws {
    for name in ["minor-1-attribute", "minor-1-header-key"] {
      let file = try #require(try Corpus.files(in: "forward").first { $0.path.hasSuffix("/\(name).hex") })
      var tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
      if tree.nodes.isEmpty { tree.nodes = [ArchiveNode("root")] }
      tree.nodes[0].type = "Editor"
      tree.nodes[0].schemaVersion = 1
      tree.nodes[0].state = ["old": 1]
      let application = RestorableTree()
      let editor = Editor("root")
      let report = try application.restore(
        from: ArchiveReader(tree.encoded()),
        with: Resolver {
          Factory(type: "Editor") { _ in
            application.roots = [editor]
            return editor
          }
          Upgrade(type: "Editor", from: 1, to: 2) { $0.rename("old", to: "new") }
        })
      #expect(report.node(at: "root")?.outcome == .restored && editor.values == ["new": 1], "\(name)")
    }
  }

  @Test("24: carrying over is limited by age, sessions and size, and nodes beyond the limits are reported")
  func behaviour24Limits() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    func kinds(_ limits: CarryLimits, seconds: Double = 200) throws -> [PreservationReport.NoteKind] {
      try application.preserve(header: .at(build: "41", seconds: seconds), options: .init(carryLimits: limits)).report.notes.map(\.kind)
    }
    #expect(try kinds(.init(age: .seconds(100))) == [.carriedOver, .carriedOver])
    // The first launch that finds them too old carries them on (88).
    #expect(try kinds(.init(age: .seconds(99))) == [.carriedOver, .carriedOver])
    #expect(try kinds(.init(sessions: 1)) == [.carriedOver, .carriedOver])
    #expect(try kinds(.init(sessions: 0)) == [.expired, .expired])
    #expect(try kinds(.init(byteCount: 0)) == [.expired, .expired])
    let old = try application.saved(header: .at(build: "41", seconds: 200))
    let report = try RestorableTree(roots: [SampleObject("root")]).restore(
      from: old, with: Resolver { Factory(type: "List") { _ in List("plugin") } }, options: .init(carryLimits: .init(sessions: 0)))
    #expect(report.node(at: "root/plugin")?.outcome == .skipped(.expired))
  }

  @Test("24: of what was carried equally long, the largest is dropped first")
  func dropsTheLargest() throws {
    let nodes = [2000, 10, 20].enumerated().map { ArchiveNode("\($0)", state: ["text": .string(String(repeating: "x", count: $1))]) }
    let application = RestorableTree(roots: [])
    _ = try application.restore(from: ArchiveReader(ArchiveTree(header: .sample, nodes: nodes).encoded()), with: Resolver())
    #expect(try application.saved(options: .init(carryLimits: CarryLimits(byteCount: 1000))).paths() == ["1", "2"])
  }

  @Test("setting an object aside drops nothing that the app's own limits keep")
  func setsAsideWithinTheLimits() throws {
    let limits = CarryLimits(byteCount: 1 << 26)
    let large = ArchiveNode("plugin", state: ["data": .data(Data(count: 17 << 20))])
    let root = SampleObject("root", children: [SampleObject("pane", values: ["p": 1])])
    let application = RestorableTree(roots: [root])
    _ = try application.restore(
      from: ArchiveReader(ArchiveTree(nodes: [large]).encoded()), with: Resolver(), options: .init(carryLimits: limits))
    #expect(try application.setAside(root.children[0]))
    root.children = []
    let report = try application.preserve(header: .sample, options: .init(carryLimits: limits)).report
    #expect(!report.isDegraded && Set(report.notes.map(\.kind)) == [.carriedOver])
  }

  @Test(
    "25: if unclaimed state and a live object that has changed share a path, the object's state is saved, and the launch is degraded"
  )
  func behaviour25LiveObjectWins() throws {
    let plugin = List("plugin")
    plugin.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    let application = RestorableTree(roots: [SampleObject("root", children: [plugin])])
    let report = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    #expect(!report.isDegraded && application.report?.isDegraded != true)
    plugin.values = ["x": 9]
    let saved = try application.saved()
    #expect(application.report?.isDegraded == true)
    #expect(try saved.state("root/plugin") == ["x": 9])
    #expect(try saved.state("root/plugin/deep") == ["y": 2])

    // A declined node whose object exists later.
    let declined = RestorableTree(roots: [SampleObject("root")])
    _ = try declined.restore(from: ArchiveReader.ofPlugin(), with: Resolver { Factory(type: "List") { _ in nil } })
    (declined.roots[0] as? SampleObject)?.children = [List("plugin", values: ["x": 5])]
    let preservation = try declined.preserve(header: .sample)
    #expect(preservation.report.notes(at: "root/plugin").map(\.kind) == [.superseded])
    #expect(preservation.report.isDegraded)
    #expect(try ArchiveReader(#require(try preservation.archive)).state("root/plugin") == ["x": 5])
  }

  @Test("unreadable previous state is reported as lost, and not as never saved")
  func tellsUnreadablePreviousState() throws {
    struct Failure: Error {}
    let tree = ArchiveTree(
      header: .sample, applicationState: ["a": .ofLaterType],
      nodes: [ArchiveNode("root", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": .ofLaterType])])
    let object = Editor("root")
    object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") }
    object.encoding = { _ in throw Failure() }
    let delegate = SampleDelegate()
    delegate.encoding = { coder in
      // A reference needs the paths, which are then computed again.
      try coder.encode(reference: object, forKey: "front")
      throw Failure()
    }
    let application = RestorableTree(roots: [object], delegate: delegate)
    let archive = try ArchiveReader(#require(LaterArchive.make(of: [UInt8](tree.encoded()))))
    let restored = try application.restore(from: archive, with: Resolver())
    #expect(restored.node(at: "root")?.outcome == .located)
    let report = try application.preserve(header: .sample).report
    #expect(report.notes(at: "root").map(\.kind) == [.lost])
    #expect(report.notes(at: .application).map(\.kind) == [.lost])
    #expect(report.isDegraded)
    #expect(
      report.notes.allSatisfy { $0.message.contains("cannot be kept: ") && !$0.message.contains("nothing was saved") }, "\(report)")
  }

  @Test("unreadable state of an object that is not restored yet is not reported as carried over")
  func tellsUnreadableStateOfObjectsInRestoring() throws {
    let first = Editor("first"), second = Editor("second")
    let application = RestorableTree(roots: [first, second])
    var report: PreservationReport?
    first.decoding = { _ in report = try application.preserve(header: .sample).report }
    second.decoding = { _ in }
    let archive = try ArchiveReader.ofLaterVersion([
      ArchiveNode("first", type: "Editor", schemaVersion: 2, state: ["x": 1]),
      ArchiveNode("second", type: "Editor", schemaVersion: 2, state: ["a": .ofLaterType]),
    ])
    _ = try application.restore(from: archive, with: Resolver())
    #expect(report?.notes(at: "first").map(\.kind) == [.carriedOver])
    #expect(report?.notes(at: "second").map(\.kind) == [.lost])
  }

  @Test("24: application state that no delegate consumed is saved again")
  func behaviour24CarriesApplicationState() throws {
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode("dark", forKey: "theme") }
    let archive = try RestorableTree.saved([], delegate: delegate)
    let application = RestorableTree()
    _ = try application.restore(from: archive, with: Resolver())
    let saved = try application.saved()
    #expect(try saved.application().state() == ["theme": "dark"])
    // While restoring runs, the delegate has not consumed the state yet.
    let a = SampleObject("a", values: ["x": 1])
    let both = try RestorableTree.saved([a], delegate: delegate)
    var during: ArchiveReader?
    let next = RestorableTree(roots: [a], delegate: delegate)
    delegate.encoding = { try $0.encode("light", forKey: "theme") }
    a.decoding = { _ in during = try next.saved() }
    _ = try next.restore(from: both, with: Resolver())
    #expect(try during?.application().state() == ["theme": "dark"])
    #expect(try next.saved().application().state() == ["theme": "light"])
  }

  @Test("84, 67: of two nodes that aliases leave at one path, the one that a live object has saved last is carried over, in its place")
  func behaviour84BothSuperseded() throws {
    let tree = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("b", origin: ArchiveOrigin(bundleVersion: "1"), state: ["x": 1]), ArchiveNode("c", state: ["x": 2]),
        ArchiveNode("a", state: ["x": 3]), ArchiveNode("d", state: ["x": 4]),
      ])
    // The last node of "b" cannot go on to "c".
    for aliases in [[("a", "b")], [("a", "b"), ("b", "c")]] {
      let application = RestorableTree()
      _ = try application.restore(
        from: ArchiveReader(tree.encoded()), with: Resolver { for (old, new) in aliases { Alias(old, to: new) } })
      let saved = try application.saved()
      #expect(try saved.paths() == ["c", "b", "d"] && saved.state("b") == ["x": 3], "\(aliases)")
    }
  }
}
