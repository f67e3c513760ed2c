import Foundation

/// Times trials against each other.
///
/// Trials alternate, so a change of the machine's speed affects all of them. Only their ratios are meaningful.
struct Stopwatch {
  /// The number of rounds.
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
  /// The first run is the warm-up; at least five more follow, or two if they take long. Each run counts as a round, so that the phases of a run
  /// are compared with each other.
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
    write("\r\u{1B}[K\(text)")
  }

  func clear() {
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    if isTerminal { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
