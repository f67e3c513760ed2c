import RestorationArchive

extension LaunchHistory {
  /// Charges the crash of the previous process to the archives that it was restoring, or quarantines the node that
  /// caused it.
  mutating func assess(_ last: LastLaunch, _ exit: LastExit) {
    for entry in last.restoring {
      if !last.wasUnstable(entry, exit) {
        // A save with changes makes an archive stable, except against a recorded signal.
        noteStable(entry.archive, exercised: nil, by: last.bundleVersion)
      } else if !exit.isDeath {
        endStreak(of: entry.archive)
      }
    }
    guard exit.isDeath else { return }
    let unstable = last.restoring.filter { last.wasUnstable($0, exit) }.map(\.archive)
    // An accepted offer explains the death: the state that it replaced is restored, without counting a death.
    let tried = Set(ledger.acceptances.filter { $0.launch == last.number }.map(\.archive))
    if let archive = last.calledArchive {
      guard let path = last.calledPath else { return tried.contains(archive) ? () : countDeath(of: archive) }
      if tried.contains(archive) { return suspect(path, inOffersAcceptedOf: archive) }
      let isTrap = exit == .trapped && last.exit?.isOnRestoringThread == true
      if blame((path, last.calledPhase), in: archive, isTrap: isTrap, last.bundleVersion) {
        for other in unstable { endStreak(of: other) }
      }
      return
    }
    var isExplained = false
    for archive in unstable where !tried.contains(archive) && renewRetries(of: archive, last.bundleVersion) { isExplained = true }
    for archive in unstable where !tried.contains(archive) {
      if isExplained { endStreak(of: archive) } else { countDeath(of: archive) }
    }
  }

  private mutating func countDeath(of archive: ArchiveName, in call: (path: RestorationPath, phase: ProgressRecord.Phase)? = nil) {
    ledger.streaks[archive, default: LaunchLedger.DeathStreak()].deaths += 1
    ledger.streaks[archive]?.lastNode = call?.path
    ledger.streaks[archive]?.lastPhase = call?.phase ?? .none
    guard let path = call?.path else { return }
    ledger.streaks[archive]?.suspects.removeAll { $0 == path }
    ledger.streaks[archive]?.suspects.append(path)
  }

  mutating func endStreak(of archive: ArchiveName) { ledger.streaks[archive] = nil }

  /// Charges a death to the node whose callback was running.
  ///
  /// - Returns: Whether the node is now quarantined, which explains the death.
  private mutating func blame(
    _ call: (path: RestorationPath, phase: ProgressRecord.Phase), in archive: ArchiveName, isTrap: Bool, _ bundleVersion: String?
  ) -> Bool {
    let path = call.path
    let tried = ledger.quarantined.firstIndex {
      $0.archive == archive && $0.isDue(for: bundleVersion) && ($0.path == path || !$0.path.isEmpty && $0.path.contains(path))
    }
    if let tried {
      renew(tried, bundleVersion)
      return true
    }
    guard isTrap || ledger.streaks[archive]?.lastNode == path else {
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

  /// Draws conclusions about the offers that the previous process had accepted, and puts others on trial.
  mutating func concludeAcceptances(_ last: LastLaunch?) {
    for index in ledger.acceptances.indices {
      let acceptance = ledger.acceptances[index]
      guard acceptance.launch != nil else {
        ledger.acceptances[index].launch = launch.number
        continue
      }
      var isFinal = last?.number == acceptance.launch
      if let last, let exit = lastExit, exit.isDeath,
        last.restoring.contains(where: { $0.archive == acceptance.archive && last.wasUnstable($0, exit) })
      {
        isFinal = false
      }
      conclusions.append(Conclusion(acceptance: acceptance, isFinal: isFinal))
    }
  }
}

extension LaunchHistory.LastLaunch {
  /// Whether an archive that was being restored was not stable when the process ended: it had not
  /// worked since, or died of a recorded signal or in a callback of the archive.
  func wasUnstable(_ entry: (archive: ArchiveName, hasWorked: Bool), _ exit: LastExit) -> Bool {
    !entry.hasWorked || exit == .trapped || entry.archive == calledArchive
  }
}

extension LaunchHistory {
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

  /// Records where quarantined nodes were found, which an alias may have moved, and the digests of their states.
  mutating func noteFound(_ found: [RestorationPath: (path: RestorationPath, digest: UInt64?)], in archive: ArchiveName) {
    for index in ledger.quarantined.indices where ledger.quarantined[index].archive == archive {
      guard let (path, digest) = found[ledger.quarantined[index].path] else { continue }
      ledger.quarantined[index].path = path
      ledger.quarantined[index].digest = ledger.quarantined[index].digest ?? digest
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
    ledger.quarantined.removeAll { $0.archive == archive && paths.contains($0.path) }
    // The digests are recorded immediately, since the process may die before it reaches the nodes.
    ledger.quarantined += paths.sorted().map { path in
      LaunchLedger.Quarantined(
        archive: archive, path: path, digest: accepted.quarantineDigest(of: path), bundleVersion: launch.bundleVersion)
    }
  }
}
