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
import Locking

/// Drives an app by the signals of POSIX: it saves before SIGTERM, SIGHUP and SIGINT end the process and before SIGTSTP stops it.
///
/// The signals of a hangup of the terminal (SIGHUP) and of a continued process (SIGCONT) are part of it. It works as long as it is kept.
final class ProcessSignals {
  private let termination: TerminationSignals
  private let suspension: SuspensionSignal?

  init(_ restoration: AppRestoration) {
    let host = Host(restoration)
    let time = restoration.configuration.timing.backgroundTime
    let willEnd = restoration.configuration.willEndBySignal
    termination = TerminationSignals(queue: restoration.queue, deadline: time, willEnd: willEnd) {
      await host.report(.terminate(.signal, time: time))
      return .saved
    }
    suspension = SuspensionSignal(host: host, deadline: time, willStop: willEnd)
  }

  /// The app as a thread of a signal sees it.
  fileprivate struct Host: Sendable {
    let input: AsyncStream<AppInput>.Continuation
    let changes: PendingChanges
    let watch: ActorWatch
    let queue: SaveQueue
    let store: RestorationStore

    init(_ restoration: AppRestoration) {
      input = restoration.input
      changes = restoration.changes
      watch = restoration.watch
      queue = restoration.queue
      store = restoration.store
    }

    /// Has an event taken in on the app's actor, and waits for that.
    ///
    /// An app that blocks its actor has captured everything at the end of its last turn; unless something changed since, there is nothing
    /// to ask it for.
    func report(_ event: LifecycleEvent) async {
      if watch.isOff, changes.isEmpty { return }
      await withCheckedContinuation { continuation in
        guard case .enqueued = input.yield(.event(event, continuation)) else { return continuation.resume() }
      }
    }
  }
}

/// SIGTSTP: everything is saved and the suspension noted, then the process stops; SIGCONT lets it go on.
///
/// The lock of the store stays held meanwhile.
private final class SuspensionSignal {
  private let source: any DispatchSourceSignal

  /// Begins to wait for the signal; nil if it is ignored, because there is no shell that could continue the process.
  init?(host: ProcessSignals.Host, deadline: Duration, willStop: @escaping @Sendable () -> Void) {
    guard !Self.isIgnored else { return nil }
    _ = signal(SIGTSTP, SIG_IGN)
    let queue = DispatchQueue(label: "restoration.suspension", qos: .userInitiated)
    source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: queue)
    let isRegistered = DispatchSemaphore(value: 0)
    source.setEventHandler { Self.suspend(host, deadline, willStop) }
    source.setRegistrationHandler { isRegistered.signal() }
    source.setCancelHandler { _ = signal(SIGTSTP, SIG_DFL) }
    source.resume()
    isRegistered.wait()
  }

  deinit { source.cancel() }

  private static var isIgnored: Bool {
    var action = sigaction()
    guard unsafe sigaction(SIGTSTP, nil, &action) == 0 else { return true }
    #if canImport(Darwin)
      return unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #else
      return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
  }

  private static func suspend(_ host: ProcessSignals.Host, _ deadline: Duration, _ willStop: () -> Void) {
    let isCaptured = DispatchSemaphore(value: 0)
    Task.detached {
      await host.report(.suspending)
      isCaptured.signal()
    }
    let (seconds, attoseconds) = deadline.components
    _ = isCaptured.wait(
      timeout: .now() + .nanoseconds(Int(clamping: min(seconds, 3600)) * 1_000_000_000 + Int(clamping: attoseconds / 1_000_000_000)))
    host.queue.commitWaiting()
    host.store.noteSuspension(true)
    willStop()
    stop()
    host.store.noteSuspension(false)
    Task.detached { await host.report(.willEnterForeground) }
  }

  /// Stops the process as the signal by itself would have; returns when it runs again.
  private static func stop() {
    var byDefault = sigaction()
    // The source has an action of its own, which has to be there again for the next signal.
    var ofSource = sigaction()
    guard unsafe sigaction(SIGTSTP, &byDefault, &ofSource) == 0 else { return }
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGTSTP)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // Sent to this thread, so that the process has stopped before the call returns.
    _ = raise(SIGTSTP)
    _ = unsafe sigaction(SIGTSTP, &ofSource, nil)
  }
}
