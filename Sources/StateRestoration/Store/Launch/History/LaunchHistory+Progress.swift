import RestorationArchive

extension LaunchHistory {
  /// Records that this launch begins to restore a generation.
  mutating func begin(_ generation: Generation, _ content: LoadedContent = LoadedContent()) {
    hasRestored = true
    add(generation, content)
  }

  /// Records that this launch begins to read an archive.
  mutating func beginLoading(_ archive: ArchiveName) { add(Generation(archive, 0), LoadedContent()) }

  private mutating func add(_ generation: Generation, _ content: LoadedContent) {
    abandon(generation.archive)
    stable.remove(generation.archive)
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
    let wasStable = stable.contains(generation.archive)
    restoring.append(Restoring(generation: generation, content: content, number: takeNumber(), wasStable: wasStable))
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
      if phase == .waiting { return }
      restoring[index].hasEnded = true
      if restoring[index].wasStable { _ = remove(at: index) }
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

  /// Records how the process ends, or that it is suspended or resumed.
  mutating func end(_ ending: ProgressRecord.Ending) { self.ending = ending }

  /// What the record on the disk must say now.
  var record: ProgressRecord {
    var record = ProgressRecord(
      ending: ending, launch: launch.number, boot: launch.boot, bundleVersion: launch.bundleVersion, streak: ledger.streak, hasRun: hasRun,
      hasRestored: hasRestored)
    record.archives = [ProgressRecord.Archive?](repeating: nil, count: numberCount)
    for entry in restoring + unwritten {
      record.archives[entry.number] = ProgressRecord.Archive(
        hash: entry.hash, generation: entry.generation.number, content: entry.content, hasWorked: entry.hasWorked,
        isSetAside: entry.isSetAside)
    }
    return record
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
