#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// A pending save: the unit in which state travels from the app to the disk.
///
/// A change waits in one place at a time: each holder passes it to the next one and keeps nothing of it. Of a request that
/// the store has deferred, the queue keeps a ``DeferredRequest``, to learn the outcome:
///
/// | holder | what it holds | until |
/// |---|---|---|
/// | `PendingChanges` | the time of the first and last change of an archive | the actor's next turn |
/// | `ApplicationLifecycle`, or ``SaveCycle`` without it | that an archive is to be captured | the save delay has passed, or the turn ends |
/// | ``RestorableApplication/deferredPreservation`` | the newest preservation of an app that waits for its previous state | that state is delivered |
/// | `BlockingAppWriting`, in an app that blocks its actor | the times of the first and last capture; the queue has the request | the save delay has passed |
/// | ``SaveQueue`` | the newest request of each archive, with the losses of the requests that it replaces | a thread writes it |
/// | `RestorationStore.State.pending` | what the next write of an archive has to do: a state for inaccessible storage, losses, ended quarantines, a removal | the write has succeeded |
///
/// The queue alone decides which request is written next, and the store alone what a write has to keep. Neither knows
/// the app: only the captured state crosses from the actor that owns the objects. ``SaveCancellation`` cancels requests in
/// any of these places when their archive is removed.
struct SaveRequest: Sendable {
  /// The state to write; nil to remove the saved state.
  var snapshot: Snapshot?
  /// The nodes whose earlier saved state is missing from it without having been removed on purpose.
  var losses: Set<RestorationPath> = []
  /// The quarantined nodes whose objects the user has changed, so that it has the objects' state.
  var quarantineChanges: Set<RestorationPath> = []
  /// The current time.
  var time: Date?
  /// The archive's number of removals when this request was submitted.
  var removalCount: UInt64 = 0

  /// Returns a request to remove the saved state.
  static func forgetting(at time: Date? = nil) -> SaveRequest { SaveRequest(time: time) }

  /// Whether this is a request to remove the saved state.
  var isForgetting: Bool { snapshot == nil }

  /// Returns this request with the remaining work of an earlier one that it replaces.
  ///
  /// The losses of the replaced state are added, so that the file with the lost state is pinned. Nothing remains of a
  /// request from before a removal; the first later request to be processed begins the removal (``SaveCancellation``).
  func following(_ earlier: SaveRequest?) -> SaveRequest {
    guard let earlier, earlier.removalCount == removalCount else { return self }
    var request = self
    request.losses.formUnion(earlier.losses)
    request.quarantineChanges.formUnion(earlier.quarantineChanges)
    return request
  }
}

extension Preservation {
  /// Returns the request for a store; nil if there is nothing to do yet.
  func saveRequest(at time: Date?) -> SaveRequest? {
    if isDeferred { return nil }
    switch outcome {
    case .archive:
      return snapshot.map {
        SaveRequest(snapshot: $0, losses: report.losses, quarantineChanges: report.quarantineChanges, time: time)
      }
    case .keepPrevious: return nil
    case .forget: return .forgetting(at: time)
    }
  }
}

/// A request whose state waits in the store, because the storage was not accessible.
struct DeferredRequest: Sendable {
  /// Whether this is a request to remove the saved state.
  let isForgetting: Bool
  /// The archive's number of removals when the request was submitted.
  let removalCount: UInt64
  /// The current time.
  let time: Date?

  init(_ request: SaveRequest) {
    isForgetting = request.isForgetting
    removalCount = request.removalCount
    time = request.time
  }
}
