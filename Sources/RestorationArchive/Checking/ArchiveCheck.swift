#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// The result of checking an archive to the last byte: every checksum, every rule of the Spec (Spec §7.2).
///
///     let check = ArchiveCheck(data)
///     for finding in check.findings { print(finding) }
///     for loss in check.losses { print(loss.range, loss.states) }
///
/// Time and memory are linear in the length of the archive, whatever it contains: findings and losses are made when they are asked for.
public struct ArchiveCheck: Sendable {
  /// Everything that was found, in the order of the Spec; empty for a valid archive.
  public let findings: ArchiveFindings
  /// What damaged parts of the file cost, in the order of the file; empty if no part of the body is damaged.
  public let losses: [ArchiveLoss]
  /// The version of the format, if the prefix says so.
  public let formatVersion: FormatVersion?

  /// Whether nothing was found.
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
