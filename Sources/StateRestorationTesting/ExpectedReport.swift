public import StateRestoration

/// The expected result of a restoration: outcomes by path.
///
///     let expected: ExpectedReport = ["root": .restored, "root/list": .located, "root/plugin": .skipped(.noFactory)]
///     #expect(expected.differences(from: report) == [])
public struct ExpectedReport: Sendable, ExpressibleByDictionaryLiteral {
  private let outcomes: [(path: RestorationPath, outcome: RestorationOutcome)]

  /// Creates an expectation of the outcomes of all nodes in the archive.
  public init(_ outcomes: [(path: RestorationPath, outcome: RestorationOutcome)]) { self.outcomes = outcomes }

  /// Creates an expectation of the outcomes of all nodes in the archive.
  public init(dictionaryLiteral elements: (RestorationPath, RestorationOutcome)...) {
    self.init(elements.map { (path: $0.0, outcome: $0.1) })
  }

  /// Returns the differences, one line each: nodes with another outcome, missing nodes and unexpected nodes.
  public func differences(from report: RestorationReport) -> [String] {
    var lines: [String] = []
    var expected: [RestorationPath: RestorationOutcome] = [:]
    for (path, outcome) in outcomes { expected[path] = outcome }
    for node in report.nodes {
      guard let outcome = expected.removeValue(forKey: node.path) else {
        lines.append("\(node.path): not expected, is \(node.outcome.name)")
        continue
      }
      if outcome != node.outcome {
        lines.append("\(node.path): expected \(outcome.name), is \(node.outcome.name): \(report.why(node.path))")
      }
    }
    for path in expected.keys.sorted() { lines.append("\(path): expected, and not in the archive") }
    return lines
  }
}
