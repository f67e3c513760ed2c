import RestorationArchive

extension LaunchHistory {
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
    guard let streak = ledger.streaks[generation.archive], streak.suspects.contains(path) else { return }
    // The node last died in a later callback than this one, so it has not been tested yet.
    if streak.lastNode == path, let phase = restoring[last].call?.phase, phase.rawValue < streak.lastPhase.rawValue { return }
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
      restoring[index].call == nil, !restoring[index].hasWorked
    else { return false }
    restoring[index].hasWorked = true
    return true
  }

  /// Records that the app waits for input after restoring; returns whether the breadcrumb must be updated.
  mutating func noteTurn() -> Bool {
    var isNew = false
    for index in restoring.indices where restoring[index].hasEnded && restoring[index].call == nil && !restoring[index].hasWorked {
      restoring[index].hasWorked = true
      isNew = true
    }
    return isNew
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
      conclusions.append(Conclusion(acceptance: acceptance, isFinal: true))
    }
    // The reported files are acknowledged once a launch is stable.
    ledger.ended.removeAll { $0.archive == archive }
  }

  /// Records a stable launch of an archive; `exercised` are the suspects that were called, or nil for all.
  mutating func noteStable(_ archive: ArchiveName, exercised: Set<RestorationPath>?, by bundleVersion: String?) {
    if let exercised, var streak = ledger.streaks[archive] {
      streak.deaths = 0
      // A suspect that waits for its object was not called, so it stays a suspect.
      streak.suspects.removeAll { exercised.contains($0) }
      if let node = streak.lastNode, exercised.contains(node) { (streak.lastNode, streak.lastPhase) = (nil, .none) }
      ledger.streaks[archive] = streak.isEmpty ? nil : streak
    } else {
      ledger.streaks[archive] = nil
    }
    ledger.quarantined.removeAll { $0.archive == archive && $0.isDue(for: bundleVersion) }
    for index in ledger.quarantined.indices where ledger.quarantined[index].archive == archive {
      ledger.quarantined[index].goodLaunches += 1
    }
  }

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
    BreadcrumbRecord.Archive(hash: entry.hash, generation: entry.generation.number, hasWorked: entry.hasWorked)
  }
}
