import CorpusKit
import Foundation
import PropertyKit
import RestorationArchive
import RestorationInspection
import Testing

/// The tree of an archive as JSON.
@Suite struct PathTreeTests {
  private static func json(_ archive: ArchiveReader, _ change: (inout PathTree.Options) -> Void = { _ in }) -> String {
    var options = PathTree.Options()
    change(&options)
    var (tree, text) = (PathTree(archive, options: options), "")
    tree.writeJSON(to: &text)
    return text
  }

  private static func nodes(_ json: String) throws -> [[String: Any]] {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return try #require(object?["nodes"] as? [[String: Any]])
  }

  @Test("the identifiers along the parents are the paths", arguments: ["valid/apps/notes.rsta", "valid/apps/browser-forty-tabs.rsta"])
  func listsNodes(_ file: String) throws {
    let archive = try ArchiveReader(Corpus.bytes(of: file))
    var (paths, expected): ([[String]], [[String]]) = ([], [])
    for node in try Self.nodes(Self.json(archive)) {
      let above = try (node["parent"] as? Int).map { try #require(paths.indices.contains($0) ? paths[$0] : nil) } ?? []
      paths.append(above + [try #require(node["identifier"] as? String)])
    }
    func visit(_ node: NodeReader) throws {
      for child in try node.children() {
        expected.append(child.path.components)
        try visit(child)
      }
    }
    try visit(archive.application())
    #expect(paths == expected && !paths.isEmpty)
    let top = try Self.nodes(Self.json(archive) { $0.depth = 1 })
    #expect(top.count == expected.count { $0.count == 1 } && top.allSatisfy { $0["parent"] == nil })
  }

  @Test("the output about a chain of nodes grows as the chain does (R-11-1)")
  func isLinear() throws {
    let identifier = String(repeating: "a", count: 1000)
    for depth in [1, 16, 256] {
      var nodes: [ArchiveNode] = []
      for _ in 0..<depth { nodes = [ArchiveNode(identifier, children: nodes)] }
      let archive = try ArchiveReader(ArchiveTree(nodes: nodes).encoded())
      #expect(Self.json(archive).utf8.count < 200 + depth * 1200)
      #expect(try Self.nodes(Self.json(archive)).count == depth)
    }
  }

  @Test("the output about a hostile file is in proportion to its nodes (R-11-1)", arguments: HostileArchive.all(count: 300))
  func isBounded(_ file: HostileArchive) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    // The longest identifier is 1,024 bytes, and a control character has an escape of six.
    let text = Self.json(archive) { $0.showsState = true }
    #expect(text.utf8.count < (archive.nodeCount + 1) * (6 * 1024 + 300) + file.bytes.count * 20 + (1 << 19), "\(text.utf8.count)")
  }
}
