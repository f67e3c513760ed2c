import EngineKit
import StateRestoration
import Testing

/// Downgrades and upgrades in sequence: state unknown to a build survives it.
///
/// Build *n* has documents and application state with the keys `k1` to `k`*n*; only build 3 has plug-ins, below documents, and
/// no build has gadgets.
@Suite struct BuildSequenceTests {
  private class Document: SampleObject {
    override class var restorationType: String { "Document" }
  }

  private final class Document1: Document {
    override class var restorationSchemaVersion: Int { 1 }
  }

  private final class Document2: Document {
    override class var restorationSchemaVersion: Int { 2 }
  }

  private final class Document3: Document {
    override class var restorationSchemaVersion: Int { 3 }
  }

  private final class Plugin: SampleObject {
    override class var restorationType: String { "Plugin" }
    override class var restorationSchemaVersion: Int { 4 }
  }

  private final class Delegate: RestorationDelegate {
    let applicationSchemaVersion: Int
    var values: [String: Int] = [:]

    init(_ build: Int) { applicationSchemaVersion = build }

    func willEncodeRestorableState(with coder: StateEncoder) throws {
      for (key, value) in values { try coder.encode(value, forKey: key) }
    }

    func didDecodeRestorableState(with coder: StateDecoder) throws {
      for key in BuildSequenceTests.keys(applicationSchemaVersion) { values[key] = try coder.decode(Int.self, forKey: key) }
    }
  }

  private static func keys(_ build: Int) -> [String] { (1...build).map { "k\($0)" } }

  private static func document(_ identifier: String, _ build: Int) -> SampleObject {
    let document = [Document1.self, Document2.self, Document3.self][build - 1].init(identifier, values: [:], children: [], log: nil)
    document.decoding = { [unowned document] coder in
      for key in keys(build) { document.values[key] = try coder.decode(Int.self, forKey: key) }
    }
    return document
  }

  /// A launch of a build.
  private final class Launch {
    let folders = ["left", "right"].map { SampleObject($0) }
    let delegate: Delegate
    let tree: RestorableTree
    let report: RestorationReport

    init(_ build: Int, _ archive: ArchiveReader) throws {
      delegate = Delegate(build)
      tree = RestorableTree(roots: folders, delegate: delegate)
      func adopt(_ object: SampleObject, _ node: FactoryRequest) -> SampleObject {
        (node.parent as? SampleObject)?.children.append(object)
        return object
      }
      report = try tree.restore(
        from: archive,
        with: Resolver {
          Factory(type: "Document") { adopt(document($0.identifier, build), $0) }
          // What a build knows better is not overwritten with a default.
          if build > 1 { Upgrade(type: "Document", from: 1, to: 2) { if $0["k2"] == nil { $0.set("k2", to: 0) } } }
          if build > 1 { Upgrade(applicationStateFrom: 1, to: 2) { if $0["k2"] == nil { $0.set("k2", to: 0) } } }
          if build > 2 {
            Upgrade(applicationStateFrom: 2, to: 3) { if $0["k3"] == nil { $0.set("k3", to: 0) } }
            Upgrade(type: "Document", from: 2, to: 3) { if $0["k3"] == nil { $0.set("k3", to: 0) } }
            Factory(type: "Plugin") { adopt(Plugin($0.identifier), $0) }
          }
        })
      tree.endFirstTurn()
    }

    var documents: [SampleObject] { folders.flatMap(\.children).compactMap { $0 as? SampleObject } }
  }

  @Test(
    "26: what builds 2 and 1 do not know survives the builds 3, 2, 1, 2, 3, also if objects are renamed and moved in between",
    arguments: [1, 2, 3])
  func survivesEarlierBuilds(saves: Int) throws {
    let state: ArchiveDictionary = ["k1": 1, "k2": 2, "k3": 3]
    var first = ArchiveTree(
      header: .sample, applicationState: state,
      nodes: [
        ArchiveNode(
          "left",
          children: ["a", "b"].map { name in
            ArchiveNode(
              name, type: "Document", schemaVersion: 3, state: state,
              children: [
                ArchiveNode("plugin", type: "Plugin", schemaVersion: 4, state: ["secret": name == "a" ? 10 : 20]),
                ArchiveNode("gadget", type: "Gadget", attributes: ["example.later": 5], state: ["of": .string(name)]),
              ])
          }),
        ArchiveNode("right"),
      ])
    first.header.additional["restoration.applicationSchema"] = 3
    var archive = try ArchiveReader(first.encoded())
    for (step, build) in [3, 2, 1, 2, 3].enumerated() {
      let launch = try Launch(build, archive)
      let documents = launch.documents
      #expect(documents.count == 2, "\(launch.report)")
      for document in documents {
        for key in Self.keys(build).dropFirst() { #expect(document.values[key] == state[key].flatMap(\.int), "\(key) in step \(step)") }
        #expect(document.values["k1"] == step + 1)
        document.values["k1"] = step + 2
      }
      #expect(launch.delegate.values["k1"] == step + 1)
      launch.delegate.values["k1"] = step + 2
      if step == 4 {
        #expect(launch.delegate.values["k2"] == 2 && launch.delegate.values["k3"] == 3)
        #expect(documents.map(\.restorationIdentifier) == ["b", "a 2"])
        #expect(documents.map { ($0.children.first as? Plugin)?.values["secret"] } == [20, 10])
        #expect(launch.folders.map { $0.children.count } == [1, 1])
      }
      for save in 0..<saves {
        // One is renamed twice, and moved; the other takes its identifier for some time.
        if save == 0, step == 1 { (documents[0].restorationIdentifier, documents[1].restorationIdentifier) = ("b", "a") }
        if save == 0, step == 2 {
          let document = try #require(documents.first { $0.restorationIdentifier == "b" })
          document.restorationIdentifier = "a 2"
          launch.folders[0].children.removeAll { $0 === document }
          launch.folders[1].children.append(document)
          documents.first { $0 !== document }?.restorationIdentifier = "b"
        }
        archive = try launch.tree.saved()
      }
      let places = step == 0 ? ["left/a", "left/b"] : step == 1 ? ["left/b", "left/a"] : ["right/a 2", "left/b"]
      for (place, name) in zip(places, ["a", "b"]) {
        let path = try #require(RestorationPath(place))
        let node = try #require(try archive.node(at: path.appending("gadget")), "\(place) in step \(step)")
        #expect(try node.state() == ["of": .string(name)] && node.attributes()["example.later"] == 5 && node.origin != nil)
        let plugin = try #require(try archive.node(at: path.appending("plugin")))
        #expect(try plugin.schemaVersion == 4 && plugin.state() == ["secret": name == "a" ? 10 : 20])
        #expect(try archive.state(path) == ["k1": .integer(step + 2), "k2": 2, "k3": 3])
      }
      // An empty folder is not saved.
      #expect(try archive.paths().count == (step < 2 ? 7 : 8))
    }
  }
}

extension ArchiveValue {
  fileprivate var int: Int? { if case .integer(let value) = self { Int(value.description) } else { nil } }
}
