import Locking

/// The outcome of a save, or of waiting for it.
public enum SaveOutcome: String, Sendable {
  /// The state is on disk.
  case saved
  /// The content was already on disk, or the previous state is to be kept.
  case unchanged
  /// The storage is not accessible, or the previous state is not available yet; the state to save is kept in memory.
  case deferred
  /// The saved state was removed, as the app requested.
  case forgotten
  /// The time limit expired. The save continues; until it completes, the previous state is on disk, unless it is being
  /// removed.
  case expired
  /// The save failed with ``RestorationStore/lastSaveError``.
  case failed

  init(_ result: Result<SaveOutcome, StoreError>) { self = (try? result.get()) ?? .failed }
}

/// Delivers the first of several outcomes to a waiter.
final class OutcomeRace: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<SaveOutcome, Never>)
    case decided(SaveOutcome)
  }

  private let state = Lock(State.open)

  /// Sets the outcome; only the first call has an effect.
  func finish(_ outcome: SaveOutcome) {
    let waiter = state.withLock { state -> CheckedContinuation<SaveOutcome, Never>? in
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
  func outcome() async -> SaveOutcome {
    await withCheckedContinuation { continuation in
      let decided = state.withLock { state -> SaveOutcome? in
        if case .decided(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let decided { continuation.resume(returning: decided) }
    }
  }
}
