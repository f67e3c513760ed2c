import RestorationArchive

extension LaunchHistory {
  /// Records that this launch begins to restore a generation.
  mutating func begin(_ generation: Generation, _ content: LoadedContent = LoadedContent()) {
    hasRestored = true
    if isAccepting { together.insert(generation.archive) } else { together.remove(generation.archive) }
    add(generation, content)
  }

  /// Records that this launch begins to read an archive.
  mutating func beginLoading(_ archive: ArchiveName) { add(Generation(archive, 0), LoadedContent()) }

  private mutating func add(_ generation: Generation, _ content: LoadedContent) {
    abandon(generation.archive)
    restoring.append(Restoring(generation: generation, content: content, number: takeNumber(), wasStable: false))
  }

  /// Records that this launch runs without an archive, if it was set aside.
  mutating func beginSetAside(_ archive: ArchiveName) {
    guard let aside = ledger.setAside[archive] else { return }
    add(Generation(archive, aside.number), LoadedContent())
    restoring[restoring.count - 1].isSetAside = true
    restoring[restoring.count - 1].hasEnded = true
  }

  /// Returns the index of an archive in ``restoring``, after adding it for an object that registers late.
  private mutating func index(of generation: Generation, _ content: LoadedContent) -> Int {
    if let index = index(of: generation.archive) { return index }
    noteWritten(Set(unwritten.filter { $0.generation.archive == generation.archive }.map(\.number)))
    restoring.append(Restoring(generation: generation, content: content, number: takeNumber(), wasStable: true))
    return restoring.count - 1
  }

  func index(of archive: ArchiveName) -> Int? { restoring.firstIndex { $0.generation.archive == archive } }

  private mutating func takeNumber() -> Int {
    if let free = freeNumbers.popLast() { return free }
    defer { numberCount += 1 }
    return numberCount
  }

  private mutating func remove(at index: Int) -> Restoring {
    let entry = restoring.remove(at: index)
    freeNumbers.append(entry.number)
    return entry
  }

  /// Records a callback that is about to begin, or that restoring continues or has ended.
  ///
  /// `node` is the number of the node in `content`, in case that the path is too long to be noted.
  mutating func note(
    _ phase: RestorationPhase, _ path: RestorationPath, node: Int = ProgressWord.unknownNode, in generation: Generation,
    _ content: LoadedContent = LoadedContent()
  ) {
    let index = index(of: generation, content)
    guard let called = phase.called else {
      restoring[index].call = nil
      // Nobody counts the time of an archive that was stable, nor reports the end of what extends its restoring.
      if restoring[index].wasStable { _ = remove(at: index) } else if phase == .ended { restoring[index].hasEnded = true }
      return
    }
    restoring[index].call = Call(phase: called, path: path, node: node)
    noteSuspect(called, path, of: generation.archive)
  }

  /// Records that a node is about to be called, which may have killed the app before.
  mutating func noteSuspect(_ phase: ProgressRecord.Phase, _ path: RestorationPath, of archive: ArchiveName) {
    guard let suspect = ledger.suspects.last(where: { $0.archive == archive && $0.path == path }), let index = index(of: archive) else {
      return
    }
    // The node last died in a later callback than this one, so it has not been tested yet.
    if phase.rawValue < suspect.phase.rawValue { return }
    restoring[index].exercised.insert(path)
  }

  /// Records whether a callback of an archive is running that only the word of the record tells.
  mutating func noteCall(_ phase: ProgressRecord.Phase, of archive: ArchiveName) {
    guard let index = index(of: archive) else { return }
    restoring[index].call = phase == .none ? nil : Call(phase: phase, path: nil, node: ProgressWord.unknownNode)
  }

  /// Returns the number of an archive that is being restored.
  func number(of archive: ArchiveName) -> Int? { index(of: archive).map { restoring[$0].number } }

  /// Whether a node of an archive killed the app before.
  func hasSuspects(in archive: ArchiveName) -> Bool { ledger.suspects.contains { $0.archive == archive && $0.path != nil } }

  /// The callback of an object that has registered late, which has not returned.
  var lateCall: (number: Int, phase: ProgressRecord.Phase, path: RestorationPath, node: Int)? {
    guard let entry = restoring.last(where: { $0.call?.path != nil }), let call = entry.call, let path = call.path else { return nil }
    return (entry.number, call.phase, path, call.node)
  }

  /// Records that restoring an archive failed with an error, or that the archive was refused.
  mutating func abandon(_ archive: ArchiveName) {
    while let index = index(of: archive) { _ = remove(at: index) }
    noteWritten(Set(unwritten.filter { $0.generation.archive == archive }.map(\.number)))
  }

  /// Records that the ledger with the stability of some archives, by number, is durable.
  mutating func noteWritten(_ numbers: Set<Int>) {
    hasRun = hasRun || !numbers.isEmpty
    freeNumbers += unwritten.map(\.number).filter { numbers.contains($0) }
    unwritten.removeAll { numbers.contains($0.number) }
  }

  /// Records that the ledger with the stability of some archives cannot be written: the progress record says that they have worked.
  mutating func noteUnwritable() {
    for index in unwritten.indices { unwritten[index].hasWorked = true }
  }

  /// Records how the process ends, or that it is suspended or resumed.
  mutating func end(_ ending: ProgressRecord.Ending) { self.ending = ending }

  /// What the record on the disk must say now.
  var record: ProgressRecord {
    var record = ProgressRecord(
      ending: ending, launch: launch.number, boot: launch.boot, bundleVersion: launch.bundleVersion, streak: ledger.streak, hasRun: hasRun,
      hasRestored: hasRestored, isJudging: isJudging)
    record.archives = [ProgressRecord.Archive?](repeating: nil, count: numberCount)
    for entry in restoring + unwritten {
      record.archives[entry.number] = ProgressRecord.Archive(
        hash: entry.hash, generation: entry.generation.number, content: entry.content, hasWorked: entry.hasWorked,
        isSetAside: entry.isSetAside)
    }
    return record
  }

  // MARK: Stability, after which a death does not count

  /// Counts a tick of the app's actor; returns whether the archive is now stable.
  mutating func tick(_ archive: ArchiveName, isExtended: Bool) -> Bool {
    guard let index = index(of: archive), restoring[index].call == nil else { return false }
    restoring[index].extend(by: isExtended ? 1 : 0)
    if restoring[index].isExtended { return false }
    // The end of an extension is not reported.
    restoring[index].hasEnded = true
    restoring[index].ticks += 1
    guard restoring[index].ticks >= launch.options.ticksToStable else { return false }
    becomeStable(at: index)
    return true
  }

  /// Whether an archive is being restored and is not stable yet.
  func isUnstable(_ archive: ArchiveName) -> Bool { index(of: archive) != nil }

  /// Whether any archive is being restored or is not stable yet; neither a fresh one beside a state that was set aside counts,
  /// nor an object that came late to a stable one.
  var isOnTrial: Bool { restoring.contains { !$0.isSetAside && !$0.wasStable } }

  /// Whether the app runs without an archive that was set aside, and is not stable yet.
  func isSetAside(_ archive: ArchiveName) -> Bool { index(of: archive).map { restoring[$0].isSetAside } ?? false }

  /// Records a save of an archive as a generation, with or without changes; returns whether it is the archive's first work.
  mutating func noteSaved(_ archive: ArchiveName, as number: UInt64? = nil, isChanged: Bool) -> Bool {
    written.insert(archive)
    if isChanged, !isSetAside(archive) { ledger.setAside[archive] = nil }
    if isChanged, isSetAside(archive), ledger.fresh[archive] == nil { ledger.fresh[archive] = number }
    guard isChanged, !isAccepting, let index = index(of: archive), restoring[index].hasEnded, restoring[index].call == nil,
      !restoring[index].hasWorked
    else { return false }
    restoring[index].hasWorked = true
    // What was accepted together is proved together: a death undoes all of it, or nothing.
    if together.contains(archive) {
      for index in restoring.indices where together.contains(restoring[index].generation.archive) && restoring[index].hasEnded {
        restoring[index].hasWorked = true
      }
    }
    return true
  }

  /// Records that the app waits for input after restoring; returns whether that is the first work of an archive.
  mutating func noteTurn() -> Bool {
    var isNew = false
    for index in restoring.indices where restoring[index].hasEnded && restoring[index].call == nil && !restoring[index].hasWorked {
      restoring[index].hasWorked = true
      isNew = true
    }
    return isNew
  }

  /// Records that the app declared itself stable; returns whether that changes anything.
  mutating func markStable() -> Bool { makeStable { _ in true } }

  /// Records that some generations have worked long enough; returns whether that changes anything, and whether one must wait
  /// for the end of an extension.
  mutating func noteWorked(_ generations: [Generation]) -> (isChanged: Bool, mustWait: Bool) {
    // An extension ends for a blocked actor too, which reports no ticks.
    for index in restoring.indices where restoring[index].isExtended { restoring[index].extend(by: launch.options.ticksToStable) }
    let isChanged = makeStable { $0.hasWorked && !$0.isExtended && generations.contains($0.generation) }
    return (isChanged, restoring.contains { $0.isExtended && generations.contains($0.generation) })
  }

  /// Records that an archive is put away in order, which counts as stable: nobody ticks for it any more; returns whether that
  /// changes anything.
  mutating func leave(_ archive: ArchiveName) -> Bool {
    // What was put away before it ran long enough says nothing of the state that was set aside.
    if isSetAside(archive) { abandon(archive) }
    // The end of an extended restoration is not reported any more.
    for index in restoring.indices where restoring[index].generation.archive == archive && restoring[index].call == nil {
      restoring[index].hasEnded = true
    }
    return makeStable { $0.generation.archive == archive && $0.hasEnded && !$0.isSetAside }
  }

  private mutating func makeStable(_ isMeant: (Restoring) -> Bool) -> Bool {
    let count = restoring.count
    for index in restoring.indices.reversed() where restoring[index].call == nil && isMeant(restoring[index]) { becomeStable(at: index) }
    return restoring.count < count
  }

  private mutating func becomeStable(at index: Int) {
    // Its number is free once the ledger is durable, and until then the progress record does not call it stable.
    let entry = restoring.remove(at: index)
    unwritten.append(entry)
    let archive = entry.generation.archive
    // A launch counts once, however often the archive is opened in it.
    let isFirst = entry.isSetAside || good.insert(archive).inserted
    noteStable(
      archive, isSetAside: entry.isSetAside, countsLaunch: isFirst, exercised: entry.exercised, by: launch.bundleVersion)
    if entry.isSetAside { return }
    conclude(archive)
    // The reported files are acknowledged once a launch is stable.
    ledger.ended.removeAll { $0.archive == archive }
  }

  /// Makes the offer final that this launch has accepted.
  mutating func conclude(_ archive: ArchiveName) {
    for index in ledger.acceptances.indices
    where ledger.acceptances[index].archive == archive && ledger.acceptances[index].launch == launch.number {
      ledger.acceptances[index].isFinal = ledger.acceptances[index].isFinal ?? true
    }
  }

  /// Concludes that an offer was not accepted after all.
  mutating func reject(_ archive: ArchiveName) {
    for index in ledger.acceptances.indices where ledger.acceptances[index].archive == archive {
      ledger.acceptances[index].isFinal = false
    }
  }

  /// Records a stable launch of an archive; `exercised` are the suspects that were called, or nil for all.
  mutating func noteStable(
    _ archive: ArchiveName, isSetAside: Bool, countsLaunch: Bool = true, exercised: Set<RestorationPath>?, by bundleVersion: String?
  ) {
    let isOver = ledger.fresh.removeValue(forKey: archive) != nil
    // Once something was saved over it, it is an offer as any other.
    if !isSetAside || isOver { ledger.setAside[archive] = nil }
    if isSetAside { return }
    ledger.acquitted.remove(archive)
    ledger.wanted[archive] = nil
    let due = Set(due(in: archive, for: bundleVersion))
    for index in ledger.quarantined.indices where countsLaunch && ledger.quarantined[index].archive == archive && !due.contains(index) {
      ledger.quarantined[index].goodLaunches += 1
    }
    ledger.quarantined = ledger.quarantined.indices.filter { !due.contains($0) }.map { ledger.quarantined[$0] }
    // A suspect that was left out, or that waits for its object, was not called, so it stays a suspect.
    let left = Set(ledger.quarantined.lazy.filter { $0.archive == archive }.map(\.path))
    ledger.suspects.removeAll { suspect in
      suspect.archive == archive && suspect.path.map { !left.contains($0) && exercised?.contains($0) ?? true } ?? true
    }
    for index in ledger.suspects.indices where ledger.suspects[index].archive == archive { ledger.suspects[index].isSettled = true }
  }
}

extension RestorationPhase {
  /// The callback that a phase announces; nil if it announces none.
  var called: ProgressRecord.Phase? {
    switch self {
    case .creating: .creating
    case .decoding: .decoding
    case .finishing: .finishing
    case .waiting, .ended: nil
    }
  }
}
