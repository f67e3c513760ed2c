/// A node with the index of its record in the node table (Spec 6.4).
struct DraftRecord {
  var node: DraftNode
  var parent = 0
  var savedOrder = 0
  var firstChild = 0
  /// The record indices of the children, in saved order.
  var children: [Int] = []

  /// Numbers the nodes of a draft breadth-first, with siblings ordered by identifier; record 0 is the empty path.
  static func number(_ draft: Draft) -> [DraftRecord] {
    let root = DraftNode("", state: draft.application, record: draft.applicationRecord, children: draft.nodes)
    var records = [DraftRecord(node: root)]
    var index = 0
    while index < records.count {
      let children = records[index].node.children
      let sorted = children.indices.sorted { Bytes.ascends(children[$0].identifier, children[$1].identifier) }
      records[index].firstChild = records.count
      records[index].children = children.indices.map { _ in 0 }
      for savedOrder in sorted {
        records[index].children[savedOrder] = records.count
        records.append(DraftRecord(node: children[savedOrder], parent: index, savedOrder: savedOrder))
      }
      index += 1
    }
    return records
  }

  /// Returns the indices of all records in preorder, with children in saved order (R-6.3-2).
  static func preorder(_ records: [DraftRecord]) -> [Int] {
    var result: [Int] = []
    var waiting = [0]
    while let index = waiting.popLast() {
      result.append(index)
      waiting += records[index].children.reversed()
    }
    return result
  }
}
