import Locking
import SystemLibrary

/// A line on standard error that tells what the tool does if that takes more than a second.
///
/// It appears only on a terminal, and is erased before anything else is written.
final class ProgressLine: Sendable {
  private struct State {
    var isDone = false
    var isShown = false
  }

  private let state = Lock(State())

  /// Starts the line for some work, such as "checking"; it appears after a second.
  init(_ work: String) {
    guard isatty(2) == 1 else {
      finish()
      return
    }
    Task.detached { [self] in
      var seconds = 1
      while true {
        try await Task.sleep(for: .seconds(1))
        guard show("restoration: \(work), \(seconds) s") else { return }
        seconds += 1
      }
    }
  }

  /// Replaces the line, and returns whether the work goes on.
  private func show(_ text: String) -> Bool {
    state.withLock { state in
      if state.isDone { return false }
      state.isShown = true
      Self.write("\r\u{1B}[K\(text)")
      return true
    }
  }

  /// Erases the line for good.
  func finish() {
    state.withLock { state in
      if state.isShown { Self.write("\r\u{1B}[K") }
      state = State(isDone: true, isShown: false)
    }
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    // An unwritten progress line does no harm.
    _ = unsafe bytes.withUnsafeBytes { unsafe writeOnce(2, $0) }
  }
}
