import Locking

/// The changes that an app has reported and that nothing has looked at yet, by archive.
///
/// Sendable, because the last reference to an object may go on any thread. However many changes there are, an archive has one entry, and
/// whoever waits is woken once.
final class PendingChanges: Sendable {
  /// The times of the first and the last change.
  struct Span: Sendable {
    var first: Duration
    /// Nil if it is not known that the changes concern the archive: such changes do not postpone a save.
    var last: Duration?
  }

  private struct State {
    var spans: [ArchiveName: Span] = [:]
    var isWakeSent = false
  }

  private let state = Lock(State())
  private let time: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// Creates it without changes; `wake` is called for the first change after each ``take()``.
  init(time: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.time = time
    self.wake = wake
  }

  /// Notes that something changed in an archive, or that something changed that may be part of it.
  func add(_ archive: ArchiveName, isClaimed: Bool = true) {
    let now = time()
    let isFirst = state.withLock { state in
      var span = state.spans[archive] ?? Span(first: now)
      if isClaimed { span.last = now }
      state.spans[archive] = span
      defer { state.isWakeSent = true }
      return !state.isWakeSent
    }
    if isFirst { wake() }
  }

  /// Returns all changes, and forgets them.
  func take() -> [ArchiveName: Span] {
    state.withLock { state in
      defer { state = State() }
      return state.spans
    }
  }

  /// Whether there are changes that nothing has looked at.
  var isEmpty: Bool { state.withLock { $0.spans.isEmpty } }
}

/// The writing of an app that blocks its actor: what it captures at the end of each turn is written once for all turns of a short time.
final class DelayedWriting: Sendable {
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

  /// Has everything written that waits in the queue, soon.
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
    state.withLock { state in state.first.map { min(state.last + timing.saveDelay, $0 + timing.longestSaveDelay) } }
  }
}
