import PropertyKit
import Foundation
import RestorationArchive
import SalvageKit
import Testing

/// An open archive reports its nodes, its sections and its damage.
@Suite struct ArchiveReaderTests {
  @Test("children are listed in saved order, and are found by identifier")
  func listsChildren() throws {
    let names = ["c", "a", "d", "b"]
    let children = names.map { ArchiveNode($0, type: "T\($0)", schemaVersion: 2, state: ["name": .string($0)]) }
    let tree = ArchiveTree(nodes: [ArchiveNode("root", children: children), ArchiveNode("other")])
    let archive = try ArchiveReader(tree.encoded())
    #expect(try archive.application().children().map(\.identifier) == ["root", "other"])
    let root = try #require(try archive.node(at: "root"))
    #expect(root.childCount == 4 && root.stateByteCount == 0 && root.type == nil && root.schemaVersion == 0)
    // A node can be read any number of times.
    for _ in 0..<3 {
      let found = try root.children()
      #expect(found.map(\.identifier) == names)
      #expect(found.map(\.path) == names.map { RestorationPath("root").appending($0) })
      #expect(try found.map { try $0.state()["name"] } == names.map { .string($0) })
    }
    for name in names {
      let child = try #require(try root.child(name))
      #expect(child.type == "T\(name)" && child.schemaVersion == 2 && child.stateByteCount > 0)
      #expect(try child.children().isEmpty && child.child("any") == nil)
    }
    for name in ["", "e", String(repeating: "x", count: 1025)] { #expect(try root.child(name) == nil) }
    #expect(try archive.application().identifier == nil)
  }

  @Test("data, slices and byte arrays with the same bytes open as the same archive")
  func opensData() throws {
    let data = try ArchiveTree(nodes: [ArchiveNode("root", state: ["row": 1])]).encoded()
    #expect(try ArchiveReader(data).contentDigest == ArchiveReader([UInt8](data)).contentDigest)
    #expect(ArchiveSalvage(data).archive == data)
    #expect(ArchiveCheck(data).isValid && ArchiveCheck([UInt8](data)).isValid)
    // The indices of a slice do not start at 0.
    let slice = (Data([1, 2, 3]) + data)[3...]
    #expect(try ArchiveReader(slice).contentDigest == ArchiveReader(data).contentDigest)
  }

  @Test("damage that a second copy repaired is reported and harmless")
  func tellsOpeningErrors() throws {
    let tree = ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: [ArchiveNode("root", state: ["row": 1])])
    let bytes = [UInt8](try tree.encoded())
    #expect(try ArchiveReader(bytes).openingErrors.isEmpty)
    for (place, code) in [(20, ArchiveError.Code.prefixDamaged), (70, .metadataDamaged)] {
      var damaged = bytes
      damaged[place] ^= 1
      let archive = try ArchiveReader(damaged)
      #expect(archive.openingErrors.map(\.code) == [code])
      #expect(try ArchiveTree(decoding: archive) == tree)
    }
  }

  @Test("a section in a damaged block is an error; nodes in other blocks are readable")
  func reportsDamagedSections() throws {
    let section = try ArchiveSection(code: "teSt", data: Data(repeating: 7, count: 20_000))
    var bytes = [UInt8](try ArchiveTree(nodes: [ArchiveNode("root", state: ["row": 1])], sections: [section]).encoded())
    bytes[10_000] ^= 1
    let archive = try ArchiveReader(bytes)
    #expect(#expect(throws: ArchiveError.self) { try archive.sections() }?.code == .blockDamaged)
    #expect(try archive.node(at: "root")?.state() == ["row": 1])
  }

  @Test("damaged children do not stop the visit of the others, and the errors name their parent")
  func visitsPastDamage() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("root", children: (0..<400).map { ArchiveNode("\($0)", state: ["row": .integer($0)]) })])
    var bytes = [UInt8](try tree.encoded())
    bytes[ArchiveSections(bytes).nodes + 9000] ^= 1
    let archive = try ArchiveReader(bytes)
    let root = try #require(try archive.node(at: "root"))
    var (intact, errors) = ([String](), [ArchiveError]())
    root.visitChildren {
      switch $0 {
      case .success(let child): intact.append(child.path.identifier ?? "")
      case .failure(let error): errors.append(error)
      }
    }
    #expect(intact.count + errors.count == 400)
    #expect((85...87).contains(errors.count))
    #expect(intact == intact.sorted { (Int($0) ?? 0) < (Int($1) ?? 0) })
    #expect(errors.allSatisfy { $0.code == .blockDamaged && $0.path == "root" })
    #expect(#expect(throws: ArchiveError.self) { try root.children() }?.code == .blockDamaged)
  }

  @Test("a walk over a hostile file ends after at most as many nodes as records", arguments: HostileArchive.all(count: 300))
  func walksHostileFiles(_ file: HostileArchive) throws {
    guard let archive = try? ArchiveReader(file.bytes), let application = try? archive.application() else { return }
    var rest = [application]
    var (visited, codes) = (0, Set<String>())
    while let node = rest.popLast() {
      visited += 1
      node.visitChildren {
        switch $0 {
        case .success(let child): rest.append(child)
        case .failure(let error): codes.insert(error.code.rawValue)
        }
      }
    }
    #expect(visited <= archive.nodeCount + 1)
    if file.name == "nodes that claim all nodes behind them" { #expect(codes == ["child-range", "parent-mismatch"]) }
  }
}
