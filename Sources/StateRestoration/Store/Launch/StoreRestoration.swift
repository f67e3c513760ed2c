/// What came of restoring an app from a store.
public struct StoreRestoration: Sendable {
  /// What the launch was to do, with the reason for each file.
  public let plan: LaunchPlan
  /// What became of each node; nil if nothing was restored.
  public let report: RestorationReport?
}
