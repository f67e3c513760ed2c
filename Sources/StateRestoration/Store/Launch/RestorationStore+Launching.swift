import FoundationValues
import Locking
import RestorationArchive

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
  /// - Returns: The reason for restoring: `pristine` at the first launch, else derived from ``lastExit``.
  /// - Throws: ``StoreError`` if the store cannot be locked for writing.
  @discardableResult
  package func beginLaunch(bundleVersion: String? = nil) throws(StoreError) -> RestorationReason {
    // Without the lock of the store: a scene that is opened later waits for no save.
    if let history = launch.history { return history.reason }
    let version = bundleVersion ?? launchOptions.bundleVersion
    let canReach = canReach
    return try withState { (state) throws(StoreError) in
      if let history = state.history { return history.reason }
      guard access == .writing else { throw .readingOnly }
      var build = version
      if case .waiting(let awaited) = launch.state.withLock({ $0.awaited }) { build = bundleVersion ?? awaited }
      guard canReach else {
        launch.state.withLock { [build] in $0.awaited = .waiting(bundleVersion: build) }
        return .launch
      }
      return try begin(build, &state).reason
    }
  }

  /// The way the previous process ended; nil if there was none, or if this launch has not begun.
  package var lastExit: LastExit? { launch.history?.lastExit }

  /// Begins the launch that was waiting for the storage, if any.
  func beginAwaitedLaunch(_ state: inout State) throws(StoreError) {
    guard case .waiting(let bundleVersion) = launch.state.withLock({ $0.awaited }) else { return }
    _ = try begin(bundleVersion, &state)
  }

  /// Begins the launch that was waiting for the storage, if any; locks the state only then.
  func beginAwaitedLaunch() throws(StoreError) {
    guard case .waiting = launch.state.withLock({ $0.awaited }) else { return }
    try withState { (state) throws(StoreError) in try beginAwaitedLaunch(&state) }
  }

  private func begin(_ bundleVersion: String?, _ state: inout State) throws(StoreError) -> LaunchHistory {
    let obstacle = try lockIfPossible(&state)
    var left = try leftRecords(readsArchives: false)
    let number = UInt64.random(in: 1...UInt64.max)
    state.writtenLedger = left.ledger
    launch.state.withLock { $0.error = obstacle }
    if obstacle == nil, left.needsArchives { beginJudging(left, bundleVersion, number, &state) }
    if left.needsArchives { left = try leftRecords(left.progress, left.ledger, readsArchives: true) }
    var history = history(after: left, bundleVersion, number: number)
    if obstacle != nil {
      launch.begin(history)
      return history
    }
    // A failure must not stop this launch; a later launch tries again.
    note(&state) { (state) throws(StoreError) in try carryOutConclusions(&history, &state, isJudging: true) }
    launch.begin(history)
    note(&state) { (state) throws(StoreError) in try writeLedger(&state, waitsForMore: true) }
    if launch.needsProgress { note(&state) { (state) throws(StoreError) in try startProgress(&state) } }
    // Every save tries again.
    try? finishRemovals(&state)
    return history
  }

  /// Records this launch, and what can be said of the one before without reading archives, because the process may end
  /// while it reads them to judge that one.
  private func beginJudging(_ left: LeftRecords, _ bundleVersion: String?, _ number: UInt64, _ state: inout State) {
    launch.begin(history(after: left, bundleVersion, number: number))
    note(&state) { (state) throws(StoreError) in try writeLedger(&state) }
    note(&state) { (state) throws(StoreError) in try startProgress(&state) }
  }

  /// Starts recording the progress of the launch.
  func startProgress(_ state: inout State) throws(StoreError) {
    guard let history = state.history else { return }
    let progress = try system { () throws(FileSystemError) in try ProgressRecorder(history.record, in: folder) }
    launch.use(progress)
    if progress.file.isOfSystem { ExitRecorder.begin(progress.file.file.descriptor, launch: history.launch.number) }
    if launchOptions.recordsFatalSignals { FatalSignals.install() }
  }

  /// Runs a step that the launch can do without; an error is reported with the result of the restoration.
  private func note(_ state: inout State, _ body: (inout State) throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body(&state)
    } catch {
      launch.note(error)
    }
  }

  // MARK: The previous process

  /// The records that the previous process left.
  struct LeftRecords {
    /// The progress record.
    let progress: LeftProgress
    /// The ledger; nil if it is unreadable.
    let ledger: LaunchLedger?
    /// The files.
    let catalog: GenerationCatalog
    /// The last launch, from the ledger, the progress record and the files; nil without a record.
    let last: LaunchHistory.LastLaunch?
    /// Whether archives were read to find the node whose callback was running.
    let hasReadArchives: Bool

    /// Whether the last launch can be judged fully only by reading archives.
    var needsArchives: Bool {
      if ledger?.acceptances.isEmpty == false { return true }
      guard let last, ledger?.judged != last.number, last.ending != .ended, last.ending != .signal else { return false }
      return last.called.map { $0.phase != .loading } ?? false || ledger?.suspects.isEmpty == false
    }
  }

  /// Reads the records of the previous process.
  func leftRecords(readsArchives: Bool = true) throws(StoreError) -> LeftRecords {
    try leftRecords(LeftProgress(in: folder), readLedger(), readsArchives: readsArchives)
  }

  private func leftRecords(
    _ progress: LeftProgress, _ ledger: LaunchLedger?, readsArchives: Bool
  ) throws(StoreError) -> LeftRecords {
    let catalog = try catalog()
    let last = lastLaunch(progress, catalog, ledger, readsArchives: readsArchives)
    return LeftRecords(progress: progress, ledger: ledger, catalog: catalog, last: last, hasReadArchives: readsArchives)
  }

  /// Returns the history that a launch of a build begins with.
  func history(
    after left: LeftRecords, _ bundleVersion: String?, number: UInt64 = UInt64.random(in: 1...UInt64.max)
  ) -> LaunchHistory {
    LaunchHistory(
      after: left.last, ledger: left.ledger, files: files(in: left),
      launch: LaunchHistory.Launch(
        bundleVersion: bundleVersion, boot: boot, number: number, isSafe: launchOptions.isSafe,
        ticksToStable: launchOptions.ticksToStable, patience: launchOptions.usablePatience))
  }

  /// Returns the history that a launch would have now; without an explicit build, that of the build that launched last.
  func historyOfNextLaunch(after left: LeftRecords) -> LaunchHistory {
    history(after: left, launchOptions.bundleVersion ?? left.last?.bundleVersion)
  }

  /// Returns the history of this launch, or the history that a launch would have now.
  func knownHistory() throws(StoreError) -> LaunchHistory {
    if let history = launch.history { return history }
    return historyOfNextLaunch(after: try leftRecords())
  }

  /// Converts the record of the previous process, looking up names by their hashes.
  private func lastLaunch(
    _ left: LeftProgress, _ catalog: GenerationCatalog, _ ledger: LaunchLedger?, readsArchives: Bool
  ) -> LaunchHistory.LastLaunch? {
    guard let record = left.record else { return nil }
    var last = LaunchHistory.LastLaunch(
      ending: record.ending, number: record.launch, boot: record.boot, bundleVersion: record.bundleVersion, exit: left.exit)
    let known = Set(catalog.generations.map(\.archive)).union(ledger?.setAside.keys.map { $0 } ?? [])
    let names = Dictionary(known.map { (ProgressRecord.hash($0.fileName), $0) }) { first, _ in first }
    last.streak = record.streak
    last.hasRun = record.hasRun
    last.hasRestored = record.hasRestored
    last.restoring = record.archives.compactMap { entry in
      guard let entry, let archive = names[entry.hash] else { return nil }
      return LaunchHistory.LastLaunch.Trial(
        archive: archive, generation: entry.generation, hasWorked: entry.hasWorked, isSetAside: entry.isSetAside)
    }
    if let shared = left.shared {
      // Which archives had no entry of their own is not known, so all that have none are judged.
      let own = Set(last.restoring.map(\.archive))
      last.restoring += known.subtracting(own).sorted { $0.fileName < $1.fileName }.map {
        LaunchHistory.LastLaunch.Trial(archive: $0, hasWorked: shared.hasWorked)
      }
    }
    if let called = left.called, let archive = names[called.hash], let word = left.word, let phase = word.phase {
      last.called = LaunchHistory.LastLaunch.Call(archive: archive, phase: phase)
      if readsArchives, ledger?.judged != record.launch {
        launch.recordLoading(archive) { describe(&last.called, word, left.text, called, catalog) }
      }
    }
    return last
  }

  /// Finds the node of a callback, by its number in the generation as the previous process had read it or by its path, and
  /// what it was.
  private func describe(
    _ call: inout LaunchHistory.LastLaunch.Call?, _ word: ProgressWord, _ text: RestorationPath?, _ entry: ProgressRecord.Archive,
    _ catalog: GenerationCatalog
  ) {
    guard let archive = call?.archive, call?.phase != .loading else { return }
    let isNoted = word.node == ProgressWord.textNode
    if isNoted { call?.path = text }
    guard let generation = catalog.generations.first(where: { $0.number == entry.generation && $0.archive == archive }),
      let stored = try? fileReader.stored(generation, links: entry.content.linkCount), let reader = stored.reader,
      stored.links.applied == entry.content.linkCount, stored.links.lastDigest ?? reader.contentDigest == entry.content.digest
    else { return }
    guard let path = isNoted ? text : SavedTree(reader, moves: []).path(ofNode: word.node) else { return }
    call?.path = path
    if !path.isEmpty, let node = try? reader.node(at: path) { call?.type = NodeKind.name(node.type, below: path.parent) }
    call?.digest = reader.quarantineDigest(of: path)
  }

  /// The files that the previous process has left.
  private func files(in left: LeftRecords) -> LaunchHistory.Files {
    func newest(_ archive: ArchiveName) -> Generation? {
      left.catalog.candidates(for: archive, left.ledger ?? LaunchLedger()).first
    }
    return LaunchHistory.Files(
      archives: { left.catalog.byArchive.keys.sorted { $0.fileName < $1.fileName } }, current: { newest($0)?.number },
      nodes: { archive, type in
        guard left.hasReadArchives, let generation = newest(archive) else { return ([], true) }
        return self.launch.recordLoading(archive) {
          (try? self.fileReader.stored(generation))?.reader.map { SavedTree($0, moves: []).nodes(ofKind: type) } ?? ([], true)
        }
      })
  }
}

/// What nodes of one type have in common; untyped siblings are of one kind too.
enum NodeKind {
  static func name(_ type: String?, below parent: @autoclosure () -> RestorationPath?) -> String {
    type.map { "type \($0)" } ?? "in \(parent()?.description ?? "")"
  }
}

extension SavedTree {
  /// Returns the nodes of a kind, and whether there are others that are not above or below them.
  fileprivate func nodes(ofKind kind: String) -> (paths: [RestorationPath], hasOthers: Bool) {
    var paths: [RestorationPath] = []
    var members: Set<Int> = []
    var above: Set<Int> = []
    var others: [Int] = []
    for index in order where index > 0 {
      let parent = entries[index].parent
      if members.contains(parent) {
        members.insert(index)
      } else if NodeKind.name(savedType(of: index)?.tag, below: path(of: parent)) == kind {
        paths.append(path(of: index))
        members.insert(index)
        var next = parent
        while next > 0, above.insert(next).inserted { next = entries[next].parent }
      } else {
        others.append(index)
      }
    }
    return (paths, others.contains { !above.contains($0) })
  }
}

extension RestorationStore {
  /// Predicts the files of an archive and the history of the next launch; if this launch has begun, returns its own.
  func predictedFiles(of archive: ArchiveName) throws(StoreError) -> PredictedFiles {
    // Conclusions that this launch could not carry out are left to a later launch.
    if let begun = launch.history { return PredictedFiles(begun, try loadableFiles(of: archive), []) { digest(of: $0) } }
    let history = historyOfNextLaunch(after: try leftRecords())
    return PredictedFiles(history, try loadableFiles(of: archive), history.conclusions) { digest(of: $0) }
  }

  /// Plans the launch of an archive.
  ///
  /// - Parameter archive: The name of the archive.
  /// - Returns: The action and its reason.
  /// - Throws: ``StoreError``.
  package func plan(for archive: ArchiveName = .application) throws(StoreError) -> LaunchPlan {
    if let plan = try unreadPlan(for: archive) { return plan }
    let load = try load(archive)
    if case .pending = load.outcome { return LaunchPlan(.wait, load, "the storage is not accessible yet") }
    let files = try predictedFiles(of: archive)
    if case .noFiles = load.outcome, files.catalog.closed.contains(where: { $0.archive == archive }) {
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
    let load = StoreLoad(outcome: .declined, candidates: [StoreLoad.Candidate(generation: generation, outcome: .unread)])
    let offer = StoreOffer(generation, reason, suspects: suspects, isUnread: true)
    return LaunchPlan(.offer(offer), load, "offers generation \(generation.number) unread: \(reason.sentence)")
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ history: LaunchHistory, _ offers: [StoreOffer]) -> LaunchPlan {
    guard case .archive(let saved) = load.outcome else { return freshPlan(load, offers) }
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
    let unsupported = load.candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    switch load.outcome {
    case .declined where unsupported: return LaunchPlan(.startFresh(.laterVersion), load, "the saved state is of a later version")
    case .declined: return LaunchPlan(.startFresh(.refused), load, "the app declined all saved state")
    case .unreadable: return LaunchPlan(.startFresh(.unreadable), load, "the system cannot read the saved files")
    case .noFiles where offers.isEmpty: return LaunchPlan(.startFresh(.nothingSaved), load, "nothing was saved")
    case .noFiles: return LaunchPlan(.startFresh(.offered), load, "the saved state is only offered")
    default: return LaunchPlan(.startFresh(.allDamaged), load, "no saved file can be read")
    }
  }
}
