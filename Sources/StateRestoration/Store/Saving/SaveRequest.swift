#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// A pending save: the unit in which state travels from the app to the disk.
///
/// A change waits in at most one place at a time. Each holder hands it to the next one and keeps nothing of it, except
/// for the queue, which remembers a deferred request until its outcome is known:
///
/// | holder | what it holds | until |
/// |---|---|---|
/// | `PendingChanges` | the time of the first and last change of an archive | the actor's next turn |
/// | `ApplicationLifecycle`, or ``SaveCycle`` without it | that an archive is to be captured | the save delay has passed, or the turn ends |
/// | ``RestorableApplication/deferredPreservation`` | the newest preservation of an app that waits for its previous state | that state is delivered |
/// | ``SaveQueue`` | the newest request of each archive, with the losses and changes of the requests that it replaces | a thread writes it |
/// | `RestorationStore.State.pending` | what the next write of an archive has to do: bytes for inaccessible storage, losses, changes, a removal | the write has succeeded |
///
/// The queue alone decides which request is written next, and the store alone what a write has to keep. Neither knows
/// the app: only the captured state crosses from the actor that owns the objects. ``RemovalCount`` cancels requests in
/// any of these places when their archive is removed.
struct SaveRequest: Sendable {
  /// The archive to write; nil to remove the saved state.
  var archive: EncodedArchive?
  /// The nodes whose earlier saved state is missing from the archive without having been removed on purpose.
  var losses: Set<RestorationPath> = []
  /// The quarantined nodes whose objects the user has changed, so that the archive has the objects' state.
  var changes: Set<RestorationPath> = []
  /// The current time.
  var time: Date?
  /// The archive's number of removals when this request was submitted.
  var removalCount: UInt64 = 0

  /// Returns a request to remove the saved state.
  static func forgetting(at time: Date? = nil) -> SaveRequest { SaveRequest(time: time) }

  /// Whether this is a request to remove the saved state.
  var isForgetting: Bool { archive == nil }

  /// Returns this request with the remaining work of an earlier one that it replaces.
  ///
  /// The earlier archive need not be written, but the file with the state that it lacked must be kept. Nothing remains
  /// of a request submitted before a removal; whichever later request is processed first begins the removal
  /// (``RemovalCount``).
  func following(_ earlier: SaveRequest?) -> SaveRequest {
    guard let earlier, earlier.removalCount == removalCount else { return self }
    var request = self
    request.losses.formUnion(earlier.losses)
    request.changes.formUnion(earlier.changes)
    return request
  }
}

extension Preservation {
  /// Returns the request for a store; nil if there is nothing to do yet.
  func saveRequest(at time: Date?) -> SaveRequest? {
    if isDeferred { return nil }
    switch outcome {
    case .archive:
      return report.archive.map { SaveRequest(archive: $0.encoded, losses: report.losses, changes: report.quarantineChanges, time: time) }
    case .keepPrevious: return nil
    case .forget: return .forgetting(at: time)
    }
  }
}
