import Locking
import RestorationArchive

/// The launch as far as it changes the folder: its begin and its end, the ledger, and what follows from accepted offers.
extension StoreWriter {
  /// Begins the launch, which may have waited for the storage.
  mutating func begin() throws(StoreError) -> LaunchHistory {
    let obstacle = try lockIfPossible()
    var left = try launch.leftRecords(readsArchives: false)
    let number = UInt64.random(in: 1...UInt64.max)
    let build = launch.state.withLock { state in
      state.error = obstacle
      return state.build
    }
    writtenLedger = left.ledger
    if obstacle == nil, left.needsArchives { beginJudging(left, build, number) }
    if left.needsArchives { left = try launch.leftRecords(after: left) }
    var history = launch.history(after: left, build, number: number)
    history.isJudging = launch.history?.isJudging ?? false
    if obstacle != nil {
      history.isJudging = left.last != nil
      launch.begin(history)
      return history
    }
    // A failure must not stop this launch; a later launch tries again.
    note { (writer) throws(StoreError) in try writer.carryOutConclusions(&history, isJudging: true) }
    launch.begin(history)
    note { (writer) throws(StoreError) in try writer.writeLedger(waitsForMore: true) }
    if launch.needsProgress { note { (writer) throws(StoreError) in try writer.startProgress() } }
    recordExits()
    // Every save tries again.
    try? finishRemovals()
    return history
  }

  /// Records this launch, because the process may end while it reads archives to judge the last one.
  ///
  /// The record of the last launch counts until the ledger says what follows from it. That of one before, which the last launch
  /// had not judged, gives way to the record of this launch: what can be said of both without reading archives is written first.
  private mutating func beginJudging(_ left: LeftRecords, _ build: String?, _ number: UInt64) {
    var history = launch.history(after: left, build, number: number)
    history.isJudging = left.last != nil && left.unjudged == nil
    launch.begin(history)
    if !history.isJudging { note { (writer) throws(StoreError) in try writer.writeLedger() } }
    note { (writer) throws(StoreError) in try writer.startProgress() }
  }

  /// Begins the launch that was waiting for the storage, if any.
  mutating func beginAwaitedLaunch() throws(StoreError) {
    if launch.isAwaited { _ = try begin() }
  }

  /// Starts recording the progress of the launch.
  private mutating func startProgress() throws(StoreError) {
    guard let history = launch.history else { return }
    let progress = try system { () throws(FileSystemError) in try ProgressRecorder(history.record, in: folder) }
    launch.use(progress)
    if !history.isJudging { recordExits() }
  }

  /// Records how the process ends from now on, over how the last one has ended.
  private func recordExits() {
    guard let (number, file) = launch.recordedLaunch else { return }
    if file.isOfSystem { ExitRecorder.begin(file.file.descriptor, launch: number) }
    if launch.options.recordsFatalSignals { FatalSignals.install() }
  }

  /// Begins the record of the launch if that has failed before.
  ///
  /// It takes the place of the record of the last launch, which counts until the ledger says what follows from it.
  mutating func beginProgressIfNeeded() {
    guard launch.needsProgress, launch.history?.isJudging != true || (try? writeLedger()) != nil else { return }
    try? startProgress()
  }

  /// Runs a step that the launch can do without; an error is reported with the result of the restoration.
  private mutating func note(_ body: (inout StoreWriter) throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body(&self)
    } catch {
      launch.note(error)
    }
  }

  /// Records a save of an archive.
  mutating func noteSave(of archive: ArchiveName, isChanged: Bool) {
    beginProgressIfNeeded()
    let number = self[archive].current?.generation.number
    if launch.update({ $0.noteSaved(archive, as: number, isChanged: isChanged) }) == true { hasFirstWork = true }
  }

  /// Writes to disk that archives are stable.
  ///
  /// The ledger is written before the progress record: it clears the earlier deaths, and the record then drops the
  /// restored archives. In the opposite order, a process that dies in between leaves no record that it was stable, and the
  /// next launch would count its earlier deaths. If the ledger cannot be written, the record at least says that they have worked.
  mutating func recordStability() {
    // If another process has taken over the folder, its ledger must not be overwritten.
    guard (try? holdsLock()) == true else { return }
    try? carryOutConclusions()
    if (try? writeLedger()) == nil { launch.update { $0.noteUnwritable() } }
    launch.flush()
  }

  /// Records how the process ends, and releases the lock.
  mutating func endLaunch(_ ending: ProgressRecord.Ending) {
    // The folder may not have been writable when the launch began.
    if launch.history != nil, (try? holdsLock()) == true || heldLock == nil && (try? lock()) != nil {
      beginProgressIfNeeded()
      try? writeLedger()
      launch.update { $0.end(ending) }
      launch.flush()
    }
    launch.end()
    for archive in Array(archives.keys) { (self[archive].skipped, self[archive].changes) = ([:], []) }
    releaseLock()
    noteOtherWriters()
  }

  // MARK: The ledger

  /// Changes the launch history, whether this launch has begun or not.
  mutating func changeHistory<Result: Sendable>(_ body: (inout LaunchHistory) -> Result) throws(StoreError) -> Result {
    try lock()
    if let result = launch.update(body) {
      try writeLedger()
      return result
    }
    // Assess the end of the previous process first, because the change may depend on it.
    let left = try launch.leftRecords()
    var history = launch.historyOfNextLaunch(after: left)
    if left.last != nil { try carryOutConclusions(&history) }
    let result = body(&history)
    var ledger = history.ledger
    ledger.hasLaunched = left.ledger?.hasLaunched ?? true
    // Earlier accepted offers are not on trial in this process, which begins no launch.
    for index in ledger.acceptances.indices where ledger.acceptances[index].launch == history.launch.number {
      ledger.acceptances[index].launch = nil
    }
    try writeLedger(ledger, over: left.ledger)
    return result
  }

  /// Renames an unreadable ledger, replacing the last such file; something that is not a regular file is set aside
  /// instead.
  private func keepUnreadableLedger() throws(FileSystemError) {
    do throws(FileSystemError) {
      // The ledger may have been removed meanwhile.
      guard let kind = try folder.status(of: LaunchLedger.fileName)?.kind else { return }
      guard kind == .file else { throw FileSystemError(opening: kind, path: folder.path(of: LaunchLedger.fileName)) }
      try folder.rename(LaunchLedger.fileName, to: LaunchLedger.unreadableFileName)
    } catch {
      if !error.isAbsence { try folder.setAside(LaunchLedger.fileName, unless: error) }
    }
  }

  /// Rewrites the launch's files after a lost lock was acquired again, because the folder may have been removed.
  mutating func restoreLaunchFiles() {
    launch.dropProgress()
    beginProgressIfNeeded()
    writtenLedger = launch.readLedger()
    try? writeLedger()
  }

  /// Writes the ledger if it has changed since the last write; with `waitsForMore`, not if only the record of launches has.
  mutating func writeLedger(waitsForMore: Bool = false) throws(StoreError) {
    guard let (ledger, stable) = launch.unwritten else { return }
    if waitsForMore ? writtenLedger?.isSameBesidesRecord(ledger) != true : ledger != writtenLedger {
      try writeLedger(ledger, over: writtenLedger)
      writtenLedger = ledger
    }
    launch.noteWritten(stable)
  }

  func writeLedger(_ ledger: LaunchLedger, over known: LaunchLedger?) throws(StoreError) {
    guard ledger != known else { return }
    let bytes = try wrappingErrors { () throws(ArchiveError) in try ledger.encoded() }
    try system { () throws(FileSystemError) in
      // An unreadable ledger is kept: another build, or a support engineer, may be able to read it.
      if known == nil { try keepUnreadableLedger() }
      try folder.replace(LaunchLedger.fileName, with: bytes)
    }
  }

  // MARK: Accepted offers

  /// Carries out the conclusions about accepted offers.
  ///
  /// `didFinish` is called with each conclusion and the operations that were carried out for it.
  mutating func carryOutConclusions(
    _ history: inout LaunchHistory, isJudging: Bool = false,
    didFinish: (LaunchLedger.Acceptance, FileSteps) -> Void = { _, _ in }
  ) throws(StoreError) {
    for archive in history.ledger.acquittals.keys.sorted(by: { $0.fileName < $1.fileName }) {
      try carryOut(history.fileSteps(forAcquittalOf: archive, among: try reader.catalog().generations))
      forgetCurrent(archive)
      history.finishAcquittal(of: archive)
    }
    for conclusion in history.conclusions {
      let archive = conclusion.archive
      let operations = history.fileSteps(for: conclusion, among: try reader.catalog().generations) { generation in
        isJudging ? launch.recordLoading(archive) { reader.digest(of: generation) } : reader.digest(of: generation)
      }
      try carryOut(operations)
      forgetCurrent(archive)
      history.finish(conclusion, operations)
      didFinish(conclusion, operations)
    }
  }

  /// Carries out the conclusions of this launch.
  mutating func carryOutConclusions() throws(StoreError) {
    guard var history = launch.history else { return }
    try carryOutConclusions(&history) { [launch] conclusion, operations in
      launch.update { $0.finish(conclusion, operations) }
    }
  }

  private func carryOut(_ operations: FileSteps) throws(StoreError) {
    let catalog = try reader.catalog()
    try system { () throws(FileSystemError) in
      for step in operations.steps {
        switch step {
        case .remove(let generation): try removeFiles(of: generation, catalog)
        case .mark(let generation, let mark): try folder.mark(generation, mark)
        }
      }
      try folder.flush()
    }
  }
}
