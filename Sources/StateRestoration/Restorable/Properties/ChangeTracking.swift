import Observation
import Synchronization

/// The changes of the objects of an app or a scene, as far as they report them: ``Restored`` properties and ``ObservableRestorable`` objects.
final class ChangeTracking {
  /// An object whose next change is reported.
  private struct Observed {
    weak var object: AnyObject?
    let state: ObservationState
  }

  /// Where changes are reported.
  let signal: ChangeSignal
  private var observed: [ObjectIdentifier: Observed] = [:]
  /// With so many entries, those of objects that are gone are removed.
  private var purgeCount = 64

  init(signal: ChangeSignal) {
    self.signal = signal
  }

  /// Calls `read`, and reports the next change of what it reads from `object`, once.
  ///
  /// An object that is observed already is not observed again: observations that have not fired would add up from save to save.
  func observe<Result>(_ object: AnyObject, _ read: () -> Result) -> Result {
    let identity = ObjectIdentifier(object)
    if let known = observed[identity], known.object === object, known.state.isWaiting { return read() }
    purge()
    let state = ObservationState()
    observed[identity] = Observed(object: object, state: state)
    return withObservationTracking(read) { [signal] in
      state.end()
      signal.send()
    }
  }

  private func purge() {
    guard observed.count >= purgeCount else { return }
    observed = observed.filter { $0.value.object != nil }
    purgeCount = max(64, 2 * observed.count)
  }
}

/// Whether an observation still waits for its change.
private final class ObservationState: Sendable {
  private let hasEnded = Atomic<Bool>(false)

  var isWaiting: Bool { !hasEnded.load(ordering: .acquiring) }

  func end() { hasEnded.store(true, ordering: .releasing) }
}
