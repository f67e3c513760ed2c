import ArchiveFormat
import RestorationArchive
import RestorationInspection

/// The visible rows of an archive's tree.
///
/// A row takes a few bytes, whatever the length of its path: identifiers are read when a row is drawn.
struct BrowserTree {
  /// A row: a node, or children that cannot be read.
  struct Row {
    /// The index of the node's record; -1 for children that cannot be read.
    let node: Int32
    /// The number of components of the path.
    let depth: UInt16
    /// The record of the parent; -1 for the application.
    let parent: Int32
    /// The code of the error that hides the children.
    let error: ArchiveError.Code?
  }

  let archive: ArchiveReader
  private let records: ArchiveRecords
  private(set) var rows: [Row] = []
  private(set) var unfolded: Set<Int32> = [0] { didSet { foldingCount += 1 } }
  /// The number of changes of ``unfolded``.
  private(set) var foldingCount = 0
  /// The nodes with findings, by record.
  var findings: Set<Int32> = []
  /// The readable nodes in the order of the unfolded tree, found by the first search.
  private var order: [Row] = []

  init(_ archive: ArchiveReader) {
    self.archive = archive
    records = archive.records
    rows = [Row(node: 0, depth: 0, parent: -1, error: nil)]
    rows += below(rows[0])
  }

  // MARK: Nodes

  /// Returns the node of a row; nil if it cannot be read.
  func node(_ row: Row) -> NodeReader? {
    guard row.node >= 0, let path = path(row.node) else { return nil }
    return try? archive.node(index: Int(row.node), path: path)
  }

  /// Returns the path of a node; nil if an identifier on the way cannot be read.
  func path(_ index: Int32) -> RestorationPath? { records.path(of: Int(index)) }

  func identifier(_ row: Row) -> String? {
    guard row.node > 0 else { return row.node == 0 ? "(application)" : nil }
    return (try? records.node(at: Int(row.node))).flatMap { try? records.identifier(of: $0) }?.escapedForDisplay
  }

  func typeText(_ row: Row) -> String {
    guard row.node >= 0, let number = (try? records.node(at: Int(row.node)))?.record.type else { return "" }
    return records.metadata.type(number)?.text.escapedForDisplay ?? ""
  }

  func childCount(_ row: Row) -> Int {
    row.node < 0 ? 0 : (try? records.node(at: Int(row.node))).map { Int($0.record.childCount) } ?? 0
  }

  func hasChildren(_ row: Row) -> Bool { childCount(row) > 0 }

  func isUnfolded(_ row: Row) -> Bool { unfolded.contains(row.node) }

  /// Whether the check found a fault in a node, or its state cannot be read.
  func isFaulty(_ row: Row) -> Bool {
    guard row.node >= 0 else { return true }
    if findings.contains(row.node) { return true }
    guard let node = try? records.node(at: Int(row.node)) else { return true }
    return node.record.stateLength > 0 && (try? records.state(of: node)) == nil
  }

  // MARK: Folding

  /// Returns the children of a row, without their own.
  private func children(_ row: Row) -> [Row] {
    guard let node = node(row), node.childCount > 0 else { return [] }
    var found: [Row] = []
    node.visitChildren { result in
      let depth = row.depth + 1
      switch result {
      case .success(let child):
        found.append(Row(node: Int32(truncatingIfNeeded: child.recordIndex), depth: depth, parent: row.node, error: nil))
      case .failure(let error): found.append(Row(node: -1, depth: depth, parent: row.node, error: error.code))
      }
    }
    return found
  }

  /// Returns the visible rows below a row; with `all`, those below folded rows too.
  private func below(_ row: Row, all: Bool = false) -> [Row] {
    guard all || unfolded.contains(row.node) else { return [] }
    var found: [Row] = []
    var waiting = Array(children(row).reversed())
    while let next = waiting.popLast() {
      found.append(next)
      if all || unfolded.contains(next.node) { waiting += children(next).reversed() }
    }
    return found
  }

  /// Returns the number of visible rows below the row at `place`.
  private func countBelow(_ place: Int) -> Int { rows[(place + 1)...].prefix { $0.depth > rows[place].depth }.count }

  mutating func unfold(_ place: Int) {
    guard hasChildren(rows[place]), unfolded.insert(rows[place].node).inserted else { return }
    rows.insert(contentsOf: below(rows[place]), at: place + 1)
  }

  mutating func fold(_ place: Int) {
    guard unfolded.remove(rows[place].node) != nil else { return }
    rows.removeSubrange((place + 1)..<(place + 1 + countBelow(place)))
  }

  /// Unfolds a row and everything below it.
  mutating func unfoldAll(_ place: Int) {
    guard hasChildren(rows[place]) else { return }
    let all = below(rows[place], all: true)
    rows.replaceSubrange((place + 1)..<(place + 1 + (isUnfolded(rows[place]) ? countBelow(place) : 0)), with: all)
    let parents = all.filter { hasChildren($0) }.map(\.node)
    unfolded.formUnion([rows[place].node] + parents)
  }

  /// Unfolds the way to a path; returns the place of its row, or of the last node on the way that exists.
  mutating func reveal(_ path: RestorationPath) -> Int {
    var place = 0
    for identifier in path.components {
      unfold(place)
      let depth = rows[place].depth
      let node = node(rows[place])
      guard let child = (try? node?.child(identifier)) ?? nil else { return place }
      let index = Int32(truncatingIfNeeded: child.recordIndex)
      let next = rows[(place + 1)...].prefix { $0.depth > depth }.firstIndex { $0.node == index }
      guard let next else { return place }
      place = next
    }
    return place
  }

  // MARK: Searching

  /// Returns the first node that satisfies a condition, forward or backward from a row, around the end if necessary.
  ///
  /// - Complexity: O(n log n) in the number of nodes for the first search, then O(n).
  mutating func search(from row: Row, backward: Bool, _ condition: (BrowserTree, Row) -> Bool) -> RestorationPath? {
    if order.isEmpty { order = [Row(node: 0, depth: 0, parent: -1, error: nil)] + below(rows[0], all: true).filter { $0.node >= 0 } }
    // From children that cannot be read the search starts at their parent.
    let start = order.firstIndex { $0.node == (row.node >= 0 ? row.node : row.parent) } ?? 0
    for step in 1...order.count {
      let place = (start + (backward ? order.count - step : step)) % order.count
      if condition(self, order[place]) { return path(order[place].node) }
    }
    return nil
  }
}
