import CorpusKit
import PropertyKit
import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 25 and 27: objects that register before, during and after restoring.
@Suite struct RegisteredObjectsTests {
  @Test("27: an object that registers after restoring is restored immediately, with everything below it")
  func behaviour27RestoresLate() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    var isLoggedIn = false
    _ = try application.restore(
      from: ArchiveReader.ofPlugin(),
      with: Resolver {
        Factory(type: "List", deciding: { _ in isLoggedIn ? .object(List("plugin")) : .later })
        Factory(path: "root/plugin/deep") { node in
          let deep = SampleObject(node.identifier)
          (node.parent as? SampleObject)?.children.append(deep)
          return deep
        }
      })
    #expect(application.report?.node(at: "root/plugin")?.outcome == .later)
    #expect(application.report?.node(at: "root/plugin/deep")?.outcome == .later)
    #expect(
      application.report?.why("root/plugin")
        == "waiting by type \"List\": it is restored when an object registers for its path; its state is carried over")
    #expect(try application.saved().state("root/plugin") == ["x": 1])
    isLoggedIn = true
    let plugin = List("plugin")
    #expect(application.register(plugin, at: "root/plugin") == .data)
    #expect(plugin.values == ["x": 1] && plugin.finished == [.data])
    #expect((plugin.children.first as? SampleObject)?.values == ["y": 2])
    #expect(application.report?.summary == "restored 3 of 3")
    #expect(try application.saved().paths() == ["root", "root/plugin", "root/plugin/deep"])
    #expect(try application.saved().node(at: "root/plugin")?.origin == nil)
  }

  @Test("25, 76: state that a late object could not decode is kept until the object changes; then its file is")
  func behaviour25ReportsLateFailures() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver { Factory(type: "List") { _ in nil } })
    let plugin = List("plugin", values: ["x": 9])
    plugin.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    #expect(try application.preserve(header: .sample).report.notes(at: "root/plugin").map(\.kind) == [.carriedOver])
    let answer = application.register(plugin, at: "root/plugin")
    for _ in 0..<2 {
      let preservation = try application.preserve(header: .sample)
      #expect(preservation.report.notes(at: "root/plugin").map(\.kind) == [.carriedOver])
      #expect(try ArchiveReader(#require(try preservation.archive)).state("root/plugin") == ["x": 1])
    }
    #expect(answer == .failed && application.report?.isDegraded != true)
    plugin.values["x"] = 10
    for _ in 0..<2 {
      let report = try application.preserve(header: .sample).report
      #expect(report.notes(at: "root/plugin").map(\.kind) == [.superseded])
    }
    #expect(application.report?.isDegraded == true)
    // State that is to be forgotten is not lost.
    let delegate = SampleDelegate()
    application.delegate = delegate
    delegate.saving = { _ in .forget }
    #expect(try application.preserve(header: .sample).decision == .forget)
    delegate.saving = { _ in .save }
    #expect(try application.preserve(header: .sample).report.notes.isEmpty)
  }

  @Test("25: the same holds for an object that registers while another late object is being restored")
  func behaviour25ReportsNestedLateFailures() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver { Factory(type: "List") { _ in nil } })
    let plugin = List("plugin"), deep = SampleObject("deep")
    deep.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    plugin.decoding = { _ in application.register(deep, at: "root/plugin/deep") }
    #expect(application.register(plugin, at: "root/plugin") == .data)
    for _ in 0..<2 {
      let report = try application.preserve(header: .sample).report
      #expect(report.notes(at: "root/plugin/deep").map(\.kind) == [.carriedOver])
    }
    deep.values["z"] = 1
    #expect(try application.preserve(header: .sample).report.notes(at: "root/plugin/deep").map(\.kind) == [.superseded])
  }

  @Test("27: an object that registers during restoring is bound in the same run")
  func behaviour27RestoresDuringRun() throws {
    let application = RestorableTree()
    let plugin = List("plugin")
    let root = SampleObject("root")
    root.decoding = { _ in #expect(application.register(plugin, at: "root/plugin") == .pending) }
    application.roots = [root]
    let report = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    #expect(plugin.values == ["x": 1] && plugin.finished == [.data])
    #expect(report.node(at: "root/plugin")?.outcome == .located)
  }

  @Test("27: so is one that registers while the first encoding of kept state is noted")
  func behaviour27RestoresWhileNoting() throws {
    let root = SampleObject("root"), plugin = List("plugin")
    let application = RestorableTree(roots: [root])
    root.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    root.encoding = { _ in application.register(plugin, at: "root/plugin") }
    let report = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    #expect(plugin.values == ["x": 1] && plugin.finished == [.data])
    #expect(report.node(at: "root/plugin")?.outcome == .located)
    let remedy = "; if an older build did not save it, use decode(…, forKey: \"none\", default: …); "
    #expect(report.why("root").hasSuffix(remedy + "its state is kept until the object at its path changes"))
  }

  @Test("27: an object that registers during preserving is in that archive, with everything below it", arguments: [false, true])
  func behaviour27SavesWhatRegistersMeanwhile(_ isFresh: Bool) throws {
    let root = SampleObject("root"), plugin = List("plugin"), second = List("second", values: ["z": 5])
    let application = RestorableTree(roots: [root])
    if isFresh { try application.startFresh() } else { _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver()) }
    var answers: [RestoredState] = []
    root.encoding = { _ in answers.append(application.register(plugin, at: "root/plugin")) }
    plugin.encoding = { [unowned plugin] coder in
      answers.append(application.register(second))
      for (key, value) in plugin.values { try coder.encode(value, forKey: key) }
    }
    let archive = try application.saved()
    #expect(answers == (isFresh ? [.none, .none] : [.data, .none]))
    #expect(try archive.paths() == (isFresh ? ["root", "root/plugin", "second"] : ["root", "root/plugin", "root/plugin/deep", "second"]))
    #expect(try archive.state("second") == ["z": 5])
    if !isFresh { #expect(try archive.state("root/plugin") == ["x": 1] && archive.state("root/plugin/deep") == ["y": 2]) }
    #expect(try application.saved().paths() == archive.paths())
  }

  @Test("registered objects are held weakly, and lie under their parents")
  func registersWeakly() throws {
    let root = SampleObject("root", values: ["r": 1])
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    do {
      let panel = SampleObject("panel", values: ["x": 1])
      panel.parent = root
      application.register(panel)
      let archive = try application.saved()
      withExtendedLifetime(panel) {}
      #expect(try archive.paths() == ["root", "root/panel"])
    }
    #expect(try application.saved().paths() == ["root"])
  }

  @Test("79: a child that registers before its parent is saved below the parent's path")
  func childBeforeParent() throws {
    let (window, panel) = (SampleObject("main", values: ["x": 1]), SampleObject("panel", values: ["y": 2]))
    panel.parent = window
    let tree = RestorableTree()
    tree.register(panel)
    tree.register(window, at: "windows/main")
    try tree.startFresh()
    #expect(try tree.saved().paths() == ["windows", "windows/main", "windows/main/panel"])
  }

  @Test("an object registered before restoring is found below a parent that a factory creates")
  func findsRegisteredBelowMade() throws {
    let root = SampleObject("root")
    let plugin = List("plugin")
    plugin.parent = root
    let application = RestorableTree()
    application.register(plugin)
    let report = try application.restore(
      from: ArchiveReader.ofPlugin(),
      with: Resolver {
        Factory(path: "root") { _ in
          application.roots = [root]
          return root
        }
      })
    #expect(plugin.values == ["x": 1])
    #expect(report.node(at: "root/plugin")?.outcome == .located)
  }

  @Test("registering asks twice as many objects at most twice as often")
  func registersMany() throws {
    #expect(try questionsForRegistering(3000) <= 2 * questionsForRegistering(1500))
  }

  /// Registers objects, saves them, restores others from that, and returns the number of questions.
  private func questionsForRegistering(_ count: Int) throws -> Int {
    let questions = AskedObject.Questions()
    let (objects, others) = ((0..<count).map { AskedObject("n\($0)", questions) }, (0..<count).map { AskedObject("n\($0)", questions) })
    let (application, next) = (RestorableTree(), RestorableTree())
    for (number, object) in objects.enumerated() {
      object.number = number
      application.register(object)
    }
    try application.startFresh()
    let archive = try application.saved()
    for object in others { next.register(object) }
    #expect(try next.restore(from: archive, with: Resolver()).summary == "restored \(count) of \(count)")
    #expect(others.map(\.number) == objects.map(\.number))
    return questions.count
  }

  @Test("27: objects that register in each other's callbacks are all restored; a declined node stays declined for an existing object")
  func behaviour27Chains() throws {
    let archive = try RestorableTree.saved(["a", "b", "c", "d"].map { SampleObject($0, values: ["x": 1]) })
    let application = RestorableTree()
    let objects = ["b", "c"].map { SampleObject($0) }
    let a = SampleObject("a"), d = SampleObject("d"), none = SampleObject("none")
    application.register(d)
    a.decoding = { _ in
      application.register(objects[0])
      application.register(none)
    }
    objects[0].decoding = { coder in
      objects[0].values["x"] = try coder.decode(Int.self, forKey: "x")
      application.register(objects[1])
    }
    application.roots = [a]
    let report = try application.restore(from: archive, with: Resolver { Factory(path: "d", reusesLiveObject: false) { _ in nil } })
    #expect(objects.map(\.values) == [["x": 1], ["x": 1]])
    #expect(objects.map(\.finished) == [[.data], [.data]] && none.finished == [.none])
    #expect(report.node(at: "d")?.outcome == .skipped(.declined) && d.values == [:] && d.finished == [.none])
  }

  @Test("objects that factories register are found in time in proportion to their number")
  func findsManyRegisteredObjects() throws {
    final class Panel: Restorable {
      nonisolated(unsafe) static var calls = 0
      let name: String
      let root: any Restorable
      init(_ name: String, _ root: any Restorable) { (self.name, self.root) = (name, root) }
      var restorationIdentifier: String? {
        unsafe Self.calls += 1
        return name
      }
      var restorationParent: (any Restorable)? { root }
    }
    let count = 400
    let panels = (0..<count).map { ArchiveNode("\($0)", state: ["x": 1]) }
    let root = SampleObject("root")
    let application = RestorableTree(roots: [root])
    var kept: [Panel] = []
    let report = try application.restore(
      from: ArchiveReader(ArchiveTree(nodes: [ArchiveNode("root", state: ["x": 1], children: panels)]).encoded()),
      with: Resolver {
        Factory(path: "root/*") { node in
          let panel = Panel(node.identifier, root)
          kept.append(panel)
          application.register(panel)
          return panel
        }
      })
    #expect(report.summary == "restored \(count + 1) of \(count + 1)")
    #expect(unsafe Panel.calls < 20 * count)
  }
}
