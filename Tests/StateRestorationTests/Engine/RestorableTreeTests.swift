import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 28 to 34.
@Suite struct RestorableTreeTests {
  private static func archive() throws -> ArchiveReader {
    try RestorableTree.saved([SampleObject("a", values: ["x": 1]), SampleObject("b", values: ["x": 2])])
  }

  @Test("28: on a fresh start every object is notified that there is no state")
  func behaviour28SaysNone() throws {
    let inner = SampleObject("inner"), registered = SampleObject("registered")
    let delegate = SampleDelegate()
    let application = RestorableTree(roots: [SampleObject("root", children: [inner])], delegate: delegate)
    #expect(application.register(registered) == .pending)
    try application.startFresh()
    #expect(inner.finished == [.none] && registered.finished == [.none])
    #expect(delegate.freshStarts == [.chosen])
    #expect(application.register(SampleObject("later")) == .none)
  }

  @Test("28: when restoring, an object without saved state is notified too")
  func behaviour28SaysNoneBesideOthers() throws {
    let a = SampleObject("a"), new = SampleObject("new")
    _ = try RestorableTree(roots: [a, new]).restore(from: Self.archive(), with: Resolver())
    #expect(a.finished == [.data] && new.finished == [.none])
  }

  @Test("29: pending, none and data are distinct answers; late data is ignored if newer state was saved meanwhile")
  func behaviour29Pending() throws {
    let a = SampleObject("a")
    let application = RestorableTree(roots: [a])
    try application.awaitState()
    #expect(application.condition == .pending)
    #expect(application.register(SampleObject("b")) == .pending)
    let report = try #require(try application.deliver(Self.archive(), with: Resolver()))
    #expect(report.node(at: "a")?.outcome == .located && a.values == ["x": 1])

    let none = RestorableTree()
    #expect(throws: RestorationError.self) { try none.deliver(nil, with: Resolver()) }
    try none.awaitState()
    #expect(try none.deliver(nil, with: Resolver()) == nil)
    #expect(none.condition == .fresh)
  }

  @Test("29, 51: while state is pending, saves are deferred, the newest is kept, and late data is not offered")
  func behaviour51HoldsSaves() throws {
    let a = SampleObject("a", values: ["x": 7])
    let delegate = SampleDelegate()
    let application = RestorableTree(roots: [a], delegate: delegate)
    try application.awaitState()
    #expect(try application.preserve(header: .sample).isDeferred)
    a.values = ["x": 8]
    #expect(try application.preserve(header: .sample).isDeferred)
    #expect(application.takeDeferredPreservation() == nil)
    #expect(try application.deliver(Self.archive(), with: Resolver()) == nil, "restored over newer state")
    #expect(a.values == ["x": 8] && a.finished == [.none] && delegate.freshStarts == [.newerState])
    let deferred = try #require(try application.takeDeferredPreservation()?.archive)
    #expect(try ArchiveReader(deferred).state("a") == ["x": 8])
    #expect(application.takeDeferredPreservation() == nil)

    let fresh = RestorableTree()
    try fresh.awaitState()
    try fresh.startFresh(.chosen)
    #expect(try fresh.deliver(Self.archive(), with: Resolver()) == nil, "restored after a fresh start")
  }

  @Test("roots that a closure returns are not set, so that none is cut off without a word")
  func rootsOfAClosureStay() async {
    await #expect(processExitsWith: .failure) {
      let tree = RestorableTree(roots: { [] })
      tree.roots.append(SampleObject("window"))
    }
  }

  @Test("30: extend and complete count from any thread; an excess completion is reported")
  func behaviour30Counts() async throws {
    let activity = RestorationActivity()
    await withTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          activity.extendStateRestoration()
          activity.completeStateRestoration()
        }
      }
    }
    #expect(activity.count == 0 && activity.excessCompletions == 0)
    let application = RestorableTree()
    _ = try application.restore(from: Self.archive(), with: Resolver())
    application.activity.extendStateRestoration()
    application.activity.extendStateRestoration()
    #expect(!application.activity.completeStateRestoration())
    #expect(application.activity.completeStateRestoration())
    #expect(application.report?.notes == [])
    #expect(!application.activity.completeStateRestoration())
    #expect(application.report?.notes.map(\.kind) == [.excessCompletion])
  }

  @Test("30: the observer is notified of each phase before the call")
  func behaviour30Announces() throws {
    var lines: [String] = []
    let a = SampleObject("a")
    a.decoding = { _ in #expect(lines.last == "decoding a") }
    let delegate = SampleDelegate()
    _ = try RestorableTree(roots: [a], delegate: delegate).restore(
      from: Self.archive(), with: Resolver { Factory(path: "b") { _ in SampleObject("b") } },
      options: .init(onCall: { lines.append("\($0.rawValue) \($1)") }))
    #expect(
      lines == [
        "creating ", "creating a", "creating b", "decoding a", "decoding b", "decoding ", "finishing a", "finishing b", "ended ",
      ])
  }

  @Test("30: while restoring is extended, it has not finished")
  func behaviour30DoesNotSettle() throws {
    var phases: [RestorationPhase] = []
    let a = SampleObject("a")
    let application = RestorableTree(roots: [a])
    a.decoding = { _ in application.activity.extendStateRestoration() }
    _ = try application.restore(from: Self.archive(), with: Resolver(), options: .init(onCall: { phase, _ in phases.append(phase) }))
    #expect(phases == [.decoding, .finishing, .waiting])
  }

  @Test("32: a node can request restoring for certain reasons only", arguments: RestorationReason.allCases)
  func behaviour32Reasons(_ reason: RestorationReason) throws {
    let a = SampleObject("a"), b = SampleObject("b")
    a.restorationReasons = [.recover, .restore]
    let report = try RestorableTree(roots: [a, b]).restore(
      from: Self.archive(), with: Resolver(), options: .init(launch: .init(reason: reason)))
    let isWanted = reason == .recover || reason == .restore
    #expect(a.values == (isWanted ? ["x": 1] : [:]))
    #expect(report.node(at: "a")?.outcome == (isWanted ? .located : .notDecoded(.reason)))
    #expect(b.values == ["x": 2])
    // Without any reason, its own state is saved and never decoded.
    let c = SampleObject("a", values: ["y": 1])
    c.restorationReasons = []
    let tree = RestorableTree(roots: [c])
    _ = try tree.restore(from: Self.archive(), with: Resolver(), options: .init(launch: .init(reason: reason)))
    #expect(try tree.saved().state("a") == ["y": 1] && c.values == ["y": 1])
  }

  @Test("33: older and newer state is accepted, whatever keys it has")
  func behaviour33AcceptsAnySchema() throws {
    for schema in [0, 1, 2, 3, Int(UInt32.max)] {
      let tree = ArchiveTree(nodes: [ArchiveNode("e", type: "Editor", schemaVersion: schema, state: ["x": 1])])
      let editor = Editor("e")
      let report = try RestorableTree(roots: [editor]).restore(from: ArchiveReader(tree.encoded()), with: Resolver())
      // An older state without an upgrade is decoded, and said to be old (81).
      #expect(report.node(at: "e")?.outcome == (schema < 2 ? .notUpgraded : .located))
      #expect(editor.values == ["x": 1])
    }
  }

}
