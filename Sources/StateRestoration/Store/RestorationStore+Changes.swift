#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Locking
import RestorationArchive

/// Saving what has changed since the save before.
extension RestorationStore {
  /// Saves the changes of a request.
  func save(
    _ request: SaveRequest, as archive: ArchiveName, canReach: Bool, prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    defer { foldIfNeeded(archive) }
    return try withState { (state) throws(StoreError) -> SaveOutcome in
      guard access == .writing else { throw .readingOnly }
      guard admits(request.removalCount, of: archive, &state) else { return .removed }
      if request.archive == nil { prepare(&state) }
      guard canReach else {
        state.pending[archive, default: PendingWork()].deferredChanges += request.changes
        if state.pending[archive]?.deferredChanges.count ?? 0 > SaveRequest.maximumChanges { request.breakChain() }
        return .deferred
      }
      // What was captured before may still wait for the storage.
      if request.archive == nil { _ = try writeDeferred(archive, at: request.time, &state) }
      return try write(request.changes, as: archive, at: request.time, &state)
    }
  }

  /// Writes the deferred changes of an archive; nil if there are none.
  func writeDeferredChanges(
    _ changes: [PreservedChanges], of archive: ArchiveName, at time: Date?, _ state: inout State
  ) throws(StoreError) -> SaveOutcome? {
    guard !changes.isEmpty else { return nil }
    let outcome = try write(changes, as: archive, at: time, &state)
    state.pending[archive]?.deferredChanges = []
    return outcome
  }

  /// Writes changes as one link, or as a whole archive where no link may follow.
  private func write(
    _ changes: [PreservedChanges], as archive: ArchiveName, at time: Date?, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    do throws(StoreError) {
      try lock(&state)
      try? beginAwaitedLaunch(&state)
      let catalog = try numberedCatalog(&state)
      guard let current = state.current[archive], changes.first?.place.follows(current.place) ?? false,
        catalog.current(of: archive) == current.generation, let place = changes.last?.place
      else { throw .missingCapture }
      let changed = try merged(changes)
      let isNext = isLoadedNext(current.generation, catalog, state)
      if changed.isEmpty, isNext {
        var current = current
        current.place = place
        return try noteUnchanged(current, at: time, &state)
      }
      if isNext, current.chain != nil, changed.header.bundleVersion == current.bundleVersion {
        let link = try wrappingErrors { () throws(ArchiveError) in try changed.link() }
        if let saved = try writeLink(Link(.changes(link), place), after: current, at: time, catalog, &state) { return saved }
      }
      let whole = try content(of: current, with: changed)
      return try writeWhole(ArchiveToSave(whole), at: place, as: archive, at: time, isDeferred: false, catalog, &state)
    } catch {
      changes.last?.place.chain.break()
      throw error
    }
  }

  private func merged(_ changes: [PreservedChanges]) throws(StoreError) -> ChangedState {
    try wrappingErrors { () throws(ArchiveError) in
      var merged: ChangedState?
      for change in changes {
        let next = try change.changes()
        if merged == nil { merged = next } else { merged?.add(next) }
      }
      return merged ?? ChangedState(header: ArchiveHeader())
    }
  }

  /// Returns the content of the current generation with changes applied.
  private func content(of current: Current, with changed: ChangedState) throws(StoreError) -> [UInt8] {
    let bytes: [UInt8]
    if var content = current.content {
      bytes = try content.opened().bytes
    } else {
      bytes = try intactContent(of: current.generation)
    }
    return try wrappingErrors { () throws(ArchiveError) in
      let link = try changed.link().data(after: ArchiveReader(bytes).contentDigest)
      let chain = ArchiveChain(base: bytes, links: [[UInt8](link)])
      if let error = chain.error { throw error }
      return chain.bytes
    }
  }

  /// Returns the content of a generation of which nothing is damaged or missing.
  func intactContent(of generation: Generation, links count: Int = .max) throws(StoreError) -> [UInt8] {
    let stored = try system { () throws(FileSystemError) in try StoredArchive(generation, in: folder, links: count) }
    guard case .bytes(let bytes, nil, let links) = stored, links.lost.isEmpty else { throw .missingCapture }
    if let finding = stored.firstFinding { throw .unusable(generation.number, finding) }
    return bytes
  }

  func wrappingErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(StoreError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw .notAnArchive(error)
    }
  }
}
