import SystemLibrary

/// The clock of a trial.
enum TrialClock {
  /// The thread's processor time, for pure computation; it excludes other work on the machine.
  case processor
  /// Elapsed time, for operations that wait for a disk or take almost no time.
  case wall

  /// The shortest sample in nanoseconds: about fifty times the cost of reading the clock.
  ///
  /// Reading the processor clock is a system call of 800 ns; the wall clock is read from memory.
  var shortestSample: Double {
    switch self {
    case .processor: 40_000
    case .wall: 2_000
    }
  }

  /// The nanoseconds since a fixed point in the past.
  var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// The samples of one turn of a trial.
struct Turn {
  /// Nanoseconds per run, by sample.
  private(set) var samples: [Double] = []
  /// The number of runs in these samples.
  private(set) var runCount = 0

  /// Adds a sample of `count` runs that took `time` nanoseconds together.
  mutating func add(_ time: Double, of count: Int) {
    samples.append(time / Double(count))
    runCount += count
  }
}

/// The duration of an operation over many runs.
struct Timing {
  /// The median, in nanoseconds.
  let median: Double
  /// The fastest sample, in nanoseconds; 0 if every sample is 0.
  let minimum: Double
  /// The number of runs without the warm-up.
  let runCount: Int
  /// The median of each round; nil for a round in which the trial had no turn.
  private let rounds: [Double?]

  /// Creates a timing from a trial's turns, one per round.
  init(_ turns: [Turn?]) {
    let all = turns.flatMap { $0?.samples ?? [] }
    runCount = turns.reduce(0) { $0 + ($1?.runCount ?? 0) }
    // The processor clock occasionally stands still, but no run takes zero time.
    minimum = all.lazy.filter { $0 > 0 }.min() ?? 0
    median = Self.median(of: all)
    rounds = turns.map { $0.map { Self.median(of: $0.samples) } }
  }

  /// Returns the duration relative to another timing from the same rounds: the median of the per-round quotients.
  ///
  /// A shared processor changes its speed for seconds at a time, but both timings of a round saw the same speed.
  func quotient(by other: Timing) -> Double? {
    let quotients = zip(rounds, other.rounds).compactMap { left, right -> Double? in
      guard let left, let right, right > 0 else { return nil }
      return left / right
    }
    return quotients.isEmpty ? nil : Self.median(of: quotients)
  }

  private static func median(of samples: [Double]) -> Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// A statistic that reduces many runs to one figure.
enum Statistic {
  case median
  /// The fastest run.
  case minimum

  func time(_ timing: Timing) -> Double {
    switch self {
    case .median: timing.median
    case .minimum: timing.minimum
    }
  }

  /// Returns the duration of one timing relative to another.
  func quotient(_ timing: Timing?, by other: Timing?) -> Double? {
    guard let timing, let other else { return nil }
    switch self {
    case .median: return timing.quotient(by: other)
    case .minimum: return other.minimum > 0 ? timing.minimum / other.minimum : nil
    }
  }
}
