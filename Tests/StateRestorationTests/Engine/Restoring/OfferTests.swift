import EngineKit
import ProcessKit
@testable import StateRestoration
import Testing

/// What waits, and what lives, when an offer is restored into the running app.
@Suite struct OfferTests {
  private struct Bug: Error {}

  private final class Plugin: Restorable {
    static let restorationType = "Plugin"
    let restorationIdentifier: String? = "plugin"
    @Restored var secret = 0
  }

  @Test("a reference of a live object whose target waits survives an offer that has neither")
  func referenceSurvivesAnOffer() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("owner", state: ["target": .reference("plugin")]), ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
      ])
    let owner = SampleObject("owner")
    owner.decoding = { coder in let _: SampleObject? = try coder.decodeReferenceIfPresent(forKey: "target") }
    owner.encoding = { try $0.encode(reference: nil, forKey: "target") }
    let tree = RestorableTree(roots: [owner])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("owner") == ["target": .reference("plugin")])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("plugin") == ["x": 1], "\(preservation.report.notes.map(\.description))")
    #expect(try saved.state("owner") == ["target": .reference("plugin")])
  }

  @Test("state that is kept beside a live object is not dropped silently when an offer is merged that lacks the object")
  func keptStateSurvivesAnOffer() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("broken", state: ["x": 1])])
    let broken = SampleObject("broken")
    broken.decoding = { _ in throw Bug() }
    let tree = RestorableTree(roots: [broken])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("broken") == ["x": 1])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(
      try saved.state("broken") == ["x": 1] || preservation.report.notes.contains { $0.kind == .superseded },
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("a parent that asks for a child by its name gets the one beside which state is kept, when an offer is merged that lacks it")
  func keptChildIsFound() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("p", state: ["y": 1], children: [ArchiveNode("a", state: ["x": 1])])])
    let child = SampleObject("a")
    child.decoding = { _ in throw Bug() }
    let parent = SampleObject("p", children: [child])
    var found: [ObjectIdentifier?] = []
    parent.decoding = { coder in found.append(try coder.restoredChild("a", of: SampleObject.self).map { ObjectIdentifier($0) }) }
    let tree = RestorableTree(roots: [parent])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("p/a") == ["x": 1])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("p", state: ["y": 2])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    #expect(found == [ObjectIdentifier(child), ObjectIdentifier(child)])
    #expect(try tree.saved().state("p/a") == ["x": 1])
  }

  @Test("of two objects under one identifier, the one that was made for the saved state is saved, also after an offer that lacks both")
  func rivalsSurviveAnOffer() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("window", children: [ArchiveNode("a", state: ["x": 1])])])
    let window = SampleObject("window")
    window.decoding = { [unowned window] coder in window.children = [SampleObject("a")] + (try coder.restoredChildren()) }
    let tree = RestorableTree(roots: [window])
    let resolver = try Resolver { Factory(path: "window/a") { SampleObject($0.identifier) } }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    #expect(try tree.saved().state("window/a") == ["x": 1])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: resolver, options: RestorationOptions(), isAgain: true)
    #expect(try tree.saved().state("window/a") == ["x": 1])
  }

  @Test("an object that throws while encoding after an offer was merged keeps the state that it had before")
  func previousStateSurvivesAnOffer() throws {
    let draft = SampleObject("draft", values: ["x": 1])
    let tree = RestorableTree(roots: [draft])
    try tree.startFresh()
    _ = try tree.saved()
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    draft.encoding = { _ in throw Bug() }
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("draft") == ["x": 1], "\(preservation.report.notes.map(\.description))")
  }

  @Test("what was set aside in this launch is still there after an offer was merged that lacks it")
  func setAsideSurvivesAnOffer() throws {
    let screen = SampleObject("details", values: ["x": 1])
    let stack = SampleObject("stack", children: [SampleObject("home"), screen])
    let tree = RestorableTree(roots: [stack])
    try tree.startFresh()
    _ = try tree.setAside(screen)
    stack.children.removeLast()
    #expect(try tree.saved().state("stack/details") == ["x": 1])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("stack", children: [ArchiveNode("home", state: ["y": 1])])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    let again = SampleObject("details")
    stack.children.append(again)
    #expect(tree.restoreState(of: again) == .data && again.values == ["x": 1])
  }

  @Test("what was set aside after a fresh start is still there after an archive was refused")
  func setAsideSurvivesARefusal() throws {
    let screen = SampleObject("details", values: ["x": 1])
    let stack = SampleObject("stack", children: [screen])
    let delegate = SampleDelegate()
    delegate.restoring = { _, _ in .never }
    let tree = RestorableTree(roots: [stack], delegate: delegate)
    try tree.startFresh()
    _ = try tree.setAside(screen)
    stack.children.removeLast()
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("stack", children: [ArchiveNode("other", state: ["y": 1])])])
    let report = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(report.decision == .never && tree.report?.decision == .never)
    #expect(try tree.saved().state("stack/details") == ["x": 1])
    let again = SampleObject("details")
    stack.children.append(again)
    #expect(tree.restoreState(of: again) == .data && again.values == ["x": 1])
  }

  @Test("a live child stays in its container if the merged archive has a node of its path that was set aside")
  func mergingKeepsLiveChildAtPathSetAside() throws {
    // The earlier session: the screen was left, and its state set aside.
    let screen = SampleObject("details", values: ["x": 1])
    let earlier = SampleObject("stack", children: [SampleObject("home", values: ["y": 1]), screen])
    let before = RestorableTree(roots: [earlier])
    try before.startFresh()
    _ = try before.setAside(screen)
    earlier.children.removeLast()
    let offer = try before.saved()
    #expect(try offer.state("stack/details") == ["x": 1])
    // Now the screen is open.
    let details = SampleObject("details", values: ["x": 2])
    let stack = SampleObject("stack", children: [SampleObject("home", values: ["y": 2]), details])
    stack.decoding = { stack.children = try $0.restoredChildren(of: SampleObject.self) }
    let tree = RestorableTree(roots: [stack])
    try tree.startFresh()
    _ = try tree.saved()
    _ = try tree.restore(from: offer, with: Resolver(), options: RestorationOptions(), isAgain: true)
    #expect(stack.children.contains { $0 === details }, "the screen that the user sees has left the window")
    #expect(try tree.saved().state("stack/details") != nil)
  }

  @Test("a live child stays in its container if the factory declines the node of its path in the merged archive")
  func mergingKeepsLiveChildThatFactoryDeclines() throws {
    let details = Editor("details", values: ["x": 2])
    let stack = SampleObject("stack", children: [details])
    stack.decoding = { stack.children = try $0.restoredChildren(of: SampleObject.self) }
    let tree = RestorableTree(roots: [stack])
    try tree.startFresh()
    _ = try tree.saved()
    let offer = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("stack", children: [ArchiveNode("details", type: "Editor", schemaVersion: 2, state: ["x": 1])])])
    let resolver = try Resolver { Factory(Editor.self, reusesLiveObject: false) { _ in .later } }
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: resolver, options: RestorationOptions(), isAgain: true)
    #expect(stack.children.contains { $0 === details }, "the screen that the user sees has left the window")
  }

  @Test("a live object that a merged archive lacks is not told that it has no state")
  func mergingTellsNothing() throws {
    let old = SampleObject("old"), newer = SampleObject("newer", values: ["x": 1])
    let tree = RestorableTree(roots: [old, newer])
    try tree.startFresh()
    _ = try tree.saved()
    let before = newer.finished
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    #expect(newer.finished == before)
  }

  @MainActor @Test("state that waits for a plug-in is still there after an older session was restored")
  func plugInAfterSession() async throws {
    typealias App = AppRestorationTests.App
    typealias Counter = AppRestorationTests.Counter
    let folder = try TemporaryFolder()
    // Day 1: no plug-in yet.
    do {
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launchAnd { counter.count = 1 }
      await restoration.end()
    }
    // Day 2: with the plug-in.
    do {
      let (counter, plugin) = (Counter(), Plugin())
      let app = App(folder, counter, plugin)
      let restoration = try await app.launchAnd { (counter.count, plugin.secret) = (2, 42) }
      await restoration.end()
    }
    // Day 3: the plug-in is missing, and the user goes back to the session of day 1.
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      restoration.store.markStable()
      let session = try #require(try restoration.earlierSessions().last)
      _ = try await restoration.restore(session)
      await restoration.end()
    }
    // Day 4: the plug-in is back.
    let plugin = Plugin()
    let app = App(folder, Counter(), plugin)
    let restoration = try await app.launch()
    #expect(plugin.secret == 42)
    await restoration.end()
  }
}

extension AppRestorationTests.App {
  fileprivate func launchAnd(_ change: () -> Void) async throws -> AppRestoration {
    let restoration = try await launch()
    change()
    try restoration.saveNow()
    return restoration
  }
}
