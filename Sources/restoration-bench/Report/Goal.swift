/// A performance goal: a floor that must be met, and a stretch goal.
struct Goal {
  let operation: Operation
  let load: Load
  let yardstick: Yardstick
  let floor: Double
  let stretch: Double

  init(_ operation: Operation, _ load: Load, _ yardstick: Yardstick, floor: Double, stretch: Double) {
    self.operation = operation
    self.load = load
    self.yardstick = yardstick
    self.floor = floor
    self.stretch = stretch
  }

  /// Whether a value is at least as good as a bound.
  func isReached(_ bound: Double, by value: Double) -> Bool {
    yardstick.isMoreBetter ? value >= bound : value <= bound
  }

  /// Returns the shortfall of a value as a fraction of the bound; 0 or less if the bound is met.
  func shortfall(of value: Double, from bound: Double) -> Double {
    yardstick.isMoreBetter ? 1 - value / bound : value / bound - 1
  }
}
