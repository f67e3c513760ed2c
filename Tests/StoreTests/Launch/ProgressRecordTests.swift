import EngineKit
import Foundation
import ProcessKit
import PropertyKit
import Testing

@testable import StateRestoration

/// The record of a launch's progress on the disk (Behaviours 30, 47).
@Suite struct ProgressRecordTests {
  private static let path = "/store/\(ProgressFile.fileName)"

  private static func folder(_ system: FaultySystem) throws -> StoreFolder {
    let folder = StoreFolder(path: "/store", system: system)
    try folder.make()
    return folder
  }

  private static func record(_ launch: UInt64, archives: Int = 0) -> ProgressRecord {
    var record = ProgressRecord(launch: launch, boot: 3, bundleVersion: "build \(launch)")
    record.archives = (0..<archives).map(archive)
    return record
  }

  private static func archive(_ number: Int) -> ProgressRecord.Archive {
    let content = LoadedContent(linkCount: number % 7, digest: ContentDigest(rawValue: UInt64(number) &* 0x9E37_79B9_7F4A_7C15))
    return ProgressRecord.Archive(hash: UInt64(number + 1), generation: UInt64(2 * number), content: content, hasWorked: number % 3 == 0)
  }

  @Test(
    "any number of archives is read as it was written, the record grows, and free entries stay free", arguments: [0, 1, 63, 64, 65, 1000])
  func keepsArchives(_ count: Int) throws {
    let disk = SimulatedDisk()
    let folder = try Self.folder(FaultySystem(disk))
    var record = Self.record(5, archives: count)
    var recorder = try ProgressRecorder(record, in: folder)
    #expect(LeftProgress(in: folder).record == Self.padded(record, folder))
    for number in stride(from: 0, to: count, by: 2) { record.archives[number] = nil }
    record.ending = .suspended
    recorder.write(record)
    #expect(LeftProgress(in: folder).record == Self.padded(record, folder))
    // The next launch uses the other slot, so that this record is whole until the other is.
    _ = try ProgressRecorder(Self.record(6), in: folder)
    #expect(LeftProgress(in: folder).record == Self.padded(Self.record(6), folder))
  }

  /// A record with as many free entries as the file has room for.
  private static func padded(_ record: ProgressRecord, _ folder: StoreFolder) -> ProgressRecord? {
    guard let read = LeftProgress(in: folder).record, read.archives.count >= record.archives.count else { return nil }
    var record = record
    record.archives += [ProgressRecord.Archive?](repeating: nil, count: read.archives.count - record.archives.count)
    return record
  }

  @Test("the launches after a record with the greatest number count", arguments: [UInt64.max - 1, .max])
  func countsOnFromTheGreatestNumber(_ number: UInt64) throws {
    let disk = SimulatedDisk()
    let folder = try Self.folder(FaultySystem(disk))
    _ = try ProgressRecorder(Self.record(1), in: folder)
    var bytes = try #require(disk.content(of: ProgressFile.fileName))
    // The number is the second field of the head, which ends with the build.
    let start = ProgressFile.pageByteCount, end = start + 48 + "build 1".utf8.count
    var head = FixedRecord(Array(bytes[start..<start + 8]))
    head.append(number)
    head.append(contentsOf: Array(bytes[(start + 16)..<end]))
    head.appendChecksum()
    bytes.replaceSubrange(start..<start + head.bytes.count, with: head.bytes)
    disk.setContent(of: ProgressFile.fileName, to: bytes)
    #expect(LeftProgress(in: folder).record?.launch == 1)
    for launch in UInt64(2)...5 {
      _ = try ProgressRecorder(Self.record(launch), in: folder)
      #expect(LeftProgress(in: folder).record?.launch == launch)
    }
  }

  @Test("a word counts only with the launch and the entry that it names")
  func readsWords() throws {
    let folder = try Self.folder(FaultySystem(SimulatedDisk()))
    let recorder = try ProgressRecorder(Self.record(0x1_0001, archives: 2), in: folder)
    let base = ProgressWord(launch: 0x1_0001, entry: recorder.place(of: 1))
    for phase in [ProgressRecord.Phase.creating, .decoding, .finishing] {
      for node in [0, 1, 77, ProgressWord.unknownNode] {
        recorder.file.store(base.calling(phase, node))
        let left = LeftProgress(in: folder)
        #expect(left.word?.phase == phase && left.word?.node == node && left.called == Self.archive(1))
      }
    }
    recorder.file.store(ProgressWord(launch: 2, entry: 1).calling(.decoding, 1))
    #expect(LeftProgress(in: folder).word == nil)
    recorder.file.store(ProgressWord(launch: 0x1_0001, entry: 3).calling(.decoding, 1))
    #expect(LeftProgress(in: folder).called == nil)
    recorder.file.store(base)
    #expect(LeftProgress(in: folder).word == nil)
    for path in [RestorationPath.application, "a/b", try RestorationPath(parsing: String(repeating: "x", count: 1000))] {
      #expect(try recorder.file.write(text: path, launch: 0x1_0001))
      recorder.file.store(base.callingNoted(.finishing))
      #expect(LeftProgress(in: folder).text == path)
    }
    let long = try RestorationPath(components: (0..<10).map { String(repeating: "y", count: 400) + "\($0)" })
    #expect(try !recorder.file.write(text: long, launch: 0x1_0001))
  }

  @Test("whatever bytes are in the file, reading ends and blames nobody wrongly")
  func readsAnyBytes() throws {
    let disk = SimulatedDisk()
    let folder = try Self.folder(FaultySystem(disk))
    let recorder = try ProgressRecorder(Self.record(9, archives: 3), in: folder)
    recorder.file.store(ProgressWord(launch: 9, entry: 2).calling(.decoding, 4))
    let whole = try #require(disk.content(of: ProgressFile.fileName))
    let names = (0..<3).map(Self.archive)
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    for count in [0, 1, 8, 64, 1023, 4095, 4096, 8191, 12_288, 16_384, whole.count - 1] {
      let left = LeftProgress(Array(whole.prefix(count)))
      #expect(left.record?.archives.compactMap { $0 }.allSatisfy { names.contains($0) } ?? true, "\(count) bytes")
      if let called = left.called { #expect(called == names[1], "\(count) bytes") }
    }
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      let left = LeftProgress(bytes)
      #expect(left.record.map { $0.launch == 9 } ?? true, "seed \(seed)")
      #expect(left.record?.archives.compactMap { $0 }.allSatisfy { names.contains($0) } ?? true, "seed \(seed)")
    }
  }

  @Test("where the record cannot grow, the other archives share one entry and are judged together")
  func sharesAnEntry() throws {
    let disk = SimulatedDisk()
    let system = FaultySystem(disk)
    let folder = try Self.folder(system)
    var recorder = try ProgressRecorder(Self.record(5, archives: 60), in: folder)
    system.isFull = true
    var record = Self.record(5, archives: 70)
    record.archives = record.archives.map { archive in
      var archive = archive
      archive?.hasWorked = true
      return archive
    }
    recorder.write(record)
    var left = LeftProgress(in: folder)
    #expect(left.record?.archives == Array(record.archives.prefix(63)) && left.shared?.hasWorked == true)
    #expect((60..<70).map { recorder.place(of: $0) } == [61, 62, 63, 0, 0, 0, 0, 0, 0, 0])
    record.archives[69]?.hasWorked = false
    recorder.write(record)
    #expect(LeftProgress(in: folder).shared?.hasWorked == false)
    recorder.file.store(ProgressWord(launch: 5, entry: 0).calling(.decoding, 3))
    left = LeftProgress(in: folder)
    #expect(left.word != nil && left.called == nil)
    for number in 63..<70 { record.archives[number] = nil }
    recorder.write(record)
    #expect(LeftProgress(in: folder).shared == nil)
  }

  @Test("a death of scenes that share an entry counts against each of them, and against no other")
  func judgesTogether() throws {
    let disk = SimulatedDisk()
    let names = try (0..<70).map { try #require(ArchiveName.scene("s\($0)")) }
    func store(_ system: FaultySystem) throws -> RestorationStore {
      try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1)
    }
    do {
      let store = try store(FaultySystem(disk))
      _ = try store.beginLaunch(bundleVersion: "1")
      for name in names { try store.save(SampleArchive.bytes(1), as: name) }
      store.endLaunch()
    }
    let system = FaultySystem(disk.afterProcessDeath())
    let dying = try store(system)
    _ = try dying.beginLaunch(bundleVersion: "1")
    system.isFull = true
    for name in names {
      let saved = try #require(dying.load(name).archive)
      _ = dying.launch.beginProgress(of: saved.generation, saved.content)
    }
    for name in names.prefix(10) { dying.noteFailure(of: name) }
    let next = try store(FaultySystem(system.disk.afterProcessDeath()))
    _ = try next.beginLaunch(bundleVersion: "1")
    let ledger = try #require(next.launch.history?.ledger)
    // The names of the ten that were abandoned have no entry either.
    #expect(ledger.streak == 1 && ledger.suspects.count == 70 && ledger.suspects.allSatisfy { $0.deaths == 1 && $0.path == nil })
  }

  // MARK: The real file system

  @Test("words stored through a mapping are in the file at once, and the record ends with the launch")
  func mapsPages() throws {
    let temporary = try TemporaryFolder()
    for mapsPages in [true, false] {
      let folder = StoreFolder(path: temporary.url("\(mapsPages)").path, system: SystemFileSystem(mapsPages: mapsPages))
      try folder.make()
      let recorder = try ProgressRecorder(Self.record(7, archives: 1), in: folder)
      if !mapsPages { #expect(recorder.file.page == nil) }
      for node in 0..<100 {
        recorder.file.store(ProgressWord(launch: 7, entry: 1).calling(.creating, node))
        #expect(LeftProgress(in: folder).word?.node == node)
      }
    }
  }

  @Test("a record that is replaced, removed or cut short under a launch blames nobody", arguments: [0, 1, 2])
  func losesItsFile(_ way: Int) throws {
    let temporary = try TemporaryFolder()
    let folder = StoreFolder(path: temporary.url("store").path, system: SystemFileSystem(mapsPages: way != 2))
    try folder.make()
    let recorder = try ProgressRecorder(Self.record(7, archives: 1), in: folder)
    let file = temporary.url("store").appendingPathComponent(ProgressFile.fileName)
    switch way {
    case 0: try Data("something else".utf8).write(to: file, options: .atomic)
    case 1: try FileManager.default.removeItem(at: file)
    default: try FileHandle(forWritingTo: file).truncate(atOffset: 0)
    }
    recorder.file.store(ProgressWord(launch: 7, entry: 1).calling(.creating, 3))
    let left = LeftProgress(in: folder)
    #expect(left.record == nil && left.word == nil && left.called == nil)
  }
}
