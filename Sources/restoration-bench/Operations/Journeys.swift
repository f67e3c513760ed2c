import Foundation
import RestorationArchive
import StateRestoration

/// An app that is launched repeatedly from one saved state.
final class LaunchingApp {
  private let folder: URL
  private let model: BenchObject
  private let archive: [UInt8]
  private var isVerified = false

  init(_ material: Material) throws {
    folder = material.newFolder("launching")
    model = material.liveTree
    let data = try material.liveArchive.get()
    archive = [UInt8](data)
    try AppStore(folder: folder).save(data)
  }

  func launch() throws -> [(Phase, Double)] {
    let clock = TrialClock.wall
    let application = RestorableApplication()
    var firstObject = 0.0
    let resolver = try LiveTree.resolver(for: application) { firstObject = clock.now }
    let start = clock.now
    let store = try AppStore(folder: folder)
    try store.beginLaunch()
    let opened = clock.now
    let saved = try store.load()
    let loaded = clock.now
    try store.restore(application, from: saved, with: resolver)
    let restored = clock.now
    store.endLaunch()
    if !isVerified {
      guard let root = application.roots.first as? BenchObject, root.isSame(as: model) else {
        throw BenchError("a launch gives other values than the model")
      }
      isVerified = true
    }
    let checkStart = clock.now
    consume(ArchiveCheck(archive))
    let checked = clock.now
    return [
      (.openStore, opened - start), (.load, loaded - opened), (.verify, checked - checkStart), (.restore, restored - loaded),
      (.firstObject, firstObject - start), (.launch, restored - start),
    ]
  }
}

/// An app that changes one of its objects and saves.
final class ChangingApp {
  private let store: AppStore
  private let application: RestorableApplication
  /// The object at the end of the last branch.
  private let changed: BenchObject
  /// The same app on `AppRestoration`, with a write delay longer than the benchmark runs.
  private let restoration: AppRestoration
  /// The same app, captured as a whole.
  private let wholeApplication: RestorableApplication
  private var runCount = 0
  private static let changes = PreservationOptions(extent: .changes)

  init(_ material: Material) throws {
    store = try AppStore(folder: material.newFolder("changing"))
    let root = LiveTree.make(material.liveCount)
    var object = root
    while let child = object.children.last { object = child }
    changed = object
    application = RestorableApplication(roots: [root])
    try application.startFresh()
    wholeApplication = RestorableApplication(roots: [root])
    try wholeApplication.startFresh()
    var configuration = AppConfiguration(bundleIdentifier: "bench", bundleVersion: "1", folder: material.newFolder("turning").path)
    configuration.handlesSignals = false
    configuration.recordsFatalSignals = false
    configuration.timing.saveDelay = .seconds(86_400)
    configuration.timing.longestSaveDelay = .seconds(86_400)
    restoration = try AppRestoration(configuration, roots: { [root] })
    try restoration.launch(isolation: nil)
    // The first save is of everything.
    _ = try changeAndSave()
  }

  func changeAndSave() throws -> [(Phase, Double)] {
    let clock = TrialClock.wall
    let start = clock.now
    change()
    let number = try store.submit(application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: Self.changes))
    let captured = clock.now
    try store.wait(for: number)
    let durable = clock.now
    change()
    let turn = clock.now
    restoration.turn()
    let turned = clock.now
    let phases: [(Phase, Double)] = [(.captured, captured - start), (.durable, durable - start), (.turned, turned - turn)]
    runCount += 1
    // Rarely: it takes a second on the large tree, and leaves nothing in the caches.
    guard runCount % 32 == 1 else { return phases }
    let whole = clock.now
    consume(try wholeApplication.preserve(header: ArchiveHeader(bundleVersion: "1")))
    return phases + [(.capturedWhole, clock.now - whole)]
  }

  private func change() {
    changed.row += 1
    changed.setNeedsSave()
  }

  /// Saves once more and returns the number of bytes written.
  func writtenBytes() throws -> Int? {
    let before = WrittenBytes.count
    change()
    try store.wait(for: store.submit(application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: Self.changes)))
    guard let before, let after = WrittenBytes.count else { return nil }
    return after - before
  }
}

/// An app that encodes its state and passes it to the queue, without waiting for the disk.
///
/// The state never changes, so the store skips the write and is soon ready for the next save. A measured
/// pause therefore includes waking a thread more often than it would with a real disk.
final class SavingApp {
  private let workload: Workload
  private let writer: ArchiveWriter
  private let store: AppStore
  private var lastSave: UInt64?

  init(_ workload: Workload, folder: URL) throws {
    self.workload = workload
    writer = ArchivePeer.makeWriter(for: workload)
    store = try AppStore(folder: folder)
  }

  func save() throws {
    lastSave = store.submit(try ArchivePeer.finishEncoding(workload, with: writer))
  }

  /// Waits until the last save is complete.
  func rest() throws {
    if let lastSave { try store.wait(for: lastSave) }
  }
}

/// An app that saves after each of many edits.
final class EditedApp {
  private let store: AppStore
  private let application: RestorableApplication
  private let objects: [BenchObject]

  /// Creates an app whose chains are folded after `links` links; with 0, it saves whole archives.
  init(_ material: Material, links: Int) throws {
    store = try AppStore(folder: material.newFolder("edited"), limits: StoreLimits(links: links))
    let root = LiveTree.make(material.liveCount)
    var all = [root]
    var next = 0
    while next < all.count {
      all += all[next].children
      next += 1
    }
    objects = all
    application = RestorableApplication(roots: [root])
    try application.startFresh()
    try save()
  }

  private func save() throws {
    try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(extent: .changes)))
  }

  /// Edits one object after the other, saves each time, and returns the number of bytes written.
  func bytesOfEdits(_ count: Int) throws -> Int? {
    let before = WrittenBytes.count
    for number in 0..<count {
      let object = objects[number * 7919 % objects.count]
      object.row += 1
      object.setNeedsSave()
      try save()
    }
    guard let before, let after = WrittenBytes.count else { return nil }
    return after - before
  }
}

/// A store with a chain of the greatest length, and one with its base alone.
final class ChainedApp {
  private let chain: AppStore
  private let base: AppStore

  init(_ material: Material) throws {
    let folders = (chain: material.newFolder("chain"), base: material.newFolder("base"))
    // The longest chain that a store keeps: one link fewer than triggers folding.
    let links = StoreLimits().links
    try Self.write(material, folders.chain, edits: links - 1)
    try Self.write(material, folders.base, edits: 0)
    chain = try AppStore(folder: folders.chain)
    base = try AppStore(folder: folders.base)
  }

  private static func write(_ material: Material, _ folder: URL, edits: Int) throws {
    let store = try AppStore(folder: folder)
    let root = LiveTree.make(material.liveCount)
    let application = RestorableApplication(roots: [root])
    try application.startFresh()
    let options = PreservationOptions(extent: .changes)
    try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: options))
    var object = root
    for _ in 0..<edits {
      object = object.children.last ?? root
      object.row += 1
      object.setNeedsSave()
      try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: options))
    }
  }

  func loadChain() throws -> StoreLoad.Archive { try chain.load() }
  func loadBase() throws -> StoreLoad.Archive { try base.load() }
}
