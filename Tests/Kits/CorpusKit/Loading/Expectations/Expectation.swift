/// The content of an `.expect` file: the outcome, the findings in the checker's order, and the reason.
public struct Expectation: Equatable, Sendable, CustomStringConvertible {
  /// The kind of the first finding, or `valid`.
  public var outcome: Outcome
  /// Every finding, in the order of Spec 7.2; none for a valid file.
  public var findings: [ExpectedFinding]
  /// The purpose of the file, in one line.
  public var reason: String

  /// Creates an expectation.
  ///
  /// - Parameters:
  ///   - outcome: The kind of the first finding, or `valid`.
  ///   - findings: Every finding, in the order of Spec 7.2.
  ///   - reason: The purpose of the file, in one line.
  public init(outcome: Outcome, findings: [ExpectedFinding], reason: String) {
    self.outcome = outcome
    self.findings = findings
    self.reason = reason
  }

  /// The text of the `.expect` file.
  public var description: String {
    var text = "outcome: \(outcome.rawValue)\n"
    for finding in findings {
      text += "finding: \(finding)\n"
    }
    return text + "reason: \(reason)\n"
  }

  /// Parses the text of an `.expect` file.
  ///
  /// - Parameter text: The lines `outcome:`, `finding:` (zero or more) and `reason:`, in this order.
  /// - Throws: ``ExpectationError``.
  public init(parsing text: String) throws {
    var outcome: Outcome?
    var reason: String?
    findings = []
    for (index, line) in text.split(separator: "\n").enumerated() {
      guard let colon = line.firstRange(of: ": "), reason == nil else { throw ExpectationError(line: index + 1) }
      let value = line[colon.upperBound...]
      switch line[..<colon.lowerBound] {
      case "outcome" where outcome == nil: outcome = Outcome(rawValue: String(value))
      case "finding" where outcome != nil:
        guard let finding = ExpectedFinding(value) else { throw ExpectationError(line: index + 1) }
        findings.append(finding)
      case "reason" where outcome != nil: reason = String(value)
      default: throw ExpectationError(line: index + 1)
      }
    }
    guard let outcome, let reason, (outcome == .valid) == findings.isEmpty else { throw ExpectationError(line: 1) }
    self.outcome = outcome
    self.reason = reason
  }
}
