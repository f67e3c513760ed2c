import EngineKit
import FoundationEssentials
import TestStage
import Testing

@testable import StateRestoration

/// Captures of what has changed.
@Suite struct ChangesTests {
  private func capture(_ application: RestorableApplication, verifies: Bool = false) throws -> Preservation {
    try application.preserve(
      header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(extent: .changes, verifiesChanges: verifies))
  }

  private func changedPaths(_ preservation: Preservation) throws -> [String] {
    try #require(preservation.changes).changes().nodes.keys.map(\.description).sorted()
  }

  /// A tree of tracked objects, whose first capture is of everything.
  private func tree() throws -> (application: RestorableApplication, root: TrackedObject, tabs: [TrackedObject]) {
    let tabs = (0..<4).map { TrackedObject("\($0)", number: $0) }
    let root = TrackedObject("root", children: tabs)
    let application = RestorableApplication(roots: [root])
    try application.startFresh()
    #expect(try capture(application).outcome == .archive)
    return (application, root, tabs)
  }

  @Test("after random edits, moves, removals and returns the chain is the capture of everything", arguments: 0..<4)
  func agreesWithEverything(_ part: Int) throws {
    var counts = (changes: 0, everything: 0)
    for index in 0..<(TestStage.count(24, exhaustive: 1000) / 4) {
      let seed = UInt64(part * 1_000_000 + index)
      let history = ChangeHistory(seed: seed)
      do {
        try history.run(steps: 30)
      } catch {
        Issue.record("seed \(seed): \(error)\n\(history.log.joined(separator: "\n"))")
        return
      }
      counts.changes += history.counts.changes
      counts.everything += history.counts.everything
    }
    // The histories are about captures of changes.
    #expect(counts.changes > 4 * counts.everything, "\(counts)")
  }

  @Test("only the object that changed is encoded")
  func encodesOnlyWhatChanged() throws {
    let (application, root, tabs) = try tree()
    tabs[2].number = 20
    let preservation = try capture(application)
    #expect(preservation.outcome == .changes)
    #expect(try changedPaths(preservation) == ["root/2"])
    #expect(root.encodingCount == 1)
    #expect(tabs.map(\.encodingCount) == [1, 1, 2, 1])
  }

  @Test("after more changes than are remembered, everything is captured")
  func capturesEverythingAfterManyChanges() throws {
    final class Other {}
    let (application, _, tabs) = try tree()
    let signal = try #require(application.changes).signal
    // All at once, because an address may be used again.
    let others = (0...ChangeSignal.maximumCount).map { _ in Other() }
    for other in others { signal.send(ObjectIdentifier(other)) }
    tabs[1].number = 10
    #expect(try capture(application).outcome == .archive)
    tabs[1].number = 11
    #expect(try changedPaths(capture(application)) == ["root/1"])
  }

  @Test("an application that captured changes is released, and no longer told of changes")
  func isReleased() throws {
    weak var released: RestorableApplication?
    weak var signal: ChangeSignal?
    do {
      let (application, _, tabs) = try tree()
      tabs[0].number = 5
      #expect(try capture(application).outcome == .changes)
      (released, signal) = (application, application.changes?.signal)
    }
    #expect(released == nil)
    // A change of an object that belongs to no archive goes to all signals that are left.
    TrackedObject("other").number = 1
    #expect(signal == nil)
  }

  @Test("a value set to what it was is no change")
  func ignoresTheSameValue() throws {
    let (application, _, tabs) = try tree()
    tabs[2].number = 2
    let preservation = try capture(application)
    #expect(try preservation.changes?.changes().isEmpty == true)
  }

  @Test("an object that does not track its changes is encoded each time, and captured where it differs")
  func encodesUntrackedObjects() throws {
    let plain = UntrackedObject("plain", number: 1)
    let tabs = (0..<4).map { TrackedObject("\($0)") }
    let application = RestorableApplication(roots: [TrackedObject("root", children: tabs + [plain])])
    try application.startFresh()
    _ = try capture(application)
    #expect(try capture(application).changes?.changes().isEmpty == true)
    plain.number = 2
    #expect(try changedPaths(capture(application)) == ["root/plain"])
    plain.children = [TrackedObject("new")]
    #expect(try changedPaths(capture(application)) == ["root/plain/new"])
  }

  @Test("what refers to an object is captured when the object moves")
  func followsReferences() throws {
    let (application, root, tabs) = try tree()
    let referrer = TrackedObject("referrer")
    referrer.target = tabs[1]
    root.children.append(referrer)
    _ = try capture(application)
    root.children.removeAll { $0 === tabs[1] }
    tabs[0].children = [tabs[1]]
    #expect(try changedPaths(capture(application)) == ["root/0/1", "root/referrer"])
    tabs[0].restorationIdentifier = "zero"
    #expect(try changedPaths(capture(application)) == ["root/referrer", "root/zero", "root/zero/1"])
  }

  @Test("an object that fails to encode keeps what was captured last, also when everything is captured again")
  func keepsThePrevious() throws {
    let (application, _, tabs) = try tree()
    tabs[1].number = 10
    _ = try capture(application)
    (tabs[1].number, tabs[1].fails) = (11, true)
    let kept = try capture(application)
    #expect(kept.report.notes.map(\.kind) == [.keptPrevious])
    #expect(try kept.changes?.changes().isEmpty == true)
    let everything = try application.preserve(header: ArchiveHeader(bundleVersion: "1"))
    #expect(try ArchiveReader(#require(try everything.archive)).state("root/1") == ["number": 10])
  }

  @Test("registered objects, unclaimed state and a broken chain make the next capture one of everything")
  func capturesEverythingWhereItMust() throws {
    let (application, root, tabs) = try tree()
    let outside = TrackedObject("outside")
    application.register(outside)
    #expect(try capture(application).outcome == .archive)
    application.unregister(outside)
    #expect(try capture(application).outcome == .archive)
    tabs[0].number = 5
    let changes = try capture(application)
    #expect(changes.outcome == .changes)
    changes.changes?.place.chain.break()
    #expect(try capture(application).outcome == .archive)
    // An object in two places is saved at one of them, which the report of a capture of everything says.
    tabs[0].children = [tabs[3]]
    #expect(try capture(application).report.notes.map(\.kind) == [.twice])
    root.children.removeAll { $0 === tabs[3] }
    #expect(try capture(application).outcome == .archive)
    tabs[3].number = 7
    #expect(try changedPaths(capture(application)) == ["root/0/3"])
  }

  @Test("an app whose objects do not track their changes is captured as a whole")
  func capturesUntrackedAppsAsAWhole() throws {
    let application = RestorableApplication(roots: [UntrackedObject("root", children: [UntrackedObject("child")])])
    try application.startFresh()
    for _ in 0..<2 { #expect(try capture(application).outcome == .archive) }
  }

  @Test("verification names the object that has changed without telling")
  func findsUntoldChanges() throws {
    let tabs = (0..<2).map { TrackedObject("\($0)") }
    let application = RestorableApplication(roots: [TrackedObject("root", children: tabs)])
    try application.startFresh()
    _ = try capture(application, verifies: true)
    tabs[0].number = 3
    #expect(try capture(application, verifies: true).outcome == .changes)
    tabs[1].secret = 1
    let error = #expect(throws: RestorationError.self) { try capture(application, verifies: true) }
    #expect(error?.code == .untoldChange)
    #expect(error?.path == "root/1")
    #expect(error?.message.contains("TrackedObject at root/1") == true)
    // Everything is captured next, so that nothing is lost.
    #expect(try capture(application, verifies: true).outcome == .archive)
    tabs[1].secret = 2
    tabs[1].setNeedsSave()
    #expect(try changedPaths(capture(application, verifies: true)) == ["root/1"])
  }

  @Test("the fewest children are placed")
  func placesFewChildren() {
    let order = ChildOrder(before: ["a", "b", "c", "d", "e"], after: ["b", "x", "c", "e", "a"])
    #expect(order.removed == ["d"])
    #expect(order.placed.map(\.child) == ["x", "a"])
    #expect(order.placed.map(\.sibling) == ["b", "e"])
  }
}
