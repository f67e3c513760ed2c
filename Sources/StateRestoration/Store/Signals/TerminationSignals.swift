#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import Dispatch

/// Saves when the process is asked to end: SIGTERM, SIGHUP, SIGINT.
///
/// The signal itself does nothing but wake a queue of its own, where it is safe to work. There the app is asked for its state; if it does not
/// answer in time, what was captured last is written. Then the process ends as the signal would have ended it.
///
///     let signals = TerminationSignals(queue: queue) { await cycle.flush(until: .now + .seconds(4), clock: .continuous) }
///
/// It works as long as the value is kept; afterwards the signals end the process as they do by default.
public final class TerminationSignals {
  /// The signals that ask a process to end.
  public static let all: [Int32] = [SIGTERM, SIGHUP, SIGINT]

  private let sources: [any DispatchSourceSignal]

  /// Begins to wait for `signals`.
  ///
  /// `save` captures and saves the state. It is waited for until `deadline`: systems kill a process that takes much longer than 5 s.
  /// `willEnd` is called after the last save, on the thread of the signal.
  public init(
    queue: SaveQueue, signals: [Int32] = TerminationSignals.all, deadline: Duration = .seconds(5),
    willEnd: @escaping @Sendable () -> Void = {}, save: @escaping @Sendable () async -> FlushOutcome
  ) {
    let work = DispatchQueue(label: "restoration.termination", qos: .userInitiated)
    sources = signals.map { number in
      // The source sees the signal only if it has no other effect.
      _ = signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: work)
    }
    // The queue is serial and the first event ends the process, so there is no second one.
    let isRegistered = DispatchSemaphore(value: 0)
    for (source, number) in zip(sources, signals) {
      source.setEventHandler { Self.end(by: number, queue, deadline, willEnd, save) }
      source.setRegistrationHandler { isRegistered.signal() }
      // After that nothing waits for the signal, and it must not be lost.
      source.setCancelHandler { _ = signal(number, SIG_DFL) }
      source.resume()
    }
    // Until then a signal would be lost.
    for _ in sources { isRegistered.wait() }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  private static func end(
    by number: Int32, _ queue: SaveQueue, _ deadline: Duration, _ willEnd: () -> Void, _ save: @escaping @Sendable () async -> FlushOutcome
  ) {
    let isSaved = DispatchSemaphore(value: 0)
    Task.detached {
      _ = await save()
      isSaved.signal()
    }
    let (seconds, attoseconds) = deadline.components
    let nanoseconds = Int(clamping: min(seconds, 3600)) * 1_000_000_000 + Int(clamping: attoseconds / 1_000_000_000)
    _ = isSaved.wait(timeout: .now() + .nanoseconds(nanoseconds))
    // What was captured before and not yet written; nothing, if all went well.
    queue.commitWaiting()
    queue.store.endLaunch(.signal)
    willEnd()
    die(by: number)
  }

  /// Ends the process as if the signal had never been caught.
  private static func die(by number: Int32) {
    _ = signal(number, SIG_DFL)
    // Threads of a pool, and all of a process that was started from one, have signals blocked.
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
  }
}
