import CorpusKit
import Foundation
import RestorationArchive
import RestorationInspection
import StateRestoration
import TestStage
import Testing

/// Every byte of a file is attributed exactly once, in each view.
@Suite struct ArchiveSizesTests {
  /// Returns the sum of the bytes of all nodes, asked one by one.
  private static func sumOfNodes(_ archive: ArchiveReader, _ sizes: ArchiveSizes) throws -> Int {
    var sum = 0
    var stack = [try archive.application()]
    while let node = stack.popLast() {
      sum += sizes.byteCount(of: node)
      node.visitChildren { child in
        if let child = try? child.get() { stack.append(child) }
      }
    }
    return sum
  }

  private static func sum(_ shares: [ArchiveSizes.Share]) -> Int { shares.reduce(0) { $0 + $1.byteCount } }

  @Test("every byte of a valid file belongs to one node or to the overhead", arguments: try Corpus.files(in: "valid"))
  func everyByteCountsOnce(_ file: CorpusFile) throws {
    let archive = try ArchiveReader(inspecting: file.bytes)
    let sizes = ArchiveSizes(archive)
    let overhead = sizes.overheadByteCount
    #expect(try Self.sumOfNodes(archive, sizes) + overhead == file.bytes.count)
    #expect((sizes.largestNodes(limit: 1, depth: 0).nodes.first?.subtreeByteCount ?? 0) + overhead == file.bytes.count)
    for view in [sizes.types, sizes.keys, sizes.kinds] { #expect(Self.sum(view) + overhead == file.bytes.count) }
    // Nothing is left over, so no view is made to add up.
    let names = (sizes.overhead + sizes.types + sizes.keys + sizes.kinds).map(\.name)
    #expect(!names.contains("(unreadable)"))
    #expect((sizes.overhead + sizes.types + sizes.keys + sizes.kinds).allSatisfy { $0.byteCount > 0 && $0.count >= 0 })
  }

  @Test("the views of any file agree", arguments: TestStage.every(8, of: try EveryFileTests.files()))
  func viewsAgree(_ file: CorpusFile) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    let sizes = ArchiveSizes(archive)
    #expect(sizes.overhead.allSatisfy { $0.byteCount > 0 })
    for view in [sizes.types, sizes.keys, sizes.kinds] { #expect(Self.sum(view) == Self.sum(sizes.types)) }
    #expect(Self.sum(sizes.types) + sizes.overheadByteCount == sizes.byteCount)
    var text = ""
    sizes.write(to: &text)
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    var json = ""
    sizes.writeJSON(of: "a", to: &json, excesses: sizes.excesses(of: SizeBudget(archive: 1, eachNode: 1)))
    #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
  }

  @Test func namesValuesThatOccurSeveralTimes() throws {
    let icon = ArchiveValue.data(Data(repeating: 7, count: 500))
    let frames = ArchiveValue.array((0..<300).map { .integer($0 % 50) })
    let tree = ArchiveTree(nodes: [
      ArchiveNode("a", state: ["icon": icon, "frames": frames]), ArchiveNode("b", state: ["image": ["of": icon], "frames": frames]),
      ArchiveNode("c", state: ["icon": icon, "small": "x"]), ArchiveNode("d", state: ["small": "x"]),
    ])
    let duplicates = ArchiveSizes(try ArchiveReader(inspecting: [UInt8](tree.encoded()))).duplicates
    #expect(duplicates.map(\.kind) == ["data", "array"])
    #expect(duplicates.map(\.copies) == [3, 2])
    #expect(duplicates.map(\.path) == ["a", "a"])
    #expect(duplicates.map(\.key) == ["icon", "frames"])
    #expect(duplicates.first?.wastedByteCount == 2 * 503)
  }

  @Test func listsTheLargestNodesFirst() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("small"),
      ArchiveNode("large", children: (0..<50).map { ArchiveNode("n\($0)", state: ["text": .string(String(repeating: "x", count: $0))]) }),
    ])
    let sizes = ArchiveSizes(try ArchiveReader(inspecting: [UInt8](tree.encoded())))
    let (nodes, rest) = sizes.largestNodes(limit: 4)
    #expect(nodes.map(\.path) == [.application, "large", "large/n49", "large/n48"])
    #expect(rest == 49)
    #expect(sizes.largestNodes(limit: 9, depth: 1).nodes.map(\.path) == [.application, "large", "small"])
  }

  @Test("any limit is possible", arguments: [Int.max, .min, -1, 0])
  func takesAnyLimit(_ limit: Int) throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("a", state: ["text": "x"]), ArchiveNode("b", state: ["text": "y"])])
    let sizes = ArchiveSizes(try ArchiveReader(inspecting: [UInt8](tree.encoded())))
    let (nodes, rest) = sizes.largestNodes(limit: limit)
    #expect(limit == .max ? nodes.count == 3 && rest == 0 : nodes.isEmpty && rest == 3)
    var text = ""
    sizes.write(to: &text, limit: limit)
    #expect(text.contains("by type") == (limit == .max))
  }

  // MARK: Budgets

  @Test func readsBudgets() throws {
    let text = """
      # limits

      (archive): 1 KiB
      (each node): 20
      root/**: 0
      a: b/~2: 1 MiB
      """
    let budget = try SizeBudget(parsing: text)
    let tree = ArchiveTree(nodes: [ArchiveNode("root", state: ["text": .string(String(repeating: "x", count: 2000))])])
    let sizes = ArchiveSizes(try ArchiveReader(inspecting: [UInt8](tree.encoded())))
    let archive = sizes.byteCount
    #expect(
      sizes.excesses(of: budget) == [
        "the archive: \(archive) bytes, at most 1024 expected", "root: 2004 bytes, at most 20 expected",
        "root/**: 2004 bytes, at most 0 expected",
      ])
    // As an editor of Windows saves it.
    let other = try SizeBudget(parsing: "\u{FEFF}" + text.replacing("# limits\n", with: "").replacing("\n", with: "\r\n"))
    #expect(sizes.excesses(of: other) == sizes.excesses(of: budget))
    #expect(try sizes.excesses(of: SizeBudget(parsing: text.replacing("\n", with: "\r\n"))) == sizes.excesses(of: budget))
  }

  @Test(
    "a line of another form is an error with its number",
    arguments: ["x", "x: ", "x: 3 KB", "x: -3", "a//b: 3", "x: 99999999999999999999", "x: 9999999999999999 MiB", "a*: 3"])
  func refusesOtherLines(_ line: String) {
    let error = #expect(throws: RestorationError.self) { try SizeBudget(parsing: "# first\n\(line)\n") }
    #expect(error?.code == .budgetSyntax && error?.message.hasPrefix("line 2: ") == true)
  }
}
