import Dispatch
import Locking
import SystemLibrary

/// Saves when a signal asks the process to end: SIGTERM, SIGHUP, SIGINT.
///
/// The signal only wakes a dispatch queue, on which arbitrary code is safe. There the app is asked for its state; if it
/// does not respond in time, the last captured state is written. Then the process ends as the signal would have ended
/// it.
///
///     let signals = TerminationSignals(store: store) { await save() }
///
/// It works while the instance is kept alive; afterwards the signals have their default effect.
public final class TerminationSignals {
  /// The signals that ask a process to end.
  public static let all: [Int32] = [SIGTERM, SIGHUP, SIGINT]

  private let sources: [any DispatchSourceSignal]

  /// Starts handling `signals`.
  ///
  /// Service managers and login sessions kill a process that does not end in time; the default stays far below their usual
  /// 90 s.
  ///
  /// - Parameters:
  ///   - store: The store whose last captured state is written.
  ///   - signals: The signals to handle.
  ///   - time: The time that `save` has to finish; at most an hour.
  ///   - willEnd: Called after the last save, on the thread of the signal.
  ///   - save: Captures and saves the state.
  ///
  /// An app that does not finish in time did not answer: while what it has restored is not stable, that counts as a crash.
  public convenience init(
    store: RestorationStore, signals: [Int32] = TerminationSignals.all, within time: Duration = .seconds(5),
    willEnd: @escaping @Sendable () -> Void = {}, save: @escaping @Sendable () async -> Void
  ) {
    self.init(store: store, signals: signals, within: time, willEnd: willEnd) {
      await save()
      return true
    }
  }

  /// Starts handling signals; `answer` saves, and returns whether the app has answered.
  init(
    store: RestorationStore, signals: [Int32] = TerminationSignals.all, within time: Duration, willEnd: @escaping @Sendable () -> Void,
    answer: @escaping @Sendable () async -> Bool
  ) {
    let work = DispatchQueue(label: "restoration.termination", qos: .userInitiated)
    // The queue is serial and the first event ends the process, so no second event is handled.
    sources = signals.filter { !Self.ignored.contains($0) }.map { number in
      DispatchSource.handling(number, on: work) { Self.end(by: number, store, time, willEnd, answer) }
    }
  }

  /// The signals that the process was started to ignore, as by `nohup` and in the background of a shell.
  ///
  /// Determined once: a source may make the system ignore its signal.
  private static let ignored = all.filter { sigaction.isIgnored($0) }

  deinit {
    for source in sources { source.cancel() }
  }

  private static func end(
    by number: Int32, _ store: RestorationStore, _ deadline: Duration, _ willEnd: () -> Void, _ answer: @escaping @Sendable () async -> Bool
  ) {
    let start = ContinuousClock.now
    let hasAnswered = Lock(false)
    BlockingWait.run(atMost: deadline) {
      let result = await answer()
      hasAnswered.withLock { $0 = result }
    }
    // Writes captured state that is still waiting; nothing, if the app has answered.
    let isAnswered = hasAnswered.withLock { $0 } && !store.launch.isCalling
    let ending = isAnswered || !store.isAnyOnTrial ? ProgressRecord.Ending.signal : .unanswered
    store.launch.update { $0.end(ending) }
    // In the time that is left, or a second: the disk may not answer.
    BlockingWait.run(atMost: max(deadline - (ContinuousClock.now - start), min(deadline, .seconds(1)))) {
      store.writeWaiting()
      store.endLaunch(ending)
    }
    willEnd()
    die(by: number)
  }

  /// Ends the process as if the signal had never been handled.
  private static func die(by number: Int32) {
    _ = signal(number, SIG_DFL)
    // Pool threads block signals, and so do all threads of a process started from one.
    sigset_t.unblock(number)
    _ = raise(number)
    // The first process of a container is not ended by a signal without a handler.
    if all.contains(number) { _exit(128 + number) }
  }
}

extension DispatchSource {
  /// Handles a signal on a queue instead of its default effect, until the source is cancelled.
  static func handling(_ number: Int32, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    #if canImport(Darwin)
      // The source receives the signal only if it is otherwise ignored. On other systems it has a handler of its own, and a signal
      // that comes before that ends the process, instead of getting lost.
      _ = signal(number, SIG_IGN)
    #endif
    let source = makeSignalSource(signal: number, queue: queue)
    let isRegistered = DispatchSemaphore(value: 0)
    source.setEventHandler { body() }
    source.setRegistrationHandler { isRegistered.signal() }
    // Without the source nothing handles the signal, which must not be ignored.
    source.setCancelHandler { _ = signal(number, SIG_DFL) }
    source.resume()
    // A signal before the registration would be lost.
    isRegistered.wait()
    return source
  }
}

extension sigset_t {
  /// Lets this thread receive a signal.
  static func unblock(_ number: Int32) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

/// Waits of a thread that handles a signal, and that must not return before the work is done.
enum BlockingWait {
  /// Runs an operation, and returns when it has ended, or after a time limit of at most an hour; it then continues.
  static func run(atMost limit: Duration, _ operation: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      await operation()
      isDone.signal()
    }
    // In seconds: an hour of nanoseconds is no `Int` of 32 bits.
    _ = isDone.wait(timeout: .now() + min(limit.limited, .seconds(3600)) / .seconds(1))
  }
}
