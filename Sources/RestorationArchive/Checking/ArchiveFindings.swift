import ArchiveFormat

/// Everything that a check found, in the order of the Spec.
///
/// A file can have a fault in every 48 bytes, and a path a quarter of a megabyte, so each error is made when it is asked for; however
/// many there are, the list takes a fraction of the length of the file.
public struct ArchiveFindings: RandomAccessCollection, Sendable {
  private let findings: FindingList
  private let survey: NodeSurvey?

  init(_ findings: FindingList, in survey: NodeSurvey?) {
    self.findings = findings
    self.survey = survey
  }

  /// The first place.
  public var startIndex: Int { 0 }
  /// The place behind the last one.
  public var endIndex: Int { findings.endIndex }

  /// What was found, with path and key where they are known.
  ///
  /// - Complexity: O(n) in the length of the record that it concerns.
  public subscript(position: Int) -> ArchiveError {
    let finding = findings[position]
    return ArchiveError(finding.error, path: finding.node.flatMap { survey?.path(of: $0) }, key: finding.key)
  }
}

extension ArchiveFindings: CustomStringConvertible {
  /// All of them.
  public var description: String { Array(self).description }
}
