import EngineKit
@testable import StateRestoration
import Testing

/// References to what waits are saved again, and only those.
@Suite struct WaitingReferenceTests {
  @Test("a reference that the user has changed and then cleared stays cleared")
  func clearedReference() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("owner", state: ["target": .reference("plugin")]), ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
        ArchiveNode("other", state: ["y": 1]),
      ])
    let (owner, other) = (SampleObject("owner"), SampleObject("other"))
    var target: SampleObject?
    owner.decoding = { coder in target = try coder.decodeReferenceIfPresent(forKey: "target") }
    owner.encoding = { try $0.encode(reference: target, forKey: "target") }
    let tree = RestorableTree(roots: [owner, other])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("owner") == ["target": .reference("plugin")])
    target = other
    #expect(try tree.saved().state("owner") == ["target": .reference("other")])
    target = nil
    #expect(try tree.saved().state("owner") == ["target": .null])
  }

  @Test("a null in a dictionary does not become the target of the reference under the same key outside")
  func nullInDictionary() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("owner", state: ["target": .reference("plugin"), "inner": .dictionary(["target": .null])]),
        ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
      ])
    let owner = SampleObject("owner")
    owner.decoding = { coder in let _: SampleObject? = try coder.decodeReferenceIfPresent(forKey: "target") }
    owner.encoding = { coder in
      try coder.encode(reference: nil, forKey: "target")
      try coder.encodeDictionary(forKey: "inner") { try $0.encode(reference: nil, forKey: "target") }
    }
    let tree = RestorableTree(roots: [owner])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("owner") == ["target": .reference("plugin"), "inner": .dictionary(["target": .null])])
  }

  @Test("a Codable reference whose target waits follows the alias that moves the target")
  func codableReferenceFollowsAlias() throws {
    struct Selection: Codable { var target: Reference<SampleObject> }
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("owner", state: ["selection": .dictionary(["target": .reference("old")])]),
        ArchiveNode("old", type: "Plugin", state: ["x": 1]),
      ])
    let owner = SampleObject("owner")
    var selection: Selection?
    owner.decoding = { selection = try $0.decode(Selection.self, forKey: "selection") }
    owner.encoding = { try $0.encode(selection, forKey: "selection") }
    let tree = RestorableTree(roots: [owner])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver { Alias("old", to: "new") })
    let saved = try tree.saved()
    #expect(try saved.state("new") == ["x": 1])
    #expect(try saved.state("owner") == ["selection": .dictionary(["target": .reference("new")])])
  }

  @Test("in a list of references, the target that waits keeps its place after a null")
  func waitingReferenceKeepsItsPlace() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("owner", state: ["targets": [.null, .reference("plugin")]]), ArchiveNode("plugin", type: "Plugin", state: ["x": 1]),
      ])
    let owner = SampleObject("owner")
    var targets: [SampleObject?] = []
    owner.decoding = { targets = try $0.decodeReferences(forKey: "targets") }
    owner.encoding = { try $0.encode(references: targets, forKey: "targets") }
    let tree = RestorableTree(roots: [owner])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("owner") == ["targets": [.null, .reference("plugin")]])
  }

  @Test("82: a Codable reference to a node that waits follows it, and one to a node that is gone becomes null")
  func codableReferences() throws {
    final class Front: Restorable {
      let restorationIdentifier: String? = "front"
      @Restored var page = Reference<SampleObject>()
    }
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("stack", state: ["x": 1], children: [ArchiveNode("page", type: "Page", state: ["x": 1])]),
        ArchiveNode("front", state: ["page": .reference("stack/page")]),
      ])
    let (stack, front) = (SampleObject("stack"), Front())
    let tree = RestorableTree(roots: [stack, front])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("front") == ["page": .reference("stack/page")])
    stack.restorationIdentifier = "pile"
    #expect(try tree.saved().state("front") == ["page": .reference("pile/page")])
    #expect(tree.discardState(at: "pile/page"))
    #expect(try tree.saved().state("front") == ["page": .null])
  }
}
