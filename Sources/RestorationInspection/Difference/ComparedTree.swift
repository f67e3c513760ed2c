import ArchiveFormat
import RestorationArchive

/// One of two compared archives: its nodes by the indexes of their records.
///
/// Takes six bytes of memory for each node. Identifiers, children and contents are read when they are needed.
struct ComparedTree: Sendable {
  /// A readable child of a node.
  struct Child: Sendable {
    let index: Int
    let identifier: String
    /// Its place among its siblings.
    let savedOrder: UInt32
  }

  /// The absence of an index.
  static let none = UInt32.max

  let archive: ArchiveReader
  /// The parent of each node; ``none`` for a record that cannot be read or that no path leads to.
  ///
  /// The parent of record 0 is record 0.
  private(set) var parents: [UInt32]
  /// The nodes with children that cannot be read.
  private(set) var incomplete: Set<Int> = []
  private let types: [TypeRecord]
  private var depths: [UInt16]

  init(_ archive: ArchiveReader) {
    self.archive = archive
    // Record 0 has a place in any case: a file may end within it.
    let count = max(1, archive.records.presentRecordCount)
    types = archive.records.metadata.allTypes
    parents = [UInt32](repeating: Self.none, count: count)
    depths = [UInt16](repeating: 0, count: count)
    guard (try? archive.records.node(at: 0)) != nil else {
      incomplete.insert(0)
      return
    }
    parents[0] = 0
    // A parent's index is less than its children's.
    for index in 0..<count where parents[index] != Self.none { adoptChildren(of: index) }
  }

  private mutating func adoptChildren(of index: Int) {
    guard depths[index] < FormatLimits.pathComponents else {
      if (record(of: index)?.childCount ?? 0) > 0 { incomplete.insert(index) }
      return
    }
    // Static, because a method would copy the arrays that the closure changes.
    let isComplete = Self.readChildren(of: index, archive.records) { child, _ in
      parents[child.index] = UInt32(truncatingIfNeeded: index)
      depths[child.index] = depths[index] + 1
    }
    if !isComplete { incomplete.insert(index) }
  }

  /// Calls `body` with each readable child and its identifier, and returns whether all are readable.
  private static func readChildren(of index: Int, _ records: ArchiveRecords, _ body: (ArchiveRecords.StoredNode, String) -> Void) -> Bool {
    guard let parent = try? records.node(at: index) else { return false }
    var isComplete = true
    // In the order of their records, which is that of their identifiers.
    let children = records.children(of: parent) { _ in isComplete = false }.sorted { $0.index < $1.index }
    for child in children {
      if let identifier = try? records.identifier(of: child) { body(child, identifier) } else { isComplete = false }
    }
    return isComplete
  }

  // MARK: Nodes

  /// Whether a record belongs to a node that a path leads to.
  func contains(_ index: Int) -> Bool { index < parents.count && parents[index] != Self.none }

  /// Returns the readable children of a node, sorted by identifier.
  func children(of index: Int) -> [Child] {
    guard contains(index), depths[index] < FormatLimits.pathComponents else { return [] }
    var children: [Child] = []
    var isSorted = true
    _ = Self.readChildren(of: index, archive.records) { node, identifier in
      if let last = children.last, !last.identifier.precedesAsText(identifier) { isSorted = false }
      children.append(Child(index: node.index, identifier: identifier, savedOrder: node.record.savedOrder))
    }
    // The children of an invalid archive may be in any order.
    if !isSorted { children.sort { ($0.identifier.compareText(with: $1.identifier), $0.index) < (0, $1.index) } }
    return children
  }

  /// Returns the readable children of a node in saved order.
  func childrenInSavedOrder(of index: Int) -> [Child] {
    children(of: index).sorted { ($0.savedOrder, $0.index) < ($1.savedOrder, $1.index) }
  }

  func record(of index: Int) -> NodeRecord? { try? archive.records.node(at: index).record }

  /// Returns the identifier of a node; empty for the application.
  func identifier(of index: Int) -> String {
    guard index > 0, let node = try? archive.records.node(at: index) else { return "" }
    return (try? archive.records.identifier(of: node)) ?? ""
  }

  func path(of index: Int) -> RestorationPath { contains(index) ? archive.records.path(of: index) ?? .application : .application }

  /// Returns the index of the node at a path, or nil if there is none.
  func index(of path: RestorationPath) -> Int? {
    guard let node = try? archive.node(at: path), contains(node.recordIndex) else { return nil }
    return node.recordIndex
  }

  func type(of record: NodeRecord) -> TypeRecord? { record.type == 0 ? nil : types[Int(record.type) - 1] }

  /// Returns the origin of a node, or nil if it belongs to the save itself.
  func origin(of record: NodeRecord) -> OriginRecord? { archive.records.metadata.origin(record.origin) }

  func contents(of index: Int) throws(ArchiveError) -> NodeContents {
    // A path takes longer than many contents, and only errors have one.
    if let contents = try? archive.node(index: index, path: .application).everything() { return contents }
    return try archive.node(index: index, path: path(of: index)).everything()
  }

  typealias NodeContents = (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)
}
