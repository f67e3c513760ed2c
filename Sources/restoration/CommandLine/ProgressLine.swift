import ArchiveFormat
import Locking
import SystemLibrary

/// A line on standard error that shows the progress of work that takes longer than a second.
///
/// It is for a terminal that can erase it, and is erased before anything else is written there.
final class ProgressLine: Sendable {
  private struct State {
    var isDone = false
    var isShown = false
    /// The percentage that was shown last, which never goes back; nil while no amount is known.
    var percentage: Int?
  }

  private let state = Lock(State())
  private let progress: WorkProgress

  /// Starts the line for some work, such as "checking".
  init(_ work: String, _ progress: WorkProgress) {
    self.progress = progress
    Task.detached { [self] in
      let clock = ContinuousClock()
      let start = clock.now
      var delay = Self.delay
      repeat {
        try await clock.sleep(for: delay)
        delay = .milliseconds(250)
      } while show(work, after: clock.now - start)
    }
  }

  /// The time until the line appears: a second, or `RESTORATION_PROGRESS_DELAY` seconds, as `GIT_PROGRESS_DELAY` for git.
  private static var delay: Duration {
    let seconds = Pager.variable("RESTORATION_PROGRESS_DELAY").flatMap { Int($0) } ?? 1
    // A clock cannot add any duration; a day is longer than any work.
    return .seconds(min(max(seconds, 0), 86_400))
  }

  /// Replaces the line, and returns whether the work goes on.
  private func show(_ work: String, after time: Duration) -> Bool {
    state.withLock { state in
      if state.isDone { return false }
      state.isShown = true
      if let fraction = progress.fraction { state.percentage = max(state.percentage ?? 0, min(Int(fraction * 100), 100)) }
      let part = state.percentage.map { "\($0) %" } ?? "\(time.components.seconds) s"
      Self.write("\r\u{1B}[Krestoration: \(work), \(part)")
      return true
    }
  }

  /// Erases the line while `body` writes to the terminal; it appears again if the work goes on.
  func interrupt(_ body: () -> Void) {
    state.withLock { state in
      erase(&state)
      body()
    }
  }

  /// Erases the line for good.
  func finish() {
    state.withLock { state in
      erase(&state)
      state.isDone = true
    }
  }

  private func erase(_ state: inout State) {
    if state.isShown { Self.write("\r\u{1B}[K") }
    state.isShown = false
  }

  // An unwritten progress line does no harm.
  private static func write(_ text: String) { _ = writeAll(Array(text.utf8), to: 2) }
}
