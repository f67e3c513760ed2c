import CorpusKit
import PropertyKit
import EngineKit
import FoundationEssentials
import StateRestoration
import Testing

/// Behaviours 24 to 27.
@Suite struct CarryingTests {
  private static func archive() throws -> ArchiveReader {
    try RestorableApplication.saved(
      [
        SampleObject(
          "root", values: ["r": 1], children: [List("plugin", values: ["x": 1], children: [SampleObject("deep", values: ["y": 2])])])
      ],
      header: .at(build: "40", seconds: 100))
  }

  @Test("24: unclaimed state is written again, equal in value, under its own origin, for any number of sessions (R-3.5-1)")
  func behaviour24CarriesOver() throws {
    var archive = try Self.archive()
    let original = try #require(try ArchiveTree(decoding: archive).nodes.first?.children.first)
    for session in 1...4 {
      let application = RestorableApplication(roots: [SampleObject("root")])
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
    let application = RestorableApplication(roots: [SampleObject("root", children: [plugin])])
    _ = try application.restore(from: archive, with: Resolver())
    #expect(plugin.values == ["x": 1])
    #expect(try application.saved().node(at: "root/plugin")?.origin == nil)
  }

  @Test("24: unclaimed state is carried over even if a late object is below it (R-3.5-1, R-3.5-2)")
  func behaviour24CarriesAboveLiveObjects() throws {
    let application = RestorableApplication(roots: [SampleObject("root")])
    _ = try application.restore(from: Self.archive(), with: Resolver())
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
    let application = RestorableApplication(roots: [SampleObject("root")])
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
      let application = RestorableApplication()
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
    let application = RestorableApplication(roots: [SampleObject("root")])
    _ = try application.restore(from: Self.archive(), with: Resolver())
    func kinds(_ limits: CarryLimits, seconds: Double = 200) throws -> [PreservationReport.NoteKind] {
      try application.preserve(header: .at(build: "41", seconds: seconds), options: .init(carryLimits: limits)).report.notes.map(\.kind)
    }
    #expect(try kinds(.init(age: .seconds(100))) == [.carriedOver, .carriedOver])
    #expect(try kinds(.init(age: .seconds(99))) == [.expired, .expired])
    #expect(try kinds(.init(sessions: 1)) == [.carriedOver, .carriedOver])
    #expect(try kinds(.init(sessions: 0)) == [.expired, .expired])
    #expect(try kinds(.init(bytes: 0)) == [.expired, .expired])
    let old = try application.saved(header: .at(build: "41", seconds: 200))
    let report = try RestorableApplication(roots: [SampleObject("root")]).restore(
      from: old, with: Resolver { Factory(type: "List") { _ in List("plugin") } }, options: .init(carryLimits: .init(sessions: 0)))
    #expect(report.node(at: "root/plugin")?.outcome == .skipped(.expired))
  }

  @Test(
    "25: if unconsumed state and a live object share a path, the object's state is saved; failed decoding degrades the launch"
  )
  func behaviour25LiveObjectWins() throws {
    let plugin = List("plugin")
    plugin.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    let application = RestorableApplication(roots: [SampleObject("root", children: [plugin])])
    let report = try application.restore(from: Self.archive(), with: Resolver())
    #expect(report.isDegraded && application.isDegraded)
    plugin.values = ["x": 9]
    let saved = try application.saved()
    #expect(try saved.state("root/plugin") == ["x": 9])
    #expect(try saved.state("root/plugin/deep") == ["y": 2])

    // A declined node whose object exists later.
    let declined = RestorableApplication(roots: [SampleObject("root")])
    _ = try declined.restore(from: Self.archive(), with: Resolver { Factory(type: "List") { _ in nil } })
    (declined.roots[0] as? SampleObject)?.children = [List("plugin", values: ["x": 5])]
    let preservation = try declined.preserve(header: .sample)
    #expect(preservation.report.notes(at: "root/plugin").map(\.kind) == [.superseded])
    #expect(preservation.report.isDegraded)
    #expect(try ArchiveReader(#require(try preservation.archive)).state("root/plugin") == ["x": 5])
  }

  @Test("26: unknown keys of a newer schema survive saves by an older build; keys no longer written do not return (R-3.5-3)")
  func behaviour26KeepsUnknownKeys() throws {
    let newer = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("new", type: "Editor", schemaVersion: 5, state: ["x": 1, "future": "f"]),
        ArchiveNode("same", type: "Editor", schemaVersion: 2, state: ["x": 1, "gone": 2]),
        ArchiveNode("asked", type: "Archivist", state: ["x": 1, "other": 3]),
      ])
    var archive = try ArchiveReader(newer.encoded())
    for _ in 1...3 {
      let objects = [Editor("new"), Editor("same"), Archivist("asked")]
      for object in objects {
        object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") }
      }
      let application = RestorableApplication(roots: objects)
      _ = try application.restore(from: archive, with: Resolver())
      archive = try application.saved()
      #expect(try archive.state("new") == ["x": 1, "future": "f"])
      #expect(try archive.node(at: "new")?.schemaVersion == 2)
      #expect(try archive.state("same") == ["x": 1])
      #expect(try archive.state("asked") == ["x": 1, "other": 3])
    }
    // The object itself writes the key now, and its value wins.
    let object = Editor("new")
    let application = RestorableApplication(roots: [object])
    object.decoding = { _ in }
    _ = try application.restore(from: archive, with: Resolver())
    object.values = ["future": 7]
    #expect(try application.saved().state("new") == ["future": 7])
  }

  /// An archive of a later minor version, in which data values equal to ``LaterArchive/content`` have an unknown type.
  private static func later(_ nodes: [ArchiveNode]) throws -> ArchiveReader {
    let tree = ArchiveTree(header: .sample, nodes: nodes)
    return try ArchiveReader(#require(LaterArchive.make(of: [UInt8](tree.encoded()))))
  }

  private static let laterValue = ArchiveValue.data(Data(LaterArchive.content))

  @Test("26: a value of a later type loses only its own key, and is reported at each save (R-3.5-3, R-6.1-1)")
  func behaviour26KeepsKeysAroundLaterTypes() throws {
    let archive = try Self.later([
      ArchiveNode(
        "new", type: "Editor", schemaVersion: 5, state: ["x": 1, "a": Self.laterValue, "future": "f", "z": [1, Self.laterValue]]),
      ArchiveNode("asked", type: "Archivist", state: ["x": 1, "a": Self.laterValue, "other": 3]),
    ])
    let objects = [Editor("new"), Archivist("asked")]
    for object in objects { object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") } }
    let application = RestorableApplication(roots: objects)
    _ = try application.restore(from: archive, with: Resolver())
    for _ in 0..<2 {
      let preservation = try application.preserve(header: .sample)
      let saved = try ArchiveReader(#require(try preservation.archive))
      #expect(try saved.state("new") == ["x": 1, "future": "f"] && saved.state("asked") == ["x": 1, "other": 3])
      #expect(try saved.node(at: "new")?.attributes()["restoration.keptKeys"] == ["future"])
      let new = preservation.report.notes(at: "new")
      #expect(new.map(\.kind) == [.lost, .lost, .unknownKeys])
      let text = try #require(new.first?.message)
      #expect(text.contains("under a, ") && text.contains("key a)") && text.contains("R-6.1-1"), "\(text)")
      #expect(preservation.report.notes(at: "asked").map(\.kind) == [.lost, .unknownKeys])
      #expect(preservation.report.isDegraded)
    }
    // A key that the object writes itself is not lost.
    objects[0].values["a"] = 2
    objects[0].values["z"] = 3
    let report = try application.preserve(header: .sample).report
    #expect(report.notes(at: "new").map(\.kind) == [.unknownKeys])
  }

  @Test("26: readable keys that were kept before are kept again, whatever other attributes the node has (R-3.5-3)")
  func behaviour26KeepsKeptKeysAroundLaterTypes() throws {
    var node = ArchiveNode("kept", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": Self.laterValue, "future": "f", "gone": 2])
    node.attributes = ["app.note": Self.laterValue, "restoration.keptKeys": ["a", "future"], "restoration.keptSchema": 5]
    var plain = ArchiveNode("plain", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": Self.laterValue])
    plain.attributes = ["app.note": 1]
    var unknown = ArchiveNode("unknown", type: "Editor", schemaVersion: 2, state: ["x": 1, "future": "f"])
    unknown.attributes = ["restoration.keptKeys": Self.laterValue, "restoration.keptSchema": 5]
    let objects = ["kept", "plain", "unknown"].map { Editor($0) }
    for object in objects { object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") } }
    let application = RestorableApplication(roots: objects)
    _ = try application.restore(from: Self.later([node, plain, unknown]), with: Resolver())
    let preservation = try application.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("kept") == ["x": 1, "future": "f"])
    #expect(try saved.node(at: "kept")?.attributes() == ["restoration.keptKeys": ["future"], "restoration.keptSchema": 5])
    #expect(preservation.report.notes(at: "kept").map(\.kind) == [.lost, .unknownKeys])
    // "plain" had no keys to keep, and the list of preserved keys of "unknown" is unreadable.
    #expect(preservation.report.notes(at: "plain").isEmpty)
    #expect(preservation.report.notes(at: "unknown").map(\.kind) == [.lost])
    #expect(try saved.state("unknown") == ["x": 1])
  }

  @Test("unreadable previous state is reported as lost, and not as never saved")
  func tellsUnreadablePreviousState() throws {
    struct Failure: Error {}
    let tree = ArchiveTree(
      header: .sample, applicationState: ["a": Self.laterValue],
      nodes: [ArchiveNode("root", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": Self.laterValue])])
    let object = Editor("root")
    object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") }
    object.encoding = { _ in throw Failure() }
    let delegate = SampleDelegate()
    delegate.encoding = { coder in
      // A reference needs the paths, which are then computed again.
      try coder.encode(reference: object, forKey: "front")
      throw Failure()
    }
    let application = RestorableApplication(roots: [object], delegate: delegate)
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
    let application = RestorableApplication(roots: [first, second])
    var report: PreservationReport?
    first.decoding = { _ in report = try application.preserve(header: .sample).report }
    second.decoding = { _ in }
    let archive = try Self.later([
      ArchiveNode("first", type: "Editor", schemaVersion: 2, state: ["x": 1]),
      ArchiveNode("second", type: "Editor", schemaVersion: 2, state: ["a": Self.laterValue]),
    ])
    _ = try application.restore(from: archive, with: Resolver())
    #expect(report?.notes(at: "first").map(\.kind) == [.carriedOver])
    #expect(report?.notes(at: "second").map(\.kind) == [.lost])
  }

  @Test("27: an object that registers after restoring is restored immediately, with everything below it")
  func behaviour27RestoresLate() throws {
    let application = RestorableApplication(roots: [SampleObject("root")])
    var isLoggedIn = false
    _ = try application.restore(
      from: Self.archive(),
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

  @Test("25: state that a late object could not decode is reported as lost at each save, so that its file is kept")
  func behaviour25ReportsLateFailures() throws {
    let application = RestorableApplication(roots: [SampleObject("root")])
    _ = try application.restore(from: Self.archive(), with: Resolver { Factory(type: "List") { _ in nil } })
    let plugin = List("plugin", values: ["x": 9])
    plugin.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    #expect(try application.preserve(header: .sample).report.notes(at: "root/plugin").map(\.kind) == [.carriedOver])
    let answer = application.register(plugin, at: "root/plugin")
    for _ in 0..<2 {
      let report = try application.preserve(header: .sample).report
      #expect(report.notes(at: "root/plugin").map(\.kind) == [.superseded])
    }
    #expect(answer == .failed && application.isDegraded)
    // State that is to be forgotten is not lost.
    let delegate = SampleDelegate()
    application.delegate = delegate
    delegate.saving = { _ in .forget }
    #expect(try application.preserve(header: .sample).outcome == .forget)
    delegate.saving = { _ in .save }
    #expect(try application.preserve(header: .sample).report.notes.isEmpty)
  }

  @Test("25: the same holds for an object that registers while another late object is being restored")
  func behaviour25ReportsNestedLateFailures() throws {
    let application = RestorableApplication(roots: [SampleObject("root")])
    _ = try application.restore(from: Self.archive(), with: Resolver { Factory(type: "List") { _ in nil } })
    let plugin = List("plugin"), deep = SampleObject("deep")
    deep.decoding = { _ = try $0.decode(String.self, forKey: "none") }
    plugin.decoding = { _ in application.register(deep, at: "root/plugin/deep") }
    #expect(application.register(plugin, at: "root/plugin") == .data)
    for _ in 0..<2 {
      let report = try application.preserve(header: .sample).report
      #expect(report.notes(at: "root/plugin/deep").map(\.kind) == [.superseded])
    }
  }

  @Test("27: an object that registers during restoring is bound in the same run")
  func behaviour27RestoresDuringRun() throws {
    let application = RestorableApplication()
    let plugin = List("plugin")
    let root = SampleObject("root")
    root.decoding = { _ in #expect(application.register(plugin, at: "root/plugin") == .pending) }
    application.roots = [root]
    let report = try application.restore(from: Self.archive(), with: Resolver())
    #expect(plugin.values == ["x": 1] && plugin.finished == [.data])
    #expect(report.node(at: "root/plugin")?.outcome == .located)
  }

  @Test("27: an object that registers during preserving is in that archive, with everything below it", arguments: [false, true])
  func behaviour27SavesWhatRegistersMeanwhile(_ isFresh: Bool) throws {
    let root = SampleObject("root"), plugin = List("plugin"), second = List("second", values: ["z": 5])
    let application = RestorableApplication(roots: [root])
    if isFresh { try application.startFresh() } else { _ = try application.restore(from: Self.archive(), with: Resolver()) }
    var answers: [RegistrationResult] = []
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
    let application = RestorableApplication(roots: [root])
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

  @Test("an object registered before restoring is found below a parent that a factory creates")
  func findsRegisteredBelowMade() throws {
    let root = SampleObject("root")
    let plugin = List("plugin")
    plugin.parent = root
    let application = RestorableApplication()
    application.register(plugin)
    let report = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "root") { _ in
          application.roots = [root]
          return root
        }
      })
    #expect(plugin.values == ["x": 1])
    #expect(report.node(at: "root/plugin")?.outcome == .located)
  }

  @Test("registering thousands of objects takes linear time")
  func registersMany() throws {
    let objects = (0..<3000).map { SampleObject("n\($0)", values: ["x": $0]) }
    let application = RestorableApplication()
    for object in objects { application.register(object) }
    try application.startFresh()
    let archive = try application.saved()
    let others = (0..<3000).map { SampleObject("n\($0)") }
    let next = RestorableApplication()
    for object in others { next.register(object) }
    #expect(try next.restore(from: archive, with: Resolver()).summary == "restored 3000 of 3000")
    #expect(others.map(\.values) == objects.map(\.values))
  }

  @Test("24: application state that no delegate consumed is saved again")
  func behaviour24CarriesApplicationState() throws {
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode("dark", forKey: "theme") }
    let archive = try RestorableApplication.saved([], delegate: delegate)
    let application = RestorableApplication()
    _ = try application.restore(from: archive, with: Resolver())
    let saved = try application.saved()
    #expect(try saved.application().state() == ["theme": "dark"])
    // While restoring runs, the delegate has not consumed the state yet.
    let a = SampleObject("a", values: ["x": 1])
    let both = try RestorableApplication.saved([a], delegate: delegate)
    var during: ArchiveReader?
    let next = RestorableApplication(roots: [a], delegate: delegate)
    delegate.encoding = { try $0.encode("light", forKey: "theme") }
    a.decoding = { _ in during = try next.saved() }
    _ = try next.restore(from: both, with: Resolver())
    #expect(try during?.application().state() == ["theme": "dark"])
    #expect(try next.saved().application().state() == ["theme": "light"])
  }

  @Test("27: objects that register in each other's callbacks are all restored; a declined node stays declined for an existing object")
  func behaviour27Chains() throws {
    let archive = try RestorableApplication.saved(["a", "b", "c", "d"].map { SampleObject($0, values: ["x": 1]) })
    let application = RestorableApplication()
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
}
