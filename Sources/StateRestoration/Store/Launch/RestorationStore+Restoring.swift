#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Locking
import RestorationArchive

extension RestorationStore {
  /// Restores an app from what was saved, and begins the launch if it has not begun.
  ///
  ///     let store = try RestorationStore(folder: path, launch: LaunchOptions(bundleVersion: "42"))
  ///     let restored = try store.restore(application, with: resolver)
  ///     print(restored.plan.reason, restored.report?.summary ?? "")
  ///
  /// The newest state is restored, without nodes that killed the app before. Where it is only offered (``LaunchPlan/Action/offer(_:)``), because
  /// the app died twice in a row or is in safe mode, the app starts fresh; ask the user, and give the answer by
  /// ``accept(_:without:into:with:replacing:options:isolation:)`` or ``decline(_:)``. What this launch passes over becomes an offer when
  /// something is saved over it.
  ///
  /// Where the files cannot be reached yet (``LaunchPlan/Action/wait``), the app waits for its state; call this again when they can be. If the
  /// app has preserved something meanwhile, that is newer: it goes on with it, the plan says to start fresh, and
  /// ``RestorableApplication/takeHeldPreservation()`` is what to save.
  ///
  /// Call it on the actor that the objects belong to: its ticks tell when the app is stable. Where it is called on none, only saves and
  /// ``markStable()`` do.
  ///
  /// - Parameters:
  ///   - application: The app, or a scene.
  ///   - archive: Which archive.
  ///   - resolver: Says which object is restored for which node.
  ///   - options: How to restore; the quarantined nodes are added, and a reason `launch` is replaced by the one that was found out.
  ///   - isolation: The actor that the objects belong to.
  /// - Returns: What was to be done, and what came of it.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was restored already.
  public func restore(
    _ application: RestorableApplication, as archive: ArchiveName = .application, with resolver: Resolver,
    options: RestorationOptions = RestorationOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws -> StoreRestoration {
    if access == .writing { try beginLaunch() }
    var plan = try plan(for: archive)
    if application.condition != .restored { application.storedAs = archive }
    var options = options
    if options.launch.reason == .launch { options.launch.reason = state.withLock { $0.history?.reason } ?? .launch }
    let isWaiting = application.condition == .pending
    var report: RestorationReport?
    switch plan.action {
    case .wait:
      if !isWaiting { try application.awaitState() }
    case _ where isWaiting && application.heldPreservation != nil:
      plan = try startWithNewerState(application, plan, resolver, options)
    case .startFresh(let reason):
      try application.startFresh(reason)
    case .offer(let offer):
      passOver(offer.generation, offer.reason, suspects: offer.suspects)
      try application.startFresh(.offered)
    case .restore(let saved, let left):
      options.quarantineDigests.merge(plan.digests) { first, _ in first }
      report = try restore(application, from: saved, without: left, with: resolver, options: options)
      if report?.decision == .restore { watch(application, archive) }
    }
    return try result(plan, report, archive)
  }

  private func result(_ plan: LaunchPlan, _ report: RestorationReport?, _ archive: ArchiveName) throws(StoreError) -> StoreRestoration {
    var offers: [StoreOffer] = []
    if case .pending = plan.load.outcome {} else { offers = try self.offers(of: archive) }
    let (exit, ended, error) = state.withLock { state in
      (state.history?.lastExit, state.history?.ledger.ended ?? [], state.launchError)
    }
    return StoreRestoration(
      plan: plan, report: report, offers: offers, endedFiles: ended.filter { $0.archive == archive }, lastExit: exit,
      launchError: access == .reading ? .readingOnly : error)
  }

  /// Lets an app go on with what it preserved while it waited.
  private func startWithNewerState(
    _ application: RestorableApplication, _ plan: LaunchPlan, _ resolver: Resolver, _ options: RestorationOptions
  ) throws -> LaunchPlan {
    // Nobody has seen what is in the file; the first save may come from within what is called now.
    if let saved = plan.load.archive { passOver(saved.generation, .newerState) }
    _ = try application.deliver(plan.load.archive?.reader, with: resolver, options: options)
    return LaunchPlan(.startFresh(.newerState), plan.load, "the app has preserved newer state while it waited")
  }

  /// Notes that a file was not restored at this launch: it becomes an offer when something is saved over it.
  func passOver(_ generation: Generation, _ reason: StoreOffer.Reason, suspects: [RestorationPath] = []) {
    state.withLock { passOver(generation, reason, suspects: suspects, &$0) }
  }

  func passOver(
    _ generation: Generation, _ reason: StoreOffer.Reason, suspects: [RestorationPath] = [], paths: [RestorationPath] = [],
    _ state: inout State
  ) {
    guard access == .writing else { return }
    state.passedOver[generation] = LaunchLedger.OfferNote(
      archive: generation.archive, number: generation.number, reason: reason, suspects: suspects, paths: paths)
    if generation.mark != .offered { state.marksBeforeSave[generation] = .offered }
  }

  /// Restores an app from one file.
  package func restore(
    _ application: RestorableApplication, from saved: StoreLoad.Archive, without left: Set<RestorationPath>, with resolver: Resolver,
    options: RestorationOptions, isAgain: Bool = false
  ) throws -> RestorationReport {
    var options = options
    options.quarantined.formUnion(left)
    options.launch.confirmedAt = options.launch.confirmedAt ?? saved.confirmedAt
    let saved = withoutMark(saved)
    options.observer = BreadcrumbObserver(store: self, generation: saved.generation, next: options.observer)
    state.withLock { state in
      // What was pinned before was for what was restored then.
      state.pinnedFor[saved.generation.archive] = nil
      state.history?.begin(saved.generation)
      writeBreadcrumb(&state)
    }
    let report: RestorationReport
    do {
      report = try application.restore(from: saved.reader, with: resolver, options: options, isAgain: isAgain)
    } catch {
      noteFailure(of: saved.generation.archive)
      throw error
    }
    switch report.decision {
    case .restore:
      let found = application.session?.foundQuarantined ?? [:]
      if !found.isEmpty {
        try? changeHistory { (history) throws(StoreError) in
          for (path, digest) in found { history.noteDigest(digest, of: path, in: saved.generation.archive) }
        }
      }
      if report.isDegraded || saved.isPartial { pin(saved.generation) }
    case .notNow:
      noteFailure(of: saved.generation.archive)
      passOver(saved.generation, .notNow)
    case .never:
      noteFailure(of: saved.generation.archive)
      try decline(saved.generation)
    }
    return report
  }

  /// A file that was to become an offer, and over which nothing was saved then, as one that is restored.
  private func withoutMark(_ saved: StoreLoad.Archive) -> StoreLoad.Archive {
    guard access == .writing, saved.generation.mark == .offered else { return saved }
    let generation = saved.generation.marked(.none)
    guard (try? folder.rename(saved.generation.fileName, to: generation.fileName)) != nil else { return saved }
    state.withLock { $0.marksBeforeSave[saved.generation] = nil }
    return StoreLoad.Archive(generation: generation, reader: saved.reader, findings: saved.findings, confirmedAt: saved.confirmedAt)
  }

  /// Counts the ticks of the actor that has restored an archive, until it is stable.
  func watch(_ application: RestorableApplication, _ archive: ArchiveName, isolation: isolated (any Actor)? = #isolation) {
    // Elsewhere a tick would say nothing about the app.
    guard isolation != nil else { return }
    Task { [weak self, weak application] in
      _ = isolation
      // What the app makes in the turn in which it restores has not been changed by its user yet.
      await Task.yield()
      if let application, let session = application.session, !application.isBusy { application.noteQuarantinedObjects(session) }
      repeat {
        do {
          try await Task.sleep(for: LaunchOptions.tick)
        } catch {
          return
        }
      } while self.map { store in
        application.map { store.tick(archive, isExtended: $0.extensions.count > 0) } ?? false
      } ?? false
    }
  }

  // MARK: Saving what was preserved

  /// Saves what was preserved, as it says: an archive, nothing new, or that what was saved is to be forgotten.
  ///
  /// Where state that was saved before is not in it although nobody wanted it gone, the file before it is pinned: for each node of which state
  /// is lost once, as long as that file is there. While what was saved before is still to come (``Preservation/isHeld``), nothing is written
  /// and nothing is kept here; what was preserved is the app's, by ``RestorableApplication/takeHeldPreservation()``.
  ///
  /// - Returns: What came of it; nil if what was saved before stays, or is gone as the app wanted.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(
    _ preservation: Preservation, as archive: ArchiveName = .application, at time: Date? = nil
  ) throws(StoreError) -> SaveOutcome? {
    guard let request = preservation.saveRequest(at: time) else { return preservation.isHeld ? .held : nil }
    return try carryOut(submitted(request, as: archive), as: archive)
  }

  /// Does what a save asks for; nil if there is no archive in it, and what was saved is gone.
  func carryOut(_ request: SaveRequest, as archive: ArchiveName) throws(StoreError) -> SaveOutcome? {
    let outcome = try carryOut(request, as: archive, canReach: access == .writing && canReach)
    // Since it was asked the files may have come within reach, and whoever was told so may have found nothing held.
    guard case .held = outcome, canReach else { return outcome }
    return try carryOutHeld(request, as: archive)
  }

  /// The same, where the app has said whether the files can be reached.
  func carryOut(_ request: SaveRequest, as archive: ArchiveName, canReach: Bool) throws(StoreError) -> SaveOutcome? {
    guard let encoded = request.archive else {
      try discard(archive, canReach: canReach, removalCount: request.removalCount)
      return canReach ? nil : .held
    }
    let result = Result { () throws(StoreError) in try ArchiveToSave(encoded) }
    return try save(result, as: archive, at: request.time, canReach: canReach, removalCount: request.removalCount) { state in
      if !request.losses.isEmpty { state.losing[archive, default: []].formUnion(request.losses) }
      if !request.changes.isEmpty { state.changing[archive, default: []].formUnion(request.changes) }
    }
  }

  /// Does the rest of what was held when a save was carried out, now that the files can be reached.
  func carryOutHeld(_ request: SaveRequest, as archive: ArchiveName) throws(StoreError) -> SaveOutcome? {
    // What is held was submitted after a removal, or is gone with it.
    guard request.removalCount == removalCount(of: archive) else { return .removed }
    if request.archive != nil { return try writeHeld(archive, at: request.time) ?? .held }
    try removeForgotten(archive)
    return nil
  }
}
