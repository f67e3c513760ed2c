import Observation
import Synchronization

/// The tracker of changes in an app or a scene: those of ``Restored`` properties and ``ObservableRestorable`` objects.
final class ChangeTracking {
  /// An object whose next change is reported.
  private struct Observed {
    weak var object: AnyObject?
    let state: ObservationState
  }

  /// The receiver of the changes.
  let signal: ChangeSignal
  private var observed: [ObjectIdentifier: Observed] = [:]
  /// The number of entries that triggers a purge of deallocated objects.
  private var purgeCount = 64

  init(signal: ChangeSignal) {
    self.signal = signal
  }

  /// Calls `read`, and reports the next change of a property that it reads from `object`, once.
  ///
  /// An object with an active observation is not observed again, because unfired observations would accumulate from
  /// save to save.
  func observe<Result>(_ object: AnyObject, _ read: () -> Result) -> Result {
    let identity = ObjectIdentifier(object)
    if let known = observed[identity], known.object === object, known.state.isWaiting { return read() }
    purge()
    let state = ObservationState()
    observed[identity] = Observed(object: object, state: state)
    return withObservationTracking(read) { [signal] in
      state.end()
      signal.send(identity)
    }
  }

  private func purge() {
    guard observed.count >= purgeCount else { return }
    observed = observed.filter { $0.value.object != nil }
    purgeCount = max(64, 2 * observed.count)
  }
}

/// Whether an observation is still waiting for its change.
private final class ObservationState: Sendable {
  private let hasEnded = Atomic<Bool>(false)

  var isWaiting: Bool { !hasEnded.load(ordering: .acquiring) }

  func end() { hasEnded.store(true, ordering: .releasing) }
}
