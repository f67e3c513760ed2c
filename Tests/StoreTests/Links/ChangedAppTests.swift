import EngineKit
import Foundation
import Locking
import PropertyKit
import Testing

@testable import StateRestoration

/// An app whose objects track their changes, saved and restored through a store.
@Suite struct ChangedAppTests {
  private final class Item: Restorable {
    static let restorationType = "Item"
    static let tracksChanges = true
    let restorationIdentifier: String?
    @Restored var number = 0
    @Restored var text = String(repeating: "text ", count: 20)
    @RestoredChildren var items: [Item] = []
    var restorationChildren: [any Restorable] { items }

    init(_ identifier: String) { restorationIdentifier = identifier }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try decodeRestoredProperties(with: coder)
      items = try coder.restoredChildren(of: Item.self)
    }
  }

  private final class App {
    let root: Item
    let application: RestorableTree
    let store: RestorationStore

    init(_ system: FaultySystem, isReachable: @escaping @Sendable () -> Bool = { true }) throws {
      let root = Item("root")
      root.items = (0..<100).map { Item("\($0)") }
      self.root = root
      application = RestorableTree(roots: [root])
      store = try RestorationStore(
        StoreFolder(path: "/store", system: system), limits: StoreLimits(links: 8), linkPolicy: LinkPolicy(foldsConcurrently: false),
        isReachable: isReachable)
    }

    func start() throws { try application.startFresh() }

    func preserve() throws -> Preservation {
      try application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(encodesOnlyChanges: true))
    }

    @discardableResult
    func save() throws -> SaveOutcome { try store.save(preserve()) }
  }

  private func restored(_ disk: SimulatedDisk) throws -> [String: Int] {
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())))
    let reader = try #require(try store.load().archive).reader
    let items = try #require(try reader.node(at: "root")).children()
    return Dictionary(
      uniqueKeysWithValues: try items.map { ($0.identifier ?? "", try $0.decoder().decode(Int.self, forKey: "number")) })
  }

  private func links(_ disk: SimulatedDisk) -> Int { disk.names.count { GenerationFile(fileName: $0)?.isLink == true } }

  @Test("what is captured is what is restored, through many folded chains")
  func survives() throws {
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk))
    try app.start()
    var random = SeededGenerator(seed: 1)
    var counts: [Int] = []
    for step in 0..<60 {
      switch random.below(4) {
      case 0: app.root.items.append(Item("new \(step)"))
      case 1: app.root.items.remove(at: random.below(app.root.items.count))
      default: random.pick(app.root.items).number = step
      }
      let preservation = try app.preserve()
      counts.append(preservation.snapshot?.changeCount ?? -1)
      _ = try app.store.save(preservation)
      let expected = Dictionary(uniqueKeysWithValues: app.root.items.map { ($0.restorationIdentifier ?? "", $0.number) })
      #expect(try restored(disk) == expected, "step \(step)")
    }
    // Only the first capture is of everything; the changes of folded chains are not kept.
    #expect(counts[0] == 0 && counts.dropFirst().allSatisfy { (1...20).contains($0) }, "\(counts)")
    #expect(links(disk) > 0)
  }

  @Test("an app that is restored saves its first change as a whole, and the next ones as links")
  func startsWithAWholeArchive() throws {
    let disk = SimulatedDisk()
    let first = try App(FaultySystem(disk))
    try first.start()
    first.root.items[3].number = 3
    try first.save()
    first.root.items[3].number = 4
    try first.save()
    let next = try App(FaultySystem(disk.afterProcessDeath()))
    let nextDisk = try #require((next.store.folder.system as? FaultySystem)?.disk)
    _ = try next.store.restore(next.application, with: Resolver { Factory(Item.self) { Item($0.identifier) } }, isolation: nil)
    #expect(next.root.items[3].number == 4)
    // Nothing has changed, so nothing is written; the first change is then saved upon an archive of this process.
    #expect(try next.save() == .unchanged && next.store.currentNumber() == 1)
    next.root.items[3].number = 5
    #expect(try next.save() == .saved && next.store.currentNumber() == 2)
    #expect(links(nextDisk) == 1)
    next.root.items[4].number = 6
    #expect(try next.save() == .saved && next.store.currentNumber() == 2)
    #expect(links(nextDisk) == 2)
    #expect(try restored(nextDisk)["3"] == 5)
    #expect(try restored(nextDisk)["4"] == 6)
  }

  @Test("captures that wait together are written as one")
  func writesTogether() throws {
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk))
    try app.start()
    try app.save()
    for step in 1...5 {
      app.root.items[step].number = step
      if step == 3 { app.root.items.removeLast() }
      _ = app.store.submitForLater(try app.preserve(), as: .application, now: nil)
    }
    app.store.writeWaiting()
    #expect(app.store.lastSaveError == nil)
    #expect(links(disk) == 1)
    let values = try restored(disk)
    for step in 1...5 { #expect(values["\(step)"] == step) }
    #expect(values.count == 99)
  }

  @Test("after a save that failed, the next one has its changes too")
  func recoversFromAFailure() throws {
    let disk = SimulatedDisk()
    let system = FaultySystem(disk)
    let app = try App(system)
    try app.start()
    try app.save()
    app.root.items[1].number = 1
    try app.save()
    system.isFull = true
    app.root.items[2].number = 2
    #expect(throws: StoreError.self) { try app.save() }
    system.isFull = false
    app.root.items[3].number = 3
    try app.save()
    let values = try restored(disk)
    for step in 1...3 { #expect(values["\(step)"] == step) }
  }

  @Test("a capture that was not saved is not missed")
  func needsNoCapture() throws {
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk))
    try app.start()
    try app.save()
    app.root.items[1].number = 1
    _ = try app.preserve()
    app.root.items[2].number = 2
    try app.save()
    #expect(links(disk) == 1)
    let values = try restored(disk)
    #expect(values["1"] == 1 && values["2"] == 2)
  }

  @Test("after a removal the next save is of everything, also if a capture was taken before")
  func startsAnewAfterARemoval() throws {
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk))
    try app.start()
    try app.save()
    app.root.items[1].number = 1
    let before = try app.preserve()
    _ = app.store.submitForLater(before, as: .application, now: nil)
    _ = app.store.submitRemoval(of: .application)
    app.root.items[2].number = 2
    _ = app.store.submit(try app.preserve())
    app.store.writeWaiting()
    let values = try restored(disk)
    #expect(values["1"] == 1 && values["2"] == 2)
  }

  @Test("changes wait for storage that is not accessible")
  func waitsForStorage() throws {
    let isReachable = Lock(true)
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk)) { isReachable.withLock { $0 } }
    try app.start()
    try app.save()
    isReachable.withLock { $0 = false }
    for step in 1...3 {
      app.root.items[step].number = step
      #expect(try app.save() == .deferred)
    }
    isReachable.withLock { $0 = true }
    #expect(try app.store.writeDeferred() == 1)
    let values = try restored(disk)
    for step in 1...3 { #expect(values["\(step)"] == step) }
    // The same if the next save comes before.
    isReachable.withLock { $0 = false }
    app.root.items[4].number = 4
    #expect(try app.save() == .deferred)
    isReachable.withLock { $0 = true }
    app.root.items[5].number = 5
    try app.save()
    let later = try restored(disk)
    #expect(later["4"] == 4 && later["5"] == 5)
  }

  @Test("changes after a pin are saved as a whole, from what is on disk")
  func writesWholeAfterAPin() throws {
    let disk = SimulatedDisk()
    let app = try App(FaultySystem(disk))
    try app.start()
    try app.save()
    app.root.items[1].number = 1
    try app.save()
    app.store.pin(try #require(try app.store.generations().first))
    app.root.items[2].number = 2
    #expect(try app.save() == .saved && app.store.currentNumber() == 2)
    let values = try restored(disk)
    #expect(values["1"] == 1 && values["2"] == 2)
    app.root.items[3].number = 3
    #expect(try app.save() == .saved && app.store.currentNumber() == 2)
  }
}
