/// A node with the place that its record has in the table (Spec 6.4).
struct DraftRecord {
  var node: DraftNode
  var parent = 0
  var savedOrder = 0
  var firstChild = 0
  /// The indices of the records of the children, in saved order.
  var children: [Int] = []

  /// Numbers the nodes of a draft breadth first, siblings by identifier; record 0 is the empty path.
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

  /// The indices of all records in preorder, children in saved order (R-6.3-2).
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
