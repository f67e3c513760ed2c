extension Expectation {
  /// Creates the expectation for findings; the outcome is the kind of the first one.
  init(_ findings: [ExpectedFinding], reason: String) throws {
    var outcome = Outcome.valid
    if let first = findings.first {
      guard let kind = FindingCatalogue.outcomes[first.code] else { throw BlueprintError("unknown code \(first.code)") }
      outcome = kind
    }
    self.init(outcome: outcome, findings: findings, reason: reason)
  }
}
