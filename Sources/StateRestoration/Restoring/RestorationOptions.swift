public import RestorationArchive

/// Options for restoring an archive.
public struct RestorationOptions {
  /// Information about the launch.
  public var launch: RestorationLaunch
  /// The policy that decides whether an archive is restored at all.
  public var policy: RestorationPolicy
  /// Quarantined paths, skipped with all descendants because restoring them crashed the app; the empty path is the
  /// application state.
  ///
  /// A ``RestorationStore`` adds the paths that it knows. Quarantined state is carried over unchanged. If a live object
  /// exists at the path, the quarantine ends once the object encodes something other than it did when restoring ended.
  public var quarantined: Set<RestorationPath>
  /// The digest of the quarantined state by path, if known; a different state at the path is restored.
  var quarantineDigests: [RestorationPath: UInt64] = [:]
  /// The limits of unclaimed state that is carried over; nodes beyond them are not restored.
  public var carryLimits: CarryLimits
  /// Whether the report lists all resolution steps of each node.
  public var tracesDecisions: Bool
  /// The observer of calls into the app.
  public var observer: (any RestorationObserver)?

  /// Creates options.
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
