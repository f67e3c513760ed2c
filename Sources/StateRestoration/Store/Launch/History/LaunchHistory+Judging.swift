package import RestorationArchive

/// What a launch concludes from the end of the one before: the streak of bad launches, the suspects, and what is left
/// out or offered because of them.
///
/// | a death while a restored archive is not stable | consequence |
/// |---|---|
/// | the first | everything is restored again, except a node whose callback raised a recorded fault |
/// | the second with the same node running | the node is quarantined |
/// | two nodes of one type, by faults or unanswered signals | all nodes of that type in that archive are quarantined |
/// | two nodes that this does not explain, or the archive itself twice | the archive is offered |
/// | the third in a row, whatever the cause | every archive is offered |
extension LaunchHistory {
  /// Judges the last launch, once.
  mutating func judge(_ last: LastLaunch, _ exit: LastExit, _ files: Files) {
    ledger.judged = last.record.launch
    // The record of progress is written even if the ledger cannot be.
    ledger.streak = last.record.streak
    for trial in last.restoring where trial.isSetAside && ledger.setAside[trial.archive] == nil {
      ledger.setAside[trial.archive] = LaunchLedger.SetAside(number: trial.generation, last: trial.generation)
    }
    let unstable = last.restoring.filter { last.wasUnstable($0, exit) }
    var hasStable = last.record.hasRun
    // A callback that was running proves nothing, however the process ended.
    for trial in last.restoring where exit.isDeath ? !last.wasUnstable(trial, exit) : trial.archive != last.called?.archive {
      noteStable(trial.archive, isSetAside: trial.isSetAside, exercised: nil, by: last.record.bundleVersion)
      hasStable = true
    }
    let accepted = Set(ledger.acceptances.filter { $0.launch == last.record.launch }.map(\.archive))
    if exit.isDeath {
      let isOfOffer = last.called.map { accepted.contains($0.archive) } ?? false
      if isOfOffer, let called = last.called, let path = called.path { suspect(path, inOffersAcceptedOf: called.archive) }
      // A death on trial of an accepted offer says nothing of what the launch had done before.
      let unproved = unstable.filter { !accepted.contains($0.archive) }
      let bad = unproved.filter { !$0.isSetAside }.map(\.archive)
      if !isOfOffer, !bad.isEmpty { return count(last, exit, bad, files) }
      guard unproved.isEmpty else {
        // Nothing was restored that could have been to blame.
        if exit == .trapped, !last.record.hasRestored { acquit(files) }
        return
      }
    }
    if hasStable { endStreak() }
  }

  /// Counts a bad launch.
  private mutating func count(_ last: LastLaunch, _ exit: LastExit, _ bad: [ArchiveName], _ files: Files) {
    // After a loss of power, the word of the running callback may be an old one.
    let called = exit == .otherBoot ? nil : last.called
    let retried = Set(bad).reduce(into: [Int]()) { $0 += due(in: $1, for: last.record.bundleVersion) }
    let isRetried = retried.contains { index in
      let entry = ledger.quarantined[index]
      return entry.archive == called?.archive && called?.path.map { $0 == entry.path || entry.path.contains($0) } ?? false
    }
    for index in retried { renew(index, last.record.bundleVersion) }
    ledger.streak += 1
    // The death of a retry says nothing about others.
    if !isRetried, called != nil || retried.isEmpty {
      let isFault = exit == .trapped || exit == .unanswered
      for suspect in called.map({ [$0] }) ?? bad.map({ LaunchLedger.Suspect(archive: $0) }) { addSuspect(suspect, isFault: isFault) }
      if let called, exit == .trapped, last.exit?.isOnRestoringThread == true { quarantine(called, last.record.bundleVersion) }
      for archive in Set(called.map { [$0.archive] } ?? bad) { explain(archive, last, files) }
    }
  }

  // MARK: Suspects

  private mutating func addSuspect(_ called: LaunchLedger.Suspect, isFault: Bool) {
    var suspect = called
    suspect.isFault = isFault
    let index = ledger.suspects.firstIndex {
      $0.archive == called.archive && $0.path == called.path && ($0.digest == nil || called.digest == nil || $0.digest == called.digest)
    }
    if let known = index.map({ ledger.suspects.remove(at: $0) }) {
      suspect.deaths += known.deaths
      suspect.digest = known.digest
    }
    ledger.suspects.append(suspect)
  }

  /// Quarantines what explains the deaths of an archive, or sets it aside.
  private mutating func explain(_ archive: ArchiveName, _ last: LastLaunch, _ files: Files) {
    // Looking for nodes reads the archive, which has ended the process twice.
    if ledger.suspects.contains(where: { $0.archive == archive && $0.path == nil && $0.phase == .loading && $0.isRepeated }) {
      return setAside(archive, files.current(archive))
    }
    quarantineRepeatedSuspects(in: archive, last.record.bundleVersion)
    let faults = ledger.suspects.filter { $0.archive == archive && $0.isFault && !$0.isSettled }
    let types = Dictionary(grouping: faults) { $0.type }.compactMap { $0.value.count > 1 ? $0.key : nil }
    for type in types.sorted() {
      let (members, hasOthers) = files.nodes(archive, type)
      guard hasOthers, quarantine(members, of: archive, type, last.record.bundleVersion) else {
        return setAside(archive, files.current(archive))
      }
    }
    let left = Set(ledger.quarantined.lazy.filter { $0.archive == archive }.map(\.path))
    let unexplained = ledger.suspects.filter { suspect in
      suspect.archive == archive && suspect.path.map { !left.contains($0) } ?? suspect.isRepeated
    }
    if unexplained.count > 1 || unexplained.contains(where: { $0.path == nil }) { setAside(archive, files.current(archive)) }
  }

  /// Returns the suspected nodes of an archive, the most recent last.
  func suspects(in archive: ArchiveName) -> [RestorationPath] { ledger.suspects.filter { $0.archive == archive }.compactMap(\.path) }

  mutating func setAside(_ archive: ArchiveName, _ current: UInt64?) {
    guard let current else { return }
    if ledger.fresh[archive] != nil, ledger.setAside[archive] != nil {
      // What was saved without the state since is not restored either.
      ledger.setAside[archive]?.last = current
      return
    }
    let isUnread = ledger.suspects.contains { $0.archive == archive && $0.path == nil && $0.phase == .loading }
    ledger.setAside[archive] = LaunchLedger.SetAside(number: current, last: current, isUnread: isUnread)
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
  mutating func concludeAcceptances(_ last: LastLaunch?, _ files: Files) {
    // A process that died before it had written the accepted state has accepted nothing.
    ledger.acceptances.removeAll { $0.isFinal == nil && files.current($0.archive) == $0.replaced }
    for index in ledger.acceptances.indices {
      let acceptance = ledger.acceptances[index]
      // A launch that died before it had judged the last one has not tried the state.
      let isTried = acceptance.launch.map { $0 != launch.number && $0 != last?.blankLaunch } ?? false
      guard isTried || acceptance.isFinal != nil else {
        ledger.acceptances[index].launch = launch.number
        continue
      }
      ledger.acceptances[index].isFinal = acceptance.isFinal ?? isProven(acceptance, last)
    }
  }

  /// Whether the last launch has accepted an offer, and its state was stable when that launch ended.
  private func isProven(_ acceptance: LaunchLedger.Acceptance, _ last: LastLaunch?) -> Bool {
    guard let last, last.record.launch == acceptance.launch else { return false }
    guard let exit = lastExit, exit.isDeath else { return true }
    return !last.restoring.contains { $0.archive == acceptance.archive && last.wasUnstable($0, exit) }
  }

  // MARK: Decisions

  /// The decision about an existing archive.
  enum Decision: Equatable {
    /// Restore the archive, without these nodes.
    case restore(without: [LaunchLedger.Quarantined])
    /// Offer the archive.
    case offer(StoreOffer.Reason, suspects: [RestorationPath])
    /// Start fresh: its state is that of a fresh launch that was never stable, and no offer.
    case leave
  }

  /// Decides whether this launch restores an archive or offers it to the user; `current` is its newest generation, if known.
  func decision(for archive: ArchiveName, current: UInt64?) -> Decision {
    if launch.options.isSafe, !written.contains(archive) { return .offer(.safeMode, suspects: suspects(in: archive)) }
    if let aside = ledger.setAside[archive], current ?? 0 <= aside.last {
      if let fresh = ledger.fresh[archive], current ?? fresh >= fresh { return .leave }
      return .offer(.deaths, suspects: suspects(in: archive))
    }
    return .restore(without: left(in: archive))
  }
}

/// The streak: the number of bad launches in a row, of the app as a whole. The longest one offers everything.
extension LaunchHistory {
  /// The number of bad launches in a row after which everything is offered.
  static let longestStreak = 3

  /// After the longest streak, sets everything aside: it is offered, or left if it was never stable.
  mutating func setEverythingAside(_ files: Files) {
    guard ledger.streak >= Self.longestStreak else { return }
    for archive in files.archives() {
      // The state that an accepted offer had replaced is about to be current again.
      let replaced = conclusions.first { $0.archive == archive && $0.isFinal == false }?.replaced
      setAside(archive, replaced ?? files.current(archive))
    }
  }

  /// Takes back what a streak has offered and quarantined: the app dies without its state too.
  mutating func acquit(_ files: Files) {
    let innocent = ledger.setAside.keys.filter { !ledger.acquitted.contains($0) }
    guard !innocent.isEmpty else { return }
    for archive in innocent {
      let aside = ledger.setAside.removeValue(forKey: archive)
      // The state of a closed scene stays an offer: what the user has closed without it is not given up.
      if let aside, files.current(archive) != nil { ledger.acquittals[archive] = aside.number } else { ledger.fresh[archive] = nil }
    }
    ledger.quarantined.removeAll { $0.isOfStreak && innocent.contains($0.archive) }
    ledger.suspects = []
    ledger.streak = Self.longestStreak - 1
    ledger.acquitted.formUnion(innocent)
  }

  /// Ends the streak: no acquittal takes back what it has quarantined.
  mutating func endStreak() {
    ledger.streak = 0
    for index in ledger.quarantined.indices { ledger.quarantined[index].isOfStreak = false }
  }

  /// Makes the streak too short for offering everything: one more bad launch completes it again.
  mutating func shortenStreak() { ledger.streak = min(ledger.streak, Self.longestStreak - 1) }
}

extension LaunchHistory.LastLaunch {
  /// Whether an archive that was being restored was not stable when the process ended: it had not
  /// worked since, or died of a recorded signal or in a callback of the archive.
  func wasUnstable(_ trial: Trial, _ exit: LastExit) -> Bool {
    !trial.hasWorked || exit == .trapped || trial.archive == called?.archive
  }
}

/// The nodes that launches leave out because they killed the app, and when they are tried again.
extension LaunchHistory {
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
    max(0, launch.options.patience(afterRetries: entry.failedRetries) - entry.goodLaunches)
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
    if ledger.streak == 0, launchesLeft(entry) == 0 { return "tried again at the next launch, or when released" }
    return "tried again \(launches(max(1, launchesLeft(entry)))), \(build), or when released"
  }

  /// Returns a quarantined node as the engine leaves it out.
  func leftNode(_ entry: LaunchLedger.Quarantined) -> LeftNode {
    LeftNode(digest: entry.digest, retry: "\(retry(of: entry)) (RestorationStore.release, or `restoration store --release`)")
  }

  /// Leaves out the nodes of an archive whose callbacks ended two processes.
  mutating func quarantineRepeatedSuspects(in archive: ArchiveName, _ build: String?) {
    for suspect in ledger.suspects where suspect.archive == archive && suspect.path != nil && suspect.isRepeated {
      quarantine(suspect, build)
    }
  }

  /// Leaves a node out from now on.
  mutating func quarantine(_ node: LaunchLedger.Suspect, _ build: String?) {
    guard let path = node.path else { return }
    if let index = ledger.quarantined.firstIndex(where: { $0.archive == node.archive && $0.path == path }) {
      let known = ledger.quarantined[index].digest
      if known == nil || node.digest == nil || known == node.digest {
        ledger.quarantined[index].isMember = false
        return
      }
      // The existing quarantine of this node was for a different state.
      ledger.quarantined.remove(at: index)
    }
    ledger.quarantined.append(
      LaunchLedger.Quarantined(
        archive: node.archive, path: path, digest: node.digest, type: node.type, builds: [build ?? ""], isOfStreak: true))
  }

  /// Leaves out all nodes of a type, unless they would fill the ledger.
  private mutating func quarantine(_ members: [RestorationPath], of archive: ArchiveName, _ type: String?, _ build: String?) -> Bool {
    let byteCount = members.reduce(0) { $0 + $1.components.reduce(128 + (type?.utf8.count ?? 0)) { $0 + $1.utf8.count } }
    guard byteCount < LaunchLedger.maximumByteCount / 4 else { return false }
    var known = Set(ledger.quarantined.lazy.filter { $0.archive == archive }.map(\.path))
    for path in members where known.insert(path).inserted {
      ledger.quarantined.append(
        LaunchLedger.Quarantined(archive: archive, path: path, type: type, builds: [build ?? ""], isMember: true, isOfStreak: true))
    }
    return true
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

/// A node that a launch leaves out because it killed the app, with the begin and the end of its quarantine.
package struct QuarantinedNode: Sendable, CustomStringConvertible {
  /// The path of the node.
  package let path: RestorationPath
  /// The builds that died in it; a build without a version is an empty text.
  package let builds: [String]
  /// The number of stable launches after which the node is tried again.
  package let launchesLeft: Int
  /// The number of times that it was tried again and the process died.
  package let failedRetries: Int
  /// Whether it is left out with the other nodes of its type, and no build died in it.
  package let isMember: Bool
  /// When it is tried again, and what releases it, in words.
  package let retry: String
  /// The launches on record that died in its callbacks, a line each.
  package let deaths: [String]

  init(_ entry: LaunchLedger.Quarantined, in history: LaunchHistory) {
    (path, builds, failedRetries) = (entry.path, entry.builds.sorted(), entry.failedRetries)
    (isMember, launchesLeft, retry) = (entry.isMember, history.launchesLeft(entry), "\(history.retry(of: entry)) by --release")
    deaths = history.ledger.launches.filter { $0.called == entry.path && $0.unstable.contains(entry.archive) }.map(\.description)
  }

  /// The path, the builds that died, and when the node is tried again.
  package var description: String {
    let names = builds.map { $0.isEmpty ? "without a version" : $0.escapedForDisplay }.joined(separator: ", ")
    let retries = failedRetries == 0 ? "" : failedRetries == 1 ? " and in a retry" : " and in \(failedRetries) retries"
    let place = isMember ? "others of its type" : "it"
    return "\(path.displayText): since build \(names) died in \(place)\(retries); \(retry)"
  }
}
