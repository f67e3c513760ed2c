import ArchiveFormat
import EngineKit
import Foundation
import TestStage
import Testing

@testable import StateRestoration

/// Captures of what has changed.
@Suite struct ChangesTests {
  private func capture(_ application: RestorableTree, verifies: Bool = false) throws -> Preservation {
    try application.preserve(
      header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(encodesOnlyChanges: true, verifiesChanges: verifies))
  }

  /// Returns the paths of the nodes whose contents differ from those of an earlier capture.
  private func changedPaths(_ preservation: Preservation, since earlier: Preservation) throws -> [String] {
    let (before, after) = try (#require(earlier.snapshot), #require(preservation.snapshot))
    #expect(after.follows(before))
    guard let link = try after.link(after: before, ContentDigest(rawValue: 0)) else { return [] }
    var paths: [String] = []
    func visit(_ nodes: [ArchiveNode], below path: String) {
      for node in nodes {
        if node.change.kind == .contents { paths.append(path + node.identifier) }
        visit(node.children, below: "\(path)\(node.identifier)/")
      }
    }
    visit(try ArchiveTree(decoding: ArchiveReader(link: link)).nodes, below: "")
    return paths.sorted()
  }

  /// A tree of tracked objects, whose first capture is of everything.
  private func tree() throws -> (application: RestorableTree, root: TrackedObject, tabs: [TrackedObject], first: Preservation) {
    let tabs = (0..<4).map { TrackedObject("\($0)", number: $0) }
    let root = TrackedObject("root", children: tabs)
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    let first = try capture(application)
    #expect(!first.isOfChanges)
    return (application, root, tabs, first)
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
    let (application, root, tabs, first) = try tree()
    tabs[2].number = 20
    let preservation = try capture(application)
    #expect(preservation.isOfChanges)
    #expect(try changedPaths(preservation, since: first) == ["root/2"])
    #expect(root.encodingCount == 1)
    #expect(tabs.map(\.encodingCount) == [1, 1, 2, 1])
  }

  @Test("after more changes than are remembered, everything is captured")
  func capturesEverythingAfterManyChanges() throws {
    final class Other {}
    let (application, _, tabs, _) = try tree()
    let signal = try #require(application.changes).signal
    // All at once, because an address may be used again.
    let others = (0...ChangeSignal.maximumCount).map { _ in Other() }
    for other in others { signal.send(ObjectIdentifier(other)) }
    tabs[1].number = 10
    let everything = try capture(application)
    #expect(!everything.isOfChanges)
    tabs[1].number = 11
    #expect(try changedPaths(capture(application), since: everything) == ["root/1"])
  }

  @Test("an application that captured changes is released, and no longer told of changes")
  func isReleased() throws {
    weak var released: RestorableTree?
    weak var signal: ChangeSignal?
    do {
      let (application, _, tabs, first) = try tree()
      tabs[0].number = 5
      #expect(try changedPaths(capture(application), since: first) == ["root/0"])
      (released, signal) = (application, application.changes?.signal)
    }
    #expect(released == nil)
    // A change of an object that belongs to no archive goes to all signals that are left.
    TrackedObject("other").number = 1
    #expect(signal == nil)
  }

  @Test("a value set to what it was is no change")
  func ignoresTheSameValue() throws {
    let (application, _, tabs, first) = try tree()
    tabs[2].number = 2
    let preservation = try capture(application)
    #expect(preservation.isOfChanges)
    #expect(try changedPaths(preservation, since: first).isEmpty)
  }

  @Test("an object that does not track its changes is encoded each time, and captured where it differs")
  func encodesUntrackedObjects() throws {
    let plain = List("plain", values: ["number": 1])
    let tabs = (0..<4).map { TrackedObject("\($0)") }
    let application = RestorableTree(roots: [TrackedObject("root", children: tabs + [plain])])
    try application.startFresh()
    var last = try capture(application)
    func changed() throws -> [String] {
      let next = try capture(application)
      defer { last = next }
      return try changedPaths(next, since: last)
    }
    #expect(try changed().isEmpty)
    plain.values["number"] = 2
    #expect(try changed() == ["root/plain"])
    plain.children = [TrackedObject("new")]
    #expect(try changed() == ["root/plain/new"])
  }

  /// A class that leaves its encoding to the package.
  private final class Plain: Restorable {
    let restorationIdentifier: String?
    @Restored var number = 0
    @Restored var text: String? = "text"
    @Restored var scores: [String: [Double]] = [:]
    @Restored var side = Side.left
    var restorationChildren: [any Restorable] = []
    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  private enum Side: String, Codable { case left, right }

  /// A class with a property whose value contains a reference.
  private final class Referring: Restorable {
    let restorationIdentifier: String?
    @Restored var box = Box()
    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  private final class Box: Codable { var number = 0 }

  @Test("objects of the default encoding are skipped without any promise while their values are not set")
  func skipsPlainObjects() throws {
    let root = Plain("root")
    let tabs = (0..<4).map { Plain("\($0)") }
    let referring = Referring("referring")
    root.restorationChildren = tabs + [referring]
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    var last = try capture(application)
    func changed() throws -> [String] {
      let next = try capture(application)
      defer { last = next }
      #expect(next.isOfChanges)
      return try changedPaths(next, since: last)
    }
    #expect(try changed().isEmpty)
    tabs[1].scores["a", default: []].append(1)
    tabs[2].side = .right
    #expect(try changed() == ["root/1", "root/2"])
    // A value that contains a reference may change without being set.
    referring.box.number = 1
    #expect(try changed() == ["root/referring"])
    // Another object of the same class in the same place, possibly at the same address.
    root.restorationChildren[0] = Plain("0")
    (root.restorationChildren[0] as? Plain)?.number = 7
    #expect(try changed() == ["root/0"])
    root.restorationChildren.swapAt(1, 2)
    root.restorationChildren.removeLast()
    #expect(try changed().isEmpty)
    #expect(try ArchiveReader(#require(try last.archive)).application().children()[0].children().map(\.identifier) == ["0", "2", "1", "3"])
  }

  @Test("what refers to an object is captured when the object moves")
  func followsReferences() throws {
    let (application, root, tabs, first) = try tree()
    let referrer = TrackedObject("referrer")
    referrer.target = tabs[1]
    root.children.append(referrer)
    let second = try capture(application)
    root.children.removeAll { $0 === tabs[1] }
    tabs[0].children = [tabs[1]]
    let third = try capture(application)
    #expect(try changedPaths(third, since: second) == ["root/0/1", "root/referrer"])
    tabs[0].restorationIdentifier = "zero"
    #expect(try changedPaths(capture(application), since: third) == ["root/referrer", "root/zero", "root/zero/1"])
    #expect(!first.isOfChanges)
  }

  @Test("an object that fails to encode keeps what was captured last, also when everything is captured again")
  func keepsThePrevious() throws {
    let (application, _, tabs, first) = try tree()
    tabs[1].number = 10
    let second = try capture(application)
    #expect(try changedPaths(second, since: first) == ["root/1"])
    (tabs[1].number, tabs[1].fails) = (11, true)
    let kept = try capture(application)
    #expect(kept.report.notes.map(\.kind) == [.keptPrevious])
    #expect(try changedPaths(kept, since: second).isEmpty)
    let everything = try application.preserve(header: ArchiveHeader(bundleVersion: "1"))
    #expect(try ArchiveReader(#require(try everything.archive)).state("root/1") == ["number": 10])
  }

  @Test("an app without a delegate captures changes after a launch that restored, as after a fresh start")
  func capturesChangesWithoutDelegate() throws {
    let (application, _, _, _) = try tree()
    let saved = try application.saved()
    let tabs = (0..<4).map { TrackedObject("\($0)") }
    let restored = RestorableTree(roots: [TrackedObject("root", children: tabs)])
    _ = try restored.restore(from: saved, with: Resolver())
    restored.endFirstTurn()
    _ = try capture(restored)
    tabs[1].number = 9
    let count = tabs[2].encodingCount
    #expect(try capture(restored).isOfChanges && tabs[2].encodingCount == count)
  }

  @Test("an object that failed once, and has reported its change, is tried again at the next capture")
  func triesAgain() throws {
    let (application, _, tabs, first) = try tree()
    (tabs[1].number, tabs[1].fails) = (11, true)
    #expect(try capture(application).report.notes.map(\.kind) == [.keptPrevious])
    tabs[1].fails = false
    let next = try capture(application)
    #expect(next.report.notes.isEmpty && first.snapshot != nil)
    #expect(try ArchiveReader(#require(try next.archive)).state("root/1") == ["number": 11])
  }

  @Test("no new object gets the address of a released one that the last capture had")
  func keepsAddresses() throws {
    let tabs = (0..<400).map { TrackedObject("tab \($0)", number: $0) }
    let root = TrackedObject("root", children: (0..<200).map { UntrackedObject("old \($0)", number: 1) } + tabs)
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    _ = try capture(application)
    let addresses = root.children.prefix(200).map { ObjectIdentifier($0) }
    root.children.removeFirst(200)
    let others = (0..<10_000).map { _ in UntrackedObject("new", number: 2) }
    // Otherwise one could be taken for the other: the capture knows objects by their addresses.
    #expect(!others.contains { addresses.contains(ObjectIdentifier($0)) })
    root.children.insert(others[0], at: 0)
    let next = try capture(application)
    #expect(next.isOfChanges)
    #expect(try ArchiveReader(#require(try next.archive)).state("root/new") == ["number": 2])
  }

  @Test("an object in two trees is saved by both after each change")
  func savesInTwoTrees() throws {
    let shared = TrackedObject("shared")
    let applications = ["a", "b"].map { RestorableTree(roots: [TrackedObject($0, children: [shared])]) }
    for application in applications {
      try application.startFresh()
      _ = try capture(application)
    }
    for number in 1...3 {
      shared.number = number
      for (application, name) in zip(applications, ["a", "b"]) {
        let archive = try ArchiveReader(#require(try capture(application).archive))
        #expect(try archive.state(RestorationPath(parsing: "\(name)/shared")) == ["number": .integer(ArchiveInteger(number))])
      }
    }
  }

  @Test("a new object that fails does not get the state of one that was closed at its path")
  func keepsNothingOfTheClosed() throws {
    let (application, root, tabs, _) = try tree()
    tabs[1].number = 10
    _ = try capture(application)
    root.children.remove(at: 1)
    #expect(try capture(application).isOfChanges)
    let next = TrackedObject("1", number: 20)
    next.fails = true
    root.children.append(next)
    let preservation = try capture(application)
    // It may come from another tree.
    #expect(preservation.report.notes.map(\.kind) == [.lost])
    #expect(try ArchiveReader(#require(try preservation.archive)).state("root/1") == [:])
  }

  @Test("registered objects and an object in two places make the next capture one of everything")
  func capturesEverythingWhereItMust() throws {
    let (application, root, tabs, _) = try tree()
    let outside = TrackedObject("outside")
    application.register(outside)
    #expect(try !capture(application).isOfChanges)
    application.unregister(outside)
    #expect(try !capture(application).isOfChanges)
    tabs[0].number = 5
    #expect(try capture(application).isOfChanges)
    // An object in two places is saved at one of them, which the report of a capture of everything says.
    tabs[0].children = [tabs[3]]
    #expect(try capture(application).report.notes.map(\.kind) == [.twice])
    root.children.removeAll { $0 === tabs[3] }
    let everything = try capture(application)
    #expect(!everything.isOfChanges)
    tabs[3].number = 7
    #expect(try changedPaths(capture(application), since: everything) == ["root/0/3"])
  }

  @Test("a snapshot is whole, whatever became of the captures before it")
  func isWhole() throws {
    let (application, _, tabs, first) = try tree()
    for number in 1...5 {
      tabs[number % 4].number = 10 * number
      let preservation = try capture(application)
      #expect(preservation.isOfChanges)
      let everything = RestorableTree(roots: application.roots)
      try everything.startFresh()
      #expect(try preservation.archive == everything.preserve(header: ArchiveHeader(bundleVersion: "1")).archive)
    }
    #expect(try ArchiveReader(#require(try first.archive)).state("root/1") == ["number": 1])
  }

  @Test("an app whose objects do not track their changes is captured as a whole")
  func capturesUntrackedAppsAsAWhole() throws {
    let application = RestorableTree(roots: [List("root", children: [List("child")])])
    try application.startFresh()
    for _ in 0..<2 { #expect(try !capture(application).isOfChanges) }
  }

  @Test("verification names the object that has changed without telling")
  func findsUntoldChanges() throws {
    let tabs = (0..<2).map { TrackedObject("\($0)") }
    let application = RestorableTree(roots: [TrackedObject("root", children: tabs)])
    try application.startFresh()
    _ = try capture(application, verifies: true)
    tabs[0].number = 3
    #expect(try capture(application, verifies: true).isOfChanges)
    tabs[1].secret = 1
    let error = #expect(throws: RestorationError.self) { try capture(application, verifies: true) }
    #expect(error?.code == .unreportedChange)
    #expect(error?.path == "root/1")
    #expect(error?.message.contains("TrackedObject at root/1") == true)
    // Everything is captured next, so that nothing is lost.
    let everything = try capture(application, verifies: true)
    #expect(!everything.isOfChanges)
    tabs[1].secret = 2
    tabs[1].setNeedsSave()
    #expect(try changedPaths(capture(application, verifies: true), since: everything) == ["root/1"])
  }

  @Test("the fewest children are placed")
  func placesFewChildren() throws {
    let children = ["a", "b", "c", "d", "e"].map { TrackedObject($0) }
    let root = TrackedObject("root", children: children)
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    let before = try #require(try capture(application).snapshot)
    root.children = [children[1], TrackedObject("x"), children[2], children[4], children[0]]
    let after = try #require(try capture(application).snapshot)
    let link = try #require(try after.link(after: before, ContentDigest(rawValue: 0)))
    let nodes = try ArchiveTree(decoding: ArchiveReader(link: link)).nodes[0].children
    #expect(nodes.filter { $0.change.kind == .removed }.map(\.identifier) == ["d"])
    #expect(nodes.filter { $0.change.place != nil }.map(\.identifier).sorted() == ["a", "x"])
    #expect(nodes.first { $0.identifier == "x" }?.change.place == .after("b"))
    #expect(nodes.first { $0.identifier == "a" }?.change.place == .after("e"))
  }
}
