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
  /// All findings, in the order of the Spec, with their paths and keys where they are known; empty for a valid archive.
  public let findings: ComputedList<ArchiveError>
  /// The losses caused by damage, in file order; empty if no part of the body is damaged.
  public let losses: [ArchiveLoss]
  /// The format version, if the prefix is readable.
  public let formatVersion: FormatVersion?
  private let list: FindingList

  /// Whether the check found no fault.
  public var isValid: Bool { findings.isEmpty }

  /// Checks an archive.
  public init(_ data: Data) {
    self.init([UInt8](data))
  }

  /// Checks an archive.
  public init(_ bytes: [UInt8]) {
    let checker = ArchiveChecker(bytes)
    let list = checker.findings
    self.list = list
    formatVersion = checker.prefix.map { FormatVersion(major: $0.majorVersion, minor: $0.minorVersion) }
    guard !list.isEmpty, let layout = checker.layout, let metadata = checker.metadata, let damage = checker.damage else {
      findings = Self.findings(list)
      losses = []
      return
    }
    let survey = NodeSurvey(bytes: bytes, layout: layout, metadata: metadata, damage: damage)
    findings = Self.findings(list, in: survey)
    losses = damage.isEmpty ? [] : survey.losses(of: damage.ranges).map { ArchiveLoss($0, in: survey) }
  }

  /// Returns the findings of a checker, with the paths of their nodes if these were surveyed.
  private static func findings(_ list: FindingList, in survey: NodeSurvey? = nil) -> ComputedList<ArchiveError> {
    ComputedList(count: list.count) { position in
      let finding = list[position]
      return ArchiveError(finding.error, path: finding.node.flatMap { survey?.path(of: $0) }, key: finding.key)
    }
  }

  /// Returns the index of the node record that a finding concerns, if it concerns one.
  package func node(ofFinding position: Int) -> Int? { list[position].node }
}
