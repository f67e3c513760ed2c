/// What came of restoring an app from a store.
public struct StoreRestoration: Sendable {
  /// What the launch did, with the reason for each file.
  public let plan: LaunchPlan
  /// What became of each node; nil if nothing was restored.
  public let report: RestorationReport?
  /// The open offers, the newest first: saved states that the user may have back.
  public let offers: [StoreOffer]
  /// Files that a limit has ended although nobody had answered for them, since this was reported last.
  public let endedFiles: [EndedFile]
  /// How the process before ended; nil if there was none, or if the files cannot be reached yet.
  public let lastExit: LastExit?
  /// What kept the launch from being noted: then a crash at this launch may be unknown to the next one.
  public let launchError: StoreError?
}
