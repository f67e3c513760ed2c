import Locking
import RestorationArchive
import SystemLibrary

/// Saves of several archives, which are on the disk as a whole or not at all (``SaveGroup``).
extension StoreWriter {
  /// Saves mail that was captured in one turn, and sets the outcomes.
  ///
  /// After a failure the parts that do not depend on each other are saved by themselves.
  mutating func save(_ parcels: inout [Parcel]) {
    let parts = parts(of: parcels)
    do throws(StoreError) {
      return try saveTogether(&parcels, Array(parcels.indices))
    } catch {
      for part in parts {
        do throws(StoreError) {
          guard parcels.count > 1 || isLostFolder(error) else { throw error }
          try saveTogether(&parcels, part)
        } catch {
          for index in part { parcels[index].result = .failure(error) }
          // Otherwise the next save or launch does.
          if hasOpenGroup { try? lock() }
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
  private func parts(of parcels: [Parcel]) -> [[Int]] {
    let moving = parcels.indices.filter { index in
      guard let snapshot = parcels[index].mail.snapshot, let before = self[parcels[index].archive].current?.snapshot else { return true }
      return snapshot.mayMoveNodes(since: before)
    }
    let others = parcels.indices.filter { !moving.contains($0) }.map { [$0] }
    return (moving.isEmpty ? [] : [moving]) + others
  }

  /// Saves the selected mail as a whole, and sets the outcomes; after a failure nothing of it is saved.
  private mutating func saveTogether(_ parcels: inout [Parcel], _ selected: [Int]) throws(StoreError) {
    try lock()
    var saves: [Int: PlannedSave] = [:]
    var number = lastNumber
    for index in selected {
      guard let save = try plan(&parcels[index], above: number) else { continue }
      if save.isWhole { number = save.written.generation.number }
      saves[index] = save
    }
    var removing: [ArchiveName: UInt64] = [:]
    for index in selected where removals.contains(parcels[index].archive) {
      let archive = parcels[index].archive
      if let last = try numberedCatalog().lastNumber(of: archive) {
        removing[archive] = last
      } else {
        try forgetHistory(of: archive)
      }
    }
    let failure = try write(selected.compactMap { saves[$0] }.filter { $0.file != nil }, removing: removing)
    for index in selected {
      let archive = parcels[index].archive
      if failure == nil || saves[index] != nil { removals.remove(archive) }
      parcels[index].result = Result { () throws(StoreError) in
        let outcome = try saves[index].map { (save) throws(StoreError) in try finish(save) }
        if let failure, saves[index] == nil || removing[archive] != nil, group?.due[archive] != nil { throw failure }
        return outcome ?? .forgotten
      }
    }
  }

  /// Plans the save of mail; nil for a removal.
  private mutating func plan(_ parcel: inout Parcel, above number: UInt64) throws(StoreError) -> PlannedSave? {
    guard let snapshot = parcel.mail.snapshot else { return nil }
    do throws(StoreError) {
      return try plan(parcel, snapshot, above: number)
    } catch {
      if case .notAnArchive = error {
        // Dropped, except the removal of the files before it.
        if removals.contains(parcel.archive) { parcel.mail.snapshot = nil } else { parcel.isUnusable = true }
      }
      throw error
    }
  }

  /// Writes files and carries out removals: one file as it is, anything else on record.
  ///
  /// - Returns: The error of a removal, which is on record and tried again by every save.
  /// - Throws: ``StoreError``; the files that exist are then taken back before any other save.
  private mutating func write(
    _ saves: [PlannedSave], removing removals: [ArchiveName: UInt64]
  ) throws(StoreError) -> StoreError? {
    // If a step fails, a file may exist all the same. The end of its chain is then unknown, and nothing may be added.
    for save in saves { if save.isWhole { forgetCurrent(save.archive) } else { self[save.archive].current = nil } }
    let isGroup = saves.count > 1 || !removals.isEmpty
    if !isGroup {
      for save in saves { if let file = save.file { try replace(file.fileName, with: save.bytes) } }
    } else {
      let group = SaveGroup(files: saves.compactMap(\.file), removals: removals, due: self.group?.due ?? [:])
      try begin(group)
      for save in saves { if let file = save.file { try put(file.fileName, save.bytes) } }
      if !saves.isEmpty { try flushNames() }
      self.group = SaveGroup(due: group.due.merging(removals) { max($0, $1) })
      hasOpenGroup = false
    }
    guard let group else { return nil }
    if group.due.isEmpty {
      try endGroup()
      return nil
    }
    do throws(StoreError) {
      // On a full disk the ledger is written once the files are gone.
      for archive in removals.keys { try? forgetHistory(of: archive) }
      try finishRemovals()
      return nil
    } catch {
      // The removals alone are left, whatever happens to the files later.
      if isGroup, !saves.isEmpty { try? replaceGroup(group) }
      return error
    }
  }

  /// Makes the record of a save durable, before its first file exists.
  ///
  /// A removal on a full disk goes without: it makes room.
  private mutating func begin(_ group: SaveGroup) throws(StoreError) {
    lastNumber = max(lastNumber, group.greatestNumber)
    hasOpenGroup = true
    do throws(StoreError) {
      try replaceGroup(group)
    } catch {
      guard group.files.isEmpty, case .system(let cause) = error, cause.isFullDisk else { throw error }
    }
  }

  mutating func replaceGroup(_ group: SaveGroup) throws(StoreError) {
    let bytes = try wrappingErrors { () throws(ArchiveError) in try group.encoded() }
    try replace(SaveGroup.fileName, with: bytes)
  }

  /// Decides about a save that this process or an earlier one has begun and not completed: takes its files back if one is
  /// missing, and puts its removals on record otherwise.
  mutating func decideGroup() throws(StoreError) {
    guard let group = try readGroup() else {
      (self.group, hasOpenGroup) = (nil, false)
      return
    }
    lastNumber = max(lastNumber, group.greatestNumber)
    let (left, takenBack) = try system { () throws(FileSystemError) -> (left: SaveGroup, takenBack: [GenerationFile]) in
      let decided = group.decided(among: folder.catalog(of: try folder.names()))
      for file in decided.takenBack { try takeBack(file.fileName) }
      // An earlier process may have died before it flushed the names of the files.
      try folder.flush()
      return decided
    }
    for file in takenBack { forgetCurrent(file.archive) }
    if left.due.isEmpty {
      try endGroup()
    } else if left != group {
      try replaceGroup(left)
    }
    self.group = left.due.isEmpty ? nil : left
    hasOpenGroup = false
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
  mutating func endGroup() throws(StoreError) {
    hasOpenGroup = true
    try system { () throws(FileSystemError) in
      // Otherwise it can be that of another process.
      try expectLock()
      try removeIfPresent(SaveGroup.fileName)
      try folder.flush()
    }
    (group, hasOpenGroup) = (nil, false)
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
