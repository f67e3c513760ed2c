/// The result of restoring an app from a store.
public struct StoreRestoration: Sendable {
  /// The decision of the launch, with an outcome for each file.
  public let plan: LaunchPlan
  /// The report for each node; nil if nothing was restored.
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
