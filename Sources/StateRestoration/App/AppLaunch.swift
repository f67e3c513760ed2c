/// What came of a launch, or of opening a scene: what was restored and why, and what is offered.
public struct AppLaunch: Sendable, CustomStringConvertible {
  /// Why the app restores: the first launch, the user, recovery after a crash, or the system.
  public let reason: RestorationReason
  /// What became of each node; nil if nothing was restored.
  public let report: RestorationReport?
  /// Why the app starts without restored state; nil if it does not, or if its files cannot be reached yet.
  public let freshStart: FreshStartReason?
  /// Whether the files cannot be reached yet: the state comes with ``LifecycleEvent/storage(isAvailable:)``.
  public let isWaiting: Bool
  /// The open offers, the newest first: saved states that the user may have back.
  public let offers: [StoreOffer]
  /// Files that a limit has ended although no offer of them was answered, since this was reported last.
  public let endedFiles: [EndedFile]
  /// How the process before ended; nil if there was none, or if that cannot be known yet.
  public let lastExit: LastExit?
  /// The error that kept this launch from being noted: a crash of this process may then be unknown to the next one.
  public let noteError: StoreError?
  /// What the launch did with the saved files, with the reason for each.
  public let plan: LaunchPlan?

  init(_ restored: StoreRestoration?, reason: RestorationReason, _ application: RestorableApplication) {
    self.reason = reason
    report = restored?.report
    offers = restored?.offers ?? []
    endedFiles = restored?.endedFiles ?? []
    lastExit = restored?.lastExit
    noteError = restored?.launchError
    plan = restored?.plan
    isWaiting = application.condition == .pending
    freshStart =
      switch restored?.plan.action {
      case .startFresh(let reason): reason
      case .offer: .offered
      case .restore: application.condition == .fresh ? .refused : nil
      case .wait: nil
      case nil: .chosen
      }
  }

  /// The outcome in a line: the summary of the report, or why nothing was restored.
  public var description: String { report?.summary ?? plan?.reason ?? "starts fresh" }
}
