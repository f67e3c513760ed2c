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
  /// The digest of each quarantined path's state, where known.
  let digests: [RestorationPath: UInt64]

  init(_ action: Action, _ load: StoreLoad, _ reason: String, digests: [RestorationPath: UInt64] = [:]) {
    self.action = action
    self.load = load
    self.reason = reason
    self.digests = digests
  }
}

/// The result of restoring an app from a store.
public struct StoreRestoration: Sendable {
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
