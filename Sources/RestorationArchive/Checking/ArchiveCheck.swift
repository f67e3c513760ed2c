#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// The result of checking a whole archive: every checksum and every rule of the Spec (Spec §7.2).
///
///     let check = ArchiveCheck(data)
///     for finding in check.findings { print(finding) }
///     for loss in check.losses { print(loss.range, loss.states) }
///
/// Time and memory are linear in the length of the archive, whatever it contains: findings and losses are created on
/// access.
public struct ArchiveCheck: Sendable {
  /// All findings, in the order of the Spec; empty for a valid archive.
  public let findings: ArchiveFindings
  /// The losses caused by damage, in file order; empty if no part of the body is damaged.
  public let losses: [ArchiveLoss]
  /// The format version, if the prefix is readable.
  public let formatVersion: FormatVersion?

  /// Whether the check found no fault.
  public var isValid: Bool { findings.isEmpty }

  /// Checks an archive.
  public init(_ data: Data) {
    self.init([UInt8](data))
  }

  /// Checks an archive.
  public init(_ bytes: [UInt8]) {
    let checker = ArchiveChecker(bytes)
    formatVersion = checker.prefix.map { FormatVersion(major: $0.majorVersion, minor: $0.minorVersion) }
    guard !checker.findings.isEmpty, let layout = checker.layout, let metadata = checker.metadata, let damage = checker.damage else {
      findings = ArchiveFindings(checker.findings, in: nil)
      losses = []
      return
    }
    let survey = NodeSurvey(bytes: bytes, layout: layout, metadata: metadata, damage: damage)
    findings = ArchiveFindings(checker.findings, in: survey)
    losses = damage.isEmpty ? [] : survey.losses(of: damage.ranges).map { ArchiveLoss($0, in: survey) }
  }
}

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

  /// Returns the index of the node record that the finding at `position` concerns, if it concerns one.
  package func node(at position: Int) -> Int? { findings[position].node }
}

extension ArchiveFindings: CustomStringConvertible {
  /// A list of all findings.
  public var description: String { Array(self).description }
}
