/// Times trials against each other.
///
/// They take turns, so that whatever else the machine does hits all of them, and what only computes is timed by the processor's clock:
/// still, only their ratios are worth anything.
struct Stopwatch {
  /// How often each trial has its turn.
  let roundCount: Int
  /// How long a turn is, in nanoseconds; a trial is run at least once in it.
  let turn: Double
  /// Whether each turn begins with a run that is not counted.
  ///
  /// Caches and branch predictors are then those of another trial; a large load leaves nothing in them either way.
  private let warmsUpEachTurn: Bool

  init(_ load: Load) {
    roundCount = load == .large ? 3 : 15
    turn = load == .large ? 1e9 : 80e6
    warmsUpEachTurn = load != .large
  }

  func time(_ trials: [Trial], progress: Progress, label: String) throws -> [Timing] {
    var turns = [[Turn]](repeating: [], count: trials.count)
    for round in 0..<roundCount {
      for (index, trial) in trials.enumerated() {
        progress.show("\(label) \(trial.contender.rawValue), round \(round + 1) of \(roundCount)")
        if warmsUpEachTurn || round == 0 { try trial.run() }
        turns[index].append(try turn(of: trial))
      }
    }
    return turns.map { Timing($0) }
  }

  /// Runs a trial until its turn is over.
  ///
  /// What takes next to no time is run several times for a sample, so that asking for the time is no part of it that counts; but once if
  /// something has to be done before each run.
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
      if trial.prepare == nil, count < Self.mostRuns, time < trial.clock.shortestSample {
        count *= 2
      } else {
        turn.add(time, of: count)
      }
    } while spent < self.turn || turn.runCount == 0
    return turn
  }

  /// The most runs of a sample.
  private static let mostRuns = 4096
}
