public import RestorationArchive
import Locking

extension RestorationStore {
  /// Returns the quarantined nodes of an archive, which a launch leaves out because they killed the app.
  public func quarantinedPaths(of archive: ArchiveName = .application) -> [RestorationPath] {
    quarantinedNodes(of: archive).map(\.path)
  }

  /// Returns the quarantined nodes of an archive, and when each is tried again.
  package func quarantinedNodes(of archive: ArchiveName = .application) -> [QuarantinedNode] {
    guard let history = try? knownHistory() else { return [] }
    return history.ledger.quarantined.filter { $0.archive == archive }.map { QuarantinedNode($0, in: history) }
  }

  /// Returns the way the last process that used the store ended, and its build; nil if there was none, or if its record
  /// cannot be read.
  package func lastLaunch() -> (exit: LastExit, build: String?)? {
    guard let last = (try? leftRecords())?.last, let exit = (try? knownHistory())?.lastExit else { return nil }
    return (exit, last.bundleVersion)
  }

  /// Returns when each quarantined node of an archive is tried again, in words.
  ///
  /// ``release(_:of:)`` ends a quarantine at once.
  public func retries(in archive: ArchiveName = .application) -> [RestorationPath: String] {
    guard let history = try? knownHistory() else { return [:] }
    let own = history.ledger.quarantined.filter { $0.archive == archive }
    return Dictionary(own.map { ($0.path, history.retry(of: $0)) }) { first, _ in first }
  }

  /// Returns a line for each of the last launches that are on record, at most 32, the most recent last.
  ///
  /// It has the build, the way the process ended, and what had caused it as far as that is known, and no saved value.
  public func launches() -> [String] { (try? knownHistory())?.ledger.launches.map(\.description) ?? [] }

  /// Ends the quarantine of a node, so that it is restored again.
  ///
  /// - Returns: Whether the node was quarantined.
  /// - Throws: ``StoreError``.
  public func release(_ path: RestorationPath, of archive: ArchiveName = .application) throws(StoreError) -> Bool {
    try changeHistory { (history) throws(StoreError) in history.release(path, of: archive) }
  }

  /// Changes the launch history, whether this launch has begun or not.
  func changeHistory<Result: Sendable>(
    _ body: (inout LaunchHistory) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try withState { (state) throws(StoreError) in try changeHistory(&state, body) }
  }

  func changeHistory<Result: Sendable>(
    _ state: inout State, _ body: (inout LaunchHistory) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try lock(&state)
    if let result = try launch.change(body) {
      try writeLedger(&state)
      return result
    }
    // Assess the end of the previous process first, because the change may depend on it.
    let left = try leftRecords()
    var history = historyOfNextLaunch(after: left)
    if left.last != nil { try carryOutConclusions(&history, &state) }
    let result = try body(&history)
    var ledger = history.ledger
    ledger.hasLaunched = left.ledger?.hasLaunched ?? true
    // Earlier accepted offers are not on trial in this process, which begins no launch.
    for index in ledger.acceptances.indices where ledger.acceptances[index].launch == history.launch.number {
      ledger.acceptances[index].launch = nil
    }
    try writeLedger(ledger, over: left.ledger)
    return result
  }

  /// Returns why the record of earlier launches cannot be read; nil if it can be read, or there is none.
  package func ledgerFault() -> String? {
    do {
      let bytes = try folder.read(LaunchLedger.fileName, atMost: LaunchLedger.maximumByteCount)
      if LaunchLedger(bytes) != nil { return nil }
      _ = try ArchiveTree(decoding: ArchiveReader(bytes))
      return "it is no record of launches"
    } catch let error as FileSystemError {
      return error.isAbsence ? nil : "\(error)"
    } catch {
      return "\(error)"
    }
  }

  /// Reads the ledger; empty if there is none, and nil if it cannot be read.
  func readLedger() -> LaunchLedger? {
    do throws(FileSystemError) {
      return LaunchLedger(try folder.read(LaunchLedger.fileName, atMost: LaunchLedger.maximumByteCount))
    } catch {
      return error.isAbsence ? LaunchLedger() : nil
    }
  }

  /// Renames an unreadable ledger, replacing the last such file; something that is not a regular file is set aside
  /// instead.
  private func keepUnreadableLedger() throws(FileSystemError) {
    let path = folder.path(of: LaunchLedger.fileName)
    do throws(FileSystemError) {
      let status = try folder.again { () throws(FileSystemError) in try folder.system.status(at: path) }
      guard status.kind == .file else { throw FileSystemError(opening: status.kind, path: path) }
      try folder.rename(LaunchLedger.fileName, to: LaunchLedger.unreadableFileName)
    } catch {
      // The ledger may have been removed meanwhile.
      if !error.isAbsence { try folder.setAside(LaunchLedger.fileName, unless: error) }
    }
  }

  /// Rewrites the launch's files after a lost lock was acquired again, because the folder may have been removed.
  func restoreLaunchFiles(_ state: inout State) {
    guard state.history != nil else { return }
    launch.dropProgress()
    beginProgressIfNeeded(&state)
    state.writtenLedger = readLedger()
    try? writeLedger(&state)
  }

  /// Writes the ledger if it has changed since the last write; with `waitsForMore`, not if only the record of launches has.
  func writeLedger(_ state: inout State, waitsForMore: Bool = false) throws(StoreError) {
    guard let (ledger, stable) = launch.unwritten else { return }
    if waitsForMore ? state.writtenLedger?.isSameBesidesRecord(ledger) != true : ledger != state.writtenLedger {
      try writeLedger(ledger, over: state.writtenLedger)
      state.writtenLedger = ledger
    }
    launch.noteWritten(stable)
  }

  private func writeLedger(_ ledger: LaunchLedger, over known: LaunchLedger?) throws(StoreError) {
    guard ledger != known else { return }
    let bytes: [UInt8]
    do throws(ArchiveError) {
      bytes = try ledger.encoded()
    } catch {
      throw .notAnArchive(error)
    }
    try system { () throws(FileSystemError) in
      // An unreadable ledger is kept: another build, or a support engineer, may be able to read it.
      if known == nil { try keepUnreadableLedger() }
      try folder.replace(LaunchLedger.fileName, with: bytes)
    }
  }
}
