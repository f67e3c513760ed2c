import RestorationArchive

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
    guard let last, ledger?.judged != last.record.launch, last.record.ending != .ended, last.record.ending != .signal else { return false }
    return last.called.map { $0.phase != .loading } ?? false || ledger?.suspects.isEmpty == false
  }
}

/// Judging the last launch.
extension LaunchRecorder {
  /// Reads the records of the previous process, or only what `known` lacks of them.
  func leftRecords(after known: LeftRecords? = nil, readsArchives: Bool = true) throws(StoreError) -> LeftRecords {
    let progress = known?.progress ?? LeftProgress(in: reader.folder)
    let ledger = known.map(\.ledger) ?? readLedger()
    let catalog = try reader.catalog()
    let last = lastLaunch(progress, catalog, ledger, readsArchives: readsArchives)
    return LeftRecords(progress: progress, ledger: ledger, catalog: catalog, last: last, hasReadArchives: readsArchives)
  }

  /// Reads the ledger; empty if there is none, and nil if it cannot be read.
  func readLedger() -> LaunchLedger? {
    do throws(FileSystemError) {
      return LaunchLedger(try reader.folder.read(LaunchLedger.fileName, atMost: LaunchLedger.maximumByteCount))
    } catch {
      return error.isAbsence ? LaunchLedger() : nil
    }
  }

  /// Returns the history that a launch of a build begins with.
  func history(
    after left: LeftRecords, _ bundleVersion: String?, number: UInt64 = UInt64.random(in: 1...UInt64.max)
  ) -> LaunchHistory {
    LaunchHistory(
      after: left.last, ledger: left.ledger, files: files(in: left),
      launch: LaunchHistory.Launch(
        bundleVersion: bundleVersion, boot: boot, number: number, isSafe: options.isSafe,
        ticksToStable: options.ticksToStable, patience: options.usablePatience))
  }

  /// Returns the history that a launch would have now; without an explicit build, that of the build that launched last.
  func historyOfNextLaunch(after left: LeftRecords) -> LaunchHistory {
    history(after: left, options.bundleVersion ?? left.last?.record.bundleVersion)
  }

  /// Returns the history of this launch, or the history that a launch would have now.
  func knownHistory() throws(StoreError) -> LaunchHistory {
    if let history { return history }
    return historyOfNextLaunch(after: try leftRecords())
  }

  /// Converts the record of the previous process, looking up names by their hashes.
  private func lastLaunch(
    _ left: LeftProgress, _ catalog: GenerationCatalog, _ ledger: LaunchLedger?, readsArchives: Bool
  ) -> LaunchHistory.LastLaunch? {
    guard let record = left.record else { return nil }
    var last = LaunchHistory.LastLaunch(record: record, exit: left.exit)
    let known = Set(catalog.generations.map(\.archive)).union(ledger?.setAside.keys.map { $0 } ?? [])
    let names = Dictionary(known.map { (FixedRecord.hash($0.fileName), $0) }) { first, _ in first }
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
        recordLoading(archive) { describe(&last.called, word, left.text, called, catalog) }
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
      let stored = try? self.reader.stored(generation, links: entry.content.linkCount), let reader = stored.reader,
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
        return self.recordLoading(archive) {
          (try? self.reader.stored(generation))?.reader.map { SavedTree($0, moves: []).nodes(ofKind: type) } ?? ([], true)
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
