#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  // MARK: Beginning

  /// Begins the launch: determines how the previous process ended, and what to leave out or offer because of it.
  ///
  /// ``restore(_:as:with:options:isolation:)`` calls this automatically. Call it to learn the reason earlier. A second
  /// call has no effect until ``endLaunch()``.
  ///
  /// If the storage is not accessible yet, the reason cannot be determined: this returns `launch`, and the launch
  /// begins at the next load, restore or save with accessible storage. A later call then returns the real reason.
  ///
  /// - Parameter bundleVersion: The launching build, if the store's options do not specify it.
  /// - Returns: The reason for restoring: `pristine` at the first launch, else derived from ``lastExit``.
  /// - Throws: ``StoreError`` if the store cannot be locked for writing.
  @discardableResult
  public func beginLaunch(bundleVersion: String? = nil) throws(StoreError) -> RestorationReason {
    let version = bundleVersion ?? launchOptions.bundleVersion
    let canReach = canReach
    return try withState { (state) throws(StoreError) in
      if let history = state.history { return history.reason }
      guard access == .writing else { throw .readingOnly }
      var build = version
      if case .waiting(let awaited) = state.awaitedLaunch { build = bundleVersion ?? awaited }
      guard canReach else {
        state.awaitedLaunch = .waiting(bundleVersion: build)
        return .launch
      }
      return try begin(build, &state).reason
    }
  }

  /// The way the previous process ended; nil if there was none, or if this launch has not begun.
  public var lastExit: LastExit? { state.withLock { $0.history?.lastExit } }

  /// Begins the launch that was waiting for the storage, if any.
  func beginAwaitedLaunch(_ state: inout State) throws(StoreError) {
    guard case .waiting(let bundleVersion) = state.awaitedLaunch else { return }
    _ = try begin(bundleVersion, &state)
  }

  private func begin(_ bundleVersion: String?, _ state: inout State) throws(StoreError) -> LaunchHistory {
    try lock(&state)
    let known = readLedger()
    let catalog = try catalog()
    let left = Breadcrumb.read(in: folder)
    let last = lastLaunch(left.record, left.exit, catalog, known)
    var history = LaunchHistory(after: last, ledger: known, launch: makeLaunch(bundleVersion))
    noteDigest(of: last, catalog, &history)
    state.writtenLedger = known
    state.launchError = nil
    // A failure must not stop this launch; a later launch tries again.
    note(&state) { (state) throws(StoreError) in try carryOutVerdicts(&history, &state) }
    state.history = history
    note(&state) { (state) throws(StoreError) in try writeLedger(&state) }
    note(&state) { (state) throws(StoreError) in try startBreadcrumb(&state) }
    state.awaitedLaunch = .none
    return history
  }

  /// Starts recording the progress of the launch, overwriting the records of the previous process.
  private func startBreadcrumb(_ state: inout State) throws(StoreError) {
    guard let history = state.history else { return }
    let breadcrumb = try system { () throws(FileSystemError) -> Breadcrumb in
      let breadcrumb = try Breadcrumb(in: folder)
      try breadcrumb.write(history.record)
      try breadcrumb.clearExit()
      try breadcrumb.flush()
      return breadcrumb
    }
    state.breadcrumb = breadcrumb
    if breadcrumb.isOfSystem { ExitRecorder.begin(breadcrumb.file.descriptor, launch: history.launch.number) }
    if launchOptions.recordsFatalSignals { FatalSignals.install() }
  }

  /// Runs a step that the launch can do without; an error is reported with the result of the restoration.
  private func note(_ state: inout State, _ body: (inout State) throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body(&state)
    } catch {
      state.launchError = state.launchError ?? error
    }
  }

  private func makeLaunch(_ bundleVersion: String?) -> LaunchHistory.Launch {
    LaunchHistory.Launch(
      bundleVersion: bundleVersion, boot: boot, number: UInt64.random(in: 1...UInt64.max), isSafe: launchOptions.isSafe,
      ticksToStable: launchOptions.ticksToStable)
  }

  /// Converts the records of the previous process, looking up names by their hashes.
  private func lastLaunch(
    _ record: BreadcrumbRecord?, _ exit: ExitRecord?, _ catalog: GenerationCatalog, _ ledger: LaunchLedger?
  ) -> LaunchHistory.LastLaunch? {
    guard let record else { return nil }
    var last = LaunchHistory.LastLaunch(
      ending: record.ending, number: record.launch, boot: record.boot, bundleVersion: record.bundleVersion, exit: exit)
    if record.archives.isEmpty { return last }
    var names: [UInt64: ArchiveName] = [:]
    for name in catalog.generations.map(\.archive) + (ledger?.rows.keys.map { $0 } ?? []) {
      names[BreadcrumbRecord.hash(name.fileName)] = name
    }
    last.restoring = record.archives.compactMap { entry in names[entry.hash].map { ($0, entry.hasSaved) } }
    if record.phase != .none, let called = record.archives.last, let archive = names[called.hash] {
      last.calledArchive = archive
      last.calledGeneration = called.generation
      last.calledPhase = record.phase
      last.calledPath =
        record.path.map { try? RestorationPath(parsing: $0) } ?? longPath(record.pathHash, archive, called.generation, catalog)
    }
    return last
  }

  /// Records the digest of the state that killed the previous process, if its node is quarantined.
  private func noteDigest(of last: LaunchHistory.LastLaunch?, _ catalog: GenerationCatalog, _ history: inout LaunchHistory) {
    guard let archive = last?.calledArchive, let path = last?.calledPath, history.lacksDigest(of: path, in: archive),
      let generation = catalog.generations.first(where: { $0.archive == archive && $0.number == last?.calledGeneration }),
      let digest = (try? StoredArchive(generation, in: folder))?.reader?.quarantineDigest(of: path)
    else { return }
    history.noteDigest(digest, of: path, in: archive)
  }

  /// Finds the path of a node whose record contains only its hash.
  private func longPath(
    _ hash: UInt64, _ archive: ArchiveName, _ number: UInt64, _ catalog: GenerationCatalog
  ) -> RestorationPath? {
    guard let generation = catalog.generations.first(where: { $0.number == number && $0.archive == archive }),
      let reader = try? StoredArchive(generation, in: folder).reader, let application = try? reader.application()
    else { return nil }
    var stack = [application]
    while let node = stack.popLast() {
      if !node.path.isEmpty, BreadcrumbRecord.hash(node.path.description) == hash { return node.path }
      node.visitChildren { child in
        if let child = try? child.get() { stack.append(child) }
      }
    }
    return nil
  }

  /// Returns the history of this launch, or the history that a launch would have now.
  func knownHistory(_ state: borrowing State) throws(StoreError) -> LaunchHistory {
    if let history = state.history { return history }
    let ledger = readLedger()
    let left = Breadcrumb.read(in: folder)
    let last = lastLaunch(left.record, left.exit, try catalog(), ledger)
    // Inspection uses the build that launched last.
    return LaunchHistory(after: last, ledger: ledger, launch: makeLaunch(launchOptions.bundleVersion ?? last?.bundleVersion))
  }

  /// Predicts the files and history of the next launch; if this launch has begun, returns its own.
  func predictedFiles() throws(StoreError) -> PredictedFiles {
    let (history, hasBegun) = try withState { (state) throws(StoreError) in (try knownHistory(state), state.history != nil) }
    // Verdicts that this launch could not carry out are left to a later launch.
    return PredictedFiles(history, try remainingFiles(), hasBegun ? [] : history.verdicts) { digest(of: $0) }
  }

  // MARK: Planning

  /// Plans the launch of an archive.
  ///
  /// - Parameters:
  ///   - archive: The name of the archive.
  ///   - accepting: Decides whether the app accepts an archive, as for ``load(_:accepting:)``.
  /// - Returns: The action and its reason.
  /// - Throws: ``StoreError``.
  public func plan(
    for archive: ArchiveName = .application, accepting: (ArchiveHeader, Date?) -> Answer = { _, _ in .accept }
  ) throws(StoreError) -> LaunchPlan {
    let load = try load(archive, accepting: accepting)
    if case .pending = load.outcome { return LaunchPlan(.wait, load, "the storage is not accessible yet") }
    let files = try predictedFiles()
    return Self.plan(load, archive, files.history, try offers(of: archive, load, files))
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ history: LaunchHistory, _ offers: [StoreOffer]) -> LaunchPlan {
    guard case .archive(let saved) = load.outcome else { return freshPlan(load, offers) }
    switch history.decision(for: archive) {
    case .offer(let reason, let suspects):
      let offer = StoreOffer(archive: archive, generation: saved.generation, reason: reason, suspects: suspects, paths: [])
      return LaunchPlan(.offer(offer), load, "offers generation \(saved.generation.number): \(reason.sentence)")
    case .restore(let left):
      let part = saved.isPartial ? "the intact part of generation" : "generation"
      let without = left.isEmpty ? "" : ", without \(left.count) \(left.count == 1 ? "path" : "paths") that killed the app"
      let digests = Dictionary(left.compactMap { entry in entry.digest.map { (entry.path, $0) } }, uniquingKeysWith: { $1 })
      return LaunchPlan(
        .restore(saved, without: Set(left.map(\.path))), load, "restores \(part) \(saved.generation.number)\(without)", digests: digests)
    }
  }

  private static func freshPlan(_ load: StoreLoad, _ offers: [StoreOffer]) -> LaunchPlan {
    let unsupported = load.candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    switch load.outcome {
    case .declined where unsupported: return LaunchPlan(.startFresh(.laterVersion), load, "the saved state is of a later version")
    case .declined: return LaunchPlan(.startFresh(.refused), load, "the app declined all saved state")
    case .noFiles where offers.isEmpty: return LaunchPlan(.startFresh(.nothingSaved), load, "nothing was saved")
    case .noFiles: return LaunchPlan(.startFresh(.offered), load, "the saved state is only offered")
    default: return LaunchPlan(.startFresh(.allDamaged), load, "no saved file can be read")
    }
  }

  // MARK: Running

  /// Records the progress of the launch before each callback.
  ///
  /// Costs one write, without waiting for the disk. A failed write does not stop the launch.
  func note(_ phase: RestorationPhase, path: RestorationPath, in generation: Generation) {
    ExitRecorder.noteThread()
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.note(phase, path, in: generation)
      writeBreadcrumb(&state)
    }
  }

  func writeBreadcrumb(_ state: inout State) {
    guard let history = state.history else { return }
    if let breadcrumb = state.breadcrumb {
      try? breadcrumb.write(history.record)
    } else {
      // The breadcrumb could not be opened before; try again.
      try? startBreadcrumb(&state)
    }
  }

  /// Records that restoring an archive failed with an error or was refused.
  func noteFailure(of archive: ArchiveName) {
    state.withLock { state in
      state.history?.abandon(archive)
      writeBreadcrumb(&state)
    }
  }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// `isExtended` reports whether restoring is still in progress.
  package func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    state.withLock { state in
      guard state.history?.isUnstable(archive) == true else { return false }
      guard state.history?.tick(archive, isExtended: isExtended) == true else { return true }
      noteStable(&state)
      return false
    }
  }

  /// Declares the app stable, which clears the deaths of earlier launches.
  ///
  /// An archive becomes stable automatically when the restoring actor has run for ``LaunchOptions/stableAfter`` without
  /// hanging. Until then, its first save with changes makes it stable against a force quit, but not against a crash
  /// with a recorded fatal signal. An archive with a node callback in progress does not become stable, so that a death
  /// in that callback still counts.
  public func markStable() {
    state.withLock { state in
      if state.history?.markStable() == true { noteStable(&state) }
    }
  }

  /// Writes to disk that archives are stable.
  private func noteStable(_ state: inout State) {
    // If another process has taken over the folder, its ledger must not be overwritten.
    guard (try? holdsLock(state)) == true, var history = state.history else { return }
    try? carryOutVerdicts(&history, &state)
    state.history = history
    do throws(StoreError) {
      // The ledger must be written before the breadcrumb: it clears the earlier deaths, and the breadcrumb then drops
      // the restored archives. In the opposite order, a process that dies in between leaves no record that it was
      // stable, and the next launch would count its earlier deaths.
      try writeLedger(&state)
    } catch {
      return
    }
    writeBreadcrumb(&state)
    try? state.breadcrumb?.flush()
  }

  /// Records whether the process is suspended: a kill during suspension is not a crash.
  ///
  /// Call it last before the app is suspended, after everything is saved.
  public func noteSuspension(_ isSuspended: Bool) {
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.end(isSuspended ? .suspended : .running)
      writeBreadcrumb(&state)
    }
  }

  /// Records an orderly end of the process, so that the next launch is not a recovery, and releases the lock.
  ///
  /// `exit` records the same if the launch was not ended before. A later save acquires the lock again. Pending removals
  /// are dropped.
  public func endLaunch() { endLaunch(.ended) }

  func endLaunch(_ ending: BreadcrumbRecord.Ending) {
    state.withLock { state in
      if state.history != nil, (try? holdsLock(state)) == true {
        try? writeLedger(&state)
        state.history?.end(ending)
        writeBreadcrumb(&state)
        try? state.breadcrumb?.flush()
      }
      state.history = nil
      state.breadcrumb = nil
      state.skipped = [:]
      state.changing = [:]
      state.awaitedLaunch = .none
      releaseLock(&state)
      noteOtherWriters(&state)
    }
  }

  // MARK: Ledger

  /// Returns the quarantined nodes of an archive, which a launch leaves out because they killed the app.
  public func quarantinedPaths(of archive: ArchiveName = .application) -> [RestorationPath] {
    let history = try? withState { (state) throws(StoreError) in try knownHistory(state) }
    return (history?.ledger.quarantined ?? []).filter { $0.archive == archive }.map(\.path)
  }

  /// Ends the quarantine of a node, so that it is restored again.
  ///
  /// - Returns: Whether the node was quarantined.
  /// - Throws: ``StoreError``.
  public func release(_ path: RestorationPath, of archive: ArchiveName = .application) throws(StoreError) -> Bool {
    try changeHistory { (history) throws(StoreError) in history.release(path, of: archive) }
  }

  /// Changes the launch history, whether this launch has begun or not.
  func changeHistory<Result: Sendable>(
    _ body: (inout LaunchHistory) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try withState { (state) throws(StoreError) in try changeHistory(&state, body) }
  }

  func changeHistory<Result: Sendable>(
    _ state: inout State, _ body: (inout LaunchHistory) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try lock(&state)
    if var history = state.history {
      let result = try body(&history)
      state.history = history
      try writeLedger(&state)
      return result
    }
    // Judge the previous process first, because the change may depend on the result.
    let known = readLedger()
    let left = Breadcrumb.read(in: folder)
    let catalog = try catalog()
    let last = lastLaunch(left.record, left.exit, catalog, known)
    var history = LaunchHistory(after: last, ledger: known, launch: makeLaunch(launchOptions.bundleVersion ?? last?.bundleVersion))
    noteDigest(of: last, catalog, &history)
    if last != nil { try carryOutVerdicts(&history, &state) }
    let result = try body(&history)
    var ledger = history.ledger
    ledger.hasLaunched = known?.hasLaunched ?? true
    // Earlier accepted offers are not on trial in this process, which begins no launch.
    for index in ledger.acceptances.indices where ledger.acceptances[index].launch == history.launch.number {
      ledger.acceptances[index].launch = nil
    }
    try writeLedger(ledger, over: known)
    if var record = left.record, !record.archives.isEmpty {
      // Keep how the process ended, but not the archives and callback, which are judged now.
      record.archives = []
      record.phase = .none
      try system { () throws(FileSystemError) in try Breadcrumb(in: folder).write(record) }
    }
    return result
  }

  /// Reads the ledger; empty if there is none, and nil if it cannot be read.
  func readLedger() -> LaunchLedger? {
    do throws(FileSystemError) {
      return LaunchLedger(try folder.read(LaunchLedger.fileName, atMost: LaunchLedger.maximumByteCount))
    } catch {
      return error.isAbsence ? LaunchLedger() : nil
    }
  }

  /// Renames an unreadable ledger, replacing the last such file; something that is not a regular file is set aside
  /// instead.
  private func keepUnreadableLedger() throws(FileSystemError) {
    let path = folder.path(of: LaunchLedger.fileName)
    do throws(FileSystemError) {
      let status = try folder.again { () throws(FileSystemError) in try folder.system.status(at: path) }
      guard status.kind == .file else { throw FileSystemError(opening: status.kind, path: path) }
      try folder.rename(LaunchLedger.fileName, to: LaunchLedger.unreadableFileName)
    } catch {
      // The ledger may have been removed meanwhile.
      if !error.isAbsence { try folder.setAside(LaunchLedger.fileName, unless: error) }
    }
  }

  /// Rewrites the launch's files after a lost lock was acquired again, because the folder may have been removed.
  func restoreLaunchFiles(_ state: inout State) {
    guard state.history != nil else { return }
    state.breadcrumb = nil
    writeBreadcrumb(&state)
    state.writtenLedger = readLedger()
    try? writeLedger(&state)
  }

  /// Writes the ledger if it has changed since the last write.
  func writeLedger(_ state: inout State) throws(StoreError) {
    guard let ledger = state.history?.ledger, ledger != state.writtenLedger else { return }
    try writeLedger(ledger, over: state.writtenLedger)
    state.writtenLedger = ledger
  }

  private func writeLedger(_ ledger: LaunchLedger, over known: LaunchLedger?) throws(StoreError) {
    guard ledger != known else { return }
    let bytes: [UInt8]
    do throws(ArchiveError) {
      bytes = try ledger.encoded()
    } catch {
      throw .notAnArchive(error)
    }
    try system { () throws(FileSystemError) in
      // An unreadable ledger is kept: another build, or a support engineer, may be able to read it.
      if known == nil { try keepUnreadableLedger() }
      try folder.replace(LaunchLedger.fileName, with: bytes)
    }
  }
}
