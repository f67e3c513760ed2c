#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Synchronization

extension RestorationStore {
  /// Begins a launch: finds out how the process before has ended, and blames what killed it.
  ///
  /// Until ``launchDidSettle()``, or the first save that succeeds, the launch counts as not yet gone well.
  ///
  /// Where the files cannot be reached yet, nothing can be found out: the answer is `launch`, and the launch begins by itself, once, when
  /// something is loaded, restored or saved and they can be. What is restored by ``restore(_:as:with:options:)`` then learns the reason; it is
  /// the answer here too, if this is called again.
  ///
  /// - Parameter bundleVersion: The build that launches; nodes that killed another build are tried again.
  /// - Returns: Why the app restores: `pristine` at the first launch, `recover` after a crash or a loss of power, else `launch`.
  /// - Throws: ``StoreError``.
  public func beginLaunch(bundleVersion: String? = nil) throws(StoreError) -> RestorationReason {
    let canReach = canReach
    return try withState { (state) throws(StoreError) in
      if case .begun(let reason) = state.awaitedLaunch { return reason }
      guard canReach else {
        if access == .writing, state.breadcrumb == nil { state.awaitedLaunch = .waiting(bundleVersion: bundleVersion) }
        return .launch
      }
      let reason = try beginLaunch(bundleVersion, &state)
      state.awaitedLaunch = .none
      return reason
    }
  }

  /// Begins the launch that was to begin while the files could not be reached, if there is one.
  func beginAwaitedLaunch(_ state: inout State) throws(StoreError) {
    guard case .waiting(let bundleVersion) = state.awaitedLaunch else { return }
    state.awaitedLaunch = .begun(try beginLaunch(bundleVersion, &state))
  }

  private func beginLaunch(_ bundleVersion: String?, _ state: inout State) throws(StoreError) -> RestorationReason {
    try lock(&state)
    let known = readLedger()
    // One that cannot be read was written by a launch.
    let isFirst = known.map { !$0.hasLaunched } ?? false
    var ledger = known ?? LaunchLedger()
    let breadcrumb = try openBreadcrumb(state)
    let last = breadcrumb.read()
    let hasCrashed = last.map { !$0.hasEnded } ?? false
    ledger.quarantined.removeAll { $0.bundleVersion != bundleVersion }
    if hasCrashed, let last { blame(last, bundleVersion, &ledger) }
    ledger.hasLaunched = true
    try writeLedger(ledger, &state)
    try system { () throws(FileSystemError) in
      try breadcrumb.write(BreadcrumbRecord())
      try breadcrumb.flush()
    }
    state.breadcrumb = breadcrumb
    state.launchWentWell = true
    state.restoring = []
    state.hasSettled = false
    return isFirst && !hasCrashed ? .pristine : hasCrashed ? .recover : .launch
  }

  private func openBreadcrumb(_ state: State) throws(StoreError) -> Breadcrumb {
    if let breadcrumb = state.breadcrumb { return breadcrumb }
    return try system { () throws(FileSystemError) in try Breadcrumb(in: folder) }
  }

  /// Notes which node was being restored when the process died, or that nobody is to blame.
  private func blame(_ record: BreadcrumbRecord, _ bundleVersion: String?, _ ledger: inout LaunchLedger) {
    guard record.phase != .none else { return }
    ledger.deaths += 1
    ledger.isUnexplained = true
    guard record.phase == .creating || record.phase == .decoding, let (archive, path) = node(of: record) else { return }
    ledger.isUnexplained = false
    let isKnown = ledger.quarantined.contains { $0.archive == archive && $0.path == path }
    if !isKnown { ledger.quarantined.append(LaunchLedger.Quarantined(archive: archive, path: path, bundleVersion: bundleVersion)) }
  }

  /// The node that a record names, by the path at which it was restored.
  ///
  /// Nil if it is the app's own delegate, or if the archive is gone.
  private func node(of record: BreadcrumbRecord) -> (ArchiveName, RestorationPath)? {
    guard let text = record.path else { return longNode(of: record) }
    // By the name of the archive, since what a late object is restored from may be older than all files that are left.
    let archive = try? catalog().generations.first { BreadcrumbRecord.hash($0.archive.fileName) == record.archiveHash }?.archive
    guard let archive, let path = try? RestorationPath(parsing: text), !path.isEmpty else { return nil }
    return (archive, path)
  }

  /// The node that a record names by hashes alone.
  private func longNode(of record: BreadcrumbRecord) -> (ArchiveName, RestorationPath)? {
    guard let generation = try? catalog().generations.first(where: { $0.number == record.generation }),
      BreadcrumbRecord.hash(generation.archive.fileName) == record.archiveHash, let bytes = try? folder.read(generation.fileName),
      let reader = try? ArchiveReader(bytes, toleratesLength: true), let application = try? reader.application()
    else { return nil }
    var stack = [application]
    while let node = stack.popLast() {
      if !node.path.isEmpty, BreadcrumbRecord.hash(node.path.description) == record.pathHash { return (generation.archive, node.path) }
      node.visitChildren { child in
        if let child = try? child.get() { stack.append(child) }
      }
    }
    return nil
  }

  // MARK: Planning

  /// Says what the launch should do with an archive.
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
    let ledger = access == .writing ? state.withLock { $0.ledger } : readLedger() ?? LaunchLedger()
    return Self.plan(load, archive, ledger)
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ ledger: LaunchLedger) -> LaunchPlan {
    switch load.outcome {
    case .pending: return LaunchPlan(action: .wait, load: load, reason: "the files cannot be reached yet")
    case .noFiles: return LaunchPlan(action: .startFresh, load: load, reason: "nothing was saved")
    case .allDamaged: return LaunchPlan(action: .startFresh, load: load, reason: "nothing of what was saved can be read")
    case .declined: return LaunchPlan(action: .startFresh, load: load, reason: "the app wants none of what was saved")
    case .archive(let saved):
      let paths = Set(ledger.quarantined.filter { $0.archive == archive }.map(\.path))
      if ledger.deaths >= 2 || ledger.isUnexplained {
        let times = ledger.deaths == 1 ? "the last launch" : "the last \(ledger.deaths) launches"
        return LaunchPlan(
          action: .offer(saved, quarantined: paths), load: load, reason: "\(times) died while or after restoring; ask before trying again")
      }
      let part = saved.isPartial ? "what is intact of generation" : "generation"
      let without = paths.isEmpty ? "" : ", without \(paths.count) \(paths.count == 1 ? "path" : "paths") that killed the app"
      return LaunchPlan(
        action: .restore(saved, quarantined: paths), load: load, reason: "restores \(part) \(saved.generation.number)\(without)")
    }
  }

  // MARK: While it runs

  /// Notes how far the launch has come, before the app is called; `isLate` says that it is for an object that registered after restoring.
  ///
  /// Costs one write, without waiting for the disk. A breadcrumb that cannot be written does not stop a launch.
  func note(_ record: BreadcrumbRecord, in archive: ArchiveName, isLate: Bool) {
    state.withLock { state in
      guard let breadcrumb = state.breadcrumb else { return }
      state.restoring.removeAll { $0.archive == archive }
      if !isLate { state.hasSettled = false }
      var record = record
      if record.phase != .settling {
        state.restoring.append((archive, record))
      } else if let other = state.restoring.last {
        record = other.record
      } else if state.hasSettled {
        // A late object ends nothing but itself: the app runs as it did before.
        record = BreadcrumbRecord()
      }
      try? breadcrumb.write(record)
    }
  }

  /// Says that restoring an archive has ended without an end, because it threw.
  func noteFailure(of archive: ArchiveName) {
    state.withLock { $0.restoring.removeAll { $0.archive == archive } }
  }

  /// Says what came of restoring a file, so that what could not be restored is not lost to the next save.
  ///
  /// - Parameters:
  ///   - generation: The file.
  ///   - isComplete: Whether every node was restored or will be carried over; false after a degraded, declined or offered restore.
  public func didRestore(_ generation: Generation, isComplete: Bool) {
    state.withLock { state in
      // What was pinned before was for what was restored then.
      state.pinnedFor[generation.archive] = nil
      if isComplete { return }
      state.launchWentWell = false
      pin(generation, &state)
    }
  }

  /// Says that the app runs well: deaths before it are forgotten, and files that were kept because of a bad launch are no longer needed if
  /// everything could be restored at this one.
  ///
  /// Of the files that are released, the last one of the build before is not removed but frozen.
  ///
  /// The first save that succeeds says the same, but not while another archive of the store, a scene, is being restored. That ends when
  /// restoring has settled, or with a save of that archive; an extended one ends here too. While the app is called to make or decode an object
  /// nothing says so: should that kill the process, it is known.
  public func launchDidSettle() {
    state.withLock { noteSettled(&$0, by: nil) }
  }

  /// Notes that the app runs well, by a save of an archive, or because the app says so.
  func noteSettled(_ state: inout State, by archive: ArchiveName?) {
    guard let breadcrumb = state.breadcrumb else { return }
    state.restoring.removeAll { $0.record.phase == .finishing && (archive == nil || $0.archive == archive) }
    if let other = state.restoring.last {
      try? breadcrumb.write(other.record)
      return
    }
    state.hasSettled = true
    try? breadcrumb.write(BreadcrumbRecord())
    if state.ledger.deaths > 0 || state.ledger.isUnexplained {
      var ledger = state.ledger
      ledger.deaths = 0
      ledger.isUnexplained = false
      try? writeLedger(ledger, &state)
    }
    if state.launchWentWell, let catalog = try? catalog() { releasePins(catalog, state) }
  }

  /// Releases the pinned files that something newer has taken the place of: the last one of the build before is frozen, others are removed.
  private func releasePins(_ catalog: GenerationCatalog, _ state: State) {
    // The newest first: of those of another build it is the last one.
    for pinned in catalog.generations where pinned.mark == .pinned {
      // Only what was saved or loaded since takes its place: where the save that it was pinned for has failed, or nothing newer can be read,
      // it is what there is.
      guard let current = state.current[pinned.archive], current.generation == catalog.current(of: pinned.archive),
        current.generation.number > pinned.number, !isUnjudged(pinned, state)
      else { continue }
      do throws(FileSystemError) {
        if try isLastOfAnotherBuild(pinned, current) {
          try folder.rename(pinned.fileName, to: pinned.marked(.frozen).fileName)
        } else {
          try folder.remove(pinned.fileName)
        }
      } catch {
        // It stays pinned until the next time.
      }
    }
  }

  /// Whether a pinned file is what a new build would have frozen if it had not been pinned: none that is newer is frozen.
  private func isLastOfAnotherBuild(_ pinned: Generation, _ current: Current) throws(FileSystemError) -> Bool {
    let generations = try folder.names().compactMap { Generation(fileName: $0) }
    let hasNewer = generations.contains { $0.archive == pinned.archive && $0.mark == .frozen && $0.number > pinned.number }
    guard !hasNewer else { return false }
    let bytes = try folder.read(pinned.fileName)
    guard let reader = try? ArchiveReader(bytes, toleratesLength: true) else { return false }
    return reader.header.bundleVersion != current.bundleVersion
  }

  /// Says that the process ends in good order, so that the next launch is no recovery, and lets another process write.
  ///
  /// A save that comes later all the same takes the store again. What was to be forgotten and could not be removed yet is no longer to be.
  public func endLaunch() {
    state.withLock { state in
      var record = BreadcrumbRecord()
      record.hasEnded = true
      try? state.breadcrumb?.write(record)
      try? state.breadcrumb?.flush()
      state.awaitedLaunch = .none
      state.restoring = []
      if let file = state.lockFile { folder.system.close(file) }
      state.lockFile = nil
      noteOtherWriters(&state)
    }
  }

  // MARK: Ledger

  /// The paths that are left out at a launch because they killed the app, by archive.
  public func quarantinedPaths(of archive: ArchiveName = .application) -> [RestorationPath] {
    let ledger = state.withLock { $0.breadcrumb == nil ? nil : $0.ledger } ?? readLedger()
    return (ledger?.quarantined ?? []).filter { $0.archive == archive }.map(\.path)
  }

  /// Lets a path be restored again.
  ///
  /// - Returns: Whether it was left out.
  /// - Throws: ``StoreError``.
  public func release(_ path: RestorationPath, of archive: ArchiveName = .application) throws(StoreError) -> Bool {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      guard var ledger = readLedger() else { return false }
      let count = ledger.quarantined.count
      ledger.quarantined.removeAll { $0.archive == archive && $0.path == path }
      guard ledger.quarantined.count < count else { return false }
      try writeLedger(ledger, &state)
      return true
    }
  }

  /// Takes back what nodes of an archive are blamed for, or would be at the next launch: the state that killed the app is gone.
  func removeBlame(of archive: ArchiveName, _ state: inout State) throws(StoreError) {
    if var ledger = readLedger(), ledger.quarantined.contains(where: { $0.archive == archive }) {
      ledger.quarantined.removeAll { $0.archive == archive }
      try writeLedger(ledger, &state)
    }
    // While a launch runs, what it has noted last is about nodes that may kill it still.
    guard state.breadcrumb == nil, let bytes = try? folder.read(Breadcrumb.fileName), var record = BreadcrumbRecord(bytes),
      record.phase == .creating || record.phase == .decoding, record.archiveHash == BreadcrumbRecord.hash(archive.fileName)
    else { return }
    record.phase = .none
    try system { () throws(FileSystemError) in try Breadcrumb(in: folder).write(record) }
  }

  /// What is remembered, which is nothing if there is no ledger; nil if there is one that cannot be read.
  private func readLedger() -> LaunchLedger? {
    do throws(FileSystemError) {
      return LaunchLedger(try folder.read(LaunchLedger.fileName))
    } catch {
      return error.isAbsence ? LaunchLedger() : nil
    }
  }

  private func writeLedger(_ ledger: LaunchLedger, _ state: inout State) throws(StoreError) {
    state.ledger = ledger
    let known = readLedger()
    guard ledger != known else { return }
    let bytes: [UInt8]
    do throws(ArchiveError) {
      bytes = try ledger.encoded()
    } catch {
      throw .notAnArchive(error)
    }
    try system { () throws(FileSystemError) in
      // What cannot be read now, or by this build, may be read by whoever looks for what killed the app.
      if known == nil { try folder.rename(LaunchLedger.fileName, to: LaunchLedger.unreadableFileName) }
      try folder.replace(LaunchLedger.fileName, with: bytes)
    }
  }
}
