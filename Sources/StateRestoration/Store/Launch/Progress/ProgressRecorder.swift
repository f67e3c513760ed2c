import RestorationArchive

/// The record of a launch on the disk, kept equal to a ``ProgressRecord`` in memory by writing the differences.
struct ProgressRecorder {
  let file: ProgressFile
  private var written: ProgressRecord
  /// The place of each archive among the entries; 0 is the entry that archives without one of their own share.
  private var places: [Int?] = []
  private var sharedEntry: ProgressRecord.Archive?
  private var entryPages: Int

  /// Begins the record of a launch.
  init(_ record: ProgressRecord, in folder: StoreFolder) throws(FileSystemError) {
    var head = record
    head.archives = []
    file = try ProgressFile.begin(head, in: folder)
    written = head
    entryPages = file.initialEntryPages
    try? write(record)
  }

  /// Writes the changes.
  ///
  /// - Throws: The first error, after everything else is written; the rest is written with the next call.
  mutating func write(_ record: ProgressRecord) throws(FileSystemError) {
    var failure: FileSystemError?
    if !written.hasSameHead(as: record) {
      do throws(FileSystemError) {
        try file.write(head: record)
        let archives = written.archives
        written = record
        written.archives = archives
      } catch {
        failure = error
      }
    }
    for number in 0..<max(record.archives.count, written.archives.count) {
      let new = number < record.archives.count ? record.archives[number] : nil
      if number == written.archives.count { written.archives.append(nil) }
      guard new != written.archives[number] else { continue }
      if number >= places.count { places += [Int?](repeating: nil, count: number + 1 - places.count) }
      do throws(FileSystemError) {
        try write(new, number, launch: record.launch)
        written.archives[number] = new
      } catch {
        failure = failure ?? error
      }
    }
    do throws(FileSystemError) {
      try writeShared(record)
    } catch {
      failure = failure ?? error
    }
    if let failure { throw failure }
  }

  /// Returns the place of an archive among the entries.
  func place(of number: Int) -> Int { number < places.count ? places[number] ?? 0 : 0 }

  private mutating func write(_ archive: ProgressRecord.Archive?, _ number: Int, launch: UInt64) throws(FileSystemError) {
    guard let archive else {
      if let place = places[number], place > 0 { try file.write(nil, at: place, launch: launch) }
      places[number] = nil
      return
    }
    if places[number] == 0 { return }
    do throws(FileSystemError) {
      let place = number + 1
      try makeRoom(for: place)
      try file.write(archive, at: place, launch: launch)
      places[number] = place
    } catch {
      // An entry that exists is written again with the next change.
      if places[number] != nil { throw error }
      places[number] = 0
    }
  }

  private mutating func makeRoom(for place: Int) throws(FileSystemError) {
    let pages = place / ProgressFile.entriesPerPage + 1
    guard place < ProgressWord.entryLimit else { throw FileSystemError(.write, code: 0, path: file.file.path) }
    while entryPages < pages {
      try file.grow(to: entryPages + 1)
      entryPages += 1
    }
  }

  /// Writes the entry of the archives that have none of their own; they are judged together.
  private mutating func writeShared(_ record: ProgressRecord) throws(FileSystemError) {
    var shared: ProgressRecord.Archive?
    for number in places.indices where places[number] == 0 {
      guard number < record.archives.count, let archive = record.archives[number] else { continue }
      let hasWorked = archive.hasWorked && shared?.hasWorked ?? true
      shared = ProgressRecord.Archive(hash: 0, generation: 0, content: LoadedContent(), hasWorked: hasWorked)
    }
    guard shared != sharedEntry else { return }
    try file.write(shared, at: 0, launch: record.launch)
    sharedEntry = shared
  }
}
