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

  init(_ material: Material) throws {
    store = try AppStore(folder: material.newFolder("changing"))
    let root = LiveTree.make(material.liveCount)
    var object = root
    while let child = object.children.last { object = child }
    changed = object
    application = RestorableApplication(roots: [root])
    try application.startFresh()
    var configuration = AppConfiguration(bundleIdentifier: "bench", bundleVersion: "1", folder: material.newFolder("turning").path)
    configuration.handlesSignals = false
    configuration.recordsFatalSignals = false
    configuration.timing.saveDelay = .seconds(86_400)
    configuration.timing.longestSaveDelay = .seconds(86_400)
    restoration = try AppRestoration(configuration, roots: { [root] })
    try restoration.launch(isolation: nil)
  }

  func changeAndSave() throws -> [(Phase, Double)] {
    let clock = TrialClock.wall
    let start = clock.now
    changed.row += 1
    let number = try store.submit(application.preserve(header: ArchiveHeader(bundleVersion: "1")))
    let captured = clock.now
    try store.wait(for: number)
    let durable = clock.now
    changed.row += 1
    restoration.setNeedsSave()
    let turn = clock.now
    restoration.turn()
    return [(.captured, captured - start), (.durable, durable - start), (.turned, clock.now - turn)]
  }

  /// Saves once more and returns the number of bytes written.
  func writtenBytes() throws -> Int? {
    let before = WrittenBytes.count
    _ = try changeAndSave()
    guard let before, let after = WrittenBytes.count else { return nil }
    return after - before
  }
}

/// An app that encodes its state and passes it to the queue, without waiting for the disk.
///
/// The state never changes, so the store skips the write and is soon ready for the next save. More pauses therefore
/// include waking a thread than with a disk to wait for.
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
