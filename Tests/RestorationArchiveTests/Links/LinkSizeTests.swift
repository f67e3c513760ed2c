import RestorationArchive
import TestStage
import Testing

/// The cost of a link is that of the change, not that of the archive.
@Suite struct LinkSizeTests {
  /// 200,000 nodes in the second stage.
  @Test("the link of one changed node among many has less than 4 KiB, and so has that of ten")
  func isAsLongAsTheChange() throws {
    let count = TestStage.count(2000, exhaustive: 200_000)
    var tree = ArchiveTree(nodes: [ArchiveNode("root")])
    tree.nodes[0].children = (0..<count).map { number in
      let state: ArchiveDictionary = ["title": .string("item \(number)"), "offset": 1.5, "row": .integer(ArchiveInteger(number))]
      return ArchiveNode("row-\(number)", type: "Row", state: state)
    }
    let base = [UInt8](try tree.encoded())
    for changes in [1, 10] {
      for change in 0..<changes { tree.nodes[0].children[count / 11 * (change + 1)].state["offset"] = 2.5 }
      let link = try ArchiveLink.make(from: base, to: [UInt8](tree.encoded()))
      #expect(link.count < 4096, "\(changes) changes: \(link.count) bytes")
    }
  }
}
