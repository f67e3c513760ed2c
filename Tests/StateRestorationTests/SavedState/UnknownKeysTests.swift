import CorpusKit
import PropertyKit
import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviour 26: keys that an older build does not know survive its saves.
@Suite struct UnknownKeysTests {
  @Test("the report notes once for each type, and for the application state, that a newer build has saved it")
  func notesNewerSchemas() throws {
    var newer = ArchiveTree(
      applicationState: ["theme": "dark"],
      nodes: [
        ArchiveNode("a", type: "Editor", schemaVersion: 5, state: ["x": 1]),
        ArchiveNode("b", type: "Editor", schemaVersion: 5, state: ["x": 1]),
        ArchiveNode("c", type: "Editor", schemaVersion: 2, state: ["x": 1]),
      ])
    newer.header.additional["restoration.applicationSchema"] = 3
    let objects = [Editor("a"), Editor("b"), Editor("c")]
    let report = try RestorableTree(roots: objects, delegate: SampleDelegate()).restore(
      from: ArchiveReader(newer.encoded()), with: Resolver())
    #expect(report.notes.map(\.kind) == [.newerSchema, .newerSchema] && !report.isDegraded)
    #expect(
      report.notes.map(\.description) == [
        "a: type \"Editor\" was saved with schema version 5, and this build has 2",
        "(application): the application state was saved with schema version 3, and this build has 0",
      ])
  }

  @Test("26: a key that an object or the delegate has read, and writes no more, was cleared, and does not come back")
  func clearsKnownKeys() throws {
    struct Query: Codable { var query: String?, count = 1 }
    final class Filters: CodableRestorable {
      class var keepsUnknownKeys: Bool { true }
      let restorationIdentifier: String? = "filters"
      var restorableState = Query(query: nil)
    }
    var saved = ArchiveTree(
      header: .sample, applicationState: ["theme": "dark", "later": 2],
      nodes: [ArchiveNode("filters", state: ["query": "a", "count": 1, "future": "f"])])
    saved.header.additional["restoration.applicationSchema"] = 3
    let filters = Filters()
    let delegate = SampleDelegate()
    delegate.decoding = { _ = try $0.decode(String.self, forKey: "theme") }
    let application = RestorableTree(roots: [filters], delegate: delegate)
    _ = try application.restore(from: ArchiveReader(saved.encoded()), with: Resolver())
    #expect(filters.restorableState.query == "a")
    filters.restorableState.query = nil
    let archive = try application.saved()
    #expect(try archive.state("filters") == ["count": 1, "future": "f"])
    #expect(try archive.application().state() == ["later": 2])
  }

  @Test("26: a key that the factory has read is known to the object, and does not come back once it is not written any more")
  func knowsKeysOfFactories() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("file", type: "Archivist", state: ["url": 1, "future": 2])])
    let tree = RestorableTree()
    let resolver = try Resolver {
      Factory(type: "Archivist") { [unowned tree] node in
        let file = Archivist(node.identifier)
        file.values["url"] = try node.decoder().decode(Int.self, forKey: "url")
        file.decoding = { _ in }
        tree.roots = [file]
        return file
      }
    }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    #expect(try tree.saved().state("file") == ["url": 1, "future": 2])
    (tree.roots.first as? Archivist)?.values = [:]
    #expect(try tree.saved().state("file") == ["future": 2])
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
      let application = RestorableTree(roots: objects)
      _ = try application.restore(from: archive, with: Resolver())
      archive = try application.saved()
      #expect(try archive.state("new") == ["x": 1, "future": "f"])
      #expect(try archive.node(at: "new")?.schemaVersion == 2)
      #expect(try archive.state("same") == ["x": 1])
      #expect(try archive.state("asked") == ["x": 1, "other": 3])
    }
    // The object itself writes the key now, and its value wins.
    let object = Editor("new")
    let application = RestorableTree(roots: [object])
    object.decoding = { _ in }
    _ = try application.restore(from: archive, with: Resolver())
    object.values = ["future": 7]
    #expect(try application.saved().state("new") == ["future": 7])
  }

  @Test("26: a value of a later type loses only its own key, and is reported at each save (R-3.5-3, R-6.1-1)")
  func behaviour26KeepsKeysAroundLaterTypes() throws {
    let archive = try ArchiveReader.ofLaterVersion([
      ArchiveNode(
        "new", type: "Editor", schemaVersion: 5, state: ["x": 1, "a": .ofLaterType, "future": "f", "z": [1, .ofLaterType]]),
      ArchiveNode("asked", type: "Archivist", state: ["x": 1, "a": .ofLaterType, "other": 3]),
    ])
    let objects = [Editor("new"), Archivist("asked")]
    for object in objects { object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") } }
    let application = RestorableTree(roots: objects)
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
    var node = ArchiveNode("kept", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": .ofLaterType, "future": "f", "gone": 2])
    node.attributes = ["app.note": .ofLaterType, "restoration.keptKeys": ["a", "future"], "restoration.keptSchema": 5]
    var plain = ArchiveNode("plain", type: "Editor", schemaVersion: 2, state: ["x": 1, "a": .ofLaterType])
    plain.attributes = ["app.note": 1]
    var unknown = ArchiveNode("unknown", type: "Editor", schemaVersion: 2, state: ["x": 1, "future": "f"])
    unknown.attributes = ["restoration.keptKeys": .ofLaterType, "restoration.keptSchema": 5]
    let objects = ["kept", "plain", "unknown"].map { Editor($0) }
    for object in objects { object.decoding = { object.values["x"] = try $0.decode(Int.self, forKey: "x") } }
    let application = RestorableTree(roots: objects)
    _ = try application.restore(from: ArchiveReader.ofLaterVersion([node, plain, unknown]), with: Resolver())
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
}
