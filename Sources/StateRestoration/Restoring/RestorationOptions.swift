public import RestorationArchive

/// How an archive is restored.
public struct RestorationOptions {
  /// What is known about the launch.
  public var launch: RestorationLaunch
  /// Which archives are restored at all.
  public var policy: RestorationPolicy
  /// Paths that are left out with all below them, because restoring them killed the app; the empty path is the application state.
  ///
  /// A ``RestorationStore`` adds those that it knows of. Their state is carried over unchanged, also where an object is alive at the path, until
  /// what that object encodes differs from what it encodes when restoring ends.
  public var quarantined: Set<RestorationPath>
  /// By quarantined path: the state that it is about, if that is known; another state at the path is restored.
  var quarantineDigests: [RestorationPath: UInt64] = [:]
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
