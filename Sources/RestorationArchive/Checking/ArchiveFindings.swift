import ArchiveFormat

/// All findings of a check, in the order of the Spec.
///
/// A file can have a fault in every 48 bytes, and a path can take a quarter of a megabyte. Errors are therefore created
/// on access: the list itself always takes a fraction of the length of the file.
public struct ArchiveFindings: RandomAccessCollection, Sendable {
  private let findings: FindingList
  private let survey: NodeSurvey?

  init(_ findings: FindingList, in survey: NodeSurvey?) {
    self.findings = findings
    self.survey = survey
  }

  /// The position of the first finding.
  public var startIndex: Int { 0 }
  /// The position after the last finding.
  public var endIndex: Int { findings.endIndex }

  /// The finding at `position`, with its path and key where they are known.
  ///
  /// - Complexity: O(n) in the length of the affected record.
  public subscript(position: Int) -> ArchiveError {
    let finding = findings[position]
    return ArchiveError(finding.error, path: finding.node.flatMap { survey?.path(of: $0) }, key: finding.key)
  }
}

extension ArchiveFindings: CustomStringConvertible {
  /// A list of all findings.
  public var description: String { Array(self).description }
}
