import Dispatch
import Locking
import SystemLibrary

/// Drives an app by POSIX signals: saves before SIGTERM, SIGHUP and SIGINT end the process and before SIGTSTP stops it.
///
/// Handles a terminal hangup (SIGHUP) and a continued process (SIGCONT) too. Works for as long as the instance is kept
/// alive. While SIGTSTP has stopped the process, the store stays locked.
final class ProcessSignals {
  private let termination: TerminationSignals
  /// Handles SIGTSTP; nil if that is ignored, because no shell could continue the process.
  private let suspension: (any DispatchSourceSignal)?

  init(_ restoration: AppRestoration) {
    let host = Host(input: restoration.input, schedule: restoration.schedule, store: restoration.store)
    let time = restoration.configuration.timing.backgroundTime
    let willEnd = restoration.configuration.willEndBySignal
    termination = TerminationSignals(
      store: restoration.store, within: time, willEnd: willEnd, answer: { await host.report(.terminate(within: time)) })
    let queue = DispatchQueue(label: "restoration.suspension", qos: .userInitiated)
    suspension =
      sigaction.isIgnored(SIGTSTP) ? nil : DispatchSource.handling(SIGTSTP, on: queue) { Self.suspend(host, time, willEnd) }
  }

  deinit { suspension?.cancel() }

  /// The parts of an app that a signal thread may use.
  private struct Host: Sendable {
    let input: AsyncStream<AppInput>.Continuation
    let schedule: Schedule
    let store: RestorationStore

    /// Sends an event to the app's actor and waits until it is processed.
    ///
    /// An app that blocks its actor between turns would not process the event: it captures all changes at the end of
    /// each turn, so only a turn with uncaptured changes is waited for. Nor would an app that has blocked its actor
    /// since the launch, and has no changes.
    ///
    /// Returns false if the app has not processed it, although it has an actor that could.
    @discardableResult
    func report(_ event: LifecycleEvent) async -> Bool {
      // No actor could process the event.
      if !schedule.hasActor, !schedule.isBlocking { return true }
      if schedule.isUnreachableWithoutChanges { return !schedule.hasActor }
      // Ends when the event is processed, or with the turn that makes processing it unnecessary.
      let race = Race<Void>()
      if !schedule.isBlocking {
        guard case .enqueued = input.yield(.event(event, race)) else { return true }
      }
      schedule.resumeAfterTurn(race)
      await race.outcome()
      return true
    }
  }

  // MARK: Suspension

  /// Saves everything, records the suspension, and stops the process until SIGCONT continues it.
  private static func suspend(_ host: Host, _ deadline: Duration, _ willStop: () -> Void) {
    BlockingWait.run(atMost: deadline) { await host.report(.suspending) }
    host.store.noteSuspension(true)
    // The disk may not answer, and the user has asked for the process to stop.
    BlockingWait.run(atMost: deadline) { host.store.writeWaiting() }
    willStop()
    stop()
    host.store.noteSuspension(false)
    Task.detached { await host.report(.willEnterForeground) }
  }

  /// Stops the process, and returns when it continues.
  private static func stop() {
    // This leaves the source's action in place, so that a SIGTSTP directly after SIGCONT finds it.
    if hasShell {
      _ = raise(SIGSTOP)
      return
    }
    // The default action stops the process only if the system finds a shell that can continue it.
    var byDefault = sigaction()
    // The source has installed its own action, which must be reinstalled for the next signal.
    var ofSource = sigaction()
    guard unsafe sigaction(SIGTSTP, &byDefault, &ofSource) == 0 else { return }
    sigset_t.unblock(SIGTSTP)
    // Raised on this thread, so that the process stops before the call returns.
    _ = raise(SIGTSTP)
    _ = unsafe sigaction(SIGTSTP, &ofSource, nil)
  }

  /// Whether the parent can continue the process: it is in the same session and in another process group, as a shell is.
  private static var hasShell: Bool {
    let parent = getppid()
    return getsid(parent) == getsid(0) && getpgid(parent) != getpgrp()
  }
}
