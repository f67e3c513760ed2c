#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  /// Saves an archive atomically and durably.
  ///
  /// When it returns, the state is on disk. When it throws, the previous state is still there, and the next save
  /// succeeds once the cause is gone. Content that is already current is not written again.
  ///
  /// - Parameters:
  ///   - bytes: The archive.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``, also if an earlier pending removal failed, although the archive is then saved;
  ///   ``StoreError/inUse(by:)`` if this process lost the lock and another one is writing. A later save succeeds once
  ///   that process has ended.
  @discardableResult
  public func save(_ bytes: [UInt8], as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save(wrappingErrors { () throws(ArchiveError) in try Snapshot(bytes) }, as: archive, at: time)
  }

  private func save(_ snapshot: Snapshot, as archive: ArchiveName, at time: Date?) throws(StoreError) -> SaveOutcome {
    let request = submitted(SaveRequest(snapshot: snapshot, time: time), as: archive)
    return try carryOut(request, as: archive) ?? .removed
  }

  /// Writes the deferred save of an archive, now that the storage is accessible; nil if there is none.
  func writeDeferred(_ archive: ArchiveName, at time: Date?) throws(StoreError) -> SaveOutcome? {
    try withState { (state) throws(StoreError) in try writeDeferred(archive, at: time, &state) }
  }

  func writeDeferred(_ archive: ArchiveName, at time: Date?, _ state: inout State) throws(StoreError) -> SaveOutcome? {
    guard let snapshot = state.pending[archive]?.deferred else { return nil }
    // A state saved earlier that this launch has never loaded is not silently replaced.
    if let unseen = try catalog().current(of: archive), state.current[archive]?.generation != unseen, !state.isPendingRemoval(unseen),
      state.marksBeforeSave[unseen] == nil
    {
      skip(unseen, .newerState, &state)
    }
    return try write(snapshot, as: archive, at: time, isDeferred: true, &state)
  }

  /// Saves an archive as returned by the writer; copies its bytes on the caller's thread.
  ///
  /// - Parameters:
  ///   - data: The archive.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(_ data: Data, as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save([UInt8](data), as: archive, at: time)
  }

  /// Assembles and saves an encoded archive.
  ///
  /// - Parameters:
  ///   - encoded: The output of a writer.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(
    _ encoded: EncodedArchive, as archive: ArchiveName = .application, at time: Date? = nil
  ) throws(StoreError) -> SaveOutcome {
    try save(Snapshot(encoded), as: archive, at: time)
  }

  /// Writes the newest deferred save of each archive and completes pending removals, once the storage is accessible.
  ///
  /// - Returns: The number of archives written.
  /// - Throws: The first ``StoreError``, after everything that can be written and removed is done. Saves that failed
  ///   stay deferred.
  @discardableResult
  public func writeDeferred(at time: Date? = nil) throws(StoreError) -> Int {
    guard canReach else { return 0 }
    return try withState { (state) throws(StoreError) in
      var count = 0
      var failure: StoreError?
      // A failed write or removal must not stop the others.
      let archives = state.pending.keys.sorted { $0.fileName < $1.fileName }
      for archive in archives {
        do throws(StoreError) {
          if try writeDeferred(archive, at: time, &state) != nil { count += 1 }
        } catch {
          failure = failure ?? error
        }
      }
      for archive in archives where state.pending[archive]?.deferred == nil {
        do throws(StoreError) {
          try removeForgotten(archive, &state)
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
      return count
    }
  }

  // MARK: Preservations and requests

  /// Saves a preservation: writes its archive, keeps the previous state, or removes the saved state.
  ///
  /// If earlier saved state is missing from it without having been removed on purpose, the previous file is pinned:
  /// once for each node whose state is lost, while that file exists. While the previous state is not available yet
  /// (``Preservation/isDeferred``), nothing is written or stored here; the preservation stays with the app, in
  /// ``RestorableApplication/takeDeferredPreservation()``.
  ///
  /// - Returns: The outcome; nil if the previous state was kept, or removed as requested.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(
    _ preservation: Preservation, as archive: ArchiveName = .application, at time: Date? = nil
  ) throws(StoreError) -> SaveOutcome? {
    guard let request = preservation.saveRequest(at: time) else { return preservation.isDeferred ? .deferred : nil }
    return try carryOut(submitted(request, as: archive), as: archive)
  }

  /// Carries out a save request; returns nil if it removed the saved state.
  func carryOut(_ request: SaveRequest, as archive: ArchiveName) throws(StoreError) -> SaveOutcome? {
    let outcome = try carryOut(request, as: archive, canReach: access == .writing && canReach)
    // The storage may have become available since the check above, after `writeDeferred(at:)` had found nothing; try once
    // more.
    guard case .deferred = outcome, canReach else { return outcome }
    return try carryOutDeferred(DeferredRequest(request), as: archive)
  }

  /// Carries out a save request with a known accessibility of the storage.
  func carryOut(_ request: SaveRequest, as archive: ArchiveName, canReach: Bool) throws(StoreError) -> SaveOutcome? {
    guard !request.isForgetting else {
      try discard(archive, canReach: canReach, removalCount: request.removalCount)
      return canReach ? nil : .deferred
    }
    return try write(request, as: archive, canReach: canReach)
  }

  /// Writes the state of a request.
  private func write(_ request: SaveRequest, as archive: ArchiveName, canReach: Bool) throws(StoreError) -> SaveOutcome {
    defer { foldIfNeeded(archive) }
    return try withState { (state) throws(StoreError) -> SaveOutcome in
      guard access == .writing else { throw .readingOnly }
      // A removal is counted before it waits for the state: either it finds what this save wrote, or this save finds it
      // counted.
      guard admits(request.removalCount, of: archive, &state), let snapshot = request.snapshot else { return .removed }
      if !request.losses.isEmpty || !request.quarantineChanges.isEmpty {
        state.pending[archive, default: PendingWork()].losses.formUnion(request.losses)
        state.pending[archive]?.changes.formUnion(request.quarantineChanges)
      }
      guard canReach else {
        state.pending[archive, default: PendingWork()].deferred = snapshot
        return .deferred
      }
      return try write(snapshot, as: archive, at: request.time, isDeferred: false, &state)
    }
  }

  /// Completes a deferred request, now that the storage is accessible.
  func carryOutDeferred(_ request: DeferredRequest, as archive: ArchiveName) throws(StoreError) -> SaveOutcome? {
    // A removal submitted since has discarded this save; any deferred save belongs to a later request.
    guard request.removalCount == removalCount(of: archive) else { return .removed }
    if !request.isForgetting { return try writeDeferred(archive, at: request.time) ?? .deferred }
    try removeForgotten(archive)
    return nil
  }
}
