public import RestorationArchive

/// What a launch does with an archive, and why.
public struct LaunchPlan: Sendable {
  /// What to do.
  public enum Action: Sendable {
    /// Restore it, without the quarantined nodes.
    case restore(StoreLoad.Archive, without: Set<RestorationPath>)
    /// Start fresh, and offer it to the user.
    case offer(StoreOffer)
    /// Start fresh.
    case startFresh(FreshStartReason)
    /// Wait: the files cannot be reached yet.
    case wait
  }

  /// What to do.
  public let action: Action
  /// What was found, with the reason for each file.
  public let load: StoreLoad
  /// Why, in a sentence.
  public let reason: String
  /// The state that each quarantined path is about, where that is known.
  let digests: [RestorationPath: UInt64]

  init(_ action: Action, _ load: StoreLoad, _ reason: String, digests: [RestorationPath: UInt64] = [:]) {
    self.action = action
    self.load = load
    self.reason = reason
    self.digests = digests
  }
}
