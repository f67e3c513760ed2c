import ArchiveFormat
import PropertyKit
@testable import RestorationArchive
import SlowReader
import TestStage
import Testing

/// Links and chains (Spec 15).
@Suite struct ArchiveChainTests {
  /// An archive with its bytes, and the digest of its file.
  static func bytes(_ tree: ArchiveTree) throws -> [UInt8] { [UInt8](try tree.encoded()) }

  static func digest(_ bytes: [UInt8]) throws -> ContentDigest { try ArchiveReader(link: bytes).contentDigest }

  /// Two thousand in the second stage.
  @Test("a chain gives every archive of a history, byte for byte (R-15.3-4)", arguments: TestStage.seeds(60, exhaustive: 2000))
  func replaysHistories(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var history = EditHistory(seed: random.next(), nodeCount: random.oneIn(10) ? 300 : 24)
    let base = try Self.bytes(history.tree)
    var links: [[UInt8]] = []
    var (last, before) = (base, try Self.digest(base))
    for step in 0..<(1 + random.below(12)) {
      history.edit(count: random.below(5))
      let next = try Self.bytes(history.tree)
      let link = try ArchiveLink.make(from: last, to: next, after: before)
      #expect(ArchiveCheck(link).findings.isEmpty, "seed \(seed), step \(step): \(ArchiveCheck(link).findings)")
      #expect(try ArchiveReader(link: link).header.baseContentDigest == before)
      links.append(link)
      (last, before) = (next, try Self.digest(link))
      let chain = ArchiveChain(base: base, links: links)
      #expect(chain.error == nil && chain.appliedCount == links.count, "seed \(seed), step \(step): \(String(describing: chain.error))")
      #expect(chain.bytes == next, "seed \(seed), step \(step): other bytes")
    }
  }

  @Test("a link from an archive to itself has one record, and gives that archive", arguments: UInt64(0)..<10)
  func linksToItself(_ seed: UInt64) throws {
    let archive = try Self.bytes(EditHistory(seed: seed).tree)
    let link = try ArchiveLink.make(from: archive, to: archive)
    #expect(try ArchiveReader(link: link).nodeCount == 0)
    let chain = ArchiveChain(base: archive, links: [link])
    #expect(chain.bytes == archive && chain.appliedCount == 1)
  }

  @Test("a link written node by node changes, adds, moves and removes nodes")
  func writesLinks() throws {
    let base = ArchiveTree(
      applicationState: ["theme": "dark"],
      nodes: [
        ArchiveNode("root", type: "Window", state: ["zoom": 1], children: ["a", "b", "c", "d"].map { ArchiveNode($0, state: ["n": 1]) })
      ])
    let bytes = try Self.bytes(base)
    var tree = ArchiveTree(
      nodes: [
        Self.node(
          "root", .unchanged,
          children: [
            ArchiveNode("b", state: ["n": 2]), Self.node("c", .removed),
            Self.node("x", type: "Row", place: .after("d"), children: [Self.node("y", place: .first)]), Self.node("d", .unchanged),
            Self.node("a", .unchanged, place: .after("x")),
          ])
      ])
    tree.isApplicationUnchanged = true
    tree.header = ArchiveHeader(bundleVersion: "2")
    let digest = try Self.digest(bytes)
    tree.header.baseContentDigest = digest
    let link = try Self.bytes(tree)
    let chain = ArchiveChain(base: bytes, links: [link])
    #expect(chain.error == nil)
    var expected = base
    expected.header.bundleVersion = "2"
    expected.nodes[0].children = [
      ArchiveNode("b", state: ["n": 2]), ArchiveNode("d", state: ["n": 1]), ArchiveNode("x", type: "Row", children: [ArchiveNode("y")]),
      ArchiveNode("a", state: ["n": 1]),
    ]
    #expect(try ArchiveTree(decoding: ArchiveReader(chain.bytes)) == expected)
    #expect(chain.bytes == (try Self.bytes(expected)))
    // The same link after another file.
    let other = try ArchiveLink.rebased(link, after: ContentDigest(rawValue: 7))
    #expect(ArchiveChain(base: bytes, links: [other]).error?.code == .wrongBase)
    #expect(try ArchiveLink.rebased(other, after: digest) == link)
  }

  private static func node(
    _ identifier: String, _ kind: NodeChange.Kind = .contents, type: String? = nil, place: NodeChange.Place? = nil,
    children: [ArchiveNode] = []
  ) -> ArchiveNode {
    var node = ArchiveNode(identifier, type: type, children: children)
    node.change = NodeChange(kind, place: place)
    return node
  }

  @Test("a link by itself is no archive (R-15.1-3)")
  func refusesLinks() throws {
    let archive = try Self.bytes(EditHistory(seed: 1).tree)
    let link = try ArchiveLink.make(from: archive, to: archive)
    #expect(throws: ArchiveError.self) { try ArchiveReader(link) }
    do {
      _ = try ArchiveReader(link)
    } catch {
      #expect(error.code.rawValue == "unresolved-link" && error.rule == "R-15.1-3")
    }
    #expect(try ArchiveReader(link: link).isLink)
    #expect(try ArchiveReader(link: archive).header.baseContentDigest == nil)
  }

  @Test("only the archive that a chain stands for must have at most 65,535 types (R-15.4-5)")
  func limitsResults() throws {
    let nodes = (0..<65_535).map { ArchiveNode("\($0)", type: "t\($0)") }
    let base = try Self.bytes(ArchiveTree(nodes: nodes))
    func link(after file: [UInt8], _ node: ArchiveNode) throws -> [UInt8] {
      var tree = ArchiveTree(nodes: [node])
      tree.isApplicationUnchanged = true
      tree.header.baseContentDigest = try Self.digest(file)
      return try Self.bytes(tree)
    }
    let adding = try link(after: base, Self.node("x", type: "x", place: .first))
    let removing = try link(after: adding, Self.node("0", .removed))
    let again = try link(after: removing, Self.node("y", type: "y", place: .first))
    for (links, count) in [([adding], 0), ([adding, removing], 2), ([adding, removing, again], 2)] {
      let chain = ArchiveChain(base: base, links: links)
      #expect(chain.appliedCount == count && !chain.isBaseAtFault)
      #expect((chain.error == nil) == (count == links.count))
      if let error = chain.error { #expect(error.code.rawValue == "table-size" && error.rule == "R-4.3-12" && error.offset == nil) }
      #expect(count > 0 || chain.bytes == base)
    }
  }

  @Test("the longest chain has 128 links (R-15.4-1)")
  func limitsLength() throws {
    let archive = try Self.bytes(ArchiveTree(nodes: [ArchiveNode("a")]))
    let link = try ArchiveLink.make(from: archive, to: archive)
    var (links, before) = ([[UInt8]](), try Self.digest(archive))
    for _ in 0...ArchiveLink.maximumCount {
      links.append(try ArchiveLink.rebased(link, after: before))
      before = try Self.digest(links[links.count - 1])
    }
    let chain = ArchiveChain(base: archive, links: links)
    #expect(chain.appliedCount == 128 && chain.error?.code.rawValue == "chain-length")
  }
}
