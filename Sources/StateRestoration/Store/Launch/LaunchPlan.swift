public import RestorationArchive

/// What a launch should do with an archive, and why.
public struct LaunchPlan: Sendable {
  /// What to do.
  public enum Action: Sendable {
    /// Restore it, without the paths that killed the app before.
    case restore(StoreLoad.Archive, quarantined: Set<RestorationPath>)
    /// Start fresh and ask the user whether to restore it: the app died while or after restoring, and nobody knows of what.
    case offer(StoreLoad.Archive, quarantined: Set<RestorationPath>)
    /// Start fresh.
    case startFresh
    /// Wait: the files cannot be reached yet.
    case wait
  }

  /// What to do.
  public let action: Action
  /// What was found, with the reason for each file.
  public let load: StoreLoad
  /// Why, in a sentence.
  public let reason: String
}
