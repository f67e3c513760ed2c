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
    for entry in node.entries {
      sum &+= touch(entry.key)
      add(entry.value, &sum)
    }
    for child in node.children { add(child, &sum) }
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
    case .array(let elements): for element in elements { add(element, &sum) }
    case .dictionary(let entries):
      for entry in entries {
        sum &+= touch(entry.key)
        add(entry.value, &sum)
      }
    }
  }

  @inline(never)
  private static func touch(_ text: String) -> Int {
    unsafe text.utf8.withContiguousStorageIfAvailable { unsafe Int($0[0]) } ?? 0
  }
}
