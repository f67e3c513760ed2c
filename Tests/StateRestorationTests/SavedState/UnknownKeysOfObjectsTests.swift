import EngineKit
@testable import StateRestoration
import Testing

/// Keys that a newer build has written stay with their object.
@Suite struct UnknownKeysOfObjectsTests {
  @Test("unknown keys of a newer schema follow an object that is renamed or moved")
  func unknownKeysFollowTheirObject() throws {
    let newer = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("list", children: [ArchiveNode("new", type: "Editor", schemaVersion: 5, state: ["x": 1, "future": 7])]),
        ArchiveNode("other"),
      ])
    let editor = Editor("new")
    editor.decoding = { editor.values["x"] = try $0.decode(Int.self, forKey: "x") }
    let (list, other) = (SampleObject("list", children: [editor]), SampleObject("other", values: ["y": 1]))
    let tree = RestorableTree(roots: [list, other])
    _ = try tree.restore(from: ArchiveReader(newer.encoded()), with: Resolver())
    #expect(try tree.saved().state("list/new") == ["x": 1, "future": 7])
    editor.restorationIdentifier = "renamed"
    #expect(try tree.saved().state("list/renamed") == ["x": 1, "future": 7])
    list.children = []
    other.children = [editor]
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).state("other/renamed") == ["x": 1, "future": 7],
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("unknown keys go with an object whose own decoding gives it its identifier")
  func unknownKeysOfObjectThatNamesItself() throws {
    let newer = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("tab", type: "Editor", schemaVersion: 5, state: ["id": 9, "future": 7])])
    let editor = Editor("tab")
    editor.decoding = {
      editor.values["id"] = try $0.decode(Int.self, forKey: "id")
      editor.restorationIdentifier = "document 9"
    }
    let tree = RestorableTree(roots: [editor])
    let report = try tree.restore(from: ArchiveReader(newer.encoded()), with: Resolver())
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).state("document 9") == ["id": 9, "future": 7],
      "\(preservation.report.notes.map(\.description)) \(report.notes.map(\.description))")
  }

  @Test("a capture of changes encodes only what has changed, also of objects and a delegate with unknown keys")
  func unknownKeysAreShared() throws {
    var newer = ArchiveTree(
      header: .sample, applicationState: ["theme": 1],
      nodes: [
        ArchiveNode(
          "root", type: "Tracked", state: ["number": 0],
          children: ["0", "1", "2"].map {
            ArchiveNode($0, type: "Tracked", schemaVersion: 5, state: ["number": 1, "future": 7])
          })
      ])
    newer.header.additional["restoration.applicationSchema"] = 3
    let objects = ["0", "1", "2"].map { TrackedObject($0) }
    let root = TrackedObject("root", children: objects)
    let tree = RestorableTree(roots: [root], delegate: SampleDelegate())
    _ = try tree.restore(from: ArchiveReader(newer.encoded()), with: Resolver())
    let options = PreservationOptions(encodesOnlyChanges: true, verifiesChanges: false)
    #expect(try !tree.preserve(header: .sample, options: options).isOfChanges)
    for number in 2...4 {
      let before = objects.map(\.encodingCount)
      objects[0].number = number
      if number == 3 { objects[0].restorationIdentifier = "renamed" }
      let preservation = try tree.preserve(header: .sample, options: options)
      #expect(preservation.isOfChanges)
      #expect(zip(objects, before).map { $0.encodingCount - $1 } == [1, 0, 0])
      let saved = try ArchiveReader(#require(try preservation.archive))
      #expect(try saved.application().state() == ["theme": 1])
      for (index, name) in [number < 3 ? "root/0" : "root/renamed", "root/1", "root/2"].enumerated() {
        let path = try #require(RestorationPath(name))
        let node = try #require(try saved.node(at: path))
        #expect(try node.state() == ["number": .integer(index == 0 ? number : 1), "future": 7])
        #expect(try node.attributes()["restoration.keptKeys"] == ["future"])
      }
      #expect(try saved.contentDigest == tree.saved().contentDigest)
      _ = try tree.preserve(header: .sample, options: options)
    }
  }

  @Test("unknown keys of an object stay when the object above it is renamed")
  func unknownKeysBelowRenamed() throws {
    let newer = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode(
          "untitled", state: ["y": 1],
          children: [ArchiveNode("e", type: "Editor", schemaVersion: 5, state: ["x": 1, "future": 7])])
      ])
    let editor = Editor("e")
    editor.decoding = { editor.values["x"] = try $0.decode(Int.self, forKey: "x") }
    let document = SampleObject("untitled", children: [editor])
    let tree = RestorableTree(roots: [document])
    _ = try tree.restore(from: ArchiveReader(newer.encoded()), with: Resolver())
    document.restorationIdentifier = "report"
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).state("report/e") == ["x": 1, "future": 7],
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("unknown keys of a newer schema stay with live objects when an offer is merged that lacks them")
  func unknownKeysSurviveAnOffer() throws {
    let newer = ArchiveTree(
      header: .sample,
      nodes: [ArchiveNode("new", type: "Editor", schemaVersion: 5, state: ["x": 1, "future": 7])])
    let editor = Editor("new")
    editor.decoding = { editor.values["x"] = try $0.decode(Int.self, forKey: "x") }
    let tree = RestorableTree(roots: [editor])
    _ = try tree.restore(from: ArchiveReader(newer.encoded()), with: Resolver())
    #expect(try tree.saved().state("new") == ["x": 1, "future": 7])
    let offer = ArchiveTree(header: .sample, nodes: [ArchiveNode("old", state: ["x": 3])])
    _ = try tree.restore(from: ArchiveReader(offer.encoded()), with: Resolver(), options: RestorationOptions(), isAgain: true)
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("new") == ["x": 1, "future": 7], "\(preservation.report.notes.map(\.description))")
  }
}
