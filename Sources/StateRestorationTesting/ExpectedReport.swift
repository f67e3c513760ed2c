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
  ///
  /// The empty path stands for the application state. If it is not among the expected ones, its outcome counts only if it is
  /// `failed`; a refused archive is a difference unless an outcome of `refused` is expected.
  public func differences(from report: RestorationReport) -> [String] {
    var lines: [String] = []
    var expected: [RestorationPath: RestorationOutcome] = [:]
    for (path, outcome) in outcomes { expected[path] = outcome }
    if report.decision != .restore, !expected.values.contains(.skipped(.refused)) {
      lines.append("the archive was refused: \(report.refusal ?? report.decision.rawValue)")
    }
    let application = expected.removeValue(forKey: .application)
    if application.map({ $0 != report.application }) ?? (report.application == .failed) {
      let words = application.map { "expected \($0.name), is" } ?? "not expected, is"
      lines.append("(application): \(words) \(report.application.name): \(report.why(.application))")
    }
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
