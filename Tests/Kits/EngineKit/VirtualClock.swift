import Locking

/// A clock that stands still until a test moves it.
public final class VirtualClock: Clock, Sendable {
  /// A moment: the time since the clock was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// The moment that is later by `duration`.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time to another moment.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether a moment comes before another one.
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
    /// Sleepers that were cancelled before they slept.
    var cancelled: Set<UInt64> = []
  }

  private let state = Lock(State())

  /// Makes a clock at its beginning.
  public init() {}

  /// The moment at which the clock stands.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }
  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock was moved to `deadline`.
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

  /// Whether a sleeper waits for a time.
  public func hasSleeper(until time: Duration) -> Bool { state.withLock { $0.sleepers.contains { $0.deadline == time } } }

  /// Moves the clock on, and wakes all whose time has come.
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
