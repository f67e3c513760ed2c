import Locking
import RestorationArchive
import SystemLibrary

/// Saves of several archives, which are on the disk as a whole or not at all (``SaveGroup``).
extension RestorationStore {
  /// Saves mail that was captured in one turn, and sets the outcomes.
  ///
  /// After a failure the parts that do not depend on each other are saved by themselves.
  func save(_ parcels: inout [Parcel], _ state: inout State) {
    let parts = parts(of: parcels, state)
    do throws(StoreError) {
      return try saveTogether(&parcels, Array(parcels.indices), &state)
    } catch {
      for part in parts {
        do throws(StoreError) {
          guard parcels.count > 1 || isLostFolder(error) else { throw error }
          try saveTogether(&parcels, part, &state)
        } catch {
          for index in part { parcels[index].result = .failure(error) }
          // Otherwise the next save or launch does.
          if state.hasOpenGroup { try? lock(&state) }
        }
      }
    }
  }

  /// Whether a save has failed because the folder or the lock was lost meanwhile; it then starts over with a new lock.
  private func isLostFolder(_ error: StoreError) -> Bool {
    if case .system(let cause) = error { cause.isAbsence || cause == lostLock } else { false }
  }

  /// The parts that may be saved without each other: all archives whose nodes may have come from another or gone to it,
  /// removed ones among them, and each of the others.
  private func parts(of parcels: [Parcel], _ state: State) -> [[Int]] {
    let moving = parcels.indices.filter { index in
      guard let snapshot = parcels[index].mail.snapshot, let before = state[parcels[index].archive].current?.snapshot else { return true }
      return snapshot.mayMoveNodes(since: before)
    }
    let others = parcels.indices.filter { !moving.contains($0) }.map { [$0] }
    return (moving.isEmpty ? [] : [moving]) + others
  }

  /// Saves the selected mail as a whole, and sets the outcomes; after a failure nothing of it is saved.
  private func saveTogether(_ parcels: inout [Parcel], _ selected: [Int], _ state: inout State) throws(StoreError) {
    try lock(&state)
    var saves: [Int: PlannedSave] = [:]
    var number = state.lastNumber
    for index in selected {
      guard let save = try plan(&parcels[index], above: number, &state) else { continue }
      if save.isWhole { number = save.written.generation.number }
      saves[index] = save
    }
    var removals: [ArchiveName: UInt64] = [:]
    for index in selected where state.removals.contains(parcels[index].archive) {
      let archive = parcels[index].archive
      if let last = try lastNumber(of: archive, numberedCatalog(&state)) {
        removals[archive] = last
      } else {
        try forgetHistory(of: archive, &state)
      }
    }
    let failure = try write(selected.compactMap { saves[$0] }.filter { $0.file != nil }, removing: removals, &state)
    for index in selected {
      let archive = parcels[index].archive
      if failure == nil || saves[index] != nil { state.removals.remove(archive) }
      parcels[index].result = Result { () throws(StoreError) in
        let outcome = try saves[index].map { (save) throws(StoreError) in try finish(save, &state) }
        if let failure, saves[index] == nil || removals[archive] != nil, state.group?.due[archive] != nil { throw failure }
        return outcome ?? .forgotten
      }
    }
  }

  /// Plans the save of mail; nil for a removal.
  private func plan(_ parcel: inout Parcel, above number: UInt64, _ state: inout State) throws(StoreError) -> PlannedSave? {
    guard let snapshot = parcel.mail.snapshot else { return nil }
    do throws(StoreError) {
      return try plan(parcel, snapshot, above: number, &state)
    } catch {
      if case .notAnArchive = error {
        // Dropped, except the removal of the files before it.
        if state.removals.contains(parcel.archive) { parcel.mail.snapshot = nil } else { parcel.isUnusable = true }
      }
      throw error
    }
  }

  /// Writes files and carries out removals: one file as it is, anything else on record.
  ///
  /// - Returns: The error of a removal, which is on record and tried again by every save.
  /// - Throws: ``StoreError``; the files that exist are then taken back before any other save.
  private func write(
    _ saves: [PlannedSave], removing removals: [ArchiveName: UInt64], _ state: inout State
  ) throws(StoreError) -> StoreError? {
    // If a step fails, a file may exist all the same. The end of its chain is then unknown, and nothing may be added.
    for save in saves { if save.isWhole { state.forgetCurrent(save.archive) } else { state[save.archive].current = nil } }
    let isGroup = saves.count > 1 || !removals.isEmpty
    if !isGroup {
      for save in saves { if let file = save.file { try replace(file.fileName, with: save.bytes, &state) } }
    } else {
      let group = SaveGroup(files: saves.compactMap(\.file), removals: removals, due: state.group?.due ?? [:])
      try begin(group, &state)
      for save in saves { if let file = save.file { try put(file.fileName, save.bytes, state) } }
      if !saves.isEmpty { try system { () throws(FileSystemError) in try folder.flush() } }
      state.group = SaveGroup(due: group.due.merging(removals) { max($0, $1) })
      state.hasOpenGroup = false
    }
    guard let group = state.group else { return nil }
    if group.due.isEmpty {
      try endGroup(&state)
      return nil
    }
    do throws(StoreError) {
      // On a full disk the ledger is written once the files are gone.
      for archive in removals.keys { try? forgetHistory(of: archive, &state) }
      try finishRemovals(&state)
      return nil
    } catch {
      // The removals alone are left, whatever happens to the files later.
      if isGroup, !saves.isEmpty { try? replaceGroup(group, &state) }
      return error
    }
  }

  /// Makes the record of a save durable, before its first file exists.
  ///
  /// A removal on a full disk goes without: it makes room.
  private func begin(_ group: SaveGroup, _ state: inout State) throws(StoreError) {
    state.lastNumber = max(state.lastNumber, group.greatestNumber)
    state.hasOpenGroup = true
    do throws(StoreError) {
      try replaceGroup(group, &state)
    } catch {
      guard group.files.isEmpty, case .system(let cause) = error, cause.isFullDisk else { throw error }
    }
  }

  func replaceGroup(_ group: SaveGroup, _ state: inout State) throws(StoreError) {
    let bytes = try wrappingErrors { () throws(ArchiveError) in try group.encoded() }
    try replace(SaveGroup.fileName, with: bytes, &state)
  }

  /// Decides about a save that this process or an earlier one has begun and not completed: takes its files back if one is
  /// missing, and puts its removals on record otherwise.
  func decideGroup(_ state: inout State) throws(StoreError) {
    guard let group = try readGroup() else {
      (state.group, state.hasOpenGroup) = (nil, false)
      return
    }
    state.lastNumber = max(state.lastNumber, group.greatestNumber)
    let (left, takenBack) = try system { () throws(FileSystemError) -> (left: SaveGroup, takenBack: [SaveGroup.File]) in
      let decided = group.decided(among: GenerationCatalog(names: try folder.names()))
      for file in decided.takenBack { try takeBack(file.fileName) }
      // An earlier process may have died before it flushed the names of the files.
      try folder.flush()
      return decided
    }
    for file in takenBack { state.forgetCurrent(file.archive) }
    if left.due.isEmpty {
      try endGroup(&state)
    } else if left != group {
      try replaceGroup(left, &state)
    }
    state.group = left.due.isEmpty ? nil : left
    state.hasOpenGroup = false
  }

  /// Reads the record; nil if there is none.
  ///
  /// An unusable file with its name is set aside: nothing can be decided about it.
  private func readGroup() throws(StoreError) -> SaveGroup? {
    try system { () throws(FileSystemError) -> SaveGroup? in
      var reason = FileSystemError(.read, code: EINVAL, path: folder.path(of: SaveGroup.fileName))
      do throws(FileSystemError) {
        if let group = SaveGroup(try folder.read(SaveGroup.fileName, atMost: SaveGroup.maximumByteCount)) { return group }
      } catch {
        if error.isAbsence { return nil }
        guard error.foreignKind != nil || [EIO, EACCES, EFBIG].contains(error.code) else { throw error }
        reason = error
      }
      try folder.setAside(SaveGroup.fileName, unless: reason)
      return nil
    }
  }

  /// Deletes the record: what it names is done or undone.
  func endGroup(_ state: inout State) throws(StoreError) {
    state.hasOpenGroup = true
    try system { () throws(FileSystemError) in
      // Otherwise it can be that of another process.
      try expectLock(state)
      try removeIfPresent(SaveGroup.fileName)
      try folder.flush()
    }
    (state.group, state.hasOpenGroup) = (nil, false)
  }

  /// Removes a file of a save; something else that has taken its name is set aside.
  private func takeBack(_ name: String) throws(FileSystemError) {
    do throws(FileSystemError) {
      try removeIfPresent(name)
    } catch {
      guard error.code == EISDIR || error.code == EPERM else { throw error }
      try folder.setAside(name, unless: error)
    }
  }

  private func removeIfPresent(_ name: String) throws(FileSystemError) {
    do throws(FileSystemError) {
      try folder.remove(name)
    } catch {
      if !error.isAbsence { throw error }
    }
  }
}
