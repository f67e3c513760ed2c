import Locking

/// Delivers the first of several outcomes to a waiter.
final class FlushRace: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<FlushOutcome, Never>)
    case decided(FlushOutcome)
  }

  private let state = Lock(State.open)

  /// Sets the outcome; only the first call has an effect.
  func finish(_ outcome: FlushOutcome) {
    let waiter = state.withLock { state -> CheckedContinuation<FlushOutcome, Never>? in
      switch state {
      case .open:
        state = .decided(outcome)
        return nil
      case .awaited(let waiter):
        state = .decided(outcome)
        return waiter
      case .decided: return nil
      }
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the first outcome; only one task may wait.
  func outcome() async -> FlushOutcome {
    await withCheckedContinuation { continuation in
      let decided = state.withLock { state -> FlushOutcome? in
        if case .decided(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let decided { continuation.resume(returning: decided) }
    }
  }
}
