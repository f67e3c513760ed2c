import FoundationValues
import Locking
import RestorationArchive

extension RestorationStore {
  /// Restores an app from its saved state, and begins the launch if necessary.
  ///
  ///     let store = try RestorationStore(AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42"))
  ///     let launch = try store.restore(tree, with: resolver)
  ///     print(launch)
  ///
  /// The newest state is restored, without nodes that crashed the app before. If the app died twice in a row or is in
  /// safe mode, the state is only offered (``AppLaunch/offers``) and the app starts fresh: ask the user, and
  /// answer with ``accept(_:without:evenIfDiedTwice:into:with:replacing:options:isolation:)`` or ``decline(_:)``. State that this
  /// launch skips becomes an offer at the next save.
  ///
  /// If the storage is not accessible yet (``AppLaunch/isWaiting``), the app waits for its state; call this again
  /// when the storage becomes accessible. State that the app preserved in the meantime is newer: the app continues with
  /// it (``FreshStartReason/newerState``), and ``RestorableTree/takeDeferredPreservation()`` returns the state to save.
  ///
  /// Call it on the actor that owns the objects, whose ticks determine when the app is stable. Without an actor, the first
  /// save with changes and ``markStable()`` do.
  ///
  /// - Parameters:
  ///   - tree: The app, or a scene.
  ///   - archive: The name of the archive.
  ///   - resolver: The factories and rules that create objects for nodes.
  ///   - options: The restoration options; the quarantined nodes are added, and a reason of `launch` is replaced by the
  ///     detected one.
  ///   - isolation: The actor that owns the objects.
  /// - Returns: The restored state, the reasons, and the offers.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was already restored.
  public func restore(
    _ tree: RestorableTree, as archive: ArchiveName = .application, with resolver: Resolver,
    options: RestorationOptions = RestorationOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws -> AppLaunch {
    if access == .writing { try beginLaunch() }
    // Reading the archive may end the process.
    var plan =
      try access == .writing
      ? launch.recordLoading(archive) { () throws(StoreError) in try self.plan(for: archive) } : self.plan(for: archive)
    if tree.condition != .restored { (tree.storedAs, tree.resolver) = (archive, resolver) }
    var options = options
    if options.launch.reason == .launch { options.launch.reason = launch.history?.reason ?? .launch }
    let isWaiting = tree.condition == .pending
    var report: RestorationReport?
    switch plan.action {
    case .wait:
      if !isWaiting { try tree.awaitState() }
      writer.change { $0[archive].wasAwaited = true }
    case _ where isWaiting && tree.deferredPreservation != nil:
      plan = try startWithNewerState(tree, plan, resolver, options)
    case .startFresh(let reason):
      // Whether its files can be read or not.
      launch.update { $0.beginSetAside(archive) }
      // The state of an earlier fresh start that was never stable: no offer, but kept for a while.
      if let saved = plan.load.archive { writer.change { $0[markOf: saved.generation] = .declined } }
      try tree.startFresh(reason)
      if isOnTrial(archive) { watch(tree, archive) }
    case .offer(let offer):
      skip(offer)
      if offer.reason == .deaths { launch.update { $0.beginSetAside(archive) } }
      try tree.startFresh(.offered)
      if isOnTrial(archive) { watch(tree, archive) }
    case .restore(let saved, let left):
      options.left.merge(plan.left) { first, _ in first }
      if launch.history?.ledger.wanted[archive] == saved.generation.number { options.letUserDecide() }
      report = try restore(tree, from: saved, without: left, with: resolver, options: options)
      if report?.decision == .restore { watch(tree, archive) }
    }
    return try result(plan, report, tree, archive, options)
  }

  /// Whether the app runs with or without an archive for which ticks are counted until it is stable.
  func isOnTrial(_ archive: ArchiveName) -> Bool { launch.history?.isUnstable(archive) ?? false }

  private func result(
    _ plan: LaunchPlan, _ report: RestorationReport?, _ tree: RestorableTree, _ archive: ArchiveName, _ options: RestorationOptions
  ) throws(StoreError) -> AppLaunch {
    let offers = plan.load.isPending ? [] : try self.offers(of: archive).filter { !endIfTooOld($0, plan.load.archive, options) }
    let (history, error) = launch.state.withLock { ($0.history, $0.error) }
    return AppLaunch(
      plan, report, offers, tree.condition, after: history, ended: history?.ledger.ended.filter { $0.archive == archive } ?? [],
      launchError: access == .reading ? .readingOnly : error)
  }

  /// Ends an offer of a state that the policy had declined for now, if it is too old both now and at the last save, because the
  /// clock may be wrong; returns whether it did.
  private func endIfTooOld(_ offer: StoreOffer, _ current: StoreLoad.Archive?, _ options: RestorationOptions) -> Bool {
    guard access == .writing, offer.reason == .notNow, let now = options.launch.now, let current,
      let savedAt = launch.history?.ledger.offer(offer.generation.number, of: offer.archive)?.savedAt,
      let lastSave = current.confirmedAt ?? current.reader.header.timestamp,
      let header = try? StoredArchive.header(of: offer.generation.fileName, in: folder)
    else { return false }
    var then = options.launch
    let time = min(now, lastSave)
    (then.now, then.confirmedAt) = (time, max(savedAt, header.ageStart(at: time) ?? savedAt))
    guard options.policy.refusal(of: header, at: then)?.isForAge == true else { return false }
    do throws(StoreError) {
      try changeHistory { $0.noteEnded([offer.generation]) }
      try decline(offer.generation)
      return true
    } catch {
      return false
    }
  }

  /// Continues with the state that an app preserved while it waited.
  private func startWithNewerState(
    _ tree: RestorableTree, _ plan: LaunchPlan, _ resolver: Resolver, _ options: RestorationOptions
  ) throws -> LaunchPlan {
    // Recorded before the delivery, whose callbacks may already save: the file's state has never been shown to the
    // user.
    if let saved = plan.load.archive { skip(StoreOffer(saved.generation, .newerState)) }
    try tree.deliver(plan.load.archive?.reader, with: resolver, options: options)
    return LaunchPlan(.startFresh(.newerState), plan.load, "the app has preserved newer state while it waited")
  }

  /// Records that this launch skipped a file, which becomes an offer at the next save.
  func skip(_ offer: StoreOffer, savedAt: Date? = nil) { writer.change { $0.skip(offer, savedAt: savedAt) } }

  /// Pins the restored file, because part of it could not be restored.
  package func pin(_ generation: Generation) { writer.change { $0.pin(generation) } }

  /// Restores an app from one file.
  package func restore(
    _ tree: RestorableTree, from saved: StoreLoad.Archive, without left: Set<RestorationPath>, with resolver: Resolver,
    options: RestorationOptions, isAgain: Bool = false
  ) throws -> RestorationReport {
    var options = options
    options.quarantined.formUnion(left)
    options.build = launch.state.withLock { $0.build }
    options.launch.confirmedAt = options.launch.confirmedAt ?? saved.confirmedAt
    let saved = withoutMark(saved)
    // Earlier pins were for the state restored before.
    writer.change { $0[saved.generation.archive].pinnedFor = [:] }
    if launch.needsProgress { writer.change { $0.beginProgressIfNeeded() } }
    let progress = launch.beginProgress(of: saved.generation, saved.content)
    let report: RestorationReport
    do {
      report = try tree.restore(from: saved.reader, with: resolver, options: options, isAgain: isAgain, progress: progress)
    } catch {
      progress?.cancel()
      noteFailure(of: saved.generation.archive)
      throw error
    }
    switch report.decision {
    case .restore:
      let found = tree.session?.foundQuarantined ?? [:]
      // In memory: opening a scene waits for no write.
      if !found.isEmpty { launch.update { $0.noteFound(found, in: saved.generation.archive) } }
      if report.isDegraded || saved.isPartial || saved.lostLinks != nil { pin(saved.generation) }
    case .notNow:
      noteFailure(of: saved.generation.archive)
      let savedAt = options.launch.confirmedAt ?? saved.reader.header.timestamp
      skip(StoreOffer(saved.generation, .notNow), savedAt: savedAt)
    case .never:
      noteFailure(of: saved.generation.archive)
      try decline(saved.generation)
    }
    return report
  }

  /// Removes the offer mark of a file that is restored after all, because nothing newer was saved.
  private func withoutMark(_ saved: StoreLoad.Archive) -> StoreLoad.Archive {
    guard access == .writing, saved.generation.mark == .offered else { return saved }
    guard (try? folder.mark(saved.generation, .none)) != nil else { return saved }
    writer.change { $0[markOf: saved.generation] = nil }
    var unmarked = saved
    unmarked.generation = saved.generation.marked(.none)
    return unmarked
  }

  /// Counts the ticks of the restoring actor until the archive is stable.
  func watch(_ tree: RestorableTree, _ archive: ArchiveName, isolation: isolated (any Actor)? = #isolation) {
    // Without the app's actor, a tick proves nothing about the app.
    guard isolation != nil else { return }
    Task { [weak self, weak tree] in
      _ = isolation
      // State is kept beside objects that come in the same turn as the restoration, too.
      await Task.yield()
      tree?.endFirstTurn()
      while (try? await Task.sleep(for: ApplicationLifecycle.Timing.stabilityTick)) != nil, let tree,
        self?.noteTick(archive, isExtended: tree.activity.count > 0) == true
      {}
    }
  }

  // MARK: Planning

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
    let begun = launch.history
    let history = if let begun { begun } else { launch.historyOfNextLaunch(after: try launch.leftRecords()) }
    return PredictedFiles(history, try loadableFiles(of: archive), begun == nil ? history.conclusions : [], reader)
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
      return LaunchPlan(.startFresh(.nothingSaved), load, "the scene was closed (reopening it restores its state)")
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
      // An earlier generation may lack a node that killed the app.
      let count = left.count { (try? saved.reader.node(at: $0.path)) != nil }
      let without = count == 0 ? "" : ", without \(count) \(count == 1 ? "path" : "paths") that killed the app"
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
