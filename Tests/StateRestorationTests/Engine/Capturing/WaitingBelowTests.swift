import EngineKit
@testable import StateRestoration
import Testing

/// State that waits below an object belongs to that object.
@Suite struct WaitingBelowTests {
  @Test("state that waits below a closed object is not given to another object that takes its identifier")
  func waitingStateFollowsItsParent() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode(
          "window",
          children: [
            ArchiveNode("0", state: ["x": 1], children: [ArchiveNode("plugin", type: "Plugin", state: ["secret": 1])]),
            ArchiveNode("1", state: ["x": 2]),
          ])
      ])
    let (first, second) = (SampleObject("0"), SampleObject("1"))
    let window = SampleObject("window", children: [first, second])
    let tree = RestorableTree(roots: [window])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("window/0/plugin") == ["secret": 1])
    window.children = [second]
    second.restorationIdentifier = "0"
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("window/0") == ["x": 2])
    #expect(try saved.node(at: "window/0/plugin") == nil, "\(preservation.report.notes.map(\.description))")
  }

  @Test("what was set aside below a closed object is not given to the one that takes its identifier")
  func setAsideBelowClosed() throws {
    let panel = SampleObject("panel", values: ["secret": 1])
    let (first, second) = (SampleObject("0", values: ["y": 1], children: [panel]), SampleObject("1", values: ["y": 2]))
    let tree = RestorableTree(roots: [first, second])
    try tree.startFresh()
    #expect(try tree.setAside(panel))
    first.children = []
    _ = try tree.saved()
    tree.roots = [second]
    second.restorationIdentifier = "0"
    _ = try tree.saved()
    let other = SampleObject("panel")
    second.children = [other]
    _ = tree.restoreState(of: other)
    #expect(other.values == [:], "the state of a panel of the tab that the user has closed")
  }
}
