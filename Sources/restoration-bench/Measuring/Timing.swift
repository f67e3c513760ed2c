#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The clock that a trial is timed by.
enum TrialClock {
  /// The processor time of the thread, for pure computation: other work of the machine is not counted.
  case processor
  /// Elapsed time, for anything that waits for a disk, and for anything that takes next to no time.
  case wall

  /// The shortest sample in nanoseconds: some fifty times what reading the clock takes.
  ///
  /// The processor clock is a system call of 800 ns; the other is read from memory.
  var shortestSample: Double {
    switch self {
    case .processor: 40_000
    case .wall: 2_000
    }
  }

  /// The nanoseconds since some point in the past.
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

/// The duration of something, over many runs.
struct Timing {
  /// The median, in nanoseconds.
  let median: Double
  /// The fastest sample, in nanoseconds; 0 if the clock stood still in each.
  let minimum: Double
  /// The number of runs, warm-up not counted.
  let runCount: Int
  /// The median of each round; nil for a round without a turn.
  private let rounds: [Double?]

  /// Makes a timing of the turns of a trial, one per round.
  init(_ turns: [Turn?]) {
    let all = turns.flatMap { $0?.samples ?? [] }
    runCount = turns.reduce(0) { $0 + ($1?.runCount ?? 0) }
    // The processor clock stands still now and then; no run takes no time.
    minimum = all.lazy.filter { $0 > 0 }.min() ?? 0
    median = Self.median(of: all)
    rounds = turns.map { $0.map { Self.median(of: $0.samples) } }
  }

  /// Returns how many times as long this took as something else in the same rounds: the median of the quotients of each round.
  ///
  /// A shared processor changes its speed for seconds at a time. Within a round both timings saw the same speed.
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

/// The way to get a figure from many runs.
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

  /// Returns how many times as long one thing took as another.
  func quotient(_ timing: Timing?, by other: Timing?) -> Double? {
    guard let timing, let other else { return nil }
    switch self {
    case .median: return timing.quotient(by: other)
    case .minimum: return other.minimum > 0 ? timing.minimum / other.minimum : nil
    }
  }
}
