import RestorationArchive

/// The history of earlier launches and the resulting decisions of this one, as a value without a clock, files or
/// threads.
///
/// Its input is the ledger, the breadcrumb and the file names; its output is what to restore, offer or leave out. While
/// the launch runs, it receives each callback, tick and save. The store performs its decisions, and writes ``ledger``
/// and ``record`` when they change.
struct LaunchHistory {
  /// This launch.
  struct Launch {
    var bundleVersion: String?
    /// An identifier of the machine's boot; 0 if unknown.
    var boot: UInt64 = 0
    /// A random number that identifies the launch.
    var number: UInt64 = 0
    var isSafe = false
    /// The number of ticks after which an archive is stable.
    var ticksToStable = 5
  }

  /// The records left by the previous process.
  struct LastLaunch {
    var ending: BreadcrumbRecord.Ending
    var number: UInt64 = 0
    var boot: UInt64 = 0
    var bundleVersion: String?
    /// The record of a signal or `exit` handler.
    var exit: ExitRecord?
    /// The archives that were being restored and were not stable.
    var restoring: [(archive: ArchiveName, hasSaved: Bool)] = []
    /// The archive of the callback that had not returned.
    var calledArchive: ArchiveName?
    /// The node of that callback; nil if unknown.
    var calledPath: RestorationPath?
    /// The generation that the node was restored from.
    var calledGeneration: UInt64?
    /// The callback that had not returned.
    var calledPhase = BreadcrumbRecord.Phase.none
  }

  /// An archive that is being restored and is not stable yet.
  private struct Restoring {
    let generation: Generation
    let hash: UInt64
    /// The callback that has not returned yet.
    var call: (phase: BreadcrumbRecord.Phase, path: RestorationPath)?
    /// Whether the archive was already stable when an object was registered late.
    var wasStable: Bool
    var hasEnded = false
    var hasSaved = false
    var ticks = 0
    /// The suspects that have been called.
    var exercised: Set<RestorationPath> = []
  }

  /// The decision about an existing archive.
  enum Decision: Equatable {
    /// Restore the archive, without these nodes.
    case restore(without: [LaunchLedger.Quarantined])
    /// Offer the archive.
    case offer(StoreOffer.Reason, suspects: [RestorationPath])
  }

  /// The verdict on an accepted offer.
  struct Verdict: Equatable {
    let acceptance: LaunchLedger.Acceptance
    /// Whether the accepted state became stable; if not, the replaced state becomes current again.
    let isFinal: Bool
  }

  /// The persistent part of the history.
  private(set) var ledger: LaunchLedger
  let launch: Launch
  /// The way the previous process ended; nil if there was none.
  let lastExit: LastExit?
  /// The verdicts on accepted offers that the store has not carried out yet.
  private(set) var verdicts: [Verdict] = []
  private var restoring: [Restoring] = []
  private var stable: Set<ArchiveName> = []
  /// The archives that this launch has saved.
  private var written: Set<ArchiveName> = []
  private var ending = BreadcrumbRecord.Ending.running

  // MARK: Beginning

  /// Begins a launch.
  ///
  /// - Parameters:
  ///   - last: The records of the previous process; nil if unreadable.
  ///   - ledger: The ledger; nil if unreadable.
  ///   - launch: This launch.
  init(after last: LastLaunch?, ledger: LaunchLedger?, launch: Launch) {
    self.launch = launch
    // An unreadable ledger was still written by a launch.
    let hasLaunched = ledger.map(\.hasLaunched) ?? true
    self.ledger = ledger ?? LaunchLedger()
    self.ledger.hasLaunched = true
    lastExit = last.map { Self.exit(of: $0, boot: launch.boot) } ?? (hasLaunched ? .unknown : nil)
    if let last, let lastExit { judge(last, lastExit) }
    judgeAcceptances(last)
  }

  /// The reason for restoring at this launch.
  var reason: RestorationReason { lastExit?.reason ?? .pristine }

  private static func exit(of last: LastLaunch, boot: UInt64) -> LastExit {
    switch last.ending {
    case .ended: return .ended
    case .signal: return .signal
    case .running, .suspended:
      if let exit = last.exit, exit.launch == last.number {
        switch exit.kind {
        case .exit: return .ended
        case .fatalSignal: return exit.isFromOther ? .killed : .trapped
        }
      }
      if last.ending == .suspended { return .suspended }
      return last.boot != 0 && boot != 0 && last.boot != boot ? .otherBoot : .killed
    }
  }

  /// Counts a death for the affected archives, and quarantines the node that explains it.
  private mutating func judge(_ last: LastLaunch, _ exit: LastExit) {
    for entry in last.restoring {
      let isCalled = entry.archive == last.calledArchive
      if entry.hasSaved, exit != .trapped, !isCalled {
        // A save with changes makes an archive stable, except against a recorded signal.
        noteStable(entry.archive, exercised: nil, by: last.bundleVersion)
      } else if !exit.isDeath {
        endRow(of: entry.archive)
      }
    }
    guard exit.isDeath else { return }
    let unstable = last.restoring.filter { !$0.hasSaved || exit == .trapped || $0.archive == last.calledArchive }.map(\.archive)
    // An accepted offer explains the death: the state that it replaced is restored, without counting a death.
    let tried = Set(ledger.acceptances.filter { $0.launch == last.number }.map(\.archive))
    if let archive = last.calledArchive {
      guard let path = last.calledPath else { return tried.contains(archive) ? () : countDeath(of: archive) }
      if tried.contains(archive) { return suspect(path, inOffersAcceptedOf: archive) }
      let isTrap = exit == .trapped && last.exit?.isOnRestoringThread == true
      if blame((path, last.calledPhase), in: archive, isTrap: isTrap, last.bundleVersion) {
        for other in unstable { endRow(of: other) }
      }
      return
    }
    var isExplained = false
    for archive in unstable where !tried.contains(archive) && renewRetries(of: archive, last.bundleVersion) { isExplained = true }
    for archive in unstable where !tried.contains(archive) {
      if isExplained { endRow(of: archive) } else { countDeath(of: archive) }
    }
  }

  private mutating func countDeath(of archive: ArchiveName, in call: (path: RestorationPath, phase: BreadcrumbRecord.Phase)? = nil) {
    ledger.rows[archive, default: LaunchLedger.Row()].deaths += 1
    ledger.rows[archive]?.lastNode = call?.path
    ledger.rows[archive]?.lastPhase = call?.phase ?? .none
    guard let path = call?.path else { return }
    ledger.rows[archive]?.suspects.removeAll { $0 == path }
    ledger.rows[archive]?.suspects.append(path)
  }

  private mutating func endRow(of archive: ArchiveName) { ledger.rows[archive] = nil }

  /// Charges a death to the node whose callback was running.
  ///
  /// - Returns: Whether the node is now quarantined, which explains the death.
  private mutating func blame(
    _ call: (path: RestorationPath, phase: BreadcrumbRecord.Phase), in archive: ArchiveName, isTrap: Bool, _ bundleVersion: String?
  ) -> Bool {
    let path = call.path
    let tried = ledger.quarantined.firstIndex {
      $0.archive == archive && $0.isDue(for: bundleVersion) && ($0.path == path || !$0.path.isEmpty && $0.path.contains(path))
    }
    if let tried {
      renew(tried, bundleVersion)
      return true
    }
    guard isTrap || ledger.rows[archive]?.lastNode == path else {
      countDeath(of: archive, in: call)
      return false
    }
    // An existing quarantine of this node was for a different state.
    _ = release(path, of: archive)
    ledger.quarantined.append(LaunchLedger.Quarantined(archive: archive, path: path, bundleVersion: bundleVersion))
    return true
  }

  /// Renews the quarantine of the retried nodes; returns whether there were any.
  private mutating func renewRetries(of archive: ArchiveName, _ bundleVersion: String?) -> Bool {
    var isAny = false
    for index in ledger.quarantined.indices
    where ledger.quarantined[index].archive == archive && ledger.quarantined[index].isDue(for: bundleVersion) {
      renew(index, bundleVersion)
      isAny = true
    }
    return isAny
  }

  private mutating func renew(_ index: Int, _ bundleVersion: String?) {
    ledger.quarantined[index].bundleVersion = bundleVersion
    ledger.quarantined[index].goodLaunches = 0
    ledger.quarantined[index].failedRetries += 1
  }

  private mutating func suspect(_ path: RestorationPath, inOffersAcceptedOf archive: ArchiveName) {
    for acceptance in ledger.acceptances where acceptance.archive == archive {
      for index in ledger.offers.indices
      where ledger.offers[index].archive == archive && ledger.offers[index].number == acceptance.accepted {
        ledger.offers[index].suspects.removeAll { $0 == path }
        ledger.offers[index].suspects.append(path)
      }
    }
  }

  /// Judges the offers that the previous process had accepted, and puts others on trial.
  private mutating func judgeAcceptances(_ last: LastLaunch?) {
    for index in ledger.acceptances.indices {
      let acceptance = ledger.acceptances[index]
      guard acceptance.launch != nil else {
        ledger.acceptances[index].launch = launch.number
        continue
      }
      let wasTrapped = lastExit == .trapped
      let isUnstable = last?.restoring.contains {
        $0.archive == acceptance.archive && (!$0.hasSaved || wasTrapped || last?.calledArchive == acceptance.archive)
      }
      let isKnown = last != nil && last?.number == acceptance.launch
      let isFinal = isKnown && !(lastExit?.isDeath == true && isUnstable == true)
      verdicts.append(Verdict(acceptance: acceptance, isFinal: isFinal))
    }
  }

  // MARK: Planning

  /// Returns the decision of this launch about an existing archive.
  func decision(for archive: ArchiveName) -> Decision {
    if launch.isSafe, !written.contains(archive) { return .offer(.safeMode, suspects: ledger.rows[archive]?.suspects ?? []) }
    if let row = ledger.rows[archive], row.deaths >= 2 { return .offer(.deaths, suspects: row.suspects) }
    return .restore(without: ledger.quarantined.filter { $0.archive == archive && !$0.isDue(for: launch.bundleVersion) })
  }

  /// Returns the files of an archive that may be restored, in the order in which they are tried.
  ///
  /// A file marked as an offer is still current if nothing newer was saved, unless the ledger records it as an offer.
  static func candidates(for archive: ArchiveName, among files: [Generation], _ ledger: LaunchLedger) -> [Generation] {
    let own = files.filter { $0.archive == archive }.sorted(by: >)
    let newest = own.first { $0.mark == .none || $0.mark == .pinned || $0.mark == .frozen }?.number ?? 0
    return own.filter { generation in
      switch generation.mark {
      case .none, .pinned, .frozen: true
      case .offered: generation.number > newest && ledger.offer(generation.number, of: archive) == nil
      case .declined, .damaged: false
      }
    }
  }

  /// Returns the open offers of an archive, newest first.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - files: All files.
  ///   - current: The file that a launch would restore if allowed.
  /// - Returns: The offers.
  func offers(of archive: ArchiveName, among files: [Generation], current: Generation?) -> [StoreOffer] {
    var offers: [StoreOffer] = []
    if let current, case .offer(let reason, let suspects) = decision(for: archive) {
      offers.append(StoreOffer(archive: archive, generation: current, reason: reason, suspects: suspects, paths: []))
    }
    let candidates = Set(Self.candidates(for: archive, among: files, ledger))
    let accepted = Set(ledger.acceptances.filter { $0.archive == archive }.map(\.accepted))
    for generation in files.filter({ $0.archive == archive && $0.mark == .offered }).sorted(by: >)
    where !candidates.contains(generation) && !accepted.contains(generation.number) {
      let note = ledger.offer(generation.number, of: archive)
      offers.append(
        StoreOffer(
          archive: archive, generation: generation, reason: note?.reason ?? .unknown, suspects: note?.suspects ?? [],
          paths: note?.paths ?? []))
    }
    return offers
  }

  /// Returns the generations of an archive that no limit may remove: an offer on trial and the state that it replaced.
  func onTrial(_ archive: ArchiveName) -> Set<UInt64> {
    Set(ledger.acceptances.filter { $0.archive == archive }.flatMap { [$0.accepted, $0.replaced] })
  }

  // MARK: Restoring

  /// Records that this launch begins to restore a generation.
  mutating func begin(_ generation: Generation) {
    abandon(generation.archive)
    stable.remove(generation.archive)
    restoring.append(Restoring(generation: generation, hash: BreadcrumbRecord.hash(generation.archive.fileName), wasStable: false))
  }

  /// Moves an archive to the end, where callbacks are recorded.
  private mutating func putLast(_ generation: Generation) {
    if let index = restoring.firstIndex(where: { $0.generation.archive == generation.archive }) {
      restoring.append(restoring.remove(at: index))
    } else {
      restoring.append(
        Restoring(
          generation: generation, hash: BreadcrumbRecord.hash(generation.archive.fileName), wasStable: stable.contains(generation.archive)))
    }
  }

  /// Records a callback that is about to begin, or that restoring continues or has ended.
  mutating func note(_ phase: RestorationPhase, _ path: RestorationPath, in generation: Generation) {
    if restoring.last?.generation.archive != generation.archive { putLast(generation) }
    let last = restoring.count - 1
    switch phase {
    case .creating: restoring[last].call = (.creating, path)
    case .decoding: restoring[last].call = (.decoding, path)
    case .finishing: restoring[last].call = (.finishing, path)
    case .waiting: restoring[last].call = nil
    case .ended:
      restoring[last].call = nil
      restoring[last].hasEnded = true
      if restoring[last].wasStable { restoring.remove(at: last) }
      return
    }
    guard let row = ledger.rows[generation.archive], row.suspects.contains(path) else { return }
    // The node last died in a later callback than this one, so it has not been tested yet.
    if row.lastNode == path, let phase = restoring[last].call?.phase, phase.rawValue < row.lastPhase.rawValue { return }
    restoring[last].exercised.insert(path)
  }

  /// Records that restoring an archive failed with an error, or that the archive was refused.
  mutating func abandon(_ archive: ArchiveName) {
    restoring.removeAll { $0.generation.archive == archive }
  }

  /// Counts a tick of the app's actor; returns whether the archive is now stable.
  mutating func tick(_ archive: ArchiveName, isExtended: Bool) -> Bool {
    guard let index = restoring.firstIndex(where: { $0.generation.archive == archive }), restoring[index].call == nil, !isExtended
    else { return false }
    // The end of an extension is not reported.
    restoring[index].hasEnded = true
    restoring[index].ticks += 1
    guard restoring[index].ticks >= launch.ticksToStable else { return false }
    becomeStable(at: index)
    return true
  }

  /// Whether an archive is being restored and is not stable yet.
  func isUnstable(_ archive: ArchiveName) -> Bool { restoring.contains { $0.generation.archive == archive } }

  /// Records a save of an archive, with or without changes; returns whether the breadcrumb must be updated.
  mutating func noteSaved(_ archive: ArchiveName, isChanged: Bool) -> Bool {
    written.insert(archive)
    guard isChanged, let index = restoring.firstIndex(where: { $0.generation.archive == archive }), restoring[index].hasEnded,
      restoring[index].call == nil, !restoring[index].hasSaved
    else { return false }
    restoring[index].hasSaved = true
    return true
  }

  /// Records that the app declared itself stable; returns whether that changes anything.
  mutating func markStable() -> Bool {
    let count = restoring.count
    for index in restoring.indices.reversed() where restoring[index].call == nil { becomeStable(at: index) }
    return restoring.count < count
  }

  private mutating func becomeStable(at index: Int) {
    let entry = restoring.remove(at: index)
    let archive = entry.generation.archive
    noteStable(archive, exercised: entry.exercised, by: launch.bundleVersion)
    stable.insert(archive)
    for acceptance in ledger.acceptances where acceptance.archive == archive && acceptance.launch == launch.number {
      verdicts.append(Verdict(acceptance: acceptance, isFinal: true))
    }
    // The reported files are acknowledged once a launch is stable.
    ledger.ended.removeAll { $0.archive == archive }
  }

  /// Records a stable launch of an archive; `exercised` are the suspects that were called, or nil for all.
  private mutating func noteStable(_ archive: ArchiveName, exercised: Set<RestorationPath>?, by bundleVersion: String?) {
    if let exercised, var row = ledger.rows[archive] {
      row.deaths = 0
      // A suspect that waits for its object was not called, so it stays a suspect.
      row.suspects.removeAll { exercised.contains($0) }
      if let node = row.lastNode, exercised.contains(node) { (row.lastNode, row.lastPhase) = (nil, .none) }
      ledger.rows[archive] = row.isEmpty ? nil : row
    } else {
      ledger.rows[archive] = nil
    }
    ledger.quarantined.removeAll { $0.archive == archive && $0.isDue(for: bundleVersion) }
    for index in ledger.quarantined.indices where ledger.quarantined[index].archive == archive {
      ledger.quarantined[index].goodLaunches += 1
    }
  }

  // MARK: Ending

  /// Records how the process ends, or that it is suspended or resumed.
  mutating func end(_ ending: BreadcrumbRecord.Ending) { self.ending = ending }

  /// The breadcrumb record of the current state.
  var record: BreadcrumbRecord {
    var record = BreadcrumbRecord()
    record.ending = ending
    record.launch = launch.number
    record.boot = launch.boot
    record.bundleVersion = launch.bundleVersion
    // The archive of a running callback must be the last one.
    let called = restoring.lastIndex { $0.call != nil }
    for index in restoring.indices where index != called { record.archives.append(Self.noted(restoring[index])) }
    if let called, let call = restoring[called].call {
      record.archives.append(Self.noted(restoring[called]))
      record.call(call.phase, call.path)
    }
    return record
  }

  private static func noted(_ entry: Restoring) -> BreadcrumbRecord.Archive {
    BreadcrumbRecord.Archive(hash: entry.hash, generation: entry.generation.number, hasSaved: entry.hasSaved)
  }

  // MARK: Quarantine and offers

  /// Whether the digest of a quarantined node's state is still unknown.
  func lacksDigest(of path: RestorationPath, in archive: ArchiveName) -> Bool {
    ledger.quarantined.contains { $0.archive == archive && $0.path == path && $0.digest == nil }
  }

  /// Records the digest of a quarantined node's state.
  mutating func noteDigest(_ digest: UInt64, of path: RestorationPath, in archive: ArchiveName) {
    for index in ledger.quarantined.indices
    where ledger.quarantined[index].archive == archive && ledger.quarantined[index].path == path && ledger.quarantined[index].digest == nil
    {
      ledger.quarantined[index].digest = digest
    }
  }

  /// Ends the quarantine of a node; returns whether there was one.
  mutating func release(_ path: RestorationPath, of archive: ArchiveName) -> Bool {
    let count = ledger.quarantined.count
    ledger.quarantined.removeAll { $0.archive == archive && $0.path == path }
    return ledger.quarantined.count < count
  }

  /// Quarantines nodes at the user's request.
  ///
  /// The quarantine applies to their state in `accepted`; other states at their paths are restored.
  mutating func quarantine(_ paths: Set<RestorationPath>, of archive: ArchiveName, in accepted: ArchiveReader) {
    for path in paths.sorted(by: { $0.description < $1.description }) {
      _ = release(path, of: archive)
      ledger.quarantined.append(LaunchLedger.Quarantined(archive: archive, path: path, bundleVersion: launch.bundleVersion))
      // Recorded immediately, since the process may die before it reaches the nodes.
      if let digest = accepted.quarantineDigest(of: path) { noteDigest(digest, of: path, in: archive) }
    }
  }

  /// Records offers once newer state was saved; the new current state starts without deaths.
  mutating func noteOffers(_ notes: [LaunchLedger.OfferNote], of archive: ArchiveName) {
    for note in notes {
      ledger.offers.removeAll { $0.archive == note.archive && $0.number == note.number }
      ledger.offers.append(note)
      for path in note.paths { _ = release(path, of: archive) }
      // Deaths count against the current state only.
      if note.paths.isEmpty { endRow(of: archive) }
    }
  }

  /// Removes an answered offer.
  mutating func closeOffer(_ number: UInt64, of archive: ArchiveName) {
    ledger.offers.removeAll { $0.archive == archive && $0.number == number }
  }

  /// Clears the deaths of an archive, so that it is restored again instead of only offered.
  mutating func pardon(_ archive: ArchiveName) { endRow(of: archive) }

  /// Puts an accepted offer on trial.
  ///
  /// `digest` is the content digest of the file written for it.
  mutating func accept(
    _ number: UInt64, as digest: ContentDigest, replacing replaced: UInt64, of archive: ArchiveName, isRunning: Bool
  ) {
    ledger.acceptances.removeAll { $0.archive == archive }
    ledger.acceptances.append(
      LaunchLedger.Acceptance(
        archive: archive, accepted: number, replaced: replaced, digest: digest, launch: isRunning ? launch.number : nil))
  }

  /// Restores an earlier version of the ledger after a failure.
  mutating func takeBack(_ before: LaunchLedger) { ledger = before }

  /// Returns the file operations that a verdict requires.
  ///
  /// - Parameters:
  ///   - verdict: The verdict.
  ///   - files: All files.
  ///   - digest: Returns the content digest of a file; nil if it cannot be read.
  /// - Returns: The file operations.
  func measures(for verdict: Verdict, among files: [Generation], digest: (Generation) -> ContentDigest?) -> VerdictMeasures {
    let acceptance = verdict.acceptance
    let own = files.filter { $0.archive == acceptance.archive }
    let newer = own.filter { $0.number > acceptance.replaced && $0.number != acceptance.accepted }
    let candidates = Set(Self.candidates(for: acceptance.archive, among: own, ledger))
    let saved = newer.filter { candidates.contains($0) }
    let accepted = own.first { $0.number == acceptance.accepted }
    let replaced = own.first { $0.number == acceptance.replaced }
    var measures = VerdictMeasures()
    if verdict.isFinal, !saved.isEmpty {
      if let replaced, replaced.mark == .none { measures.steps.append(.mark(replaced, .offered)) }
      if let accepted { measures.steps.append(.remove(accepted)) }
      return measures
    }
    guard let replaced else { return measures }
    // The file written by accepting is redundant if it can be recreated from the offer and, for an offer of some nodes,
    // from the replaced state.
    let offered = accepted.flatMap(digest)
    let canBeMadeAgain = offered != nil && (acceptance.digest == offered || digest(replaced) != nil)
    let written = canBeMadeAgain ? acceptance.digest ?? offered : nil
    for generation in saved {
      if let written, digest(generation) == written {
        measures.steps.append(.remove(generation))
      } else if generation.mark != .offered {
        measures.steps.append(.mark(generation, .offered))
        measures.followers.append(generation.number)
      }
    }
    // The files that an interrupted earlier attempt had already marked.
    measures.followers += newer.filter { $0.mark == .offered && ledger.offer($0.number, of: $0.archive) == nil }.map(\.number)
    if replaced.mark == .offered { measures.steps.append(.mark(replaced, .none)) }
    return measures
  }

  /// Records that the file operations of a verdict are done.
  mutating func conclude(_ verdict: Verdict, followers: [UInt64]) {
    let acceptance = verdict.acceptance
    verdicts.removeAll { $0 == verdict }
    ledger.acceptances.removeAll { $0.archive == acceptance.archive && $0.accepted == acceptance.accepted }
    if verdict.isFinal {
      closeOffer(acceptance.accepted, of: acceptance.archive)
      noteOffers(
        [LaunchLedger.OfferNote(archive: acceptance.archive, number: acceptance.replaced, reason: .replaced)], of: acceptance.archive)
    } else {
      closeOffer(acceptance.replaced, of: acceptance.archive)
      if ledger.offer(acceptance.accepted, of: acceptance.archive) == nil {
        ledger.offers.append(LaunchLedger.OfferNote(archive: acceptance.archive, number: acceptance.accepted, reason: .unknown))
      }
      noteOffers(
        followers.map { LaunchLedger.OfferNote(archive: acceptance.archive, number: $0, reason: .followed) }, of: acceptance.archive)
    }
  }

  /// Records files that a limit removes.
  mutating func noteEnded(_ files: [EndedFile]) {
    for file in files { closeOffer(file.generation.number, of: file.archive) }
    ledger.ended += files.filter { !ledger.ended.contains($0) }
  }

  /// Removes everything known about an archive.
  mutating func forget(_ archive: ArchiveName) {
    abandon(archive)
    stable.remove(archive)
    written.remove(archive)
    ledger.forget(archive)
    verdicts.removeAll { $0.acceptance.archive == archive }
  }

  /// Resets the history, except that this launch is running.
  mutating func forgetEverything() {
    restoring = []
    stable = []
    written = []
    verdicts = []
    ledger = LaunchLedger()
    ledger.hasLaunched = true
  }
}

/// The file operations that follow from the verdict on an accepted offer.
struct VerdictMeasures: Equatable {
  /// An operation on one file.
  enum Step: Equatable {
    case remove(Generation)
    case mark(Generation, Generation.Mark)
  }

  /// The operations, in order.
  var steps: [Step] = []
  /// The numbers of the files that were saved after the offer was accepted, and that become offers.
  var followers: [UInt64] = []
}
