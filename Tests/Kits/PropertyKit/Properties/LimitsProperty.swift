import Foundation
import RestorationArchive

/// A reader respects its limits and those of the format, whatever the file contains (Spec 10).
enum LimitsProperty {
  static func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    try checkWork(bytes)
    try checkValues(bytes)
    let findings = ArchiveCheck(bytes).findings.count
    try PropertyViolation.require(findings <= bytes.count / 8 + 16, "\(findings) findings in \(bytes.count) bytes")
  }

  /// Checks that a walk over all records reads each part of the file a bounded number of times.
  private static func checkWork(_ bytes: [UInt8]) throws(PropertyViolation) {
    let source = CountingSource(bytes)
    guard let reader = try? ArchiveReader(from: source) else {
      return try PropertyViolation.require(source.deliveredCount <= 2 * bytes.count + 8192, "opening read \(source.deliveredCount) bytes")
    }
    // At most both copies of the metadata and of the tree, and the first block.
    try PropertyViolation.require(source.deliveredCount <= 2 * bytes.count + 8192, "opening read \(source.deliveredCount) bytes")
    _ = try? reader.application().childCount
    try PropertyViolation.require(reader.nodeCount <= bytes.count / 48, "\(reader.nodeCount) nodes in \(bytes.count) bytes")
  }

  /// Checks that no call creates more values than its budget.
  private static func checkValues(_ bytes: [UInt8]) throws(PropertyViolation) {
    let budget = 8
    guard let reader = try? ArchiveReader(bytes, limits: ReaderLimits(values: budget)), let tree = try? ArchiveTree(decoding: reader) else {
      return
    }
    var count = tree.nodeCount
    count += values(in: tree.applicationState)
    var rest = tree.nodes
    while let node = rest.popLast() {
      count += values(in: node.state) + values(in: node.attributes)
      rest += node.children
    }
    try PropertyViolation.require(count <= budget, "\(count) values under a limit of \(budget)")
  }

  private static func values(in dictionary: ArchiveDictionary) -> Int {
    dictionary.reduce(0) { $0 + values(in: $1.value, depth: 1) }
  }

  private static func values(in value: ArchiveValue, depth: Int) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + values(in: $1, depth: depth + 1) }
    case .dictionary(let entries): entries.reduce(1) { $0 + values(in: $1.value, depth: depth + 1) }
    default: 1
    }
  }
}
