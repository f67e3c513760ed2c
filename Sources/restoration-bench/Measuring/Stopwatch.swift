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
    var turns = [[[Double]]](repeating: [], count: trials.count)
    for round in 0..<roundCount {
      for (index, trial) in trials.enumerated() {
        progress.show("\(label) \(trial.contender.rawValue), round \(round + 1) of \(roundCount)")
        if warmsUpEachTurn || round == 0 { try trial.run() }
        turns[index].append(try turn(of: trial))
      }
    }
    return turns.map { Timing(turns: $0) }
  }

  private func turn(of trial: Trial) throws -> [Double] {
    var samples: [Double] = []
    var spent = 0.0
    repeat {
      try trial.prepare()
      let start = trial.clock.now
      try trial.run()
      let time = trial.clock.now - start
      samples.append(time)
      spent += time
    } while spent < turn
    return samples
  }
}
