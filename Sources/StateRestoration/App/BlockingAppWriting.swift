import Locking

/// Delayed writing for an app that blocks its actor: captures of several turns in quick succession are written once.
final class BlockingAppWriting: Sendable {
  private struct State {
    var first: Duration?
    var last = Duration.zero
    var isTimerRunning = false
  }

  private let state = Lock(State())
  private let queue: SaveQueue
  private let clock: AppClock
  private let timing: ApplicationLifecycle.Timing

  init(queue: SaveQueue, clock: AppClock, timing: ApplicationLifecycle.Timing) {
    self.queue = queue
    self.clock = clock
    self.timing = timing
  }

  /// Schedules a write of the queue's pending saves.
  func schedule() {
    let now = clock.now
    let startsTimer = state.withLock { state in
      state.first = state.first ?? now
      state.last = now
      defer { state.isTimerRunning = true }
      return !state.isTimerRunning
    }
    guard startsTimer else { return }
    Task.detached(priority: .utility) { [self] in
      while let due, clock.now < due {
        do {
          try await clock.sleep(until: due)
        } catch {
          break
        }
      }
      state.withLock { $0 = State() }
      queue.startWriting()
    }
  }

  private var due: Duration? {
    state.withLock { state in state.first.map { timing.saveTime(first: $0, last: state.last) } }
  }
}
