import CorpusKit
import SlowReader
import RestorationArchive

/// Records a checker's findings for a new corpus file.
///
/// A person must judge whether they are correct.
public enum ExpectedOutcome {
  /// Returns the text of an `.expect` file with the findings of the real checker.
  ///
  /// - Parameter bytes: The file.
  /// - Returns: The text.
  public static func text(of bytes: [UInt8]) -> String {
    let findings = ArchiveCheck(bytes).findings
    return Expectation(
      outcome: findings.first.flatMap { Outcome(rawValue: $0.kind.rawValue) } ?? .valid,
      findings: findings.map {
        ExpectedFinding(code: $0.code.rawValue, offset: $0.offset ?? 0, rule: $0.rule, path: $0.path?.description, key: $0.key)
      }, reason: reason
    ).description
  }

  /// Returns the text of an `.expect` file with the findings of the slow checker, which reports neither paths nor keys.
  ///
  /// - Parameter bytes: The file.
  /// - Returns: The text.
  public static func text(ofSlowly bytes: [UInt8]) -> String {
    let findings = slowCheck(bytes)
    return Expectation(
      outcome: findings.first.flatMap { FindingCatalogue.outcomes[$0.code] } ?? .valid,
      findings: findings.map { ExpectedFinding(code: $0.code, offset: $0.offset, rule: FindingCatalogue.rules[$0.code]?.first ?? "") },
      reason: reason
    ).description
  }

  private static let reason = "a reader failed on it: say how, and why"
}
