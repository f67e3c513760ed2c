/// A type-erased clock that measures the time since the app started.
struct AppClock: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async throws -> Void

  /// Wraps a clock, starting from now.
  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  /// The time since the app started.
  var now: Duration { elapsed() }

  /// Waits until a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(until time: Duration) async throws { try await wait(time) }
}
