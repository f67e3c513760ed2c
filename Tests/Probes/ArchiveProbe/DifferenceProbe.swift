import ArchiveFormat
import Foundation
import RestorationArchive
import RestorationInspection

/// Counts the work of comparing archives that a comparison finds hard, in the units of `WorkMeter`: candidates and
/// entries that are compared, and records and bytes that are read.
struct DifferenceProbe {
  /// Two archives to compare, which grow with a number of nodes or values.
  private struct Shape: Sendable {
    let name: String
    let pair: @Sendable (_ count: Int) -> (old: ArchiveTree, new: ArchiveTree)
  }

  /// Prints a line for each shape: the units of work for each of the counts, and the name.
  func measure(counts: [Int]) throws {
    for shape in Self.shapes {
      let units = try counts.map { try Self.work(shape.pair($0)) }
      print(units.map { "\($0)" }.joined(separator: " "), shape.name)
    }
  }

  private static func work(_ pair: (old: ArchiveTree, new: ArchiveTree)) throws -> Int {
    let old = try ArchiveReader(inspecting: [UInt8](pair.old.encoded()))
    let new = try ArchiveReader(inspecting: [UInt8](pair.new.encoded()))
    let before = WorkMeter.total ?? 0
    let difference = ArchiveDifference(from: old, to: new)
    difference.visitChanges { _ in }
    return (WorkMeter.total ?? 0) - before
  }

  // MARK: Shapes

  private static let shapes: [Shape] = [
    Shape(name: "the same node many times, all moved and renamed") { count in
      inFolders(before: (0..<count).map { row("a\($0)") }, after: (0..<count).map { row("b\($0)") })
    },
    Shape(name: "the same node many times, all renamed where they are") { count in
      (folder("all", (0..<count).map { row("a\($0)") }), folder("all", (0..<count).map { row("b\($0)") }))
    },
    Shape(name: "nodes of one type that resemble each other too little") { count in
      inFolders(before: (0..<count).map { row("a\($0)", from: $0) }, after: (0..<count).map { row("b\($0)", from: $0 + count) })
    },
    Shape(name: "one identifier everywhere, each node in another folder with other contents") { count in
      let old = ArchiveTree(nodes: (0..<count).map { ArchiveNode("a\($0)", type: "Folder", children: [row("x", from: $0)]) })
      return (old, ArchiveTree(nodes: (0..<count).map { ArchiveNode("b\($0)", type: "Folder", children: [row("x", from: -1 - $0)]) }))
    },
    Shape(name: "deep chains, moved and renamed at every level") { count in
      inFolders(before: chains(count, "a"), after: chains(count, "b"))
    },
    Shape(name: "siblings in the opposite order") { count in
      let all = (0..<count).map { row("a\($0)", from: $0) }
      return (folder("all", all), folder("all", all.reversed()))
    },
    Shape(name: "all children moved out of a parent with many entries that has no partner") { count in
      let children = (0..<count).map { row("n\($0)", from: $0) }
      let pair = [(0, "left"), (1, "right")].map { number, name in
        ArchiveTree(nodes: [ArchiveNode(name, children: [ArchiveNode("a", state: entries(count, number), children: children)])])
      }
      return (pair[0], pair[1])
    },
    Shape(name: "small nodes beside one with many entries") { count in
      let small = (0..<count).map { row("a\($0)", from: $0) }
      let large = ArchiveNode("b", type: "Row", state: entries(count, 3))
      return (folder("all", small), folder("all", [large] + (1..<count).map { row("b\($0)", from: -$0) }))
    },
    Shape(name: "references to a node that is gone") { count in
      let links = (0..<count).map { ArchiveNode("n\($0)", state: ["to": .reference("target"), "also": .reference("all")]) }
      let old = folder("all", links)
      return (ArchiveTree(nodes: old.nodes + [row("target")]), old)
    },
    Shape(name: "a long list with other elements") { count in
      let lists = [1, 2].map { factor in ArchiveValue.array((0..<count).map { .integer(ArchiveInteger($0 * factor)) }) }
      return (ArchiveTree(applicationState: ["list": lists[0]]), ArchiveTree(applicationState: ["list": lists[1]]))
    },
  ]

  private static func row(_ identifier: String, from start: Int = 0) -> ArchiveNode {
    ArchiveNode(
      identifier, type: "Row",
      state: ["first": .integer(ArchiveInteger(start)), "second": .integer(ArchiveInteger(start + 7)), "third": .string("text \(start)")])
  }

  private static func entries(_ count: Int, _ factor: Int) -> ArchiveDictionary {
    ArchiveDictionary((0..<count).map { .init(key: "key \($0)", value: .integer(ArchiveInteger(factor * ($0 + 1)))) })
  }

  private static func folder(_ identifier: String, _ children: [ArchiveNode]) -> ArchiveTree {
    ArchiveTree(nodes: [ArchiveNode(identifier, type: "Folder", children: children)])
  }

  private static func inFolders(before: [ArchiveNode], after: [ArchiveNode]) -> (old: ArchiveTree, new: ArchiveTree) {
    let empty = ArchiveNode("left", type: "Folder")
    return (
      ArchiveTree(nodes: [ArchiveNode("left", type: "Folder", children: before), ArchiveNode("right", type: "Folder")]),
      ArchiveTree(nodes: [empty, ArchiveNode("right", type: "Folder", children: after)])
    )
  }

  private static func chains(_ count: Int, _ letter: String) -> [ArchiveNode] {
    let depth = 50
    return (0..<(count / depth)).map { number in
      (1..<depth).reduce(row("\(letter)\(number)")) { below, level in
        ArchiveNode("\(letter)\(number) \(level)", type: "Row", state: below.state, children: [below])
      }
    }
  }
}
