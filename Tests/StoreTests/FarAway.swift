extension ContinuousClock.Instant {
  /// A time that no test lives to see: tests that take all threads for minutes must not make a save look late.
  static var farAway: Self { .now + .seconds(100_000) }
}
