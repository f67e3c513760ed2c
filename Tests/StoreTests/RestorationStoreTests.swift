import EngineKit
import Foundation
import ProcessKit
import PropertyKit
@testable import StateRestoration
import Testing

/// Behaviours 35 to 51, as far as they concern the store.
@Suite struct RestorationStoreTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.url("store").path }

  init() throws {
    temporary = try TemporaryFolder()
  }

  private func store(_ access: RestorationStore.Access = .writing) throws -> RestorationStore {
    try RestorationStore(folder: folder, access: access)
  }

  private func write(_ bytes: [UInt8], _ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// Files that are no archives, and one of a later version; with the words that only its reason has.
  private static let wrongFiles: [(bytes: [UInt8]?, words: String)] = [
    ([], "the file is empty"), ([0x89], "the file has 1 byte, too few"), (Array("Dear diary".utf8), "the file is not an archive"),
    ([0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A], "an archive has at least 64"), (nil, "of a later version"),
  ]

  @Test("35: no bytes, one byte, text, signature only and a wrong version each have a distinct reason", arguments: wrongFiles.indices)
  func tellsWhatIsWrong(_ index: Int) throws {
    let bytes = Self.wrongFiles[index].bytes
    try write(bytes ?? SampleArchive.ofLaterVersion(), "application.0000000001.rsta")
    let load = try store(.reading).load()
    #expect(load.reason == (bytes == nil ? .laterVersion : .allDamaged))
    let reason = load.candidates.map(\.description).joined()
    #expect(Self.wrongFiles.indices.filter { reason.contains(Self.wrongFiles[$0].words) } == [index], "\(reason)")
    #expect(reason.contains("damaged: ") == (bytes != nil))
  }

  @Test("a file of which nothing can be restored is damaged, and not restored in part")
  func restoresNoEmptyPart() throws {
    var bytes = try SampleArchive.bytes(1)
    let reader = try ArchiveReader(bytes)
    for place in 64..<(bytes.count / 2) { bytes[place] ^= 0x55 }
    #expect((try? ArchiveReader(inspecting: bytes).application()) == nil && reader.nodeCount == 3)
    try write(bytes, "application.0000000001.rsta")
    let load = try store(.reading).load()
    #expect(load.archive == nil && load.reason == .allDamaged)
  }

  @Test("a store of a configuration makes its folder and those above; for reading, it makes nothing and needs no lock")
  func opensWithAConfiguration() throws {
    let path = temporary.url("above/store").path
    let configuration = AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42", folder: path)
    let reading = try RestorationStore(configuration, isReadOnly: true)
    let nothing = try reading.load()
    #expect(nothing.archive == nil && nothing.candidates.isEmpty && !nothing.isPending)
    #expect(!FileManager.default.fileExists(atPath: temporary.url("above").path))
    let store = try RestorationStore(configuration)
    try store.save(SampleArchive.bytes(1))
    #expect(throws: StoreError.self) { try RestorationStore(configuration) }
    #expect(throws: StoreError.readingOnly) { try reading.save(SampleArchive.bytes(2)) }
    #expect(try reading.load().number == 1)
    var unreachable = configuration
    unreachable.isStorageAvailable = { false }
    #expect(try RestorationStore(unreachable, isReadOnly: true).load().isPending)
    #expect(throws: RestorationError.self) { try RestorationStore(AppConfiguration(bundleIdentifier: "a/b")) }
  }

  @Test("36: the ladder is tried in order, each file with its reason; an empty folder differs from damaged files")
  func triesTheLadder() throws {
    #expect(try store().load().reason == .nothingSaved)
    for number in 1...2 { try store().save(SampleArchive.bytes(number)) }
    var third = try SampleArchive.bytes(3)
    third[third.count / 2] ^= 1
    try write(third, "application.0000000003.rsta")
    try write(Array("text".utf8), "application.0000000004.rsta")
    let load = try store().load()
    #expect(try load.number == 2)
    #expect(load.candidates.map(\.generation.number) == [4, 3, 2, 1])
    let words = load.candidates.map { $0.outcome.description.prefix { $0 != ":" } }
    #expect(words == ["damaged", "damaged", "taken", "not needed"])
    // Damaged files are set aside and not overwritten.
    #expect(
      try names().filter { $0.contains("damaged") } == ["application.0000000003.damaged.rsta", "application.0000000004.damaged.rsta"])
  }

  @Test("37, 38, 44: the intact part of a damaged file is used if there is nothing better, and the file is kept")
  func usesWhatIsIntact() throws {
    var tree = try ArchiveTree(decoding: Data(SampleArchive.bytes(7)))
    tree.nodes += (0..<300).map { ArchiveNode("\($0)", state: ["text": .string(String(repeating: "x", count: 100))]) }
    var bytes = [UInt8](try tree.encoded())
    bytes[bytes.count * 3 / 4] ^= 1
    try write(bytes, "application.0000000001.rsta")
    let store = try store()
    let load = try store.load()
    #expect(try load.number == 7)
    #expect(load.archive?.isPartial == true)
    #expect(load.candidates.first?.outcome.description.hasPrefix("partly restored") == true)
    try store.save(SampleArchive.bytes(8))
    #expect(try names().contains("application.0000000001.damaged.rsta"))
    #expect(try store.load().number == 8)
  }

  @Test("38: damage of one of two copies costs no save, and the next save writes the archive anew", arguments: [0, 70, -1])
  func takesAFileWithADamagedCopy(_ offset: Int) throws {
    try write(SampleArchive.bytes(6), "application.0000000001.rsta")
    var bytes = try SampleArchive.bytes(7)
    bytes[offset < 0 ? bytes.count + offset : offset] ^= 1
    try write(bytes, "application.0000000002.rsta")
    let store = try store()
    let load = try store.load()
    #expect(try load.number == 7)
    #expect(load.archive?.isPartial == false && load.archive?.findings.isEmpty == false)
    #expect(try store.save(SampleArchive.bytes(7)) == .saved)
    #expect(try Set(names()).isSuperset(of: ["application.0000000002.rsta", "application.0000000003.rsta"]))
  }

  @Test("38: the last file of a build is frozen by the next one, even if one of two copies is damaged", arguments: [0, 70, -1])
  func freezesAFileWithADamagedCopy(_ offset: Int) throws {
    var bytes = try SampleArchive.bytes(7)
    bytes[offset < 0 ? bytes.count + offset : offset] ^= 1
    try write(bytes, "application.0000000002.rsta")
    let store = try store()
    #expect(try store.load().number == 7)
    #expect(try store.save(SampleArchive.bytes(8, bundleVersion: "2")) == .saved)
    #expect(try store.generations().map(\.mark) == [.none, .frozen])
  }

  @Test("40: equal content writes no archive and advances the confirmation time")
  func unchangedContentIsNotWritten() throws {
    let store = try store()
    let first = Date(timeIntervalSinceReferenceDate: 1000), second = Date(timeIntervalSinceReferenceDate: 2000)
    #expect(try store.save(SampleArchive.bytes(1, timestamp: first), now: first) == .saved)
    #expect(try store.save(SampleArchive.bytes(1, timestamp: second), now: second) == .unchanged)
    #expect(try store.generations().count == 1)
    #expect(try store.load().archive?.confirmedAt == second)
    #expect(try store.load().archive?.reader.header.timestamp == first)
  }

  @Test("40: archives from a writer are compared by digest; other bytes are opened, whatever digest they claim")
  func comparesDigests() throws {
    let store = try store()
    let writer = ArchiveWriter()
    var outcomes: [SaveOutcome] = []
    for number in [1, 1, 2, 2, 1] {
      try writer.reset()
      try writer.encodeApplicationState { try $0.encode(number, forKey: "number") }
      outcomes.append(try store.save(writer.finishEncoding()))
    }
    #expect(outcomes == [.saved, .unchanged, .saved, .unchanged, .saved])
    try writer.reset()
    try writer.encodeApplicationState { try $0.encode(1, forKey: "number") }
    let data = try writer.finish()
    #expect(try store.save(EncodedArchive(data)) == .unchanged)
    #expect(try store.generations().map(\.number) == [3, 2])
    for count in [0, 7, 63, 64, data.count - 65] {
      let cut = #expect(throws: StoreError.self) { try store.save(EncodedArchive(data.prefix(count))) }
      guard case .notAnArchive = cut else { return #expect(Bool(false), "\(count) bytes: \(String(describing: cut))") }
    }
    #expect(try store.load().archive?.generation.number == 3)
  }

  @Test(
    "file names of the store are parsed",
    arguments: [
      ("application.0000000001.rsta", "1"), ("application.9999999999.pinned.rsta", "9999999999 (pinned)"),
      ("application.10000000000.rsta", "10000000000"), ("application.18446744073709551615.damaged.rsta", "18446744073709551615 (damaged)"),
      ("scene-main.0000000007.rsta", "7"), ("scene-%4dain.0000000007.frozen.rsta", "7 (frozen)"),
      ("application.0000000000.declined.rsta", "0 (declined)"),
    ])
  func readsFileNames(_ name: String, _ description: String) throws {
    let generation = try #require(Generation(fileName: name))
    #expect(generation.description == description)
    #expect(generation.fileName == name)
    let other = Generation(.scene("zzz")!, generation.number, generation.mark)
    #expect((generation < other) != (other < generation), "different generations are in no order")
  }

  @Test(
    "other file names are ignored",
    arguments: [
      "", ".", "..", "...", "lock", "application", "application.rsta", "application.1.rsta", "application.00000000001.rsta",
      "application.000000001.rsta", "application.18446744073709551616.rsta", "application.+000000001.rsta", "application.-000000001.rsta",
      "application.000000000a.rsta", "application.000000000\u{663}.rsta", "application.0000000001", "application.0000000001.",
      "application.0000000001.RSTA", "application.0000000001.rsta.", ".application.0000000001.rsta", "application.0000000001..rsta",
      "application.0000000001.kept.rsta", "application.0000000001.pinned.frozen.rsta", "application.0000000001.pinned.rsta\u{301}",
      "application\u{301}.0000000001.rsta", "application.\u{301}0000000001.rsta", "Application.0000000001.rsta",
      "scene-.0000000001.rsta", "scene-Main.0000000001.rsta", "scene-%4Dain.0000000001.rsta", "scene-%6dain.0000000001.rsta",
      "scene-%.0000000001.rsta", "writing-application.0000000001.rsta", "application.confirmed", "application.0000000001.rsta~",
    ])
  func passesOverOtherNames(_ name: String) {
    #expect(Generation(fileName: name) == nil)
  }

  @Test("40: simultaneous save requests write once, and the newest content wins")
  func coalescesSaves() async throws {
    let store = try store()
    var last: UInt64 = 0
    for number in 1...50 { last = store.submit(try SampleArchive.data(number)) }
    let outcome = await store.outcome(of: last, until: .farAway, clock: .continuous)
    #expect(outcome == .saved)
    #expect(try store.load().number == 50)
  }

  @Test("a handed-over archive is saved; one that cannot be assembled fails, and the saved state stays")
  func savesEncodedArchives() async throws {
    let store = try store()
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(1, forKey: "number") }
    let first = store.submit(try writer.finishEncoding())
    #expect(await store.outcome(of: first, until: .farAway, clock: .continuous) == .saved)
    try writer.reset()
    for _ in 0..<2 { try writer.addNode("twice") }
    // A stand-in for content that exceeds 4 GiB, which also fails when assembled.
    let second = store.submit(try writer.finishEncodingDistinct(keepsNodes: true))
    #expect(await store.outcome(of: second, until: .farAway, clock: .continuous) == .failed)
    guard case .notAnArchive(let error) = store.lastSaveError else {
      Issue.record("no error, or another one")
      return
    }
    #expect(error.code.rawValue == "duplicate-identifier")
    #expect(try store.load().number == 1)
    try writer.reset()
    try writer.encodeApplicationState { try $0.encode(2, forKey: "number") }
    guard case .saved = try store.save(writer.finishEncoding()) else {
      Issue.record("not saved")
      return
    }
    #expect(try store.load().number == 2)
  }

  @Test("40: concurrent saves leave one valid file")
  func concurrentSaves() async throws {
    let store = try store()
    await withTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        group.addTask { _ = try? store.save(SampleArchive.bytes(number)) }
      }
    }
    #expect(try store.load().archive != nil)
    #expect(try store.generations().count == 2)
  }

  @Test("an unchanged save counts for policies about age")
  func ageCountsFromTheConfirmation() throws {
    let store = try store()
    let saved = Date(timeIntervalSinceReferenceDate: 0), confirmed = Date(timeIntervalSinceReferenceDate: 900)
    for time in [saved, confirmed] { try store.save(SampleArchive.bytes(1, timestamp: saved), now: time) }
    func decision(at now: Double) throws -> RestoreDecision? {
      var options = RestorationOptions(launch: LaunchContext(now: Date(timeIntervalSinceReferenceDate: now)))
      options.policy = .maximumAge(.seconds(500)).answering(.notNow)
      return try store.restore(RestorableTree(), with: Resolver {}, options: options).report?.decision
    }
    #expect(try decision(at: 1200) == .restore)
    #expect(try decision(at: 1500) == .notNow)
  }

  @Test("41: numbers increase whatever the clock reads; foreign files are ignored and stay")
  func ignoresForeignFiles() throws {
    for name in ["notes.txt", "application.rsta", "application.1.rsta", "application.0000000009.strange.rsta", "scene-.0000000001.rsta"] {
      try write([1], name)
    }
    let store = try store()
    try store.save(SampleArchive.bytes(1, timestamp: Date(timeIntervalSinceReferenceDate: 500)))
    try store.save(SampleArchive.bytes(2, timestamp: Date(timeIntervalSinceReferenceDate: 100)))
    #expect(try store.generations().map(\.number) == [2, 1])
    #expect(try store.load().number == 2)
    #expect(try names().count == 5 + 3)
  }

  @Test("42: a new build freezes one file of the old build, which later saves leave alone; those of two builds are kept")
  func freezesTheOldBuild() throws {
    let store = try store()
    for number in 1...3 { try store.save(SampleArchive.bytes(number, bundleVersion: "1")) }
    let old = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/application.0000000003.rsta"))
    for number in 4...9 { try store.save(SampleArchive.bytes(number, bundleVersion: "2")) }
    #expect(try store.generations().map(\.description) == ["9", "8", "3 (frozen)"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/application.0000000003.frozen.rsta")) == old)
    try store.save(SampleArchive.bytes(10, bundleVersion: "3"))
    // A third build can still give back what the second has made of the state of the first.
    #expect(try store.generations().map(\.description) == ["10", "9 (frozen)", "8", "3 (frozen)"])
    try store.save(SampleArchive.bytes(11, bundleVersion: "4"))
    #expect(try store.generations().map(\.description) == ["11", "10 (frozen)", "9 (frozen)", "8"])
  }

  @Test("42: whether a file is of an old build is seen from its ends: to read all of it may have ended the process")
  func readsOnlyTheEnds() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try FaultTests.store(system)
    func save(_ number: Int, by build: String) throws -> Int {
      let state: ArchiveDictionary = ["picture": .data(Data(repeating: UInt8(number), count: 1 << 18))]
      let tree = ArchiveTree(header: ArchiveHeader(bundleVersion: build), applicationState: state)
      let before = system.readByteCount
      try store.save([UInt8](tree.encoded()))
      return system.readByteCount - before
    }
    var counts: [Int] = []
    for (number, build) in ["1", "1", "2", "2", "2", "2"].enumerated() { counts.append(try save(number, by: build)) }
    #expect(try store.generations().map(\.description) == ["6", "5", "2 (frozen)"])
    #expect(counts.allSatisfy { $0 < 1 << 16 }, "\(counts)")
  }

  @Test("42: a pinned file of the old build is frozen when a limit ends the pin, which is reported")
  func freezesWhatWasPinned() throws {
    func launch(_ build: String, saving number: Int) throws -> [String] {
      let store = try store()
      _ = try store.beginLaunch(bundleVersion: build)
      if let saved = try store.load().archive { store.pin(saved.generation) }
      try store.save(SampleArchive.bytes(number, bundleVersion: build))
      defer { store.endLaunch() }
      return try store.generations().map(\.description)
    }
    #expect(try launch("1", saving: 1) == ["1"])
    for number in 2...5 { _ = try launch("2", saving: number) }
    #expect(try launch("2", saving: 6) == ["6", "5 (pinned)", "4 (pinned)", "3 (pinned)", "1 (pinned)"])
    let restored = try store().restore(RestorableTree(), with: Resolver {})
    #expect(restored.endedFiles.map(\.description) == ["2 (pinned)"])
  }

  @Test("43: forgetting removes all files, and sets aside what is no file")
  func forgets() throws {
    let store = try store()
    _ = try store.beginLaunch()
    try store.save(SampleArchive.bytes(1), now: Date(timeIntervalSinceReferenceDate: 1))
    try store.save(SampleArchive.bytes(1), as: #require(.scene("Main/1")))
    try FileManager.default.createDirectory(atPath: "\(folder)/application.0000000007.rsta", withIntermediateDirectories: false)
    try store.forget()
    #expect(try names() == ["application.0000000007.rsta.foreign1", "lock", "progress"])
    #expect(try store.load().reason == .nothingSaved)
  }

  @Test("43: if several files cannot be removed, all others are, and the error is that of the first")
  func throwsTheFirstError() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try FaultTests.store(system)
    _ = try store.beginLaunch()
    for number in 1...2 { try store.save(SampleArchive.bytes(number)) }
    try store.save(SampleArchive.bytes(3), as: #require(.scene("left")))
    system.stubbornPrefix = "application."
    let error = #expect(throws: StoreError.self) { try store.forget() }
    #expect(system.stubbornRemovals.count == 2 && Set(system.stubbornRemovals).count == 2)
    #expect(error == .system(FileSystemError(.remove, code: EACCES, path: "store/\(system.stubbornRemovals[0])")))
    // One record says what is still to be removed, the other one that this launch goes on.
    #expect(Set(system.disk.names) == Set(system.stubbornRemovals + ["group", "lock", "progress"]))
    #expect(try store.archives().isEmpty)
    system.stubbornPrefix = nil
    try store.forget()
    #expect(Set(system.disk.names) == ["lock", "progress"])
  }

  @Test("69: the errors of the store, and what it says of damaged files, show no value", arguments: [false, true])
  func errorsShowNoValue(_ isSensitive: Bool) throws {
    let state: ArchiveDictionary = ["text": "t", "number": 1, "list": [1, ["url": .url("u")], .date(Date())]]
    let tree = ArchiveTree(applicationState: state, nodes: [ArchiveNode("root", type: "Window", state: state)])
    let bytes = [UInt8](try MarkedArchive.marked(tree, isSensitive: isSensitive).encoded())
    let store = try store()
    try store.save(bytes)
    var texts: [String] = []
    func note(_ body: () throws -> Void) {
      do { try body() } catch { texts += MarkedArchive.texts(of: error, dumps: true) }
    }
    #expect(MarkedArchive.sign(in: String(decoding: bytes, as: UTF8.self)) != nil)
    for place in stride(from: 0, to: bytes.count, by: 37) {
      var damaged = bytes
      damaged[place] ^= 0x11
      try write(damaged, "application.0000000001.rsta")
      note { _ = try store.use(1) }
      note { try store.save(Array(damaged.dropLast(place % 2))) }
      texts += try RestorationStore(folder: folder, access: .reading).load().candidates.map(\.description)
    }
    #expect(texts.count > bytes.count / 37)
    for text in texts { if let sign = MarkedArchive.sign(in: text) { Issue.record("\(sign): \(text)") } }
  }

  @Test("forgetting and saving remove files of the store, and no foreign files with similar names")
  func leavesOtherFilesAlone() throws {
    let others = [
      "notes.confirmed", ".confirmed", "scene-Main.confirmed", "writing-", "writing-notes.txt", "writing-application.1.rsta",
      "writing-lock",
    ]
    let unfinished = ["writing-application.0000000009.rsta", "writing-scene-left.0000000009.pinned.rsta", "writing-ledger.rsta"]
    for name in others + unfinished { try write([1], name) }
    let store = try store()
    try store.save(SampleArchive.bytes(1), now: Date(timeIntervalSinceReferenceDate: 1))
    #expect(try names().filter { $0.hasPrefix("writing-") || $0.hasSuffix(".confirmed") } == (others + ["application.confirmed"]).sorted())
    for name in unfinished { try write([1], name) }
    try store.save(SampleArchive.bytes(2), as: #require(.scene("left")), now: Date(timeIntervalSinceReferenceDate: 1))
    try store.forget()
    #expect(try names() == (others + ["lock"]).sorted())
  }

  @Test("a file name in an error message cannot move the cursor")
  func escapesNames() {
    let error = FileSystemError(.remove, code: ENOENT, path: "folder/writing-\u{1B}[2J\n")
    #expect(error.description.hasPrefix("removing writing-\\u{1b}[2J\\u{a} in folder: "))
  }

  @Test("an error of a store names the file as it is called once it is written, and its folder, and nothing above that")
  func namesTheFolder() {
    func text(_ operation: FileSystemError.Operation, _ path: String) -> String {
      StoreError.system(FileSystemError(operation, code: EACCES, path: path)).description
    }
    #expect(text(.write, "/home/ada/org.example/writing-a.rsta") == "store: writing a.rsta in org.example: permission denied")
    #expect(text(.makeFolder, "/home/ada/org.example") == "store: making the folder org.example: permission denied")
    #expect(text(.open, "a.rsta") == "store: opening a.rsta: permission denied")
  }

  @Test("43: forgetting discards a deferred save, even if a file cannot be removed")
  func forgetsDeferredSaves() throws {
    let isReachable = Switch()
    isReachable.isOn = true
    let system = FaultySystem(SimulatedDisk())
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), isReachable: { isReachable.isOn })
    try store.save(SampleArchive.bytes(1))
    isReachable.isOn = false
    #expect(try store.save(SampleArchive.bytes(2)) == .deferred)
    isReachable.isOn = true
    system.stubbornPrefix = "application."
    #expect(throws: StoreError.self) { try store.forget() }
    // The removal is tried again.
    #expect(throws: StoreError.self) { try store.writeDeferred() }
    system.stubbornPrefix = nil
    #expect(try store.writeDeferred() == 0)
    #expect(try store.load().reason == .nothingSaved)
  }

  @Test("45: an empty saved state is restored as empty")
  func savesEmptiness() throws {
    let store = try store()
    try store.save(SampleArchive.bytes(1))
    try store.save([UInt8](ArchiveTree().encoded()))
    #expect(try store.load().archive?.reader.nodeCount == 0)
  }

  @Test("48: a later version is declined and kept")
  func keepsLaterVersions() throws {
    try write(SampleArchive.ofLaterVersion(), "application.0000000001.rsta")
    let store = try store()
    let load = try store.load()
    #expect(load.reason == .laterVersion, "\(load.candidates)")
    #expect(load.candidates.first?.outcome.description.hasPrefix("of a later version") == true)
    #expect(try names().contains("application.0000000001.rsta"))
  }

  @Test("48: a file of a later version survives all saves, and does not count as one of the two newest", arguments: [false, true])
  func keepsLaterVersionsThroughSaves(_ loads: Bool) throws {
    for number in 1...2 { try store().save(SampleArchive.bytes(number)) }
    try write(SampleArchive.ofLaterVersion(), "application.0000000003.rsta")
    for number in 4...7 {
      let store = try store()
      if loads { #expect(try store.load().number == (number == 4 ? 2 : number - 1)) }
      try store.save(SampleArchive.bytes(number))
    }
    #expect(try store().generations().map(\.description) == ["7", "6", loads ? "3 (offered)" : "3"])
  }

  @Test("a file that could not be read when loading is offered once something is saved over it")
  func keepsWhatCouldNotBeRead() throws {
    func disk() throws -> SimulatedDisk {
      let disk = SimulatedDisk()
      for number in 1...2 { try FaultTests.store(FaultySystem(disk)).save(SampleArchive.bytes(number)) }
      return disk
    }
    // Not once, but each time it is tried.
    let system = FaultySystem(try disk())
    system.unreadablePrefix = "application.0000000002"
    let store = try FaultTests.store(system)
    #expect(try store.load().number == 1)
    system.unreadablePrefix = nil
    for number in 3...6 { try store.save(SampleArchive.bytes(number)) }
    #expect(try store.generations().map(\.description) == ["6", "5", "2 (offered)"])
  }

  @Test("51: while storage is unavailable saves are deferred, the newest wins, and nothing is written")
  func holdsSaves() throws {
    let isReachable = Switch()
    let store = try RestorationStore(folder: folder, isReachable: { isReachable.isOn })
    #expect(try store.load().isPending)
    #expect(try store.save(SampleArchive.bytes(1)) == .deferred)
    #expect(try store.save(SampleArchive.bytes(2)) == .deferred)
    #expect(!FileManager.default.fileExists(atPath: folder))
    isReachable.isOn = true
    #expect(try store.writeDeferred() == 1)
    #expect(try store.load().number == 2)
  }

  @Test("the availability handler may call the store")
  func asksWithoutLocking() throws {
    let asked = AskedStore()
    let store = try RestorationStore(folder: folder, isReachable: { asked.store?.quarantinedPaths().isEmpty ?? true })
    asked.store = store
    try store.save(SampleArchive.bytes(1))
    #expect(try store.writeDeferred() == 0)
    #expect(try store.load().number == 1)
    try store.remove(.application)
    #expect(try store.generations().isEmpty)
  }

  // MARK: Do no harm

  @Test("after a degraded restore the old file stays, however many good launches follow, until a limit ends it")
  func pinsAfterADegradedRestore() throws {
    for number in 1...8 {
      let store = try store()
      _ = try store.beginLaunch()
      if number == 2 { try store.pin(#require(store.load().archive).generation) }
      try store.save(SampleArchive.bytes(number))
      store.markStable()
      store.endLaunch()
    }
    #expect(try store().generations().map(\.description) == ["8", "7", "1 (pinned)"])
  }

  @Test("a declined file is set aside and not offered again")
  func setsDeclinedFilesAside() throws {
    let store = try store()
    try store.save(SampleArchive.bytes(1))
    try store.decline(#require(store.load().archive).generation)
    #expect(try store.load().reason == .nothingSaved)
    #expect(try store.generations().map(\.mark) == [.declined])
  }

  // MARK: Scenes, folders

  @Test("scenes are listed most recently saved first, and closing one deletes its files")
  func keepsScenesApart() throws {
    let store = try store()
    let scenes = try ["main", "Ünïcode / Größe", "b"].map { try #require(ArchiveName.scene($0)) }
    for (index, scene) in scenes.enumerated() { try store.save(SampleArchive.bytes(index), as: scene) }
    try store.save(SampleArchive.bytes(9), as: scenes[0])
    #expect(try store.archives() == [scenes[0], scenes[2], scenes[1]])
    #expect(try store.load(scenes[1]).number == 1)
    try store.remove(scenes[1])
    #expect(try store.archives() == [scenes[0], scenes[2]])
    #expect(ArchiveName.scene("") == nil)
    #expect(ArchiveName.scene(String(repeating: "x", count: 121)) == nil)
  }

  @Test func filesAreForTheirOwnerAlone() throws {
    try store().save(SampleArchive.bytes(1), now: Date(timeIntervalSinceReferenceDate: 0))
    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
    for name in try names() {
      #expect(try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test("a folder removed under a running app is created again")
  func survivesRemoval() throws {
    let store = try store()
    try store.save(SampleArchive.bytes(1))
    try FileManager.default.removeItem(atPath: folder)
    try store.save(SampleArchive.bytes(2))
    #expect(try store.load().number == 2)
    #expect(throws: StoreError.self) { try self.store() }
  }

  @Test("bytes that are not an archive are not saved")
  func refusesNonsense() throws {
    let store = try store()
    try store.save(SampleArchive.bytes(1))
    #expect(throws: StoreError.self) { try store.save([1, 2, 3]) }
    #expect(try store.load().number == 1)
  }

  @Test("a reader does not write, and is not blocked by a writer")
  func readersOnlyRead() throws {
    let writer = try store()
    try writer.save(SampleArchive.bytes(1))
    let reader = try store(.reading)
    #expect(try reader.load().number == 1)
    #expect(throws: StoreError.readingOnly) { try reader.save(SampleArchive.bytes(2)) }
  }

  @Test("an older generation can be made current")
  func usesAnOlderGeneration() throws {
    let store = try store()
    for number in 1...2 { try store.save(SampleArchive.bytes(number)) }
    _ = try store.use(1)
    #expect(try store.load().number == 1)
    #expect(try store.generations().map(\.number) == [3, 2, 1])
    #expect(throws: StoreError.noGeneration(77)) { try store.use(77) }
  }

  @Test("a generation that is damaged anywhere, or of a later version, cannot be made current, and nothing changes")
  func usesWholeGenerationsOnly() throws {
    let store = try store()
    for number in 1...2 { try store.save(SampleArchive.bytes(number)) }
    var damaged = try SampleArchive.bytes(1)
    damaged[damaged.count / 2] ^= 1
    for bytes in try [damaged, SampleArchive.ofLaterVersion(), []] {
      try write(bytes, "application.0000000001.rsta")
      let before = try names()
      let error = #expect(throws: StoreError.self) { try store.use(1) }
      #expect(error?.description.hasPrefix("store: generation 1 cannot be used: ") == true)
      #expect(try names() == before)
    }
    #expect(try store.load().number == 2)
  }
}

/// A store that its own availability handler uses, on one thread.
private final class AskedStore: @unchecked Sendable {
  weak var store: RestorationStore?
}
