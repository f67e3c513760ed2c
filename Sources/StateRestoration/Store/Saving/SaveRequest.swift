#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// A save that waits for its turn.
struct SaveRequest: Sendable {
  /// The archive to write; nil if there is none, because what was saved is to go.
  var archive: EncodedArchive?
  /// The nodes of which state that was saved before is not in the archive although nobody wanted it gone.
  var losses: Set<RestorationPath> = []
  /// The quarantined nodes whose objects the user has changed, so that the archive has the state of those.
  var changes: Set<RestorationPath> = []
  /// What time it is.
  var time: Date?
  /// How often the archive had been removed when this was submitted.
  var removalCount: UInt64 = 0

  /// A request to remove what was saved.
  static func forgetting(at time: Date? = nil) -> SaveRequest { SaveRequest(time: time) }

  /// Whether it is one.
  var isForgetting: Bool { archive == nil }

  /// This request, with what is left to do of an earlier one that it replaces.
  ///
  /// The earlier archive need not be written, but the file that still has the state it lost is kept. Nothing is left of a request before a
  /// removal; the removal itself is begun by whichever request comes first (``RemovalCount``).
  func following(_ earlier: SaveRequest?) -> SaveRequest {
    guard let earlier, earlier.removalCount == removalCount else { return self }
    var request = self
    request.losses.formUnion(earlier.losses)
    request.changes.formUnion(earlier.changes)
    return request
  }
}

extension Preservation {
  /// What a store has to do; nil if there is nothing to do, or not yet.
  func saveRequest(at time: Date?) -> SaveRequest? {
    if isHeld { return nil }
    switch outcome {
    case .archive:
      return report.archive.map { SaveRequest(archive: $0.encoded, losses: report.losses, changes: report.quarantineChanges, time: time) }
    case .keepPrevious: return nil
    case .forget: return .forgetting(at: time)
    }
  }
}
