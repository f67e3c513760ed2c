import EngineKit
import StateRestoration
import Testing

/// Behaviours 31: an object that a factory creates and that the tree never adopts.
@Suite struct AdoptionTests {
  private static func archive() throws -> ArchiveReader {
    try RestorableTree.saved([
      List("list", values: ["x": 1]),
      SampleObject(
        "root", values: ["r": 1], children: [List("list", values: ["x": 1], children: [SampleObject("deep", values: ["y": 1])])]),
    ])
  }

  @Test("31: it appears in the outcome of its node, in the summary and in why, with everything that only it holds")
  func behaviour31Reports() throws {
    let deep = SampleObject("deep")
    let application = RestorableTree(roots: [SampleObject("root")])
    let report = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "root/list") { _ in List("list", children: [deep]) }
        Factory(type: "List") { node in
          let list = List(node.identifier)
          application.roots.append(list)
          return list
        }
      })
    #expect(report.node(at: "list")?.outcome == .restored)
    #expect(report.node(at: "root/list")?.outcome == .notAdopted)
    #expect(report.node(at: "root/list/deep")?.outcome == .notAdopted)
    #expect(report.summary == "restored 2 of 4; 2 not: 2 not adopted; their state is kept")
    #expect(
      report.why("root/list")
        == "restored by path \"root/list\", but not adopted: its object is in no object's restorationChildren; its parent takes it from restoredChildren() while it decodes, or keeps what its factory makes; its state is carried over"
    )
    #expect(report.description.contains("\nroot/list: restored by path"))
    #expect(report.json().contains(#""outcome" : "not-adopted""#))
    // The next save keeps it (78).
    #expect(!report.isDegraded && deep.finished == [.data])
    #expect(try application.saved().paths() == ["root", "root/list", "root/list/deep", "list"])
  }

  @Test("31: an object is adopted if a container takes it while decoding, if it registers, or if it names its parent")
  func behaviour31Adopted() throws {
    let root = SampleObject("root")
    root.decoding = { coder in root.children = try coder.restoredChildren() }
    let application = RestorableTree(roots: [root])
    var kept: [SampleObject] = []
    let report = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "list") { node in
          let list = List(node.identifier)
          application.register(list, at: node.path)
          kept.append(list)
          return list
        }
        Factory(path: "root/list/deep") { node in
          let deep = SampleObject(node.identifier)
          deep.parent = node.parent
          kept.append(deep)
          return deep
        }
        Factory(type: "List") { List($0.identifier) }
      })
    #expect(report.summary == "restored 4 of 4")
    withExtendedLifetime(kept) {}
  }

  @Test("31: a late object is reported too")
  func behaviour31Late() throws {
    let application = RestorableTree()
    _ = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "root", deciding: { _ in .later })
        Factory(path: "root/list") { List($0.identifier) }
      })
    let root = SampleObject("root")
    #expect(application.register(root) == .data)
    #expect(application.report?.node(at: "root/list")?.outcome == .notAdopted)
    #expect(application.report?.node(at: "root")?.outcome == .located)
  }

  @Test("11, 76: of two objects with one path the one that was made for the saved state is saved, and not the one that was there")
  func behaviour11Rival() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])])
    let delegate = SampleDelegate()
    let application = RestorableTree(roots: [SampleObject("a"), SampleObject("b")], delegate: delegate)
    let made = SampleObject("a")
    delegate.making = { [unowned application] _ in
      application.roots.append(made)
      return .object(made)
    }
    #expect(try application.restore(from: archive, with: Resolver()).summary == "restored 1 of 1" && made.values == ["x": 1])
    let preservation = try application.preserve(header: .sample)
    let notes = preservation.report.notes(at: "a")
    #expect(notes.map(\.kind) == [.duplicate] && notes[0].message.contains(": the restored one is saved, and the other is not"))
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.paths() == ["a"] && saved.decoder(at: "a").decode(Int.self, forKey: "x") == 1)
    // A registered object cannot take a place in the tree: the file before is kept.
    application.roots.removeLast()
    application.register(made, at: "a")
    #expect(try application.preserve(header: .sample).report.notes(at: "a").map(\.kind) == [.duplicate, .superseded])
  }

  @Test("11, 78: a second child with the path of a restored one does not take its place; one that comes later costs no saved file")
  func behaviour11SecondChild() throws {
    let archive = try RestorableTree.saved([SampleObject("window", children: [SampleObject("a", values: ["x": 1])])])
    let window = SampleObject("window")
    window.decoding = { [unowned window] coder in window.children = [SampleObject("a")] + (try coder.restoredChildren()) }
    let application = RestorableTree(roots: [window])
    _ = try application.restore(from: archive, with: Resolver { Factory(path: "window/a") { SampleObject($0.identifier) } })
    let first = try application.preserve(header: .sample)
    #expect(try ArchiveReader(#require(try first.archive)).state("window/a") == ["x": 1])
    #expect(first.report.notes(at: "window/a").map(\.kind) == [.duplicate])
    // Nothing tells which of these two was saved before.
    window.children.insert(SampleObject("a", values: ["x": 2]), at: 0)
    #expect(try application.preserve(header: .sample).report.notes(at: "window/a").map(\.kind) == [.duplicate, .duplicate, .superseded])
    #expect(try application.preserve(header: .sample).report.notes(at: "window/a").map(\.kind) == [.duplicate, .duplicate])
  }

  @Test("11, 66: a second object beside the one that was saved costs no saved file, as long as that one is saved")
  func behaviour11Added() throws {
    let saved = SampleObject("a", values: ["x": 1])
    let application = RestorableTree(roots: [saved])
    try application.startFresh()
    _ = try application.saved()
    application.roots.append(SampleObject("a", values: ["x": 2]))
    #expect(try application.preserve(header: .sample).report.notes(at: "a").map(\.kind) == [.duplicate])
    application.roots.swapAt(0, 1)
    #expect(try application.preserve(header: .sample).report.notes(at: "a").map(\.kind) == [.duplicate, .superseded])
  }

  @Test("11, 66: of two saved objects that get one identifier, the file with the state of the one left out is pinned, once")
  func behaviour11Renamed() throws {
    let objects = ["x", "y"].map { SampleObject($0, values: [$0: 1]) }
    let application = RestorableTree(roots: objects)
    try application.startFresh()
    _ = try application.saved()
    for object in objects { object.restorationIdentifier = "draft" }
    let report = try application.preserve(header: .sample).report
    #expect(report.notes(at: "draft").map(\.kind) == [.duplicate])
    #expect(report.notes(at: "y").map(\.kind) == [.superseded])
    #expect(try application.preserve(header: .sample).report.notes(at: "y").isEmpty)
  }

  @Test("76: the state of an object that failed to decode is not lost when the tree adopts the object later")
  func behaviour76Adopted() throws {
    struct Bug: Error {}
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])])
    let late = SampleObject("a")
    late.decoding = { _ in throw Bug() }
    let application = RestorableTree()
    let report = try application.restore(from: archive, with: Resolver { Factory(path: "a") { _ in late } })
    #expect(report.node(at: "a")?.outcome == .failed && report.node(at: "a")?.isCarriedOver == true)
    application.roots = [late]
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "a").map(\.kind) == [.superseded] && preservation.report.isDegraded)
  }
}
