import RestorationArchive
public import StateRestoration

extension ArchiveSizes {
  /// A view of the bytes of an archive.
  public enum View: String, Sendable, CaseIterable {
    /// By path.
    case path
    /// By type of node.
    case type
    /// By outermost key of the state.
    case key
    /// By kind of value.
    case kind
    /// The bytes that belong to no node.
    case overhead
    /// The large values that occur several times.
    case duplicates
  }

  /// A node in a list of the largest ones.
  public struct NodeSize: Sendable {
    /// The path.
    public let path: RestorationPath
    /// The bytes of the node, without those below it.
    public let byteCount: Int
    /// The bytes of the node and of everything below it.
    public let subtreeByteCount: Int
  }

  /// Returns the largest nodes, with everything below them.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of nodes; none are returned for a negative one.
  ///   - depth: The maximum depth of a node; nil for all.
  /// - Returns: The nodes, and the number of all others.
  public func largestNodes(limit: Int, depth: Int? = nil) -> (nodes: [NodeSize], rest: Int) {
    let limit = max(limit, 0)
    var candidates: [(index: Int, size: Int)] = []
    var count = 0
    archive.visitNodes(depth: depth) { node in
      count += 1
      candidates.append((node.recordIndex, subtreeByteCount(of: node)))
      // A list of many times the limit is shortened now and then, so that it stays small.
      if candidates.count / 4 >= max(1024, limit) { candidates = Self.largest(candidates, limit) }
    }
    let nodes = Self.largest(candidates, limit).map {
      NodeSize(path: archive.records.path(of: $0.index) ?? .application, byteCount: own(at: $0.index), subtreeByteCount: $0.size)
    }
    return (nodes, count - nodes.count)
  }

  private static func largest(_ candidates: [(index: Int, size: Int)], _ limit: Int) -> [(index: Int, size: Int)] {
    Array(candidates.sorted { ($1.size, $0.index) < ($0.size, $1.index) }.prefix(limit))
  }

  /// Returns the exceeded limits of a budget, one line each.
  public func excesses(of budget: SizeBudget) -> [String] { comparison(with: budget).excesses }

  /// Returns the exceeded limits of a budget, one line each, and its patterns that match no node.
  package func comparison(with budget: SizeBudget) -> (excesses: [String], unmatched: [String]) {
    var check = SizeBudget.Check(budget)
    archive.visitNodes { node in if !node.path.isEmpty { check.add(node.path, node.stateByteCount) } }
    return (check.excesses(archiveByteCount: byteCount), check.unmatchedPatterns)
  }

  // MARK: Text

  /// Writes views as tables for people.
  ///
  /// - Parameters:
  ///   - output: The stream to write to.
  ///   - views: The views, in this order.
  ///   - limit: The maximum number of rows of each view; none for a negative one.
  ///   - depth: The maximum depth of a node in the view by path; nil for all.
  ///   - style: The text style.
  public func write(
    to output: inout some TextOutputStream, views: [View] = View.allCases, limit: Int = 10, depth: Int? = nil, style: TextStyle = .plain
  ) {
    let limit = max(limit, 0)
    output.write(style.bold("\(ArchiveOverview.counted(byteCount, "byte"))") + ", of these \(overheadByteCount) overhead\n")
    for view in views {
      let (title, columns, rows, count) = table(of: view, limit: limit, depth: depth)
      guard !rows.isEmpty else { continue }
      let cells = rows.map { row in
        let permille = byteCount == 0 ? 0 : (row.byteCount * 1000 + byteCount / 2) / byteCount
        return ["\(row.byteCount)", "\(permille / 10).\(permille % 10) %", "\(row.other)", row.name]
      }
      output.write("\n\(style.bold(title))\n")
      TextTable(titles: columns + [""], numbers: 0..<3, rows: cells).visitLines(style) { output.write($0 + "\n") }
      if count > rows.count { output.write(style.dim("  … \(count - rows.count) more") + "\n") }
    }
  }

  /// A table of bytes, their share of the file, another number, and names; with the number of all rows.
  private typealias Table = (title: String, columns: [String], rows: [(byteCount: Int, other: Int, name: String)], count: Int)

  private func table(of view: View, limit: Int, depth: Int?) -> Table {
    switch view {
    case .path:
      let (nodes, rest) = largestNodes(limit: limit, depth: depth)
      let rows = nodes.map { ($0.subtreeByteCount, $0.byteCount, $0.path.displayText) }
      return ("by path, with all below", ["bytes", "share", "own"], rows, nodes.count + rest)
    case .type: return table("by type", "nodes", types, limit)
    case .key: return table("by outermost key", "entries", keys, limit)
    case .kind: return table("by kind of value", "values", kinds, limit)
    case .overhead: return table("overhead, shared by all nodes", "items", overhead, .max)
    case .duplicates:
      let rows = duplicates.prefix(limit).map { value in
        let place = "first at \(value.path.displayText) \(value.key.escapedForDisplay)"
        return (value.wastedByteCount, value.copies, "\(value.kind) of \(value.byteCount) bytes, \(place)")
      }
      return ("the same value several times", ["wasted", "share", "copies"], rows, duplicates.count)
    }
  }

  private func table(_ title: String, _ noun: String, _ shares: [Share], _ limit: Int) -> Table {
    let rows = shares.prefix(limit).map { ($0.byteCount, $0.count, $0.name.isEmpty ? "\"\"" : $0.name.escapedForDisplay) }
    return (title, ["bytes", "share", noun], rows, shares.count)
  }
}

extension ArchiveSizes {
  /// Writes views as JSON.
  ///
  /// - Parameters:
  ///   - file: The name of the file.
  ///   - output: The stream to write to.
  ///   - views: The views.
  ///   - limit: The maximum number of elements of each view; nil for all.
  ///   - depth: The maximum depth of a node in the view by path; nil for all.
  ///   - excesses: The exceeded limits of a budget; nil without a budget.
  ///   - unmatched: The patterns of the budget that match no node.
  package func writeJSON(
    of file: String, to output: inout some TextOutputStream, views: [View] = View.allCases, limit: Int? = nil, depth: Int? = nil,
    excesses: [String]? = nil, unmatched: [String] = []
  ) {
    let limit = max(limit ?? .max, 0)
    func list(_ shares: [Share], _ view: View, limit: Int) -> (any JSONMember)? {
      guard views.contains(view) else { return nil }
      return JSONList(shares.prefix(limit)) { ["byteCount": $0.byteCount, "count": $0.count, "name": $0.name] }
    }
    let duplicates = JSONList(self.duplicates.prefix(limit)) { value in
      [
        "byteCount": value.byteCount, "copies": value.copies, "key": value.key, "kind": value.kind, "path": value.path,
        "wastedByteCount": value.wastedByteCount,
      ]
    }
    let nodes = JSONList(views.contains(.path) ? largestNodes(limit: limit, depth: depth).nodes : []) { node in
      ["own": node.byteCount, "path": node.path, "withAllBelow": node.subtreeByteCount]
    }
    JSONTextWriter.inspection(to: &output) { writer in
      writer.members([
        "byteCount": byteCount, "duplicates": views.contains(.duplicates) ? duplicates : nil, "excesses": excesses, "file": file,
        "keys": list(keys, .key, limit: limit), "kinds": list(kinds, .kind, limit: limit), "nodes": views.contains(.path) ? nodes : nil,
        "overhead": list(overhead, .overhead, limit: .max), "overheadByteCount": overheadByteCount,
        "types": list(types, .type, limit: limit), "unmatchedPatterns": unmatched.isEmpty ? nil : unmatched,
      ])
    }
  }
}
