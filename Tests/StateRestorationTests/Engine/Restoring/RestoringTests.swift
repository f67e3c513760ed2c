import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 16 to 23.
@Suite struct RestoringTests {
  /// A tree of root, with a and b below it.
  private static func archive() throws -> ArchiveReader {
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode("dark", forKey: "theme") }
    return try RestorableTree.saved(
      [
        Editor(
          "root", values: ["r": 1],
          children: [List("b", values: ["x": 2], children: [SampleObject("c", values: ["x": 3])]), List("a", values: ["x": 1])])
      ], delegate: delegate)
  }

  @Test(
    "16: shouldRestore receives header and application state before any node; declined state is not carried over",
    arguments: [RestoreDecision.notNow, .never])
  func behaviour16Declines(_ decision: RestoreDecision) throws {
    let log = CallLog()
    let delegate = SampleDelegate(log: log)
    var seen: [String] = []
    delegate.restoring = { coder, launch in
      seen = [coder.header.bundleVersion ?? "", (try? coder.decode(String.self, forKey: "theme")) ?? "", launch.reason.rawValue]
      return decision
    }
    let root = Editor("root", log: log)
    let application = RestorableTree(roots: [root], delegate: delegate)
    let report = try application.restore(from: Self.archive(), with: Resolver(), options: .init(launch: .init(reason: .recover)))
    #expect(seen == ["42", "dark", "recover"])
    #expect(log.lines == ["should restore", "fresh refused", "finish root none"])
    #expect(report.decision == decision)
    #expect(report.nodes.map(\.outcome) == Array(repeating: .skipped(.refused), count: 4))
    #expect(report.summary == "restored nothing (\(decision.rawValue)): declined by the delegate")
    #expect(application.condition == .fresh)
    #expect(try application.saved().paths() == ["root"])
  }

  @Test("16: policies check the header")
  func behaviour16Policies() throws {
    let header = ArchiveHeader(
      bundleIdentifier: "com.example", bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 1000),
      userInterfaceIdiom: .desktop)
    let launch = LaunchContext(reason: .launch, now: Date(timeIntervalSinceReferenceDate: 1500))
    func isAllowed(_ policy: RestorationPolicy) -> Bool { policy.refusal(of: header, at: launch) == nil }
    #expect(isAllowed(.always) && isAllowed(.bundleIdentifier("com.example")) && !isAllowed(.bundleIdentifier("com.other")))
    #expect(isAllowed(.bundleVersions(["41", "42"])) && !isAllowed(.bundleVersions(["41"])))
    #expect(isAllowed(.maximumAge(.seconds(500))) && !isAllowed(.maximumAge(.seconds(499))))
    #expect(isAllowed(.userInterfaceIdioms([.desktop])) && !isAllowed(.userInterfaceIdioms([.terminal])))
    #expect(isAllowed(.reasons([.launch])) && !isAllowed(.reasons([.restore])))
    #expect(isAllowed(.bundleVersions(["41"]).or(.maximumAge(.seconds(500)))))
    #expect(!isAllowed(.bundleVersions(["41"]).and(.maximumAge(.seconds(500)))))
    #expect(RestorationPolicy.maximumAge(.seconds(1)).answering(.notNow).refusal(of: header, at: launch)?.decision == .notNow)
    let far = ArchiveHeader(timestamp: Date(timeIntervalSinceReferenceDate: .nan))
    #expect(RestorationPolicy.maximumAge(.seconds(1)).refusal(of: far, at: launch) != nil)
    let application = RestorableTree()
    let report = try application.restore(from: Self.archive(), with: Resolver(), options: .init(policy: .bundleVersions(["43"])))
    #expect(report.summary == "restored nothing (never): saved by build \"42\"")
  }

  @Test("17: all objects are created or located before any is decoded; finished callbacks follow all decodes and the delegate's")
  func behaviour17Order() throws {
    let log = CallLog()
    let delegate = SampleDelegate(log: log)
    let application = RestorableTree(delegate: delegate)
    _ = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "**") { node in
          log.note("make \(node.path)")
          let object: SampleObject =
            node.type == "Editor"
            ? Editor(node.identifier, log: log)
            : node.type == "List" ? List(node.identifier, log: log) : SampleObject(node.identifier, log: log)
          if node.path == "root" { application.roots = [object] }
          (node.parent as? SampleObject)?.children.append(object)
          return object
        }
      })
    let paths = ["root", "root/b", "root/b/c", "root/a"]
    var expected = ["should restore"]
    for path in paths { expected.append("make \(path)") }
    for path in paths { expected.append("decode \(path)") }
    expected.append("did decode")
    for name in ["root", "b", "c", "a"] { expected.append("finish \(name) data") }
    #expect(log.lines == expected)
  }

  @Test("18: the order is exact path, type, pattern, delegate, live object, provider")
  func behaviour18FactoryOrder() throws {
    let provided = SampleObject("p", values: ["x": 1])
    provided.restorationProvider = ProviderReference(name: "Main", identifier: "Panel")
    let archive = try RestorableTree.saved([
      List("exact", values: ["x": 1]), List("typed", values: ["x": 1]), SampleObject("patterned", values: ["x": 1]),
      SampleObject("delegated", values: ["x": 1]), SampleObject("live", values: ["x": 1]), provided,
      SampleObject("nobody", values: ["x": 1]),
    ])
    let delegate = SampleDelegate()
    var asked: [String] = []
    delegate.making = { node in
      asked.append(node.identifier)
      return node.identifier == "delegated" ? .object(SampleObject("delegated")) : nil
    }
    let application = RestorableTree(roots: [SampleObject("live")], delegate: delegate)
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(path: "exact", fileID: "App/A.swift", line: 1) { _ in List("exact") }
        Factory(type: "List", fileID: "App/A.swift", line: 2) { List($0.identifier) }
        Factory(path: "patterned/**", fileID: "App/A.swift", line: 3) { SampleObject($0.identifier) }
        Factory(provider: "Main", fileID: "App/A.swift", line: 4) { SampleObject($0.provider?.identifier == "Panel" ? "p" : "?") }
      })
    func rule(_ path: RestorationPath) -> ResolutionRule? { report.node(at: path)?.rule }
    #expect(rule("exact") == .path("exact", SourcePlace(fileID: "App/A.swift", line: 1)))
    #expect(rule("typed") == .type("List", SourcePlace(fileID: "App/A.swift", line: 2)))
    #expect(rule("patterned") == .pattern("patterned/**", SourcePlace(fileID: "App/A.swift", line: 3)))
    #expect(rule("delegated") == .delegate)
    #expect(rule("live") == .liveObject)
    #expect(rule("p") == .provider("Main", SourcePlace(fileID: "App/A.swift", line: 4)))
    #expect(rule("nobody") == nil)
    #expect(
      report.why("nobody")
        == "skipped: no factory, no object and no provider for it; its state is carried over; "
        + "add Factory(path: \"nobody\") { node in … }, or give the state to an object that is made later: register(_:at:), or restoreState(of:)"
    )
    #expect(asked == ["delegated", "live", "p", "nobody"])
    #expect(report.why("typed").hasPrefix("restored by type \"List\""))
  }

  @Test("18: the most specific pattern is called, and no other rule after it")
  func behaviour18MostSpecificPattern() throws {
    let archive = try RestorableTree.saved([
      SampleObject("a", values: ["x": 1], children: [SampleObject("b", values: ["x": 1], children: [SampleObject("c", values: ["x": 1])])])
    ])
    let report = try RestorableTree().restore(
      from: archive,
      with: Resolver {
        Factory(path: "**") { SampleObject($0.identifier) }
        Factory(path: "*/*/c") { SampleObject($0.identifier) }
        Factory(path: "a/**") { SampleObject($0.identifier) }
        Factory(path: "a/*/c") { _ in nil }
      })
    #expect(report.node(at: "a")?.rule?.description == "pattern \"a/**\"")
    #expect(report.node(at: "a/b")?.rule?.description == "pattern \"a/**\"")
    #expect(report.node(at: "a/b/c")?.rule?.description == "pattern \"a/*/c\"")
    #expect(report.node(at: "a/b/c")?.outcome == .skipped(.declined))
  }

  @Test("18: a factory's rule uses a live object, unless the factory always creates a new one")
  func behaviour18ReusesLiveObjects() throws {
    let archive = try RestorableTree.saved([List("a", values: ["x": 1]), List("b", values: ["x": 2])])
    let a = List("a"), b = List("b"), other = List("b")
    let application = RestorableTree(roots: [a, b])
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(type: "List") { _ in
          Issue.record("made twice")
          return nil
        }
        Factory(path: "b", reusesLiveObject: false) { _ in other }
      })
    #expect(a.values == ["x": 1] && b.values == [:] && other.values == ["x": 2])
    #expect(report.node(at: "a")?.outcome == .located && report.node(at: "a")?.rule?.description == "type \"List\"")
    #expect(report.node(at: "b")?.outcome == .notAdopted)
  }

  @Test("18: children that an object creates itself are found")
  func behaviour18FindsChildrenOfMadeObjects() throws {
    let archive = try Self.archive()
    let a = List("a")
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(type: "Editor") { _ in
          let root = Editor("root", children: [a])
          application.roots = [root]
          return root
        }
      })
    #expect(a.values == ["x": 1])
    #expect(report.node(at: "root/a")?.outcome == .located)
  }

  @Test("19: a factory receives the full path and the node's coder, and can return an existing object")
  func behaviour19Request() throws {
    let existing = List("a")
    var seen: [String] = []
    var values: [Int?] = []
    var texts: [String] = []
    let archive = try Self.archive()
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(type: "Editor") { node in
          application.roots = [Editor("root", children: [existing])]
          seen = [node.path.description, node.identifier, node.type ?? "", "\(node.schemaVersion)", node.parent == nil ? "top" : ""]
          values = [
            try node.decode(Int.self, forKey: "r"), try node.decodeIfPresent(Int.self, forKey: "none"),
            try node.decode(Int.self, forKey: "none", default: 5),
          ]
          texts = [
            try node.decoder().header.bundleVersion ?? "", try node.decoder().applicationState().decode(String.self, forKey: "theme"),
          ]
          return application.roots.first
        }
        Factory(path: "root/a", reusesLiveObject: false) { node in
          #expect(node.parent is Editor)
          return existing
        }
      })
    #expect(seen == ["root", "root", "Editor", "2", "top"])
    #expect(values == [1, nil, 5] && texts == ["42", "dark"])
    #expect(existing.values == ["x": 1])
    #expect(report.node(at: "root/a")?.outcome == .located)
  }

  @Test("20: nil skips the node and everything below it; siblings are restored")
  func behaviour20SkipsSubtree() throws {
    let archive = try Self.archive()
    let a = List("a")
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(type: "Editor") { _ in
          let root = Editor("root", children: [a])
          application.roots = [root]
          return root
        }
        Factory(path: "root/b") { _ in nil }
        Factory(path: "root/b/c") { _ in
          Issue.record("asked below a node that was skipped")
          return nil
        }
        Factory(path: "root/a") { _ in a }
      })
    #expect(report.node(at: "root/b")?.outcome == .skipped(.declined))
    #expect(report.node(at: "root/b/c")?.outcome == .skipped(.ancestor))
    #expect(a.values == ["x": 1])
    #expect(report.summary == "restored 2 of 4; 2 not: 1 declined, 1 below one that was not restored; their state is kept")
  }

  @Test("21: an object of another type is bound, but not decoded, and the report states it")
  func behaviour21OtherType() throws {
    let archive = try Self.archive()
    let other = SampleObject("a")
    let root = Editor("root", children: [other])
    let application = RestorableTree(roots: [root])
    let report = try application.restore(from: archive, with: Resolver())
    #expect(other.values == [:] && other.finished == [.failed])
    #expect(report.node(at: "root/a")?.outcome == .notDecoded(.otherType))
    #expect(report.why("root/a").contains("another type"))
    #expect(report.node(at: "root/a")?.isKept == true && !report.isDegraded)
  }

  @Test("22: an error affects only its node")
  func behaviour22ContainsErrors() throws {
    struct Refusal: Error {}
    let archive = try Self.archive()
    let b = List("b"), a = List("a")
    b.decoding = { coder in
      b.values["x"] = try coder.decode(Int.self, forKey: "x")
      _ = try coder.decode(String.self, forKey: "x")
    }
    let application = RestorableTree(roots: [Editor("root", children: [b, a])])
    let report = try application.restore(
      from: archive, with: Resolver { Factory(path: "root/b/c") { _ in throw Refusal() } })
    #expect(a.values == ["x": 1])
    #expect(report.node(at: "root/b")?.outcome == .failed)
    #expect(
      report.node(at: "root/b")?.error == "value: expected String, found integer (path root/b, key x) [R-2-3]"
        || report.node(at: "root/b")?.error?.contains("path root/b, key x") == true)
    #expect(report.node(at: "root/b/c")?.outcome == .failed)
    #expect(report.node(at: "root/b/c")?.isCarriedOver == true && report.node(at: "root/b")?.isKept == true)
    #expect(!report.isDegraded)
    #expect(b.finished == [.failed])
  }

  @Test("22: nodes that a factory could not create are carried over, so that nothing is lost")
  func behaviour22CarriesWhatFactoriesRefuse() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])])
    let application = RestorableTree()
    let report = try application.restore(from: archive, with: Resolver { Factory(path: "a") { _ in throw CancellationError() } })
    #expect(report.node(at: "a")?.outcome == .failed)
    #expect(!report.isDegraded)
    #expect(try application.saved().state("a") == ["x": 1])
  }

  @Test("22: damage to one node's state affects only that node")
  func behaviour22ContainsDamage() throws {
    let archive = try RestorableTree.saved(
      (0..<300).map { SampleObject("n\($0)", values: Dictionary(uniqueKeysWithValues: (0..<20).map { ("key\($0)", $0) })) })
    // An offset within the states, which come last.
    let preservation = RestorableTree(
      roots: (0..<300).map { SampleObject("n\($0)", values: Dictionary(uniqueKeysWithValues: (0..<20).map { ("key\($0)", $0) })) })
    try preservation.startFresh()
    var bytes = [UInt8](try #require(try preservation.preserve(header: .sample).archive))
    #expect(bytes.count == archive.byteCount)
    let tail = bytes.count - 12_000
    bytes[tail] ^= 1
    let objects = (0..<300).map { SampleObject("n\($0)") }
    let application = RestorableTree(roots: objects)
    let report = try application.restore(from: ArchiveReader(bytes), with: Resolver())
    let failed = report.nodes.filter { $0.outcome == .failed }
    let hidden = report.notes.filter { $0.kind == .unreadable }.count
    #expect(report.nodes.count == 300 - hidden)
    #expect(failed.count + hidden > 0 && failed.count + hidden < 200)
    #expect(report.nodes.filter { $0.outcome == .located }.count == 300 - hidden - failed.count)
    #expect(objects.filter { $0.values.count == 20 }.count == 300 - hidden - failed.count)
    #expect(report.isDegraded)
  }

  @Test("23: state can be consumed once")
  func behaviour23IsConsumedOnce() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])])
    let application = RestorableTree()
    _ = try application.restore(from: archive, with: Resolver())
    let first = SampleObject("a"), second = SampleObject("a")
    #expect(application.register(first) == .data)
    application.unregister(first)
    #expect(application.register(second) == .none)
    #expect(first.values == ["x": 1] && second.values == [:])
    #expect(throws: RestorationError.self) { try application.restore(from: archive, with: Resolver()) }
  }

  @Test("one object for two nodes is bound to the first")
  func bindsObjectsOnce() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1]), SampleObject("b", values: ["x": 2])])
    let object = SampleObject("a")
    let application = RestorableTree(roots: [object])
    let report = try application.restore(from: archive, with: Resolver { Factory(path: "*", reusesLiveObject: false) { _ in object } })
    #expect(object.values == ["x": 1])
    #expect(report.node(at: "b")?.outcome == .failed)
    #expect(try application.saved().state("b") == ["x": 2])
  }
}
