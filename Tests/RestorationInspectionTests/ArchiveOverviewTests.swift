import Foundation
import RestorationArchive
import RestorationInspection
import Testing

/// The summary of a damaged archive counts what can be read, and says so.
@Suite struct ArchiveOverviewTests {
  /// An archive whose node records need several blocks.
  private static func archive() throws -> [UInt8] {
    let rows = (0..<400).map { ArchiveNode("row \($0)", type: "Row") }
    return [UInt8](try ArchiveTree(nodes: [ArchiveNode("list", type: "List", children: rows)]).encoded())
  }

  @Test("readable nodes are counted, with the rest named")
  func countsReadableNodes() throws {
    let bytes = try Self.archive()
    let intact = try ArchiveOverview(bytes).text()
    #expect(intact.contains("nodes      401, on 2 levels\n") && intact.contains("Row: 400 nodes\n"), "\(intact)")
    let cut = try ArchiveOverview(Array(bytes.prefix(10_000)))
    #expect(cut.nodeCount == 401 && (100..<300).contains(cut.readableNodeCount))
    #expect(cut.text().contains("nodes      401, \(cut.readableNodeCount) of which can be read, on 2 levels\n"), "\(cut.text())")
    #expect(cut.text().contains("Row: at least \(cut.readableNodeCount - 1) nodes\n"))
  }

  @Test("without readable nodes, no count is invented")
  func countsNoNodes() throws {
    let text = try ArchiveOverview(Array(Self.archive().prefix(600))).text()
    #expect(text.contains("nodes      401, none of which can be read\n"), "\(text)")
    #expect(text.contains("types      List\n           Row\n"), "\(text)")
  }
}
