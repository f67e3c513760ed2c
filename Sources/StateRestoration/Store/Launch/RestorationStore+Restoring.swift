#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Synchronization

extension RestorationStore {
  /// Restores an app from what was saved, and sees to it that the next save does no harm.
  ///
  ///     let store = try RestorationStore(folder: path)
  ///     let reason = try store.beginLaunch(bundleVersion: "42")
  ///     let restored = try store.restore(application, with: resolver, options: options)
  ///     print(restored.plan.reason, restored.report?.summary ?? "")
  ///
  /// Where restoring is only offered, because the app died the last time, the app starts fresh; ask the user, and restore
  /// ``LaunchPlan/Action/offer(_:quarantined:)`` by ``restore(_:from:quarantined:with:options:)`` if the answer is yes.
  ///
  /// Where the files cannot be reached yet (``LaunchPlan/Action/wait``), the app waits for its state; call this again when they can be. The
  /// launch has its beginning then, and if the reason in `options` is `launch`, as ``beginLaunch(bundleVersion:)`` had to answer, it is replaced
  /// by the one that was found out. If the app has preserved something meanwhile, that is newer: it goes on with it, the plan says to start
  /// fresh, the file is kept, and ``RestorableApplication/takeHeldPreservation()`` is what to save.
  ///
  /// - Parameters:
  ///   - application: The app, or a scene.
  ///   - archive: Which archive.
  ///   - resolver: Says which object is restored for which node.
  ///   - options: How to restore; quarantine and observer are added.
  /// - Returns: What was to be done, and what came of it.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was restored already.
  public func restore(
    _ application: RestorableApplication, as archive: ArchiveName = .application, with resolver: Resolver,
    options: RestorationOptions = RestorationOptions()
  ) throws -> StoreRestoration {
    let plan = try plan(for: archive)
    var options = options
    if options.launch.reason == .launch { options.launch.reason = lateReason ?? .launch }
    let isWaiting = application.condition == .pending
    switch plan.action {
    case .wait:
      if !isWaiting { try application.awaitState() }
    case _ where isWaiting && application.heldPreservation != nil:
      return try startWithNewerState(application, plan, resolver, options)
    case .startFresh:
      try application.startFresh()
    case .offer(let saved, _):
      try application.startFresh(.chosen)
      didRestore(saved.generation, isComplete: false)
    case .restore(let saved, let quarantined):
      let report = try restore(application, from: saved, quarantined: quarantined, with: resolver, options: options)
      return StoreRestoration(plan: plan, report: report)
    }
    return StoreRestoration(plan: plan, report: nil)
  }

  /// Why the app restores, if the launch could begin only after the app had asked for it.
  private var lateReason: RestorationReason? {
    state.withLock { if case .begun(let reason) = $0.awaitedLaunch { reason } else { nil } }
  }

  /// Lets an app go on with what it preserved while it waited.
  private func startWithNewerState(
    _ application: RestorableApplication, _ plan: LaunchPlan, _ resolver: Resolver, _ options: RestorationOptions
  ) throws -> StoreRestoration {
    // Nobody has seen what is in the file, so the next saves must not take it away; the first may come from within what is called now.
    if let saved = plan.load.archive { didRestore(saved.generation, isComplete: false) }
    _ = try application.deliver(plan.load.archive?.reader, with: resolver, options: options)
    let plan = LaunchPlan(action: .startFresh, load: plan.load, reason: "the app has preserved newer state while it waited")
    return StoreRestoration(plan: plan, report: nil)
  }

  /// Restores an app from one file.
  ///
  /// - Parameters:
  ///   - application: The app, or a scene.
  ///   - saved: The file.
  ///   - quarantined: Paths that are left out.
  ///   - resolver: Says which object is restored for which node.
  ///   - options: How to restore; quarantine and observer are added.
  /// - Returns: What became of each node.
  /// - Throws: ``StoreError``; ``RestorationError`` if the app was restored already.
  public func restore(
    _ application: RestorableApplication, from saved: StoreLoad.Archive, quarantined: Set<RestorationPath>, with resolver: Resolver,
    options: RestorationOptions = RestorationOptions()
  ) throws -> RestorationReport {
    var options = options
    options.quarantined.formUnion(quarantined)
    options.observer = options.observer ?? observer(for: saved)
    options.launch.confirmedAt = options.launch.confirmedAt ?? saved.confirmedAt
    let report: RestorationReport
    do {
      report = try application.restore(from: saved.reader, with: resolver, options: options)
    } catch {
      noteFailure(of: saved.generation.archive)
      throw error
    }
    if report.decision == .never { try decline(saved.generation) }
    didRestore(saved.generation, isComplete: report.decision == .restore && !report.isDegraded && !saved.isPartial)
    return report
  }

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
    return try carryOut(request, as: archive)
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
      try discard(archive, canReach: canReach)
      return canReach ? nil : .held
    }
    let result = Result { () throws(StoreError) in try ArchiveToSave(encoded) }
    return try save(result, as: archive, at: request.time, canReach: canReach) { state in
      if request.isForgetting { forget(archive, &state) }
      if !request.losses.isEmpty { state.losing[archive, default: []].formUnion(request.losses) }
    }
  }

  /// Does the rest of what was held when a save was carried out, now that the files can be reached.
  func carryOutHeld(_ request: SaveRequest, as archive: ArchiveName) throws(StoreError) -> SaveOutcome? {
    if request.archive != nil { return try writeHeld(archive, at: request.time) ?? .held }
    try removeForgotten(archive)
    return nil
  }
}
