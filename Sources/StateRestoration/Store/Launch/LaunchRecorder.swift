import Locking
import RestorationArchive

/// The settings of an ``AppConfiguration`` that a store needs for its launches.
package struct LaunchOptions: Sendable, Hashable {
  package var bundleVersion: String?
  package var isSafe: Bool
  package var stableAfter: Duration
  package var retriesAfter: [Int]
  package var recordsFatalSignals: Bool

  /// Creates launch options.
  package init(
    bundleVersion: String? = nil, isSafe: Bool = false, stableAfter: Duration = .seconds(5), retriesAfter: [Int] = [5, 10, 20],
    recordsFatalSignals: Bool = false
  ) {
    (self.bundleVersion, self.isSafe, self.stableAfter) = (bundleVersion, isSafe, stableAfter)
    (self.retriesAfter, self.recordsFatalSignals) = (retriesAfter, recordsFatalSignals)
  }

  /// Returns the number of good launches after which a quarantined node is tried again, by the number of its retries that died.
  func patience(afterRetries count: Int) -> Int {
    max(1, retriesAfter.isEmpty ? LaunchOptions().patience(afterRetries: count) : retriesAfter[min(count, retriesAfter.count - 1)])
  }

  /// The number of ticks until an archive is stable.
  var ticksToStable: Int {
    let (seconds, attoseconds) = stableAfter.limited.components
    let halves = Double(seconds) * 2 + Double(attoseconds) / 5e17
    return max(1, Int(min(halves.rounded(.up), 1_000_000)))
  }
}

/// Records this launch: its history in memory, and its progress on the disk.
///
/// It has a lock of its own, under which the progress is written but nothing is flushed, so that a turn, a tick, a
/// suspension and the end of a restoring never wait for a save (see ``SharedWriter`` for the order of locks). The ledger is
/// written under the lock of the store.
final class LaunchRecorder: Sendable {
  struct State {
    /// The build that launches; nil if unknown.
    var build: String?
    /// Whether the launch is waiting for the storage.
    var isAwaited = false
    /// The launch history, once this launch has begun.
    var history: LaunchHistory?
    /// The record of this launch on the disk.
    var progress: ProgressRecorder?
    /// The archives that are being restored now, the innermost last.
    var restoring: [WeakRestoringProgress] = []
    /// The error that prevented this launch from being recorded.
    var error: StoreError?
  }

  let options: LaunchOptions
  /// An identifier of the machine's boot; 0 if unknown.
  let boot: UInt64
  let reader: StoreReader
  let state: Lock<State>

  init(_ reader: StoreReader, _ options: LaunchOptions, boot: UInt64) {
    (self.reader, self.options, self.boot) = (reader, options, boot)
    state = Lock(State(build: options.bundleVersion))
  }

  /// The launch history; nil before the launch has begun.
  var history: LaunchHistory? { state.withLock { $0.history } }

  /// Whether a callback is running, so that nobody else can answer.
  var isCalling: Bool { state.withLock { $0.innermost != nil || $0.history?.lateCall != nil } }

  /// Whether the launch is waiting for the storage.
  var isAwaited: Bool { state.withLock { $0.isAwaited } }

  /// Whether the record on the disk is still to be begun.
  var needsProgress: Bool { state.withLock { $0.history != nil && $0.progress == nil } }

  /// The number of this launch, and the file with its record; nil without one.
  var recordedLaunch: (number: UInt64, file: ProgressFile)? {
    state.withLock { state in
      guard let history = state.history, let progress = state.progress else { return nil }
      return (history.launch.number, progress.file)
    }
  }

  /// Changes the history, and writes the resulting progress; nil before the launch has begun.
  @discardableResult
  func update<Result: Sendable>(_ body: (inout LaunchHistory) -> Result) -> Result? {
    state.withLock { state in
      guard state.history != nil else { return nil }
      state.noteCalls()
      // Where it is: a copy would be as long as the history.
      let result = state.history?.changed(by: body)
      state.writeProgress()
      return result
    }
  }

  /// Begins or continues to record a launch.
  func begin(_ history: LaunchHistory) {
    state.withLock { state in
      state.history = history
      state.isAwaited = false
      state.writeProgress()
    }
  }

  /// Records the first error that the launch can do without.
  func note(_ error: StoreError) { state.withLock { $0.error = $0.error ?? error } }

  /// Uses a new record on the disk.
  func use(_ progress: ProgressRecorder) {
    state.withLock { state in
      state.progress = progress
      state.writeProgress()
      state.putBackWord()
    }
  }

  /// Gives up the record on the disk, which someone has removed.
  func dropProgress() { state.withLock { $0.progress = nil } }

  /// The ledger, and the archives whose stability waits for it to be durable.
  var unwritten: (ledger: LaunchLedger, stable: Set<Int>)? {
    state.withLock { state in state.history.map { ($0.ledger, Set($0.unwritten.map(\.number))) } }
  }

  /// Records that a ledger is durable.
  func noteWritten(_ stable: Set<Int>) {
    guard !stable.isEmpty || history?.isJudging == true else { return }
    update { history in
      history.isJudging = false
      history.noteWritten(stable)
    }
  }

  /// Flushes the record on the disk.
  func flush() {
    let file = state.withLock { $0.progress?.file }
    try? file?.flush()
  }

  /// Ends the record; a launch can begin again.
  func end() {
    state.withLock { state in
      let restoring = state.restoring
      state = State(build: options.bundleVersion)
      state.restoring = restoring
    }
  }

  // MARK: Judging the last launch

  /// Reads the records of the previous process, or only what `known` lacks of them.
  func leftRecords(after known: LeftRecords? = nil, readsArchives: Bool = true) throws(StoreError) -> LeftRecords {
    let progress = known?.progress ?? LeftProgress(in: reader.folder)
    let ledger = known.map(\.ledger) ?? readLedger()
    let catalog = try reader.catalog()
    var last = lastLaunch(progress, catalog, ledger, readsArchives: readsArchives)
    last?.blankLaunch = progress.blankLaunch
    var left = LeftRecords(progress: progress, ledger: ledger, catalog: catalog, last: last, hasReadArchives: readsArchives)
    if let before = progress.before, let ledger, let launch = before.record?.launch, ![launch, last?.record.launch].contains(ledger.judged)
    {
      // Its archives are not read again: that may have ended the last launch.
      left.unjudged = lastLaunch(before, catalog, ledger, readsArchives: false)
    }
    return left
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
    let launch = LaunchHistory.Launch(bundleVersion: bundleVersion, boot: boot, number: number, options: options)
    var ledger = left.ledger
    if let unjudged = left.unjudged {
      ledger = LaunchHistory(after: unjudged, ledger: ledger, files: files(in: left, readsArchives: false), launch: launch).ledger
    }
    return LaunchHistory(after: left.last, ledger: ledger, files: files(in: left, readsArchives: left.hasReadArchives), launch: launch)
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
      last.called = LaunchLedger.Suspect(archive: archive, phase: phase)
      if readsArchives, ledger?.judged != record.launch {
        recordLoading(archive) { describe(&last.called, word, left.text, called, catalog) }
      }
    }
    return last
  }

  /// Finds the node of a callback, by its number in the generation as the previous process had read it or by its path, and
  /// what it was.
  private func describe(
    _ call: inout LaunchLedger.Suspect?, _ word: ProgressWord, _ text: RestorationPath?, _ entry: ProgressRecord.Archive,
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
    if !path.isEmpty, let node = try? reader.node(at: path) { call?.type = kind(ofType: node.type, below: path.parent) }
    call?.digest = reader.quarantineDigest(of: path)
  }

  /// The files that the previous process has left.
  private func files(in left: LeftRecords, readsArchives: Bool) -> LaunchHistory.Files {
    func newest(_ archive: ArchiveName) -> Generation? {
      left.catalog.candidates(for: archive, left.ledger ?? LaunchLedger()).first
    }
    return LaunchHistory.Files(
      archives: { left.catalog.byArchive.keys.sorted { $0.fileName < $1.fileName } }, current: { newest($0)?.number },
      nodes: { archive, type in
        guard readsArchives, let generation = newest(archive) else { return ([], true) }
        return self.recordLoading(archive) {
          (try? self.reader.stored(generation))?.reader.map { SavedTree($0, moves: []).nodes(ofKind: type) } ?? ([], true)
        }
      })
  }
}

extension LaunchRecorder.State {
  /// Updates the history with the callbacks that are running, which only the words of the record tell.
  mutating func noteCalls() {
    for case let progress? in restoring.map(\.progress) { history?.noteCall(progress.phase, of: progress.archive) }
  }

  /// Writes the changes of the progress, without waiting for the disk.
  ///
  /// A failed write does not stop the launch.
  mutating func writeProgress() {
    if let history { progress?.write(history.record) }
  }

  /// The restoring whose callback is running now.
  var innermost: RestoringProgress? { restoring.lazy.compactMap(\.progress).last { $0.phase != .none } }

  /// Stores the word of the callback that is running now: of the archive that is being restored, or of a late object.
  func putBackWord() {
    guard let progress, let history else { return }
    if let innermost { return progress.file.store(innermost.visibleWord) }
    guard let late = history.lateCall else { return progress.file.store(ProgressWord()) }
    let base = ProgressWord(launch: history.launch.number, entry: progress.place(of: late.number))
    let isNoted = (try? progress.file.write(text: late.path, launch: history.launch.number)) ?? false
    progress.file.store(isNoted ? base.callingNoted(late.phase) : base.calling(late.phase, late.node))
  }
}

extension LaunchHistory {
  fileprivate mutating func changed<Result>(by body: (inout LaunchHistory) -> Result) -> Result { body(&self) }
}

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
  /// The launch before that, if the last one has died before what it concluded from it was in the ledger.
  var unjudged: LaunchHistory.LastLaunch?
  /// Whether archives were read to find the node whose callback was running.
  let hasReadArchives: Bool

  /// Whether the last launch can be judged fully only by reading archives.
  var needsArchives: Bool {
    if ledger?.acceptances.isEmpty == false { return true }
    guard let last, ledger?.judged != last.record.launch, last.record.ending != .ended, last.record.ending != .signal else { return false }
    return last.called.map { $0.phase != .loading } ?? false || ledger?.suspects.isEmpty == false
  }
}

/// Returns what nodes of one type have in common; untyped siblings are of one kind too.
private func kind(ofType type: String?, below parent: @autoclosure () -> RestorationPath?) -> String {
  type.map { "type \($0)" } ?? "in \(parent()?.description ?? "")"
}

extension SavedTree {
  /// Returns the nodes of a kind, and whether there are others that are not above or below them.
  fileprivate func nodes(ofKind meant: String) -> (paths: [RestorationPath], hasOthers: Bool) {
    var paths: [RestorationPath] = []
    var members: Set<Int> = []
    var above: Set<Int> = []
    var others: [Int] = []
    for index in order where index > 0 {
      let parent = entries[index].parent
      if members.contains(parent) {
        members.insert(index)
      } else if kind(ofType: savedType(of: index)?.tag, below: path(of: parent)) == meant {
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
