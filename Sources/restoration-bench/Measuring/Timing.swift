/// How long something took, over many runs.
struct Timing {
  /// Nanoseconds; half of the runs took no longer.
  let median: Double
  /// Nanoseconds of the fastest run.
  let minimum: Double
  /// How often it was run, warm-up not counted.
  let runCount: Int

  init(nanoseconds samples: [Double]) {
    let sorted = samples.sorted()
    runCount = sorted.count
    minimum = sorted.first ?? 0
    median = sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
