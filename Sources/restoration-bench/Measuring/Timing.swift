/// How long something took, over many runs.
struct Timing {
  /// Nanoseconds; in half of the samples a run took no longer.
  let median: Double
  /// Nanoseconds of a run in the fastest sample; 0 if the clock told no time for any.
  let minimum: Double
  /// How often it was run, warm-up not counted.
  let runCount: Int
  /// The median of each turn.
  private let turns: [Double]

  /// Makes a timing of all turns of a trial.
  init(_ turns: [Turn]) {
    let all = turns.flatMap(\.samples)
    runCount = turns.reduce(0) { $0 + $1.runCount }
    // The processor's clock stands still now and then; no run takes no time.
    minimum = all.lazy.filter { $0 > 0 }.min() ?? 0
    median = Self.median(of: all)
    self.turns = turns.map { Self.median(of: $0.samples) }
  }

  /// How many times as long it took as something else that was timed in the same rounds: the median of the quotients of each round.
  ///
  /// A processor that others use too changes its speed for seconds at a time. Within a round both have the same one; medians over all rounds
  /// may be of different ones.
  func quotient(by other: Timing) -> Double? {
    let quotients = zip(turns, other.turns).compactMap { $1 > 0 ? $0 / $1 : nil }
    return quotients.isEmpty ? nil : Self.median(of: quotients)
  }

  private static func median(of samples: [Double]) -> Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
