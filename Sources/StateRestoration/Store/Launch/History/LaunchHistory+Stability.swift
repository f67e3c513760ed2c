import RestorationArchive

/// When a restored archive is stable, so that a later death does not count.
extension LaunchHistory {
  /// Counts a tick of the app's actor; returns whether the archive is now stable.
  mutating func tick(_ archive: ArchiveName, isExtended: Bool) -> Bool {
    guard let index = index(of: archive), restoring[index].call == nil, !isExtended else { return false }
    // The end of an extension is not reported.
    restoring[index].hasEnded = true
    restoring[index].ticks += 1
    guard restoring[index].ticks >= launch.ticksToStable else { return false }
    becomeStable(at: index)
    return true
  }

  /// Whether an archive is being restored and is not stable yet.
  func isUnstable(_ archive: ArchiveName) -> Bool { index(of: archive) != nil }

  /// Records a save of an archive, with or without changes; returns whether the record must be written.
  mutating func noteSaved(_ archive: ArchiveName, isChanged: Bool) -> Bool {
    written.insert(archive)
    guard isChanged, let index = index(of: archive), restoring[index].hasEnded, restoring[index].call == nil, !restoring[index].hasWorked
    else { return false }
    restoring[index].hasWorked = true
    return true
  }

  /// Records that the app waits for input after restoring; returns whether the record must be written.
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
    // Its number is free once the ledger is durable, and until then the progress record does not call it stable.
    let entry = restoring.remove(at: index)
    unwritten.append(entry)
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
}
