public import RestorationArchive

/// How an archive is restored.
public struct RestorationOptions {
  /// What is known about the launch.
  public var launch: RestorationLaunch
  /// Which archives are restored at all.
  public var policy: RestorationPolicy
  /// Paths that are left out with all below them, because restoring them killed the app.
  public var quarantined: Set<RestorationPath>
  /// For how long state that nobody takes is carried over from save to save.
  public var carryLimits: CarryLimits
  /// Whether the report lists, for each node, everything that was asked.
  public var tracesDecisions: Bool
  /// Is told before each call into the app.
  public var observer: (any RestorationObserver)?

  /// Makes options.
  public init(
    launch: RestorationLaunch = RestorationLaunch(), policy: RestorationPolicy = .always, quarantined: Set<RestorationPath> = [],
    carryLimits: CarryLimits = .standard, tracesDecisions: Bool = false, observer: (any RestorationObserver)? = nil
  ) {
    self.launch = launch
    self.policy = policy
    self.quarantined = quarantined
    self.carryLimits = carryLimits
    self.tracesDecisions = tracesDecisions
    self.observer = observer
  }
}
