import Locking
import RestorationArchive

/// The schedule of an app: its lifecycle with a clock, open to events from any thread.
///
/// It has a lock of its own, because an actor that is blocked in a call such as `readLine` cannot be asked. The next step
/// is due on the app's actor or, if the app blocks that between turns, on the thread of a timer: that is all in which the
/// two kinds of apps differ.
final class Schedule: Sendable {
  private struct State {
    var lifecycle: ApplicationLifecycle
    var timer: (time: Duration, task: Task<Void, Never>)?
    /// The archive that is being restored: its objects are being created, which is no change.
    var restoring: ArchiveName?
    /// The archives that have changed during the current capture, on its thread; nil if there is none.
    var changedByCapture: Set<ArchiveName>?
    /// Whether all open archives count as changed, since the last event.
    var hasUnclaimedChange = false
    /// Performs the actions of a tick without the actor; nil before the launch, when no change counts.
    var perform: (@Sendable ([LifecycleAction]) -> Void)?
    /// Whether the app is told of unclaimed changes now.
    var isTold = false
    var isBlocking = false
    /// Whether a turn is being captured.
    var isTurning = false
    /// The waiters to resume when the current or next turn has been captured.
    var turnWaiters: [Race<Void>] = []
    /// Whether the actor was asked to do the next step and has not answered, and how often it has answered.
    var isAsked = false
    /// Whether a question waits for the actor, although it may have been answered otherwise, as by a save.
    var isQuestionWaiting = false
    var answers: UInt64 = 0
    /// Whether the actor has been free since the launch: otherwise waiting for it is futile.
    var wasFree = false
    /// Whether an actor that does not answer is still to be reported.
    var isWatched = true
    /// Whether the app has an actor that can be asked.
    var hasActor = true
    var hasEnded = false
  }

  /// The schedule within whose capture the code runs; nil for none.
  ///
  /// Tasks that it starts inherit this, which therefore counts only while the capture lasts.
  private static let capturing = TaskLocal<ObjectIdentifier?>(wrappedValue: nil)

  private let state: Lock<State>
  let clock: AppClock
  private let patience: Duration
  private let report: @Sendable (String) -> Void
  /// Asks the actor to handle a tick.
  private let ask: @Sendable () -> Void

  /// Creates a schedule that asks the actor by `ask`, and reports once an actor that never answers.
  init(
    timing: ApplicationLifecycle.Timing, clock: AppClock, report: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable () -> Void
  ) {
    state = Lock(State(lifecycle: ApplicationLifecycle(timing: timing)))
    (self.clock, patience) = (clock, timing.longestSaveDelay)
    (self.report, self.ask) = (report, ask)
  }

  /// The lifecycle at this moment.
  var lifecycle: ApplicationLifecycle { state.withLock { $0.lifecycle } }

  /// Whether the app has launched and not ended.
  var isRunning: Bool { state.withLock { !$0.hasEnded && ![.notRunning, .ended].contains($0.lifecycle.phase) } }

  /// Whether the actor was asked and has not answered.
  var isAwaitingAnswer: Bool { state.withLock { $0.isAsked } }

  /// Whether nothing is left to do at this moment.
  var isIdle: Bool {
    let now = clock.now
    return state.withLock { state in
      guard let next = state.lifecycle.nextTick, !state.hasEnded else { return true }
      // Changes may have moved the next tick, so that the timer fires before it.
      return next > now && !state.isAsked && state.timer.map { $0.time > now } == true
    }
  }

  // MARK: Events

  /// Reports an event, and returns the actions to perform.
  func handle(_ event: LifecycleEvent) -> [LifecycleAction] {
    let now = clock.now
    return state.withLock { state in
      if case .turnEnded = event { state.isBlocking = true }
      // Archives that the event does not capture stay changed, so that one more change tells nothing of them.
      state.hasUnclaimedChange = false
      listen(&state)
      let actions = state.lifecycle.handle(event, now: now)
      arm(&state)
      return actions
    }
  }

  /// Reports a change to an archive.
  ///
  /// Called whenever a property is set, on any thread.
  func noteChange(_ archive: ArchiveName) {
    let now = clock.now
    state.withLock { state in
      if state.restoring == archive { return }
      noteChange(archive, &state, at: now)
      arm(&state)
    }
  }

  private func noteChange(_ archive: ArchiveName, _ state: inout State, at now: Duration) {
    if isWithinCapture(state) {
      state.changedByCapture?.insert(archive)
      state.lifecycle.noteChangeByCapture(archive, now: now)
    } else {
      _ = state.lifecycle.handle(.changed(archive), now: now)
    }
  }

  /// Whether a callback of capturing is running.
  var isCapturing: Bool { state.withLock { isWithinCapture($0) } }

  private func isWithinCapture(_ state: State) -> Bool { state.changedByCapture != nil && Self.capturing.get() == ObjectIdentifier(self) }

  /// Lets unclaimed changes count from now on, and ticks of an app that blocks its actor be performed by `perform`.
  func begin(perform: @escaping @Sendable ([LifecycleAction]) -> Void) {
    state.withLock { state in
      state.perform = perform
      listen(&state)
    }
  }

  /// Listens to unclaimed changes as long as one more would tell something: each property of each new object is one.
  private func listen(_ state: inout State) {
    let isTold = state.perform != nil && state.restoring == nil && !state.hasUnclaimedChange && !state.hasEnded
    if isTold == state.isTold { return }
    state.isTold = isTold
    if isTold { UnclaimedChanges.tell(self) { [weak self] in self?.noteUnclaimedChange() } } else { UnclaimedChanges.tell(self, nil) }
  }

  /// Reports a change that may be of any open archive, and does not postpone their saves; on any thread.
  private func noteUnclaimedChange() {
    let now = clock.now
    state.withLock { state in
      guard state.isTold else { return }
      // One by the capture itself may cause no save, so that the next one must be heard.
      state.hasUnclaimedChange = !isWithinCapture(state)
      markChanged(&state, at: now)
    }
  }

  /// Lets all open archives be captured, and written as a whole.
  func noteChangeOfAll() {
    let now = clock.now
    state.withLock { markChanged(&$0, at: now) }
  }

  private func markChanged(_ state: inout State, at now: Duration) {
    for archive in state.lifecycle.unchanged { noteChange(archive, &state, at: now) }
    listen(&state)
    arm(&state)
  }

  /// Records that an archive is about to be captured without having been asked for.
  func noteCapture(_ archive: ArchiveName) {
    state.withLock { state in
      state.hasUnclaimedChange = false
      listen(&state)
      state.lifecycle.noteCapture(archive)
    }
  }

  /// Runs `body`, which captures an archive, and returns the archives in which it has changed something itself.
  func whileCapturing(_ body: () throws -> Void) rethrows -> Set<ArchiveName> {
    // The app may capture once more within ``AppRestoration/onPreserve``.
    let outer = state.withLock { state in
      defer { state.changedByCapture = [] }
      return state.changedByCapture
    }
    defer { state.withLock { $0.changedByCapture = outer } }
    try Self.capturing.withValue(ObjectIdentifier(self), operation: body)
    return state.withLock { $0.changedByCapture ?? [] }
  }

  /// Runs `body`, during which an archive is restored.
  func whileRestoring<Result>(_ archive: ArchiveName, _ body: () throws -> Result) rethrows -> Result {
    let outer = setRestoring(archive)
    defer { _ = setRestoring(outer) }
    return try body()
  }

  private func setRestoring(_ archive: ArchiveName?) -> ArchiveName? {
    state.withLock { state in
      let outer = state.restoring
      state.restoring = archive
      listen(&state)
      return outer
    }
  }

  /// Ends the schedule: nothing is due any more.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      listen(&state)
      state.timer?.task.cancel()
      state.timer = nil
    }
  }

  // MARK: Ticks

  /// Starts a timer for the next tick, unless an earlier one runs or the actor was asked already.
  private func arm(_ state: inout State) {
    guard !state.hasEnded, let time = state.lifecycle.nextTick else {
      state.timer?.task.cancel()
      state.timer = nil
      return
    }
    if state.isAsked, !state.isBlocking { return }
    // An early timer only checks again; a late one would miss the deadline.
    if let timer = state.timer, timer.time <= time { return }
    state.timer?.task.cancel()
    let task = Task.detached(priority: .utility) { [weak self, clock] in
      do {
        try await clock.sleep(until: time)
        self?.tick(at: time)
      } catch {
        // A newer timer has replaced this one.
      }
    }
    state.timer = (time, task)
  }

  private func tick(at time: Duration) {
    let step = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.timer?.time == time else { return nil }
      state.timer = nil
      // The end of the turn is a tick as well, on the app's actor.
      if state.isTurning { return nil }
      if state.isBlocking { return { [perform = state.perform] in perform?(self.handle(.tick)) } }
      state.isAsked = true
      if state.isWatched { expectAnswer(after: state.answers) }
      // An actor that is never free would otherwise have one more question to answer after each save.
      defer { state.isQuestionWaiting = true }
      return state.isQuestionWaiting ? nil : ask
    }
    step?()
  }

  /// Records that the actor has got its question.
  func noteQuestion() { state.withLock { $0.isQuestionWaiting = false } }

  /// Starts the time in which the actor must answer.
  private func expectAnswer(after answers: UInt64) {
    // Weak, because the app and its store may be gone before the time is over.
    Task.detached(priority: .utility) { [weak self, clock, patience] in
      try? await clock.sleep(until: clock.now + patience)
      self?.reportSilence(since: answers)
    }
  }

  private func reportSilence(since answers: UInt64) {
    let isStuck = state.withLock { state in
      guard state.isWatched, state.answers == answers, !state.hasEnded else { return false }
      state.isWatched = false
      return true
    }
    guard isStuck else { return }
    report(
      """
      the app's actor has not answered for \(patience.limited.components.seconds) s, and until it does, nothing is saved: a loop that \
      blocks it in a call such as readLine calls turn() before the call; other long work belongs on another thread
      """)
  }

  /// Records that the actor is free for the first time since the launch.
  func noteFree() { state.withLock { $0.wasFree = true } }

  /// Records an answer from the actor.
  func noteAnswer() {
    state.withLock { state in
      state.answers += 1
      state.isAsked = false
      arm(&state)
    }
  }

  /// Ends the watch over the actor, because the app captures when it likes.
  func endWatch() { state.withLock { ($0.isWatched, $0.hasActor) = (false, false) } }

  /// Whether the app has an actor that can be asked.
  var hasActor: Bool { state.withLock { $0.hasActor } }

  // MARK: Turns

  /// Whether the app captures at the end of its turns.
  var isBlocking: Bool { state.withLock { $0.isBlocking } }

  /// Whether reaching the actor is futile and unnecessary: nothing has changed, and it does not answer.
  var isUnreachableWithoutChanges: Bool {
    state.withLock { state in
      !state.isBlocking && (!state.isWatched || !state.wasFree) && !state.lifecycle.hasAnyChanges
    }
  }

  /// Records that the app starts to capture the changes of a turn.
  func beginTurn() {
    state.withLock { state in
      (state.isTurning, state.isBlocking, state.isWatched) = (true, true, false)
    }
  }

  /// Records that the changes of a turn are captured.
  func endTurn() {
    let waiters = state.withLock { state in
      defer { (state.isTurning, state.turnWaiters) = (false, []) }
      // A timer that fired while the turn was captured has done nothing.
      arm(&state)
      return state.turnWaiters
    }
    for waiter in waiters { waiter.finish(()) }
  }

  /// Resumes a waiter when the current or the next turn has been captured; at once if a turn has left nothing to capture.
  ///
  /// The app may turn out to block its actor only after an event was sent to it, which it then never processes.
  func resumeAfterTurn(_ waiter: Race<Void>) {
    let isCaptured = state.withLock { state in
      if state.isBlocking, !state.isTurning, !state.lifecycle.hasAnyChanges { return true }
      state.turnWaiters.append(waiter)
      return false
    }
    if isCaptured { waiter.finish(()) }
  }
}

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
