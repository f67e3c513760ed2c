import Foundation
public import RestorationArchive

/// Predicts the result of salvage for a damaged copy of a known archive, without parsing the damaged copy.
public struct SalvageOracle: Sendable {
  /// The byte ranges of one record.
  struct Record: Sendable {
    var record: Range<Int>
    var identifier: Range<Int>
    var state: Range<Int>
    var children: [Int]
    var node: ArchiveNode?
  }

  /// The undamaged archive.
  public let bytes: [UInt8]
  let tree: ArchiveTree
  let records: [Record]
  private let layout: OracleLayout
  private let original: Data

  /// Encodes a tree, and finds its records.
  public init(_ tree: ArchiveTree) throws {
    self.tree = tree
    bytes = [UInt8](try tree.encoded())
    original = Data(bytes)
    layout = OracleLayout(bytes)
    records = Self.records(of: tree, in: bytes)
  }

  private static func records(of tree: ArchiveTree, in bytes: [UInt8]) -> [Record] {
    let sections = ArchiveSections(bytes)
    var records: [Record] = []
    var nodes: [ArchiveNode?] = [nil]
    while records.count < nodes.count {
      let start = sections.nodes + records.count * 48
      var identifier = start..<start
      if bytes[start + 29] == 0xFF {
        let offset = sections.strings + ArchiveSections.word(bytes, start + 44)
        identifier = offset..<(offset + (Int(bytes[start + 42]) | Int(bytes[start + 43]) << 8))
      }
      let state = sections.states + ArchiveSections.word(bytes, start + 16)
      var node = nodes[records.count]
      let children = node?.children ?? tree.nodes
      // Records are in identifier order, children in saved order.
      let sorted = children.indices.sorted { children[$0].identifier.utf8.lexicographicallyPrecedes(children[$1].identifier.utf8) }
      var places = [Int](repeating: 0, count: children.count)
      for (place, child) in sorted.enumerated() { places[child] = nodes.count + place }
      nodes += sorted.map { children[$0] }
      node?.children = []
      records.append(
        Record(
          record: start..<(start + 48), identifier: identifier, state: state..<(state + ArchiveSections.word(bytes, start + 20)),
          children: places, node: node))
    }
    return records
  }

  /// The number of records, including that of the application.
  public var recordCount: Int { records.count }

  /// Compares the result of salvage for a damaged copy with the prediction.
  ///
  /// - Returns: Whether there is an archive, and every difference from the prediction.
  public func compare(_ salvage: ArchiveSalvage, of damaged: [UInt8]) -> (hasArchive: Bool, problems: [String]) {
    let damage = layout.damage(of: Data(damaged), original: original, lost: salvage.damagedRanges)
    guard let damage else {
      return (false, salvage.archive == nil && salvage.failure != nil ? [] : ["nothing is intact, and it did not fail"])
    }
    guard let tree = salvage.tree else {
      // No archive may result only if every record is untrusted.
      let isLost = records.allSatisfy { damage[($0.record.lowerBound / 4096)...(($0.record.upperBound - 1) / 4096)].contains(true) }
      return (false, isLost ? [] : ["no archive: \(salvage.failure.map { "\($0)" } ?? "")"])
    }
    var problems: [String] = []
    if tree.header != self.tree.header { problems.append("the header differs") }
    if layout.hasVolatileHeader(Data(damaged), original: original), salvage.losses.contains(where: { $0.kind == .volatileHeader }) {
      problems.append("an intact volatile header is listed as lost")
    }
    var comparison = SalvageComparison(oracle: self, damage: damage, losses: salvage.losses)
    comparison.compare(tree)
    if comparison.nodeCount != salvage.nodeCount { problems.append("\(salvage.nodeCount) nodes, expected \(comparison.nodeCount)") }
    return (true, problems + comparison.problems)
  }
}
