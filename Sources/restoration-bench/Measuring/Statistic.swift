/// Which of many runs a figure is taken from.
enum Statistic {
  /// The one in the middle.
  case median
  /// The fastest.
  case minimum

  /// The nanoseconds of that run.
  func time(_ timing: Timing) -> Double {
    switch self {
    case .median: timing.median
    case .minimum: timing.minimum
    }
  }

  /// How many times as long one thing took as another.
  func quotient(_ timing: Timing?, by other: Timing?) -> Double? {
    guard let timing, let other else { return nil }
    switch self {
    case .median: return timing.quotient(by: other)
    case .minimum: return other.minimum > 0 ? timing.minimum / other.minimum : nil
    }
  }
}
