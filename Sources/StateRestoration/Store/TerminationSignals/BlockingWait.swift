import Dispatch

/// Waits of a thread that handles a signal, and that must not return before the work is done.
enum BlockingWait {
  /// Runs an operation, and returns when it has ended, or after a time limit of at most an hour; it then continues.
  static func run(atMost limit: Duration, _ operation: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      await operation()
      isDone.signal()
    }
    let (seconds, attoseconds) = limit.components
    let nanoseconds = Int(clamping: min(seconds, 3600)) * 1_000_000_000 + Int(clamping: attoseconds / 1_000_000_000)
    _ = isDone.wait(timeout: .now() + .nanoseconds(nanoseconds))
  }
}
