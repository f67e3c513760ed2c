package import RestorationArchive

/// The decision of a launch about an archive, and its reason.
package struct LaunchPlan: Sendable {
  /// An action of a launch.
  package enum Action: Sendable {
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
  package let action: Action
  /// The result of loading, with an outcome for each file.
  package let load: StoreLoad
  /// The reason, in one sentence.
  package let reason: String
  /// When the first of the quarantined nodes is tried again, and what releases it, in words; nil without one.
  package let retry: String?
  /// What is known of each quarantined path.
  let left: [RestorationPath: LeftNode]

  init(_ action: Action, _ load: StoreLoad, _ reason: String, left: [RestorationPath: LeftNode] = [:], retry: String? = nil) {
    (self.action, self.load, self.reason, self.left, self.retry) = (action, load, reason, left, retry)
  }
}

/// The result of a launch or of opening a scene: the restored state, the reasons, and the offers.
public struct AppLaunch: Sendable, CustomStringConvertible {
  /// The reason for restoring: the first launch, the user, recovery after a crash, or the system.
  public let reason: RestorationReason
  /// The report for each node, also of an archive that was refused; nil without one.
  public let report: RestorationReport?
  /// The reason for starting without restored state; nil if state was restored, or if the files are not accessible yet.
  public internal(set) var freshStart: FreshStartReason?
  /// Whether the files are not accessible yet; ``LifecycleEvent/storage(isAvailable:)`` will restore the state.
  public let isWaiting: Bool
  /// The open offers, newest first: saved states that the user may restore.
  public let offers: [StoreOffer]
  /// The unanswered offers and pinned files that a limit has removed since the last report, and the offers that have become too
  /// old (``RestorationPolicy/maximumAge(_:)``).
  public let endedFiles: [Generation]
  /// The way the previous process ended; nil if there was none, or if that is not known yet.
  public let lastExit: LastExit?
  /// The error that prevented this launch from being recorded: the next launch may then not know of a crash of this
  /// process.
  public let launchError: StoreError?
  /// The decision about the saved files.
  package let plan: LaunchPlan

  /// The result of loading, with an outcome for each file.
  public var load: StoreLoad { plan.load }

  init(
    _ plan: LaunchPlan, _ report: RestorationReport?, _ offers: [StoreOffer], _ condition: RestorationCondition,
    after history: LaunchHistory?,
    ended: [Generation], launchError: StoreError?
  ) {
    (self.plan, self.report, self.offers, endedFiles, self.launchError) = (plan, report, offers, ended, launchError)
    (reason, lastExit) = (history?.reason ?? .launch, history?.lastExit)
    isWaiting = condition == .pending
    freshStart =
      switch plan.action {
      case .startFresh(let reason): reason
      case .offer: .offered
      case .restore: condition == .fresh ? .refused : nil
      case .wait: nil
      }
  }

  /// The ``summary``, the ``endedFiles``, and each open offer with the calls that answer it, on one line.
  public var description: String {
    let numbers = endedFiles.map { "\($0.number)" }.joined(separator: ", ")
    let ended = numbers.isEmpty ? "" : "; removed unanswered, because there were too many or they were too old: generation \(numbers)"
    if offers.isEmpty { return summary + ended }
    return summary + ended + offers.map { "; offered: \($0)" }.joined() + "; restore(_:) accepts an offer, and decline(_:) ends it"
  }

  /// A one-line outcome: the summary of the report, whether part of the saved state was unreadable, the newer files that
  /// could not be used and how many of the last saves were lost, or the reason for restoring nothing.
  public var summary: String {
    if case .offer = plan.action { return "starts fresh" }
    let unusable = plan.load.unusableFiles
    guard let report else { return plan.reason + unusable.map { "; generation \($0)" }.joined() }
    let isIncomplete = report.notes.contains { $0.kind == .unreadable }
    let lostSaves = plan.load.archive?.lostLinks.map { "; \($0)" } ?? ""
    let unused = unusable.map { "; newer state cannot be used: generation \($0)" }
    let missing = plan.load.missing.map { "; of generation \($0), which is newer, only links are left" }
    let hasLeft = report.nodes.contains { $0.outcome == .quarantined }
    let retry = hasLeft ? plan.retry.map { "; quarantined nodes are \($0)" } ?? "" : ""
    return report.summary + retry + (isIncomplete ? "; part of the saved state is damaged" : "") + unused.joined() + missing.joined()
      + lostSaves
  }
}

/// The files of a store as the next launch will see them, for inspection before it begins.
///
/// Nothing on disk has changed: ``stored(_:)`` returns the file's name on disk.
struct PredictedFiles {
  /// The history that the next launch will have.
  private(set) var history: LaunchHistory
  /// The files with their future marks, newest first.
  private(set) var catalog: GenerationCatalog
  /// The files whose marks on disk differ.
  private var storedAs: [Generation: Generation] = [:]

  /// Predicts the effects of conclusions at a launch.
  init(_ history: LaunchHistory, _ catalog: GenerationCatalog, _ conclusions: [LaunchLedger.Acceptance], _ reader: StoreReader) {
    self.history = history
    self.catalog = catalog
    for conclusion in conclusions {
      let operations = self.history.fileSteps(for: conclusion, among: self.catalog.generations) { reader.digest(of: stored($0)) }
      for step in operations.steps { foresee(step) }
      self.history.finish(conclusion, operations)
    }
    for archive in self.history.ledger.acquittals.keys {
      for step in self.history.fileSteps(forAcquittalOf: archive, among: self.catalog.generations).steps { foresee(step) }
      self.history.finishAcquittal(of: archive)
    }
  }

  private mutating func foresee(_ step: FileSteps.Step) {
    switch step {
    case .remove(let generation): catalog.generations.removeAll { $0 == generation }
    case .mark(let generation, let mark):
      let marked = generation.marked(mark)
      storedAs[marked] = stored(generation)
      catalog.generations.removeAll { $0 == generation }
      catalog.generations.append(marked)
      catalog.generations.sort(by: >)
    }
  }

  /// Returns a file with its mark on disk.
  func stored(_ generation: Generation) -> Generation { storedAs[generation] ?? generation }

  /// Returns the files that may be restored, in the order in which they are tried, with their marks on disk.
  func candidates(for archive: ArchiveName) -> [Generation] {
    catalog.candidates(for: archive, history.ledger).map(stored)
  }

  /// Returns the file of an archive that ended the process while it was read, and that is still to be offered; nil for others.
  func unread(_ archive: ArchiveName) -> Generation? {
    guard let aside = history.ledger.setAside[archive], aside.isUnread else { return nil }
    return candidates(for: archive).first { $0.number <= aside.number }
  }
}
