import Dispatch
public import Foundation

/// The time after which a process is killed, so that one that hangs fails one test instead of blocking all.
public final class TimeLimit {
  /// The limit of a process without one of its own, in seconds: more than any takes, under a sanitizer too.
  public static let usual: TimeInterval = 300

  private let timer = DispatchSource.makeTimerSource()

  init(_ seconds: TimeInterval, _ process: pid_t) {
    timer.schedule(deadline: .now() + seconds)
    timer.setEventHandler { kill(process, SIGKILL) }
    timer.resume()
  }

  deinit { cancel() }

  /// Ends the limit, before the process is reaped and the system gives its number to another.
  func cancel() { timer.cancel() }
}
