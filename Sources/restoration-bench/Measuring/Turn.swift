/// What was timed in one turn of a trial.
struct Turn {
  /// Nanoseconds that a run took, by sample.
  private(set) var samples: [Double] = []
  /// How often the trial was run for these.
  private(set) var runCount = 0

  /// Adds a sample of `count` runs that took `time` nanoseconds together.
  mutating func add(_ time: Double, of count: Int) {
    samples.append(time / Double(count))
    runCount += count
  }
}
