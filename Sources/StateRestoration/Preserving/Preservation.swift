#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// What preserving made: the bytes of an archive and a report.
///
/// Write them wherever, on whatever thread.
public struct Preservation: Sendable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// An archive.
    case archive(Data)
    /// What was saved before stays.
    case keepPrevious
    /// What was saved before is to be deleted.
    case forget
  }

  /// What came of it.
  public let outcome: Outcome
  /// What became of each object.
  public let report: PreservationReport
  /// Identifies the content, whenever it was saved; nil without an archive.
  public let contentDigest: ContentDigest?
  /// Whether this, or what was preserved before and is to stay, must not be written yet, because the state that was saved before is still to
  /// come.
  public internal(set) var isHeld: Bool

  /// The archive, if there is one.
  public var archive: Data? {
    if case .archive(let data) = outcome { data } else { nil }
  }

  /// What a store has to do; nil if there is nothing to do, or not yet.
  func saveRequest(at time: Date?) -> SaveRequest? {
    if isHeld { return nil }
    switch outcome {
    case .archive(let data): return SaveRequest(archive: data, losses: report.losses, time: time)
    case .keepPrevious: return nil
    case .forget: return SaveRequest(isForgetting: true, time: time)
    }
  }
}
