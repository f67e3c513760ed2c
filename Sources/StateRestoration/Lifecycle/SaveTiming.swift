extension ApplicationLifecycle {
  /// The delays of the machine.
  ///
  /// A negative delay counts as zero, and one of more than a century as a century.
  public struct Timing: Sendable, Hashable {
    /// The quiet time after a change before it is captured, 0.5 s by default.
    public var saveDelay: Duration { didSet { saveDelay = saveDelay.limited } }
    /// The longest time from a change to its capture while more changes follow, 5 s by default.
    public var longestSaveDelay: Duration { didSet { longestSaveDelay = longestSaveDelay.limited } }
    /// The time that the system allows an app entering the background or being suspended, 5 s by default.
    public var backgroundTime: Duration { didSet { backgroundTime = backgroundTime.limited } }
    /// The interval between the ticks that prove that the app runs; a store counts them.
    static let stabilityTick = Duration.milliseconds(500)

    /// Creates a timing.
    public init(
      saveDelay: Duration = .milliseconds(500), longestSaveDelay: Duration = .seconds(5), backgroundTime: Duration = .seconds(5)
    ) {
      self.saveDelay = saveDelay.limited
      self.longestSaveDelay = longestSaveDelay.limited
      self.backgroundTime = backgroundTime.limited
    }

    /// Returns when changes are to be saved, by the times of the first and the last of them.
    func saveTime(first: Duration, last: Duration) -> Duration {
      min(last + saveDelay, first + longestSaveDelay)
    }

    /// Returns when a save is to be tried again that has failed at a time.
    func retryTime(after failure: Duration) -> Duration { failure + longestSaveDelay }
  }
}

extension Duration {
  /// This duration, but not less than zero nor more than a century: times can then be added without an overflow.
  var limited: Duration { min(max(self, .zero), .seconds(100 * 366 * 86_400)) }
}
