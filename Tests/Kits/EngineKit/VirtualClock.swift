import Locking

/// A clock that stands still until a test moves it.
public final class VirtualClock: Clock, Sendable {
  /// An instant, measured from the creation of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the creation of the clock.
    public var offset: Duration

    /// Returns the instant later by `duration`.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time to another instant.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Returns whether an instant precedes another one.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let number: UInt64
    let deadline: Duration
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Duration.zero
    var lastNumber: UInt64 = 0
    var sleepers: [Sleeper] = []
    /// Sleepers cancelled before they began to sleep.
    var cancelled: Set<UInt64> = []
  }

  private let state = Lock(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The current instant of the clock.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock is advanced to `deadline`.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if deadline.offset <= state.now { return true }
          state.sleepers.append(Sleeper(number: number, deadline: deadline.offset, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }

  /// Returns whether a sleeper waits for a time.
  public func hasSleeper(until time: Duration) -> Bool { state.withLock { $0.sleepers.contains { $0.deadline == time } } }

  /// Advances the clock, and wakes all sleepers whose deadline has passed.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now += duration
      let now = state.now
      defer { state.sleepers.removeAll { $0.deadline <= now } }
      return state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
  }
}
