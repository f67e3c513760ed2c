import RestorationArchive

/// The nodes that launches leave out because they killed the app, and when they are tried again.
extension LaunchHistory {
  /// The numbers of good launches after which a node is tried again, by the number of its retries that died.
  static let patience = [5, 10, 20]

  /// Returns the indices of the quarantined nodes of an archive that a launch of a build tries again: none in a streak.
  func due(in archive: ArchiveName, for build: String?) -> [Int] {
    guard ledger.streak == 0 else { return [] }
    let own = ledger.quarantined.indices.filter { ledger.quarantined[$0].archive == archive }
    // Those left out with their type alone come first, and together.
    let types = Set(own.lazy.filter { ledger.quarantined[$0].isMember }.map { ledger.quarantined[$0].type })
    return own.filter { index in
      let entry = ledger.quarantined[index]
      if !entry.builds.contains(build ?? ""), launchesLeftForOthers(entry) == 0 { return true }
      return launchesLeft(entry) == 0 && (entry.isMember || entry.type == nil || !types.contains(entry.type))
    }
  }

  /// Returns the nodes of an archive that this launch leaves out.
  func left(in archive: ArchiveName) -> [LaunchLedger.Quarantined] {
    let due = Set(due(in: archive, for: launch.bundleVersion))
    return ledger.quarantined.indices.filter { !due.contains($0) }.map { ledger.quarantined[$0] }.filter { $0.archive == archive }
  }

  /// The number of good launches until a node is tried again by the same build.
  func launchesLeft(_ entry: LaunchLedger.Quarantined) -> Int {
    max(0, launch.patience[min(entry.failedRetries, launch.patience.count - 1)] - entry.goodLaunches)
  }

  /// The number of good launches until a build that has not died in a node tries it again.
  private func launchesLeftForOthers(_ entry: LaunchLedger.Quarantined) -> Int {
    max(0, min(1 << min(entry.failedRetries, 5) - 1, 20) - entry.goodLaunches)
  }

  /// Says when a node is tried again, as text; the caller may add how it is released.
  func retry(of entry: LaunchLedger.Quarantined) -> String {
    func launches(_ count: Int) -> String { "after \(count) good \(count == 1 ? "launch" : "launches")" }
    let others = launchesLeftForOthers(entry)
    let build = others == 0 ? "by another build" : "by another build \(launches(others))"
    return "tried again \(launches(max(1, launchesLeft(entry)))), \(build), or when released"
  }

  /// Returns a quarantined node as the engine leaves it out.
  func leftNode(_ entry: LaunchLedger.Quarantined) -> LeftNode {
    LeftNode(digest: entry.digest, retry: "\(retry(of: entry)) (RestorationStore.release, or `restoration store --release`)")
  }

  /// Leaves out the nodes of an archive whose callbacks ended two processes.
  mutating func quarantineRepeatedSuspects(in archive: ArchiveName, _ build: String?) {
    for suspect in ledger.suspects where suspect.archive == archive && suspect.path != nil && suspect.isRepeated {
      quarantine(LastLaunch.Call(archive: archive, path: suspect.path, type: suspect.type, digest: suspect.digest), build)
    }
  }

  /// Leaves a node out from now on.
  mutating func quarantine(_ node: LastLaunch.Call, _ build: String?, isMember: Bool = false) {
    guard let path = node.path else { return }
    if let index = ledger.quarantined.firstIndex(where: { $0.archive == node.archive && $0.path == path }) {
      let known = ledger.quarantined[index].digest
      if known == nil || node.digest == nil || known == node.digest {
        ledger.quarantined[index].isMember = ledger.quarantined[index].isMember && isMember
        return
      }
      // The existing quarantine of this node was for a different state.
      ledger.quarantined.remove(at: index)
    }
    ledger.quarantined.append(
      LaunchLedger.Quarantined(
        archive: node.archive, path: path, digest: node.digest, type: node.type, builds: [build ?? ""], isMember: isMember, isOfStreak: true
      ))
  }

  /// Renews the quarantine of a node that was tried again.
  mutating func renew(_ index: Int, _ build: String?) {
    ledger.quarantined[index].builds.insert(build ?? "")
    ledger.quarantined[index].goodLaunches = 0
    ledger.quarantined[index].failedRetries += 1
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
    ledger.suspects.removeAll { $0.archive == archive && $0.path == path }
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
        archive: archive, path: path, digest: accepted.quarantineDigest(of: path), builds: [launch.bundleVersion ?? ""])
    }
  }
}

extension LaunchLedger.Suspect {
  /// Whether it was suspected in two launches that died: once may be an accident.
  var isRepeated: Bool { deaths >= 2 }
}
