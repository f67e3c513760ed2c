#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  // MARK: Beginning

  /// Begins the launch: finds out how the process before ended, and what to leave out or offer because of it.
  ///
  /// ``restore(_:as:with:options:isolation:)`` does this by itself. Call it to know the reason before; it begins a launch once, until
  /// ``endLaunch()``.
  ///
  /// Where the files cannot be reached yet, nothing can be found out: the answer is `launch`, and the launch begins by itself when something
  /// is loaded, restored or saved and they can be. It is the right answer then, if this is called again.
  ///
  /// - Parameter bundleVersion: The build that launches, if the options of the store do not say so.
  /// - Returns: Why the app restores: `pristine` at the first launch, else what follows from ``lastExit``.
  /// - Throws: ``StoreError`` if the store cannot be had for writing.
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

  /// How the process before ended; nil if there was none, or if this launch has not begun.
  public var lastExit: LastExit? { state.withLock { $0.history?.lastExit } }

  /// Begins the launch that was to begin while the files could not be reached, if there is one.
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
    // What cannot be done now is done by a later launch, and does not stop this one.
    note(&state) { (state) throws(StoreError) in try carryOutVerdicts(&history, &state) }
    state.history = history
    note(&state) { (state) throws(StoreError) in try writeLedger(&state) }
    note(&state) { (state) throws(StoreError) in try startBreadcrumb(&state) }
    state.awaitedLaunch = .none
    return history
  }

  /// Begins to note how far the launch comes, in place of what the process before has left.
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

  /// Does something without which the launch can go on; what kept it from being done is told with what is restored.
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

  /// What the process before has left, with names in place of hashes.
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

  /// Notes which state has killed the process before, if its node is quarantined for that.
  private func noteDigest(of last: LaunchHistory.LastLaunch?, _ catalog: GenerationCatalog, _ history: inout LaunchHistory) {
    guard let archive = last?.calledArchive, let path = last?.calledPath, history.lacksDigest(of: path, in: archive),
      let generation = catalog.generations.first(where: { $0.archive == archive && $0.number == last?.calledGeneration }),
      let digest = (try? StoredArchive(generation, in: folder))?.reader?.quarantineDigest(of: path)
    else { return }
    history.noteDigest(digest, of: path, in: archive)
  }

  /// The path of a node that a record names by its hash alone.
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

  /// What a launch would know now: that of this one, if it has begun.
  func knownHistory(_ state: borrowing State) throws(StoreError) -> LaunchHistory {
    if let history = state.history { return history }
    let ledger = readLedger()
    let left = Breadcrumb.read(in: folder)
    let last = lastLaunch(left.record, left.exit, try catalog(), ledger)
    // Whoever only looks does so for the build that was launched last.
    return LaunchHistory(after: last, ledger: ledger, launch: makeLaunch(launchOptions.bundleVersion ?? last?.bundleVersion))
  }

  /// What the next launch will find; what this one has, if it has begun.
  func foreseen() throws(StoreError) -> ForeseenFiles {
    let (history, hasBegun) = try withState { (state) throws(StoreError) in (try knownHistory(state), state.history != nil) }
    // What a launch could not do when it began is done by a later one.
    return ForeseenFiles(history, try remembered(), hasBegun ? [] : history.verdicts) { digest(of: $0) }
  }

  // MARK: Planning

  /// Says what a launch does with an archive.
  ///
  /// - Parameters:
  ///   - archive: Which one.
  ///   - accepting: As for ``load(_:accepting:)``.
  /// - Returns: What to do, and why.
  /// - Throws: ``StoreError``.
  public func plan(
    for archive: ArchiveName = .application, accepting: (ArchiveHeader, Date?) -> Answer = { _, _ in .accept }
  ) throws(StoreError) -> LaunchPlan {
    let load = try load(archive, accepting: accepting)
    if case .pending = load.outcome { return LaunchPlan(.wait, load, "the files cannot be reached yet") }
    let files = try foreseen()
    return Self.plan(load, archive, files.history, try offers(of: archive, load, files))
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ history: LaunchHistory, _ offers: [StoreOffer]) -> LaunchPlan {
    guard case .archive(let saved) = load.outcome else { return freshPlan(load, offers) }
    switch history.decision(for: archive) {
    case .offer(let reason, let suspects):
      let offer = StoreOffer(archive: archive, generation: saved.generation, reason: reason, suspects: suspects, paths: [])
      return LaunchPlan(.offer(offer), load, "offers generation \(saved.generation.number): \(reason.sentence)")
    case .restore(let left):
      let part = saved.isPartial ? "what is intact of generation" : "generation"
      let without = left.isEmpty ? "" : ", without \(left.count) \(left.count == 1 ? "path" : "paths") that killed the app"
      let digests = Dictionary(left.compactMap { entry in entry.digest.map { (entry.path, $0) } }, uniquingKeysWith: { $1 })
      return LaunchPlan(
        .restore(saved, without: Set(left.map(\.path))), load, "restores \(part) \(saved.generation.number)\(without)", digests: digests)
    }
  }

  private static func freshPlan(_ load: StoreLoad, _ offers: [StoreOffer]) -> LaunchPlan {
    let unsupported = load.candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    switch load.outcome {
    case .declined where unsupported: return LaunchPlan(.startFresh(.laterVersion), load, "what was saved is of a later version")
    case .declined: return LaunchPlan(.startFresh(.refused), load, "the app wants none of what was saved")
    case .noFiles where offers.isEmpty: return LaunchPlan(.startFresh(.nothingSaved), load, "nothing was saved")
    case .noFiles: return LaunchPlan(.startFresh(.offered), load, "what was saved is only offered")
    default: return LaunchPlan(.startFresh(.allDamaged), load, "nothing of what was saved can be read")
    }
  }

  // MARK: While it runs

  /// Notes how far the launch has come, before the app is called.
  ///
  /// Costs one write, without waiting for the disk. A breadcrumb that cannot be written does not stop a launch.
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
      // It could not be opened before.
      try? startBreadcrumb(&state)
    }
  }

  /// Notes that restoring an archive has ended without an end, because it threw or was refused.
  func noteFailure(of archive: ArchiveName) {
    state.withLock { state in
      state.history?.abandon(archive)
      writeBreadcrumb(&state)
    }
  }

  /// Counts a tick of the actor that has restored an archive; returns whether to go on.
  ///
  /// `isExtended` says whether restoring goes on.
  package func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    state.withLock { state in
      guard state.history?.isUnstable(archive) == true else { return false }
      guard state.history?.tick(archive, isExtended: isExtended) == true else { return true }
      noteStable(&state)
      return false
    }
  }

  /// Says that the app runs well: deaths before it are forgotten.
  ///
  /// An archive is stable by itself when the actor that restored it has run for ``LaunchOptions/stableAfter`` without hanging. Until then, its
  /// first save with changes says the same against a force quit, but not against a crash of which a fatal signal is on record. While a node
  /// is being called nothing says so: should that kill the process, it is known.
  public func markStable() {
    state.withLock { state in
      if state.history?.markStable() == true { noteStable(&state) }
    }
  }

  /// Notes on the disk that archives are stable.
  private func noteStable(_ state: inout State) {
    // What another process has written since it took the folder from this one is not this one's to change.
    guard (try? holdsLock(state)) == true, var history = state.history else { return }
    try? carryOutVerdicts(&history, &state)
    state.history = history
    do throws(StoreError) {
      // The ledger forgets the deaths before; only then may the breadcrumb forget what this launch has restored. The other way round a
      // process that dies in between leaves nothing that says it was stable, and its deaths before are held against the next one.
      try writeLedger(&state)
    } catch {
      return
    }
    writeBreadcrumb(&state)
    try? state.breadcrumb?.flush()
  }

  /// Says that the process may be suspended now, or runs again: a process that is killed while it is suspended has not crashed.
  ///
  /// Call it as the last thing before the app is suspended, when all is saved.
  public func noteSuspension(_ isSuspended: Bool) {
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.end(isSuspended ? .suspended : .running)
      writeBreadcrumb(&state)
    }
  }

  /// Says that the process ends in good order, so that the next launch is no recovery, and lets another process write.
  ///
  /// `exit` says the same, if the launch was not ended before. A save that comes later all the same takes the store again. What was to be
  /// forgotten and could not be removed yet is no longer to be.
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
      state.passedOver = [:]
      state.changing = [:]
      state.awaitedLaunch = .none
      letLockGo(&state)
      noteOtherWriters(&state)
    }
  }

  // MARK: Ledger

  /// The nodes that a launch leaves out because they killed the app, by archive.
  public func quarantinedPaths(of archive: ArchiveName = .application) -> [RestorationPath] {
    let history = try? withState { (state) throws(StoreError) in try knownHistory(state) }
    return (history?.ledger.quarantined ?? []).filter { $0.archive == archive }.map(\.path)
  }

  /// Lets a node be restored again that was left out because it killed the app.
  ///
  /// - Returns: Whether it was left out.
  /// - Throws: ``StoreError``.
  public func release(_ path: RestorationPath, of archive: ArchiveName = .application) throws(StoreError) -> Bool {
    try changeHistory { (history) throws(StoreError) in history.release(path, of: archive) }
  }

  /// Changes what is remembered, whether this launch has begun or not.
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
    // What the process before has left is judged now, since the change may be about that.
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
    // Offers that were accepted before are not on trial in this process.
    for index in ledger.acceptances.indices where ledger.acceptances[index].launch == history.launch.number {
      ledger.acceptances[index].launch = nil
    }
    try writeLedger(ledger, over: known)
    if var record = left.record, !record.archives.isEmpty {
      // How it ended is still to be told, and what for is no longer to be judged.
      record.archives = []
      record.phase = .none
      try system { () throws(FileSystemError) in try Breadcrumb(in: folder).write(record) }
    }
    return result
  }

  /// What is remembered, which is nothing if there is no ledger; nil if there is one that cannot be read.
  func readLedger() -> LaunchLedger? {
    do throws(FileSystemError) {
      return LaunchLedger(try folder.read(LaunchLedger.fileName, atMost: LaunchLedger.mostBytes))
    } catch {
      return error.isAbsence ? LaunchLedger() : nil
    }
  }

  /// Gives a ledger that cannot be read another name: that of the last such one, unless it is no file or something that is none has the name.
  private func keepUnreadableLedger() throws(FileSystemError) {
    let path = folder.path(of: LaunchLedger.fileName)
    do throws(FileSystemError) {
      let status = try folder.again { () throws(FileSystemError) in try folder.system.status(at: path) }
      guard status.kind == .file else { throw FileSystemError(opening: status.kind, path: path) }
      try folder.rename(LaunchLedger.fileName, to: LaunchLedger.unreadableFileName)
    } catch {
      // There may be none any more.
      if !error.isAbsence { try folder.setAside(LaunchLedger.fileName, unless: error) }
    }
  }

  /// Writes anew what a launch has written, when the folder with it was taken from under this process.
  func restoreLaunchFiles(_ state: inout State) {
    guard state.history != nil else { return }
    state.breadcrumb = nil
    writeBreadcrumb(&state)
    state.writtenLedger = readLedger()
    try? writeLedger(&state)
  }

  /// Writes the ledger, if it has changed since it was written last.
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
      // What cannot be read now, or by this build, may be read by whoever looks for what killed the app.
      if known == nil { try keepUnreadableLedger() }
      try folder.replace(LaunchLedger.fileName, with: bytes)
    }
  }
}
