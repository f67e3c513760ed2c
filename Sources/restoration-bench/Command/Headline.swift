import Foundation

/// The README's table: Codable against Codable, and the first value of a large file.
struct Headline {
  /// The size of the tree in the table's last line.
  let size: Load

  /// Measures the table and returns it as Markdown.
  func measure() throws -> String {
    let (records, _) = try Session(operations: [.codableEncode, .codableDecode, .size], sizes: []).measure()
    let (tree, _) = try Session(operations: [.firstValue], sizes: [size]).measure()
    guard let nodes = tree.shape(of: size)?.counts?.nodes else { throw BenchError("the tree was not measured") }
    return """
      | | this package | binary property list | JSON |
      |---|---|---|---|
      \(try times("encode 1,000 structs of 12 fields", .codableEncode, .records, records))
      \(try times("decode them", .codableDecode, .records, records))
      \(try bytes("bytes of the encoded form", records))
      \(try times("open a file of \(Number.grouped(nodes)) nodes, read one value of one node", .firstValue, size, tree))

      """
  }

  private func times(_ name: String, _ operation: Operation, _ load: Load, _ report: Report) throws -> String {
    let own = report.timing(operation, load, .archive)
    return try row(name) { contender in
      guard let own, let timing = report.timing(operation, load, contender) else { return nil }
      if contender == .archive { return Self.microseconds(own) }
      return timing.quotient(by: own).map { "\(Number.rounded($0)) times as long" }
    }
  }

  private static func microseconds(_ timing: Timing) -> String { "\(Number.rounded(timing.median / 1000)) us" }

  private func bytes(_ name: String, _ report: Report) throws -> String {
    try row(name) { contender in report.byteCount(.size, .records, contender).map { Number.grouped($0) } }
  }

  private func row(_ name: String, _ cell: (Contender) -> String?) throws -> String {
    let cells = try [Contender.archive, .propertyList, .json].map { contender in
      guard let cell = cell(contender) else { throw BenchError("\(contender.rawValue) was not measured: \(name)") }
      return cell
    }
    return "| " + ([name] + cells).joined(separator: " | ") + " |"
  }
}
