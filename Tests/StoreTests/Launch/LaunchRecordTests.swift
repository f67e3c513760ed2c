import EngineKit
import Foundation
import ProcessKit
import PropertyKit
import Locking
import Testing

@testable import StateRestoration

/// The records of a launch, and how the next launch uses them (Behaviours 30, 46, 47, 107).
///
/// Releasing a store without ``RestorationStore/endLaunch()`` leaves the same files as the death of its process.
@Suite struct LaunchRecordTests {
  private let temporary: TemporaryFolder
  private let isReachable = Switch()

  init() throws {
    temporary = try TemporaryFolder()
    isReachable.isOn = true
  }

  private func store() throws -> RestorationStore {
    let isReachable = isReachable
    return try RestorationStore(folder: temporary.url("store").path, isReachable: { isReachable.isOn })
  }

  // MARK: Launches that begin while storage is unavailable

  @Test("a launch that began while storage was unavailable learns its reason later, and begins once")
  func beginsByItself() throws {
    do {
      let store = try store()
      _ = try store.beginLaunch(bundleVersion: "1")
      try store.save(SampleArchive.bytes(1))
    }
    isReachable.isOn = false
    let store = try store()
    let delegate = Asked()
    let application = RestorableTree(delegate: delegate)
    for _ in 1...2 { #expect(try store.beginLaunch(bundleVersion: "1") == .launch) }
    _ = try store.restore(application, with: Resolver {})
    #expect(application.condition == .pending)
    isReachable.isOn = true
    _ = try store.restore(application, with: Resolver {})
    #expect(delegate.reasons == [.recover])
    // A second call continues the same launch, and counts no death of this process.
    #expect(try store.beginLaunch(bundleVersion: "1") == .recover)
    guard case .restore = try store.plan().action else {
      Issue.record("begun twice")
      return
    }
    store.endLaunch()
    #expect(try store.beginLaunch(bundleVersion: "1") == .launch)
  }

  @Test("a launch that began while storage was unavailable also begins with a save, and ends regularly", arguments: [false, true])
  func beginsBySaving(_ isDeferred: Bool) throws {
    isReachable.isOn = false
    let store = try store()
    #expect(try store.beginLaunch() == .launch)
    if isDeferred { #expect(try store.save(SampleArchive.bytes(1)) == .deferred) }
    isReachable.isOn = true
    if isDeferred { #expect(try store.writeDeferred() == 1) } else { try store.save(SampleArchive.bytes(1)) }
    #expect(try store.beginLaunch() == .pristine)
    store.endLaunch()
    #expect(try store.beginLaunch() == .launch)
  }

  @Test("a launch that ends while storage is unavailable never begins")
  func endsBeforeItBegins() throws {
    isReachable.isOn = false
    let store = try store()
    _ = try store.beginLaunch()
    store.endLaunch()
    isReachable.isOn = true
    try store.save(SampleArchive.bytes(1))
    #expect(try store.beginLaunch() == .pristine)
  }

  @Test("if a launch cannot begin because a call fails, nothing is restored, and it begins with the next call", arguments: [EIO, ENOSPC])
  func beginsInTheEnd(_ code: Int32) throws {
    func launch(_ system: FaultySystem) throws -> (RestorationStore, Int) {
      let isReachable = Switch()
      let store = try RestorationStore(StoreFolder(path: "/store", system: system), isReachable: { isReachable.isOn })
      _ = try store.beginLaunch()
      isReachable.isOn = true
      _ = try? store.load()
      return (store, system.callCount)
    }
    func disk() throws -> SimulatedDisk {
      let disk = SimulatedDisk()
      let store = try FaultTests.store(FaultySystem(disk))
      _ = try store.beginLaunch()
      try store.save(SampleArchive.bytes(1))
      return disk.afterProcessDeath()
    }
    for call in try 1...launch(FaultySystem(disk())).1 {
      let (store, _) = try launch(FaultySystem(disk(), fault: .error(code), at: call))
      #expect(try store.load().number == 1, "call \(call)")
      // If the record is unreadable, the death of the previous process is unknown.
      #expect(try store.beginLaunch() != .pristine, "call \(call)")
      store.endLaunch()
      #expect(try store.beginLaunch() == .launch, "call \(call)")
    }
  }

  @Test("62: on a full disk, an app that could save nothing but ran long enough may be killed as often as it likes")
  func killsOnAFullDisk() throws {
    var disk = SimulatedDisk()
    for number in 0...4 {
      let system = FaultySystem(disk)
      let store = try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1)
      system.isFull = number > 0
      let launch = try store.restore(RestorableTree(), with: Resolver(), isolation: nil)
      #expect(launch.freshStart == (number > 0 ? nil : .nothingSaved), "launch \(number)")
      if number == 0 {
        try store.save(SampleArchive.bytes(1))
        store.endLaunch()
      }
      while store.countTick(.application, isExtended: false) == false {}
      store.writer.withLock { $0.recordStability() }
      disk = disk.afterProcessDeath()
    }
  }

  // MARK: Unreadable ledgers

  @Test("an unreadable ledger is kept under another name, and the launch does not count as the first")
  func keepsUnreadableLedgers() throws {
    let folder = temporary.url("store")
    do {
      let store = try store()
      _ = try store.beginLaunch()
      try store.save(SampleArchive.bytes(1))
      store.endLaunch()
    }
    var bytes = try Data(contentsOf: folder.appendingPathComponent("ledger.rsta"))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: folder.appendingPathComponent("ledger.rsta"))
    let reader = try RestorationStore(folder: folder.path, access: .reading)
    #expect(reader.quarantinedPaths().isEmpty)
    guard case .restore = try reader.plan().action else {
      Issue.record("not restored")
      return
    }
    for _ in 1...2 {
      let store = try store()
      #expect(try store.beginLaunch() == .launch)
      store.endLaunch()
      #expect(try Data(contentsOf: folder.appendingPathComponent("ledger.unreadable.rsta")) == bytes)
    }
    try store().forget()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["lock"])
  }

  @Test("a ledger that the system fails to read is not overwritten")
  func keepsRefusedLedgers() throws {
    let disk = SimulatedDisk()
    let first = try FaultTests.store(FaultySystem(disk))
    _ = try first.beginLaunch()
    first.endLaunch()
    func content(of name: String, on disk: SimulatedDisk) -> [UInt8]? {
      disk.state.withLock { state in state.names[name].map { state.contents[$0].bytes } }
    }
    let before = try #require(content(of: "ledger.rsta", on: disk))
    // Not once, but each time it is tried.
    let copy = disk.afterProcessDeath()
    let system = FaultySystem(copy)
    system.unreadablePrefix = "ledger"
    _ = try FaultTests.store(system).beginLaunch()
    #expect(content(of: "ledger.unreadable.rsta", on: copy) == before)
  }

  // MARK: The last launches

  @Test("107: the last 32 launches are on record with what ended them, and without values")
  func recordsLaunches() throws {
    let disk = SimulatedDisk()
    func store() throws -> RestorationStore {
      try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())), boot: 1)
    }
    let system = FaultySystem(disk)
    for number in 1...40 {
      let store = try RestorationStore(
        StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: "\(number)"), boot: 1)
      _ = try store.beginLaunch()
      let state: ArchiveDictionary = ["text": "text", "number": .integer(number), "uuid": .uuid(UUID())]
      let tree = ArchiveTree(applicationState: state, nodes: [ArchiveNode("a", state: state)])
      try store.save(MarkedArchive.marked(tree).encoded())
      if number == 39 {
        // It dies while the node is decoded.
        try store.noteDecoding(of: "a", in: #require(store.load().archive))
      } else {
        store.endLaunch()
      }
      disk.state.withLock { $0.locked = [] }
    }
    let last = try store()
    _ = try last.beginLaunch()
    let lines = last.launches()
    // The record of launch 38 would have been written with what launch 39 had to say.
    #expect(lines.count == 32 && lines.first == "build 8: ended")
    #expect(
      lines.suffix(3) == [
        "build 37: ended", "build 39: killed in a callback of a, not stable: application; bad launches in a row: 1",
        "build 40: ended; bad launches in a row: 1",
      ])
    let ledger = try ArchiveReader(#require(disk.content(of: LaunchLedger.fileName))).application().state()
    for text in lines + ["\(ledger)", String(reflecting: ledger)] { #expect(MarkedArchive.sign(in: text) == nil, "\(text)") }
  }

  // MARK: Late objects

  @Test("a late object's restoring ends by itself, and the launch is as stable as before", arguments: [false, true])
  func endsAfterLateObjects(_ isStable: Bool) throws {
    for _ in 1...2 {
      let store = try store()
      let application = try launch(store)
      if isStable { store.markStable() }
      let plugin = Plugin()
      #expect(application.register(plugin, at: "plugin") == .data)
      #expect(plugin.number == 7)
    }
    switch try store().plan().action {
    case .restore: #expect(isStable)
    case .offer: #expect(!isStable)
    default: Issue.record("neither")
    }
  }

  @Test("a late object that kills the process twice is quarantined, even if all files with its restored state are gone")
  func blamesLateObjects() throws {
    var folder = temporary.url("store")
    for death in 1...2 {
      let copy = temporary.url("copy \(death)")
      let store = try RestorationStore(folder: folder.path)
      let application = try launch(store)
      store.markStable()
      for number in 1...3 { try store.save(SampleArchive.bytes(number)) }
      let plugin = Plugin()
      // The files that the process would leave if it died here.
      let from = folder
      plugin.decoding = { try FileManager.default.copyItem(at: from, to: copy) }
      #expect(application.register(plugin, at: "plugin") == .data)
      folder = copy
      let next = try RestorationStore(folder: copy.path)
      #expect(next.quarantinedPaths() == (death == 1 ? [] : ["plugin"]))
    }
    guard case .restore(_, without: ["plugin"]) = try RestorationStore(folder: folder.path).plan().action else {
      Issue.record("not left out")
      return
    }
  }

  /// Launches an app that has a waiting node.
  private func launch(_ store: RestorationStore) throws -> RestorableTree {
    _ = try store.beginLaunch()
    try store.save(ArchiveTree(nodes: [ArchiveNode("plugin", state: ["number": .integer(7)])]).encoded())
    let application = RestorableTree()
    _ = try store.restore(application, with: Resolver {})
    return application
  }

  @Test("a node with a path of any length is found in the archive by its number", arguments: [10, 256])
  func blamesLongPaths(_ count: Int) throws {
    let names = (0..<count).map { String(repeating: "x", count: 400) + "\($0)" }
    let path = try RestorationPath(components: names)
    var node = ArchiveNode(names[count - 1])
    for name in names.dropLast().reversed() { node = ArchiveNode(name, children: [node]) }
    for _ in 1...2 {
      let store = try store()
      _ = try store.beginLaunch()
      try store.save(ArchiveTree(nodes: [node]).encoded())
      try store.noteDecoding(of: path, in: #require(store.load().archive))
    }
    let store = try store()
    _ = try store.beginLaunch()
    #expect(store.quarantinedPaths() == [path])
  }

  @Test("the app's own observer is notified too")
  func tellsTheAppsObserver() throws {
    do {
      let store = try store()
      _ = try launch(store)
    }
    var phases: [RestorationPhase] = []
    _ = try store().restore(
      RestorableTree(roots: [Plugin()]), with: Resolver {}, options: RestorationOptions(onCall: { phase, _ in phases.append(phase) })
    )
    #expect(phases == [.decoding, .finishing, .ended])
  }
}

/// An object that registers late.
private final class Plugin: Restorable {
  let restorationIdentifier: String? = "plugin"
  var number = 0
  var decoding: () throws -> Void = {}

  func decodeRestorableState(with coder: StateDecoder) throws {
    try decoding()
    number = try coder.decode(Int.self, forKey: "number")
  }
}

/// A delegate that records the reasons it receives.
private final class Asked: RestorationDelegate {
  var reasons: [RestorationReason] = []

  func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    reasons.append(launch.reason)
    return .restore
  }
}
