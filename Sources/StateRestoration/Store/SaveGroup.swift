import FoundationValues
import Locking
import RestorationArchive
import SystemLibrary

/// The record of a save of several archives, or of a removal, which makes it whole or nothing.
///
/// The store makes the record durable before the first file of the save. It deletes the record when all files are durable
/// and all removals are done. A process that finds the record decides once (``decided(among:)``):
///
///     files     scene-a.0000000012.rsta   scene-b.0000000007.link-0003.rsta      the save adds these
///     removals  scene-c.0000000009.rsta                                          and removes scene c up to number 9
///     due       scene-d.0000000004.rsta                                          an earlier save has removed scene d
struct SaveGroup: Equatable {
  static let fileName = "group"
  /// The maximum length of the record; it contains only names.
  static let maximumByteCount = 1 << 24

  /// The files that the save adds, at most one for each archive.
  var files: [GenerationFile] = []
  /// The archives that the save removes, with the last generation that goes.
  var removals: [ArchiveName: UInt64] = [:]
  /// The removals of earlier saves that are not done.
  var due: [ArchiveName: UInt64] = [:]

  /// The greatest number of a generation in the record.
  var greatestNumber: UInt64 {
    [files.map(\.generation).max(), removals.values.max(), due.values.max()].compactMap { $0 }.max() ?? 0
  }

  /// Whether a file belongs to a removal that must be carried out, whatever becomes of the save.
  func isDue(_ archive: ArchiveName, _ number: UInt64) -> Bool { due[archive].map { number <= $0 } ?? false }

  /// Decides about a save that was begun.
  ///
  /// If all its files exist, its removals must be carried out. If one is missing, the save has not happened, and its
  /// files are taken back. A file does not count once its archive has a newer one; a damaged file exists.
  ///
  /// - Parameter catalog: All files in the folder.
  /// - Returns: The removals that are left, and the files to take back.
  func decided(among catalog: GenerationCatalog) -> (left: SaveGroup, takenBack: [GenerationFile]) {
    var present: Set<GenerationFile> = []
    var newest: [ArchiveName: GenerationFile] = [:]
    for file in catalog.files {
      present.insert(file)
      if newest[file.archive].map({ file > $0 }) ?? true { newest[file.archive] = file }
    }
    let open = files.filter { file in newest[file.archive].map { $0 <= file } ?? true }
    let existing = open.filter { present.contains($0) }
    if existing.count < open.count { return (SaveGroup(due: due), existing) }
    return (SaveGroup(due: due.merging(removals) { max($0, $1) }), [])
  }
}

// MARK: Bytes

extension SaveGroup {
  func encoded() throws(ArchiveError) -> [UInt8] {
    let state: ArchiveDictionary = [
      "files": .array(files.map { .string($0.fileName) }), "removals": Self.value(removals), "due": Self.value(due),
    ]
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  private static func value(_ removals: [ArchiveName: UInt64]) -> ArchiveValue {
    .array(removals.map { Generation($0.key, $0.value).fileName }.sorted().map { .string($0) })
  }

  /// Parses a record; nil for anything but the bytes that a store has written.
  init?(_ bytes: [UInt8]) {
    guard let state = try? ArchiveTree(decoding: Data(bytes)).applicationState, state.count == 3,
      let files = Self.files(state["files"]), let removals = Self.removals(state["removals"]), let due = Self.removals(state["due"])
    else { return nil }
    (self.files, self.removals, self.due) = (files, removals, due)
  }

  /// The files of a list of names, one for each archive; nil for any other value.
  private static func files(_ value: ArchiveValue?) -> [GenerationFile]? {
    guard case .array(let values) = value else { return nil }
    var seen: Set<ArchiveName> = []
    let files = values.compactMap { value -> GenerationFile? in
      // No store gives a greater number.
      guard case .string(let name) = value, let file = GenerationFile(fileName: name),
        file.generation < GenerationCatalog.firstAbsurdNumber, seen.insert(file.archive).inserted
      else { return nil }
      return file
    }
    return files.count == values.count ? files : nil
  }

  private static func removals(_ value: ArchiveValue?) -> [ArchiveName: UInt64]? {
    guard let files = files(value), !files.contains(where: \.isLink) else { return nil }
    return Dictionary(files.map { ($0.archive, $0.generation) }) { first, _ in first }
  }
}

extension GenerationCatalog {
  /// All files, whatever their marks.
  fileprivate var files: [GenerationFile] { generations.map(\.file) + links }

  /// Returns the files as they are once the save of a record is decided, and its removals are done.
  func after(_ group: SaveGroup) -> GenerationCatalog {
    let (left, takenBack) = group.decided(among: self)
    let names = Set(takenBack.map(\.fileName))
    var catalog = self
    catalog.generations.removeAll { left.isDue($0.archive, $0.number) || names.contains($0.fileName) }
    catalog.links.removeAll { left.isDue($0.archive, $0.generation) || names.contains($0.fileName) }
    return catalog
  }
}

/// Saves of several archives, which are on the disk as a whole or not at all (``SaveGroup``).
extension StoreWriter {
  /// Saves mail that was captured in one turn, and sets the outcomes.
  ///
  /// After a failure the parts that do not depend on each other are saved by themselves.
  mutating func save(_ parcels: inout [Parcel]) {
    // A failure forgets what is current.
    let before = parcels.map { self[$0.archive].current?.chain?.last.content }
    do throws(StoreError) {
      return try saveTogether(&parcels, Array(parcels.indices))
    } catch {
      for part in parts(of: parcels, before) {
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
  private func parts(of parcels: [Parcel], _ before: [Snapshot?]) -> [[Int]] {
    let moving = parcels.indices.filter { index in
      guard let snapshot = parcels[index].mail.snapshot,
        let before = before[index] ?? savedSnapshot(of: parcels[index].archive)
      else { return true }
      return snapshot.mayMoveNodes(since: before)
    }
    let others = parcels.indices.filter { !moving.contains($0) }.map { [$0] }
    return (moving.isEmpty ? [] : [moving]) + others
  }

  /// Returns the saved content of an archive; nil without readable content.
  private func savedSnapshot(of archive: ArchiveName) -> Snapshot? {
    guard let generation = try? reader.catalog().current(of: archive), let bytes = reader.opened(generation)?.bytes else { return nil }
    return try? Snapshot(bytes)
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
    listOpenScenes(saves.values.map(\.archive))
    let failure = try write(selected.compactMap { saves[$0] }.filter { $0.file != nil }, removing: removing)
    for index in selected {
      let archive = parcels[index].archive
      if failure == nil || saves[index] != nil { removals.remove(archive) }
      parcels[index].result = Result { () throws(StoreError) in
        let outcome = try saves[index].map { (save) throws(StoreError) in try finish(save) }
        if let dropped = parcels[index].dropped { throw dropped }
        if let failure, saves[index] == nil || removing[archive] != nil, group?.due[archive] != nil { throw failure }
        return outcome ?? .forgotten
      }
    }
  }

  /// Writes the list of open scenes before the first file of one exists: a launch opens the scenes on the list, and the process
  /// may die between the two.
  private mutating func listOpenScenes(_ archives: [ArchiveName]) {
    guard let history = launch.history, let open = history.ledger.openScenes, let known = writtenLedger, let listed = known.openScenes,
      archives.contains(where: { open.contains($0) && !listed.contains($0) && !history.leaving.contains($0) })
    else { return }
    var ledger = known
    ledger.openScenes = open
    // A failure does not prevent the save.
    guard (try? writeLedger(ledger, over: known)) != nil else { return }
    writtenLedger = ledger
  }

  /// Takes scenes from the list that were put away, now that their last saves are on the disk.
  mutating func endLeaving(_ archives: [ArchiveName]) {
    guard let left = launch.update({ $0.endLeaving(archives) }), !left.isEmpty else { return }
    for archive in left { releaseContent(of: archive) }
    try? writeLedger()
  }

  /// Plans the save of mail; nil for a removal.
  private mutating func plan(_ parcel: inout Parcel, above number: UInt64) throws(StoreError) -> PlannedSave? {
    guard let snapshot = parcel.mail.snapshot else { return nil }
    do throws(StoreError) {
      return try plan(parcel, snapshot, above: number)
    } catch {
      if case .notAnArchive = error {
        // Dropped, except the removal of the files before it.
        if removals.contains(parcel.archive) { (parcel.mail.snapshot, parcel.dropped) = (nil, error) } else { parcel.isUnusable = true }
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
  /// An unusable file with its name is set aside: nothing can be decided about it, and a store that could write nothing
  /// more would not even count the deaths of the app.
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
      try folder.removeIfPresent(SaveGroup.fileName)
      try folder.flush()
    }
    (group, hasOpenGroup) = (nil, false)
  }

  /// Removes a file of the store, if it is there; something else that has taken its name is set aside.
  func takeBack(_ name: String) throws(FileSystemError) {
    do throws(FileSystemError) {
      try folder.removeIfPresent(name)
    } catch {
      guard error.code == EISDIR || error.code == EPERM else { throw error }
      try folder.setAside(name, unless: error)
    }
  }
}
