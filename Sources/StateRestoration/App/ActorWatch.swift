import Locking

/// Detects an app's actor that never processes its input, and reports it once.
final class ActorWatch: Sendable {
  private struct State {
    /// The number of times that the actor has answered.
    var answers: UInt64 = 0
    var isWaiting = false
    /// Whether the actor has been free since the launch.
    var wasFree = false
    var isOff = false
    /// Whether the app captures at the end of its turns, because it blocks its actor between them.
    var isTurnBased = false
    /// Whether a turn is being captured.
    var isTurning = false
    /// The waiters to resume when the current or next turn has been captured.
    var turnWaiters: [EventWaiter] = []
  }

  private let state = Lock(State())
  private let clock: AppClock
  private let patience: Duration
  private let report: @Sendable (String) -> Void

  /// Creates a watch that reports an actor that has not answered for `patience`.
  init(clock: AppClock, patience: Duration, report: @escaping @Sendable (String) -> Void) {
    self.clock = clock
    self.patience = patience
    self.report = report
  }

  /// Starts the timeout for the next answer, unless one is running.
  func expectAnswer() {
    let answers = state.withLock { state -> UInt64? in
      guard !state.isOff, !state.isWaiting else { return nil }
      state.isWaiting = true
      return state.answers
    }
    guard let answers else { return }
    Task.detached(priority: .utility) { [self] in
      try? await clock.sleep(until: clock.now + patience)
      let isStuck = state.withLock { state in
        state.isWaiting = false
        guard !state.isOff, state.answers == answers else { return false }
        state.isOff = true
        return true
      }
      if isStuck {
        report("the app keeps its actor busy, so that nothing is saved: call turn() before each call that blocks")
      }
    }
  }

  /// Whether the watch has ended, because the app captures at the end of its turns or a problem was reported.
  var isOff: Bool { state.withLock { $0.isOff } }

  /// Records that the actor is free for the first time since the launch.
  func noteFree() { state.withLock { $0.wasFree = true } }

  /// Whether the actor has been free since the launch: otherwise waiting for it is futile.
  var wasFree: Bool { state.withLock { $0.wasFree } }

  /// Records an answer from the actor.
  func noteAnswer() { state.withLock { $0.answers += 1 } }

  /// Ends the watch: the app captures at the end of its turns.
  func stop() { state.withLock { ($0.isOff, $0.isTurnBased) = (true, true) } }

  /// Whether the app captures at the end of its turns.
  var isTurnBased: Bool { state.withLock { $0.isTurnBased } }

  /// Records that the app starts to capture the changes of a turn.
  func beginTurn() { state.withLock { $0.isTurning = true } }

  /// Records that the changes of a turn are captured.
  func endTurn() {
    let waiters = state.withLock { state in
      defer { (state.isTurning, state.turnWaiters) = (false, []) }
      return state.turnWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Resumes a waiter when the current or the next turn has been captured; at once if a turn has left nothing to capture.
  ///
  /// The app may turn out to block its actor only after an event was sent to it, which it then never processes.
  func resumeAfterTurn(_ waiter: EventWaiter, _ hasChanges: () -> Bool) {
    let isCaptured = state.withLock { state in
      // The changes are taken at the beginning of a turn, and captured only at its end.
      if state.isTurnBased, !state.isTurning, !hasChanges() { return true }
      state.turnWaiters.append(waiter)
      return false
    }
    if isCaptured { waiter.resume() }
  }
}

/// Waits for an event to be processed, or for the turn that makes processing it unnecessary, whichever comes first.
final class EventWaiter: Sendable {
  private let continuation: Lock<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = Lock(continuation)
  }

  /// Ends the wait; has no effect the second time.
  func resume() {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume()
  }
}
