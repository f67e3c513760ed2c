import FoundationValues
import Locking
import RestorationArchive

/// What a launch decides about each archive.
extension RestorationStore {
  /// Begins the launch: determines how the previous process ended, and what to leave out or offer because of it.
  ///
  /// ``restore(_:as:with:options:isolation:)`` calls this automatically. Call it to learn the reason earlier. A second
  /// call has no effect until ``endLaunch()``.
  ///
  /// If the storage is not accessible yet, the reason cannot be determined: this returns `launch`, and the launch
  /// begins at the next load, restore or save with accessible storage. A later call then returns the real reason.
  ///
  /// - Parameter bundleVersion: The launching build, if the store's options do not specify it.
  /// - Returns: The reason for restoring: `pristine` at the first launch, else derived from the way the last process ended.
  /// - Throws: ``StoreError`` if the store cannot be locked for writing.
  @discardableResult
  package func beginLaunch(bundleVersion: String? = nil) throws(StoreError) -> RestorationReason {
    // Without the lock of the store: a scene that is opened later waits for no save.
    if let history = launch.history { return history.reason }
    let canReach = canReach
    return try withWriter { (writer) throws(StoreError) in
      if let history = launch.history { return history.reason }
      guard access == .writing else { throw .readingOnly }
      launch.state.withLock { state in
        if let bundleVersion { state.build = bundleVersion }
        if !canReach { state.isAwaited = true }
      }
      return canReach ? try writer.begin().reason : .launch
    }
  }

  /// Begins the launch that was waiting for the storage, if any; locks the store only then.
  func beginAwaitedLaunch() throws(StoreError) {
    if launch.isAwaited { try withWriter { (writer) throws(StoreError) in try writer.beginAwaitedLaunch() } }
  }

  /// Predicts the files of an archive and the history of the next launch; if this launch has begun, returns its own.
  func predictedFiles(of archive: ArchiveName) throws(StoreError) -> PredictedFiles {
    // Conclusions that this launch could not carry out are left to a later launch.
    if let begun = launch.history { return PredictedFiles(begun, try loadableFiles(of: archive), []) { reader.digest(of: $0) } }
    let history = launch.historyOfNextLaunch(after: try launch.leftRecords())
    return PredictedFiles(history, try loadableFiles(of: archive), history.conclusions) { reader.digest(of: $0) }
  }

  /// Plans the launch of an archive.
  ///
  /// - Parameter archive: The name of the archive.
  /// - Returns: The action and its reason.
  /// - Throws: ``StoreError``.
  package func plan(for archive: ArchiveName = .application) throws(StoreError) -> LaunchPlan {
    if let plan = try unreadPlan(for: archive) { return plan }
    let load = try load(archive)
    if load.isPending { return LaunchPlan(.wait, load, "the storage is not accessible yet") }
    let files = try predictedFiles(of: archive)
    if load.reason == .nothingSaved, files.catalog.closed.contains(where: { $0.archive == archive }) {
      return LaunchPlan(.startFresh(.nothingSaved), load, "the scene was closed")
    }
    return Self.plan(load, archive, files.history, try openOffers(of: archive, load, files))
  }

  /// Returns the plan for an archive that ended the process while it was read: it is offered unread; nil for others.
  private func unreadPlan(for archive: ArchiveName) throws(StoreError) -> LaunchPlan? {
    guard canReach else { return nil }
    try beginAwaitedLaunch()
    let files = try predictedFiles(of: archive)
    guard let generation = files.unread(archive),
      case .offer(let reason, let suspects) = files.history.decision(for: archive, current: generation.number)
    else { return nil }
    let load = StoreLoad(without: .unreadable, candidates: [StoreLoad.Candidate(generation: generation, outcome: .unread)])
    let offer = StoreOffer(generation, reason, suspects: suspects, isUnread: true)
    return LaunchPlan(.offer(offer), load, "offers generation \(generation.number) unread: \(reason.sentence)")
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ history: LaunchHistory, _ offers: [StoreOffer]) -> LaunchPlan {
    guard let saved = load.archive else { return freshPlan(load, offers) }
    switch history.decision(for: archive, current: saved.generation.number) {
    case .offer(let reason, let suspects):
      let offer = StoreOffer(saved.generation, reason, suspects: suspects).described(by: saved.reader.header, saved.reader)
      return LaunchPlan(.offer(offer), load, "offers generation \(saved.generation.number): \(reason.sentence)")
    case .leave: return LaunchPlan(.startFresh(.offered), load, "the last state is that of a fresh start that was not stable")
    case .restore(let left):
      let part = saved.isPartial ? "the intact part of generation" : "generation"
      let without = left.isEmpty ? "" : ", without \(left.count) \(left.count == 1 ? "path" : "paths") that killed the app"
      return LaunchPlan(
        .restore(saved, without: Set(left.map(\.path))), load, "restores \(part) \(saved.generation.number)\(without)",
        left: Dictionary(left.map { ($0.path, history.leftNode($0)) }, uniquingKeysWith: { $1 }),
        retry: left.min { history.launchesLeft($0) < history.launchesLeft($1) }.map { history.leftNode($0).retry })
    }
  }

  private static func freshPlan(_ load: StoreLoad, _ offers: [StoreOffer]) -> LaunchPlan {
    switch load.reason {
    case .laterVersion: return LaunchPlan(.startFresh(.laterVersion), load, "the saved state is of a later version")
    case .unreadable: return LaunchPlan(.startFresh(.unreadable), load, "the system cannot read the saved files")
    case .nothingSaved where offers.isEmpty: return LaunchPlan(.startFresh(.nothingSaved), load, "nothing was saved")
    case .nothingSaved: return LaunchPlan(.startFresh(.offered), load, "the saved state is only offered")
    default: return LaunchPlan(.startFresh(.allDamaged), load, "no saved file can be read")
    }
  }
}
