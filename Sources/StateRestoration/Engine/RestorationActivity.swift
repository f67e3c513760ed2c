import Locking

/// A thread-safe counter of restoration work that continues after the restoring call returns.
///
/// In the first minute of such work, termination of the process counts as a crash during restoration. Work that begins when
/// the archive is already stable does not count.
public final class RestorationActivity: Sendable {
  private struct State {
    var count = 0
    var excess = 0
  }

  private let state = Lock(State())

  package init() {}

  /// The number of extensions in progress.
  public var count: Int { state.withLock { $0.count } }

  /// The number of completions without a matching extension: mistakes in the app.
  package var excessCompletions: Int { state.withLock { $0.excess } }

  /// Extends restoration until ``completeStateRestoration()``.
  public func extendStateRestoration() {
    state.withLock { $0.count += 1 }
  }

  /// Ends an extension begun with ``extendStateRestoration()``.
  ///
  /// - Returns: Whether this was the last extension. False also if there was none; reports count such completions.
  @discardableResult
  public func completeStateRestoration() -> Bool {
    state.withLock { state in
      guard state.count > 0 else {
        state.excess += 1
        return false
      }
      state.count -= 1
      return state.count == 0
    }
  }
}
