import Foundation

/// Walking the model and doing nothing with it: what every encoder pays.
enum ModelWalk {
  static func walk(_ workload: Workload) -> Int {
    var sum = 0
    for root in workload.roots { add(root, &sum) }
    return sum
  }

  private static func add(_ node: BenchNode, _ sum: inout Int) {
    sum &+= node.identifier.utf8.count
    for index in node.entries.indices {
      sum &+= touch(node.entries[index].key)
      add(node.entries[index].value, &sum)
    }
    for index in node.children.indices { add(node.children[index], &sum) }
  }

  private static func add(_ value: BenchValue, _ sum: inout Int) {
    switch value {
    case .string(let value): sum &+= touch(value)
    case .integer(let value): sum &+= value
    case .double(let value): sum &+= Int(value)
    case .bool(let value): sum &+= value ? 1 : 0
    case .date(let value): sum &+= Int(value.timeIntervalSinceReferenceDate)
    case .data(let value): sum &+= value.count
    case .selection(let value): sum &+= value.row &+ touch(value.identifier)
    case .array(let elements): for index in elements.indices { add(elements[index], &sum) }
    case .dictionary(let entries):
      for index in entries.indices {
        sum &+= touch(entries[index].key)
        add(entries[index].value, &sum)
      }
    }
  }

  @inline(never)
  private static func touch(_ text: String) -> Int {
    unsafe text.utf8.withContiguousStorageIfAvailable { unsafe Int($0[0]) } ?? 0
  }
}
