public import RestorationArchive

/// The decision of a launch about an archive, and its reason.
public struct LaunchPlan: Sendable {
  /// An action of a launch.
  public enum Action: Sendable {
    /// Restore the archive, without the quarantined nodes.
    case restore(StoreLoad.Archive, without: Set<RestorationPath>)
    /// Start fresh, and offer the archive to the user.
    case offer(StoreOffer)
    /// Start fresh.
    case startFresh(FreshStartReason)
    /// Wait until the storage is accessible.
    case wait
  }

  /// The action to perform.
  public let action: Action
  /// The result of loading, with an outcome for each file.
  public let load: StoreLoad
  /// The reason, in one sentence.
  public let reason: String
  /// When the first of the quarantined nodes is tried again, and what releases it, in words; nil without one.
  public let retry: String?
  /// What is known of each quarantined path.
  let left: [RestorationPath: LeftNode]

  init(_ action: Action, _ load: StoreLoad, _ reason: String, left: [RestorationPath: LeftNode] = [:], retry: String? = nil) {
    self.action = action
    self.load = load
    self.reason = reason
    self.left = left
    self.retry = retry
  }
}

/// The result of restoring an app from a store.
public struct RestoredArchive: Sendable {
  /// The decision of the launch, with an outcome for each file.
  public let plan: LaunchPlan
  /// The report for each node, also of an archive that was refused; nil without one.
  public let report: RestorationReport?
  /// The open offers, newest first: saved states that the user may restore.
  public let offers: [StoreOffer]
  /// The unanswered offers and pinned files that a limit has removed since the last report.
  public let endedFiles: [EndedFile]
  /// The way the previous process ended; nil if there was none, or if the storage is not accessible yet.
  public let lastExit: LastExit?
  /// The error that prevented the launch from being recorded: the next launch may then not know of a crash of this
  /// process.
  public let launchError: StoreError?
}

/// The options of an app's launches, set when it opens its store.
public struct LaunchOptions: Sendable, Hashable {
  /// The running build; a build other than the one that died retries a quarantined node.
  public var bundleVersion: String?
  /// Whether this is a safe-mode launch, which offers saved state instead of restoring it, as for a `--safe-mode`
  /// argument.
  public var isSafe: Bool
  /// The time that the app must run after restoring to become stable, 5 s by default.
  ///
  /// Measured in ticks of the restoring actor, so that a hanging app does not become stable.
  public var stableAfter: Duration
  /// The numbers of good launches after which the same build tries a quarantined node again, 5, 10 and 20 by default.
  ///
  /// The first counts from the node's first death, the second from the first retry that died, and so on; the last is
  /// repeated.
  public var retriesAfter = [5, 10, 20]
  /// Whether fatal signals are recorded: traps, bad accesses, aborts.
  ///
  /// A node that traps during restoration is then left out at the very next launch, instead of after its second death.
  /// The handler writes 64 bytes into the store's folder and then runs the previous handler; it stays installed for the
  /// lifetime of the process. Install other handlers earlier, or make them call the previous one. A stack overflow is
  /// recorded only on the thread that begins the launch.
  public var recordsFatalSignals: Bool

  /// Creates launch options.
  public init(bundleVersion: String? = nil, isSafe: Bool = false, stableAfter: Duration = .seconds(5), recordsFatalSignals: Bool = false) {
    self.bundleVersion = bundleVersion
    self.isSafe = isSafe
    self.stableAfter = stableAfter
    self.recordsFatalSignals = recordsFatalSignals
  }

  /// The numbers of ``retriesAfter``, each at least 1.
  var usablePatience: [Int] { retriesAfter.isEmpty ? LaunchHistory.patience : retriesAfter.map { max(1, $0) } }

  /// The length of a tick.
  static let tick = ApplicationLifecycle.Timing.stabilityTick

  /// The number of ticks until an archive is stable.
  var ticksToStable: Int {
    let (seconds, attoseconds) = stableAfter.limited.components
    let halves = Double(seconds) * 2 + Double(attoseconds) / 5e17
    return max(1, Int(min(halves.rounded(.up), 1_000_000)))
  }
}
