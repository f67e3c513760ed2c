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
/// Time and memory are linear in the length of the archive, whatever it contains.
public struct ArchiveCheck: Sendable {
  /// Everything that was found, in the order of the Spec; empty for a valid archive.
  public let findings: [ArchiveError]
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
    guard let layout = checker.layout, let metadata = checker.metadata, let damage = checker.damage else {
      findings = checker.findings.map { ArchiveError($0.error) }
      losses = []
      return
    }
    if checker.findings.isEmpty {
      findings = []
      losses = []
      return
    }
    let nodes = NodeSurvey(bytes: bytes, layout: layout, metadata: metadata, damage: damage)
    findings = checker.findings.map { finding in
      ArchiveError(finding.error, path: finding.node.flatMap { nodes.path(of: $0) }, key: finding.key)
    }
    losses = damage.isEmpty ? [] : nodes.losses(of: damage.ranges)
  }
}
