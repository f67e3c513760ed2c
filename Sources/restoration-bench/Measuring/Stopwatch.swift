import Foundation
import SystemLibrary

/// Times trials against each other.
///
/// Trials alternate, so a change of the machine's speed affects all of them. Only their ratios are meaningful.
struct Stopwatch {
  let roundCount: Int
  /// The duration of a turn in nanoseconds; a turn holds at least one run.
  let turn: Double
  let progress: Progress

  init(_ load: Load, progress: Progress) {
    roundCount = load == .large ? 3 : 15
    turn = load == .large ? 1e9 : 80e6
    self.progress = progress
  }

  func time(_ trials: [Trial], label: String) throws -> [Timing] {
    var turns = [[Turn?]](repeating: [], count: trials.count)
    var isLong = [Bool](repeating: false, count: trials.count)
    for round in 0..<roundCount {
      for (index, trial) in trials.enumerated() {
        progress.show("\(label) \(trial.contender.rawValue), round \(round + 1) of \(roundCount)")
        // A run longer than several turns needs no warm-up and only a third of the rounds.
        if !isLong[index] {
          let start = TrialClock.wall.now
          try trial.run()
          isLong[index] = TrialClock.wall.now - start > 4 * turn
        } else if round % 3 != 0 {
          turns[index].append(nil)
          continue
        }
        turns[index].append(try turn(of: trial))
      }
    }
    return turns.map { Timing($0) }
  }

  /// Runs a trial until its turn is over.
  ///
  /// Short runs are timed several at a time, so that the cost of reading the clock is negligible. Trials with
  /// preparations are timed one run at a time.
  private func turn(of trial: Trial) throws -> Turn {
    var turn = Turn()
    var count = 1
    var spent = 0.0
    repeat {
      try trial.prepare?()
      let start = trial.clock.now
      for _ in 0..<count { try trial.run() }
      let time = trial.clock.now - start
      spent += time
      if trial.prepare == nil, count < Self.maximumRuns, time < trial.clock.shortestSample {
        count *= 2
      } else {
        turn.add(time, of: count)
      }
    } while spent < self.turn || turn.runCount == 0
    return turn
  }

  /// The largest number of runs in a sample.
  private static let maximumRuns = 4096

  /// Repeats a launch or a save for the total duration of a trial's rounds, and returns the timing of each phase.
  ///
  /// The first run is the warm-up; at least five more follow, or two if they take long. Each run counts as a round, so that the
  /// phases of a run are compared with each other.
  func time(_ journey: Journey, label: String) throws -> [(Phase, Timing)] {
    progress.show(label)
    _ = try journey.run()
    var turns: [Phase: [Turn]] = [:]
    var order: [Phase] = []
    let start = TrialClock.wall.now
    var count = 0
    while true {
      let spent = TrialClock.wall.now - start
      if count >= (spent < 10e9 ? 5 : 2), count >= 1000 || spent >= Double(roundCount) * turn { break }
      for (phase, time) in try journey.run() {
        if turns[phase] == nil { order.append(phase) }
        var turn = Turn()
        turn.add(time, of: 1)
        turns[phase, default: []].append(turn)
      }
      count += 1
    }
    return order.map { ($0, Timing(turns[$0] ?? [])) }
  }
}

/// Prints the current measurement on a terminal; silent otherwise.
final class Progress {
  private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) != 0

  func show(_ text: String) {
    if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
  }
}

/// The clock of a trial.
enum TrialClock {
  /// The thread's processor time, for pure computation; it excludes other work on the machine.
  case processor
  /// Elapsed time, for operations that wait for a disk or take almost no time.
  case wall

  /// The shortest sample in nanoseconds: about fifty times the cost of reading the clock.
  ///
  /// Reading the processor clock is a system call of 800 ns; the wall clock is read from memory.
  var shortestSample: Double { self == .processor ? 40_000 : 2_000 }

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
  func quotient(by other: Timing?) -> Double? {
    guard let other else { return nil }
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
