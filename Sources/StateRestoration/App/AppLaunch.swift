/// The result of a launch or of opening a scene: the restored state, the reasons, and the offers.
public struct AppLaunch: Sendable, CustomStringConvertible {
  /// The reason for restoring: the first launch, the user, recovery after a crash, or the system.
  public let reason: RestorationReason
  /// The report for each node, also of an archive that was refused; nil without one.
  public let report: RestorationReport?
  /// The reason for starting without restored state; nil if state was restored, or if the files are not accessible yet.
  public let freshStart: FreshStartReason?
  /// Whether the files are not accessible yet; ``LifecycleEvent/storage(isAvailable:)`` will restore the state.
  public let isWaiting: Bool
  /// The open offers, newest first: saved states that the user may restore.
  public let offers: [StoreOffer]
  /// The unanswered offers and pinned files that a limit has removed since the last report.
  public let endedFiles: [EndedFile]
  /// The way the previous process ended; nil if there was none, or if that is not known yet.
  public let lastExit: LastExit?
  /// The error that prevented this launch from being recorded: the next launch may then not know of a crash of this
  /// process.
  public let launchError: StoreError?
  /// The decision about the saved files, with an outcome for each file.
  public let plan: LaunchPlan?

  init(
    _ restored: RestoredArchive?, reason: RestorationReason, _ application: RestorableApplication, restoresState: Bool
  ) {
    self.reason = reason
    report = restored?.report
    offers = restored?.offers ?? []
    endedFiles = restored?.endedFiles ?? []
    lastExit = restored?.lastExit
    launchError = restored?.launchError
    plan = restored?.plan
    isWaiting = application.condition == .pending
    freshStart =
      switch restored?.plan.action {
      case .startFresh(let reason): reason
      case .offer: .offered
      case .restore: application.condition != .fresh ? nil : restoresState ? .refused : .chosen
      case .wait: nil
      case nil: .chosen
      }
  }

  /// The ``summary``, and each open offer with the calls that answer it, on one line.
  public var description: String {
    if offers.isEmpty { return summary }
    return summary + offers.map { "; offered: \($0)" }.joined() + "; restore(_:) accepts an offer, and decline(_:) ends it"
  }

  /// A one-line outcome: the summary of the report, whether part of the saved state was unreadable, the newer files that
  /// could not be used and how many of the last saves were lost, or the reason for restoring nothing.
  public var summary: String {
    if case .offer = plan?.action { return "starts fresh" }
    guard let report else { return plan?.reason ?? "starts fresh" }
    let isIncomplete = report.notes.contains { $0.kind == .unreadable }
    let lostSaves = plan?.load.archive?.lostLinks.map { "; \($0)" } ?? ""
    let unused = plan?.load.unusableFiles.map { "; newer state cannot be used: generation \($0)" } ?? []
    let retry = plan?.retry.map { "; quarantined nodes are \($0)" } ?? ""
    return report.summary + retry + (isIncomplete ? "; part of the saved state is damaged" : "") + unused.joined() + lostSaves
  }
}
