import ArchiveFormat
import RestorationArchive

extension ArchiveDifference {
  /// Writes the changes for people, and the totals.
  ///
  ///     ~ root/list  List
  ///         ~ row: 7 → 12
  ///     + root/editor  Editor 3  (2 nodes, 120 bytes of state)
  ///     > root/archive/draft  (from root/list/draft)
  ///     1 node changed, 2 added, 1 moved
  public func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    var writer = DifferenceText(output, style)
    visitChanges { writer.write($0) }
    output = writer.output
    output.write("\(style.bold(counts.text))\n")
  }

  /// Writes the numbers of differences, and a line for each type of node that occurs more or less often.
  package func writeStatistics(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    output.write("\(style.bold(counts.text))\n")
    if isEmpty { return }
    if counts.unreadable > 0 { output.write("only readable nodes are counted:\n") }
    let (left, right) = (Self.statistics(of: old), Self.statistics(of: new))
    output.write("nodes: \(left.nodes) → \(right.nodes)\nbytes of state: \(left.bytes) → \(right.bytes)\n")
    if options.path.isEmpty { output.write("bytes of file: \(old.archive.byteCount) → \(new.archive.byteCount)\n") }
    for tag in Set(left.types.keys).union(right.types.keys).sorted() {
      let (before, after) = (left.types[tag] ?? 0, right.types[tag] ?? 0)
      guard before != after else { continue }
      let text = "\(tag): \(ArchiveOverview.counted(before, "node")) → \(after)"
      output.write((before < after ? style.added(text) : style.removed(text)) + "\n")
    }
  }

  private static func statistics(of tree: ComparedTree) -> (nodes: Int, bytes: Int, types: [String: Int]) {
    var numbers = [Int](repeating: 0, count: Int(UInt16.max) + 1)
    var (nodes, bytes) = (0, 0)
    for index in tree.parents.indices where tree.contains(index) {
      guard let record = tree.record(of: index) else { continue }
      bytes += Int(record.stateLength)
      if index == 0 { continue }
      nodes += 1
      numbers[Int(record.type)] += 1
    }
    var types: [String: Int] = [:]
    for (place, type) in tree.archive.nodeTypes.enumerated() where numbers[place + 1] > 0 {
      let schema = type.schemaVersion == 0 ? "" : " \(type.schemaVersion)"
      types["\(type.tag.escapedForDisplay)\(schema)", default: 0] += numbers[place + 1]
    }
    if numbers[0] > 0 { types["(no type)", default: 0] += numbers[0] }
    return (nodes, bytes, types)
  }
}

/// Writes changes as lines.
private struct DifferenceText<Output: TextOutputStream> {
  private(set) var output: Output
  private let style: TextStyle
  /// The last error: one damaged block has an error for each node in it, and is described once.
  private var lastError: (offset: Int?, code: ArchiveError.Code)?

  /// The most values of an added or removed node that are shown.
  private static var valueLimit: Int { 8 }

  init(_ output: Output, _ style: TextStyle) {
    self.output = output
    self.style = style
  }

  mutating func write(_ change: ArchiveChange) {
    switch change {
    case .formatVersion(let old, let new): write("\(style.changed("~")) format version: \(old) → \(new)")
    case .header(let change): for line in change.lines(style: style) { write("\(style.dim("header")) \(line)") }
    case .section(let change): write("\(style.changed("~")) \(Self.text(of: change))")
    case .node(let change): write(change)
    case .brokenReference(let broken):
      write(
        "\(style.alarming("!")) \(broken.path.displayText) \(broken.key.escapedForDisplay): broken reference to \(broken.target.displayText)"
      )
    }
  }

  private mutating func write(_ line: String) { output.write(line + "\n") }

  private static func text(of change: SectionChange) -> String {
    let section = "section \(change.code)"
    switch (change.oldByteCount, change.newByteCount) {
    case (let old?, let new?):
      if let error = change.error { return "\(section): not comparable: \(error)" }
      return old == new ? "\(section): changed, still \(bytes(old))" : "\(section): \(old) → \(bytes(new))"
    case (nil, let new?): return "\(section): added, \(bytes(new))"
    default: return "\(section): removed, \(bytes(change.oldByteCount ?? 0))"
    }
  }

  private static func bytes(_ count: Int) -> String { ArchiveOverview.counted(count, "byte") }

  private mutating func write(_ change: NodeDifference) {
    write(headline(of: change))
    let isSingle = change.kind == .added || change.kind == .removed
    for value in isSingle ? change.changes.prefix(Self.valueLimit) : change.changes[...] {
      for line in value.lines(style: style) { write("    \(line)") }
    }
    let rest = change.changes.count - Self.valueLimit
    if isSingle, rest > 0 { write("    " + style.dim("… \(ArchiveOverview.counted(rest, "more value"))")) }
    for moved in change.order {
      write("    \(style.changed("~")) child \(moved.identifier.escapedForDisplay): place \(moved.oldPlace) → \(moved.newPlace)")
    }
    guard let error = change.error else { return }
    if let lastError, lastError.offset == error.offset, lastError.code == error.code { return }
    lastError = (error.offset, error.code)
    write("    \(style.alarming("?")) \(error)")
  }

  private func headline(of change: NodeDifference) -> String {
    let type = change.type.map { "  \($0)" } ?? ""
    let path = style.bold(change.path.displayText)
    switch change.kind {
    case .added: return "\(style.added("+")) \(path)\(type)\(Self.sizes(of: change, style))"
    case .removed: return "\(style.removed("-")) \(path)\(type)\(Self.sizes(of: change, style))"
    case .changed: return "\(style.changed("~")) \(path)\(type)"
    case .moved, .renamed:
      let verb = change.kind == .moved ? "moved" : "renamed"
      return "\(style.changed(">")) \(path)\(type)  (\(verb) from \((change.oldPath ?? .application).displayText))"
    case .unreadable: return "\(style.alarming("?")) \(path)\(type)  (not comparable)"
    }
  }

  private static func sizes(of change: NodeDifference, _ style: TextStyle) -> String {
    let bytes = "\(ArchiveOverview.counted(change.byteCount, "byte")) of state"
    return style.dim("  (\(change.nodeCount == 1 ? "" : "\(change.nodeCount) nodes, ")\(bytes))")
  }
}
