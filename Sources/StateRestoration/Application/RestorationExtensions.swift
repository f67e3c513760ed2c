import Locking

/// Counts what goes on restoring after the call that restores has returned: from any thread.
///
/// As long as something does, the death of the process counts as a death while restoring.
public final class RestorationExtensions: Sendable {
  private struct State {
    var count = 0
    var excess = 0
    var onEnd: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Makes a counter.
  public init() {}

  /// How many are going on.
  public var count: Int { state.withLock { $0.count } }

  /// How many were completed that had not begun: mistakes in the app.
  public var excessCompletions: Int { state.withLock { $0.excess } }

  /// Says that restoring goes on, until ``completeStateRestoration()``.
  public func extendStateRestoration() {
    state.withLock { $0.count += 1 }
  }

  /// Says that what was begun with ``extendStateRestoration()`` has ended.
  ///
  /// - Returns: Whether it was the last one; false also if none was going on, which reports then count.
  @discardableResult
  public func completeStateRestoration() -> Bool {
    let (isLast, onEnd) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard state.count > 0 else {
        state.excess += 1
        return (false, nil)
      }
      state.count -= 1
      return (state.count == 0, state.count == 0 ? state.onEnd : nil)
    }
    onEnd?()
    return isLast
  }

  /// Calls `body` each time the last one ends, on the thread that ends it.
  public func onEnd(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.onEnd = body }
  }
}
