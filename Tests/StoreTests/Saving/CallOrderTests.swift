import EngineKit
import Foundation
import Testing

@testable import StateRestoration

/// The order in which a store writes, flushes, renames and removes: what makes it safe to lose power between any two calls.
///
/// Each test lists the calls that must follow each other; other calls may come between them.
@Suite struct CallOrderTests {
  private typealias Call = FaultySystem.Call

  private let system = FaultySystem(SimulatedDisk())

  private func store(links: Int = 64, build: String = "1", on system: FaultySystem? = nil) throws -> RestorationStore {
    try RestorationStore(
      StoreFolder(path: "/store", system: system ?? self.system), launch: LaunchOptions(bundleVersion: build), boot: 1,
      limits: StoreLimits(links: links), linkPolicy: LinkPolicy(foldsConcurrently: false, isEager: true))
  }

  /// A store after a launch that has saved the numbers 1 to `count`.
  private func launched(saving count: Int = 0, links: Int = 64) throws -> RestorationStore {
    let store = try store(links: links)
    try store.beginLaunch()
    for number in 0..<count { try store.save(SampleArchive.bytes(number + 1)) }
    return store
  }

  /// Records the calls of an action, and checks what must hold whatever it does.
  private func calls(on system: FaultySystem? = nil, _ body: () throws -> Void) rethrows -> [String] {
    let calls = try (system ?? self.system).recording(body)
    for violation in Self.violations(calls) { Issue.record("\(violation): \(Self.lines(calls))") }
    return Self.lines(calls)
  }

  // MARK: Rules

  /// Returns how calls break the rules that every action keeps.
  private static func violations(_ calls: [Call]) -> [String] {
    var violations: [String] = []
    /// The files whose last write was not flushed.
    var unflushed: Set<String> = []
    /// The new names that are not flushed.
    var newNames: Set<String> = []
    for call in calls {
      switch call.operation {
      case .write: unflushed.insert(call.name)
      case .flush: unflushed.remove(call.name)
      case .rename:
        if unflushed.contains(call.name) { violations.append("\(call.name) is renamed before its content is flushed") }
        if let newName = call.newName { newNames.insert(newName) }
      case .flushFolder where call.name == "/store": newNames = []
      case .remove where StoreFileName.isFinished(call.name):
        if !newNames.isEmpty { violations.append("\(call.name) is removed before the name \(newNames) is flushed") }
      default: break
      }
    }
    if !newNames.isEmpty { violations.append("the name \(newNames) is not flushed") }
    return violations
  }

  // MARK: Lines

  /// Describes calls with the roles of their files.
  private static func lines(_ calls: [Call]) -> [String] {
    calls.map { call in
      switch call.operation {
      case .makeFolder: "make the folder"
      case .open: "open \(role(call.name))"
      case .write: "write \(role(call.name))"
      case .flush: "flush \(role(call.name))"
      case .rename: "rename \(role(call.name)) to \(role(call.newName ?? ""))"
      case .remove: "remove \(role(call.name))"
      case .flushFolder: call.name == "/store" ? "flush the folder" : "flush the folder above"
      default: "\(call.operation.rawValue) \(call.name)"
      }
    }
  }

  private static func role(_ name: String) -> String {
    if name.hasPrefix(StoreFolder.temporaryPrefix) { return "new " + role(String(name.dropFirst(StoreFolder.temporaryPrefix.count))) }
    if let generation = Generation(fileName: name) {
      return (generation.archive.scene.map { "\($0) " } ?? "") + "\(generation.number)"
        + (generation.mark == .none ? "" : " \(generation.mark.rawValue)")
    }
    if let link = GenerationFile(fileName: name) {
      return (link.archive.scene.map { "\($0) " } ?? "") + "\(link.generation) link \(link.place)"
    }
    if Confirmation.isFileName(name) { return "the confirmation" }
    return switch name {
    case LaunchLedger.fileName: "the ledger"
    case ProgressFile.fileName: "the progress record"
    default: name
    }
  }

  /// Expects lines to occur in this order, with others between them.
  private func expect(_ expected: [String], in lines: [String], _ place: SourceLocation = #_sourceLocation) {
    var rest = lines[...]
    for line in expected {
      guard let index = rest.firstIndex(of: line) else {
        Issue.record("\"\(line)\" is missing or too early in \(lines)", sourceLocation: place)
        return
      }
      rest = rest[(index + 1)...]
    }
  }

  private func expectNone(_ word: String, in lines: [String], _ place: SourceLocation = #_sourceLocation) {
    #expect(lines.filter { $0.contains(word) } == [], sourceLocation: place)
  }

  // MARK: Saving

  @Test("the first save of a process flushes the content, the name, and the name of the folder")
  func firstSave() throws {
    let store = try launched()
    let lines = try calls { try store.save(SampleArchive.bytes(1)) }
    expect(["write new 1", "flush new 1", "rename new 1 to 1", "flush the folder", "flush the folder above"], in: lines)
    expectNone("remove 1", in: lines)
  }

  @Test("a second save is a link: the archive that it follows is not touched, and the folder above was flushed before")
  func secondSave() throws {
    let store = try launched(saving: 1)
    let lines = try calls { try store.save(SampleArchive.bytes(2)) }
    expect(["write new 1 link 1", "flush new 1 link 1", "rename new 1 link 1 to 1 link 1", "flush the folder"], in: lines)
    expectNone("flush the folder above", in: lines)
    #expect(!lines.contains { $0.hasSuffix(" 1") && !$0.hasSuffix("link 1") }, "\(lines)")
  }

  @Test("an unchanged save writes only the time at which it was checked")
  func unchangedSave() throws {
    let store = try launched(saving: 2)
    let lines = try calls { try store.save(SampleArchive.bytes(2), now: Date(timeIntervalSinceReferenceDate: 5)) }
    #expect(lines.filter { !$0.hasPrefix("open") } == ["write the confirmation"])
  }

  @Test("the first save of a process, if unchanged, flushes the names: an earlier process may have died before it did")
  func firstUnchangedSave() throws {
    _ = try launched(saving: 1)
    let system = FaultySystem(system.disk.afterProcessDeath())
    let store = try store(on: system)
    try store.beginLaunch()
    let lines = try calls(on: system) { try store.save(SampleArchive.bytes(1)) }
    expect(["flush the folder", "flush the folder above"], in: lines)
    expectNone("rename", in: lines)
    expectNone("write 1", in: lines)
  }

  @Test("a new build freezes the last file of the build before, and then writes its own")
  func saveOfANewBuild() throws {
    let store = try launched(saving: 1)
    let lines = try calls { try store.save(SampleArchive.bytes(2, bundleVersion: "2")) }
    expect(
      ["rename 1 to 1 frozen", "flush the folder", "write new 2", "flush new 2", "rename new 2 to 2", "flush the folder"], in: lines)
    expectNone("remove 1", in: lines)
  }

  @Test("a whole save removes the oldest file only when the newest is durable")
  func thirdSave() throws {
    let store = try launched(saving: 2, links: 0)
    let lines = try calls { try store.save(SampleArchive.bytes(3)) }
    expect(["flush new 3", "rename new 3 to 3", "flush the folder", "remove 1"], in: lines)
    expectNone("remove 2", in: lines)
  }

  @Test("a fold makes the new generation durable before the files of an earlier one go, the archive before its links")
  func fold() throws {
    let store = try launched(saving: 1, links: 2)
    var lines: [String] = []
    // Folds twice: the first generation goes when the third exists.
    for number in 2...8 { lines += try calls { try store.save(SampleArchive.bytes(number)) } }
    expect(
      [
        "rename new 1 link 1 to 1 link 1", "flush the folder", "rename new 1 link 2 to 1 link 2", "flush the folder", "write new 2",
        "flush new 2", "rename new 2 to 2", "flush the folder", "flush new 3", "rename new 3 to 3", "flush the folder", "remove 1",
        "remove 1 link 1",
      ], in: lines)
    #expect(!lines.prefix { $0 != "rename new 3 to 3" }.contains { $0.hasPrefix("remove 1") || $0.hasPrefix("remove 2") })
  }

  @Test("a failed flush renames nothing")
  func failedFlush() throws {
    let whole = FaultySystem(SimulatedDisk())
    let saving = try store(on: whole)
    try saving.beginLaunch()
    let before = whole.callCount
    let calls = try whole.recording { try saving.save(SampleArchive.bytes(1)) }
    #expect(calls.contains { $0.operation == .rename })
    // The same save, whose calls fail one after the other.
    for call in 1...(whole.callCount - before) {
      let system = FaultySystem(SimulatedDisk(), fault: .error(EIO), at: before + call)
      let store = try store(on: system)
      try store.beginLaunch()
      var error: (any Error)?
      let lines = system.recording { do { try store.save(SampleArchive.bytes(1)) } catch let failure { error = failure } }
      let isFlushed = lines.contains { $0.operation == .flush && $0.name.hasPrefix(StoreFolder.temporaryPrefix) }
      #expect(isFlushed || !lines.contains { $0.operation == .rename }, "call \(call): \(Self.lines(lines))")
      #expect(isFlushed || error != nil, "call \(call)")
    }
  }

  // MARK: Scenes

  @Test(
    """
    archives captured in one turn: the record, the files, the end of the record, each durable before the next; old files go last \
    (Behaviours 102)
    """)
  func saveOfSeveral() throws {
    let store = try launched()
    for number in 1...2 { try #expect(GroupFaultTests.save(store, ["a"], at: number)) }
    let store2 = try self.store(links: 0, on: FaultySystem(system.disk.afterProcessDeath()))
    let system = try #require(store2.folder.system as? FaultySystem)
    try store2.beginLaunch()
    let lines = try calls(on: system) { try #expect(GroupFaultTests.save(store2, ["a"], at: 3)) }
    #expect(
      lines.filter { !$0.hasPrefix("open") && !$0.contains("progress") && !$0.contains("ledger") } == [
        "write new group", "flush new group", "rename new group to group", "flush the folder", "flush the folder above",
        "write new 3", "flush new 3", "rename new 3 to 3",
        "write new a 4", "flush new a 4", "rename new a 4 to a 4", "flush the folder",
        "remove group", "flush the folder",
      ])
    // The fourth generation lets the oldest go.
    let next = try calls(on: system) { try #expect(GroupFaultTests.save(store2, ["a"], at: 4)) }
    expect(["rename new a 6 to a 6", "flush the folder", "remove group", "flush the folder", "remove 1", "remove a 2"], in: next)
  }

  @Test("a save of one archive has no record, in a group with unchanged archives neither")
  func saveOfOne() throws {
    let store = try launched()
    #expect(try GroupFaultTests.save(store, ["a"], at: 1))
    let mail = try GroupFaultTests.content(.application, at: 1, z: "c")
    let scene = try GroupFaultTests.scene("a")
    let changed = try GroupFaultTests.content(scene, at: 2, z: "c")
    let lines = calls {
      store.mailboxes.post([(.application, mail), (scene, changed)])
      store.write(scene)
    }
    expect(["write new a 2 link 1", "flush new a 2 link 1", "rename new a 2 link 1 to a 2 link 1", "flush the folder"], in: lines)
    expectNone("group", in: lines)
  }

  @Test("closing a scene removes all its files, flushes their names, and leaves other archives alone")
  func closeScene() throws {
    let store = try launched(saving: 1)
    let scene = try #require(ArchiveName.scene("left"))
    for number in 1...2 { try store.save(SampleArchive.bytes(number), as: scene, now: Date(timeIntervalSinceReferenceDate: 1)) }
    let lines = try calls { try store.remove(scene) }
    for file in ["left 2", "left 2 link 1", "the confirmation"] {
      expect(
        ["flush new group", "rename new group to group", "flush the folder", "remove \(file)", "flush the folder", "remove group"],
        in: lines)
    }
    expect(["remove group", "flush the folder"], in: lines)
    expectNone("write new left", in: lines)
    expectNone("remove 1", in: lines)
    #expect(try store.load().number == 1)
  }

  // MARK: Launches

  /// A disk on which a process died after it restored a saved state: the next launch counts a death.
  private func systemAfterDeath() throws -> FaultySystem {
    _ = try launched(saving: 1)
    let dying = FaultySystem(system.disk.afterProcessDeath())
    _ = try store(on: dying).restore(RestorableTree(roots: []), with: Resolver {}, isolation: nil)
    return FaultySystem(dying.disk.afterProcessDeath())
  }

  @Test("a launch writes its ledger and then its progress record, and flushes both before anything is restored")
  func launch() throws {
    let system = try systemAfterDeath()
    let store = try store(on: system)
    let application = RestorableTree(roots: [])
    var restoring: [String]?
    let lines = try calls(on: system) {
      try store.beginLaunch()
      let recorded = system.recordedCalls
      restoring = Self.lines(recorded)
      // What is written after that is the word of the next callback, on a disk that cannot map pages.
      #expect(restoring?.last { $0 != "write the progress record" } == "flush the progress record", "\(restoring ?? [])")
      _ = try store.restore(application, with: Resolver {}, isolation: nil)
    }
    expect(
      [
        "flush new the ledger", "rename new the ledger to the ledger", "flush the folder", "write the progress record",
        "flush the progress record",
      ], in: try #require(restoring))
    // Progress is not flushed: it must outlive the process, not the machine.
    #expect(lines.filter { $0 == "flush the progress record" }.count == 1)
  }

  @Test("a launch that proves stable is in the ledger, durable, before the progress record says so")
  func stable() throws {
    let system = try systemAfterDeath()
    let store = try store(on: system)
    _ = try store.restore(RestorableTree(roots: []), with: Resolver {}, isolation: nil)
    let lines = calls(on: system) { store.markStable() }
    expect(
      [
        "write new the ledger", "flush new the ledger", "rename new the ledger to the ledger", "flush the folder",
        "write the progress record", "flush the progress record",
      ], in: lines)
    #expect(!lines.prefix { $0 != "rename new the ledger to the ledger" }.contains("write the progress record"))
  }

  @Test("an orderly end is the last thing written, and flushed")
  func end() throws {
    let store = try launched(saving: 1)
    let lines = calls { store.endLaunch() }
    expect(["write the progress record", "flush the progress record"], in: lines)
    #expect(!lines.drop { $0 != "flush the progress record" }.contains { $0.contains("ledger") })
  }

  // MARK: Offers

  @Test(
    "accepting an offer saves the current state, notes the acceptance in the ledger, and only then makes the offered state current")
  func acceptedOffer() throws {
    _ = try launched(saving: 1)
    let system = FaultySystem(system.disk.afterProcessDeath())
    let store = try RestorationStore(
      StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: "1", isSafe: true), boot: 1,
      limits: StoreLimits(links: 0))
    let application = RestorableTree(roots: [])
    let restored = try store.restore(application, with: Resolver {}, isolation: nil)
    let offer = try #require(restored.offers.first)
    let current = try application.preserve(header: ArchiveHeader(bundleVersion: "1"))
    let lines = try calls(on: system) {
      _ = try store.accept(offer, into: application, with: Resolver {}, replacing: current, isolation: nil)
    }
    expect(
      [
        // The state that the user sees now.
        "rename 1 to 1 offered", "flush the folder", "flush new 2", "rename new 2 to 2", "flush the folder",
        // From here on a death counts against the offer.
        "write the progress record", "flush new the ledger", "rename new the ledger to the ledger", "flush the folder",
        // The offered state.
        "rename 2 to 2 offered", "flush the folder", "flush new 3", "rename new 3 to 3", "flush the folder",
      ], in: lines)
    expectNone("remove 1", in: lines)
    expectNone("remove 2", in: lines)
  }
}
