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
