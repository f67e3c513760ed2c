extension ContinuousClock.Instant {
  /// A time that no test reaches: tests that occupy all threads for minutes must not make a save look late.
  static var farAway: Self { .now + .seconds(100_000) }
}
