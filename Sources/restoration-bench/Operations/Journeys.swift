import Dispatch
import Foundation
import RestorationArchive
import StateRestoration

/// An app that is launched repeatedly from one saved state.
final class LaunchingApp {
  private let folder: URL
  private let model: BenchObject
  private let create: (String) -> any LiveObject
  private let archive: [UInt8]
  private var isVerified = false

  /// Saves the state of the tree; `create` makes the objects of each launch.
  init(_ material: Material, _ create: @escaping (String) -> any LiveObject) throws {
    folder = material.newFolder("launching")
    model = material.liveTree
    self.create = create
    let data = try material.liveArchive.get()
    archive = [UInt8](data)
    _ = try RestorationStore(folder: folder.path).save(data)
  }

  func launch() throws -> [(Phase, Double)] {
    let clock = TrialClock.wall
    let application = RestorableTree()
    var firstObject = 0.0
    let resolver = try LiveTree.resolver(for: application, create) { firstObject = clock.now }
    let start = clock.now
    let store = try RestorationStore(folder: folder.path)
    _ = try store.beginLaunch(bundleVersion: "1")
    let opened = clock.now
    let saved = try store.newest()
    let loaded = clock.now
    let report = try store.restore(application, from: saved, without: [], with: resolver, options: RestorationOptions())
    let restored = clock.now
    guard !report.isDegraded else { throw BenchError("not everything was restored: \(report.summary)") }
    store.markStable()
    let checkStart = clock.now
    consume(ArchiveCheck(archive))
    let checked = clock.now
    let engine = try restoreByEngine()
    try verify(application)
    return [
      (.openStore, opened - start), (.load, loaded - opened), (.verify, checked - checkStart), (.restore, restored - loaded),
      (.engine, engine), (.firstObject, firstObject - start), (.launch, restored - start),
    ]
  }

  /// Restores the same archive from memory, without a store, and returns the time.
  private func restoreByEngine() throws -> Double {
    let application = RestorableTree()
    let resolver = try LiveTree.resolver(for: application, create) {}
    let reader = try ArchiveReader(archive)
    let start = TrialClock.wall.now
    consume(try application.restore(from: reader, with: resolver))
    let time = TrialClock.wall.now - start
    // Releasing the objects is not part of restoring them.
    withExtendedLifetime(application) {}
    return time
  }

  /// Compares the objects of the first launch with the model.
  private func verify(_ application: RestorableTree) throws {
    guard let root = application.roots.first as? any LiveObject, isVerified || root.isSame(as: model) else {
      throw BenchError("a launch gives other values than the model")
    }
    isVerified = true
  }
}

/// An app that changes one of its objects and saves.
final class ChangingApp<Object: LiveObject> where Object.Child == Object {
  private let store: RestorationStore
  private let application: RestorableTree
  /// The object at the end of the last branch.
  private let changed: Object

  /// Saves a tree of objects made by `create`.
  init(_ material: Material, _ create: (String) -> Object) throws {
    store = try RestorationStore(folder: material.newFolder("changing").path)
    let root = LiveTree.make(material.liveCount, create)
    changed = root.lastDescendant
    application = RestorableTree(roots: [root])
    try application.startFresh()
    // The first save is of everything.
    _ = try changeAndSave()
  }

  func changeAndSave() throws -> [(Phase, Double)] {
    let clock = TrialClock.wall
    let start = clock.now
    changed.change()
    let number = try store.submitChanges(of: application)
    let captured = clock.now
    try store.wait(for: number)
    return [(.captured, captured - start), (.durable, clock.now - start)]
  }

  /// Saves again and returns the number of bytes written.
  func writtenBytes() throws -> Int? {
    // The least of several: the links are folded beside some of the saves.
    try (0..<3).compactMap { _ in
      try KernelCount.writtenBytes {
        changed.change()
        try store.wait(for: store.submitChanges(of: application))
      }
    }.min()
  }
}

/// An app on `AppRestoration` that changes one of its objects before each turn; nothing is written while the benchmark
/// runs.
final class TurningApp {
  private let changed: BenchObject
  private let restoration: AppRestoration

  init(_ material: Material) throws {
    let root = LiveTree.make(material.liveCount)
    changed = root.lastDescendant
    var configuration = AppConfiguration.quiet(in: material.newFolder("turning"))
    configuration.timing.saveDelay = .seconds(86_400)
    configuration.timing.longestSaveDelay = .seconds(86_400)
    restoration = try AppRestoration(configuration, roots: { [root] })
    try restoration.launch(isolation: nil)
    _ = turn()
  }

  func turn() -> [(Phase, Double)] {
    changed.change()
    let start = TrialClock.wall.now
    restoration.turn()
    return [(.turned, TrialClock.wall.now - start)]
  }
}

extension LiveObject where Child == Self {
  /// The object at the end of the last branch.
  fileprivate var lastDescendant: Self {
    var object = self
    while let child = object.children.last { object = child }
    return object
  }
}

extension AppConfiguration {
  /// The settings of an app that leaves the signals of this process alone.
  fileprivate static func quiet(in folder: URL) -> AppConfiguration {
    var configuration = AppConfiguration(bundleIdentifier: "bench", bundleVersion: "1", folder: folder.path)
    configuration.handlesSignals = false
    configuration.recordsFatalSignals = false
    // An app is released while it runs, so that the next one finds the same files.
    configuration.reportProblem = { _ in }
    return configuration
  }
}

/// Apps with many saved scenes, which they open after their launch.
final class ScenesApp {
  /// The smaller number of scenes shows whether the time for one depends on their number.
  private static let counts: [(Int, Phase)] = [(125, .someScenes), (1000, .manyScenes)]
  private let folders: [URL]
  private let model: BenchObject

  init(_ material: Material) throws {
    folders = Self.counts.map { material.newFolder("scenes-\($0.0)") }
    model = material.liveTree
    for (folder, (count, _)) in zip(folders, Self.counts) {
      let store = try RestorationStore(folder: folder.path)
      for number in 0..<count {
        guard let scene = ArchiveName.scene("scene-\(number)") else { throw BenchError("no scene can be called scene-\(number)") }
        _ = try store.save(material.liveArchive.get(), as: scene)
      }
    }
  }

  func open() throws -> [(Phase, Double)] {
    try zip(folders, Self.counts).map { folder, count in (count.1, try openAll(count.0, in: folder)) }
  }

  /// Launches an app, and returns the time that it takes to open all its scenes.
  private func openAll(_ count: Int, in folder: URL) throws -> Double {
    // The objects of the scenes opened so far; those of the last one are being restored.
    var windows: [RestoredObject] = []
    let restoration = try AppRestoration(AppConfiguration.quiet(in: folder), roots: { [] }) {
      Factory(path: "root") { node in
        let window = RestoredObject(node.identifier)
        windows.append(window)
        return window
      }
      Factory(type: "Node") { RestoredObject($0.identifier) }
    }
    try restoration.launch(isolation: nil)
    let start = TrialClock.wall.now
    for (number, scene) in try restoration.savedScenes().enumerated() {
      _ = try restoration.openScene(scene) { windows.indices.contains(number) ? [windows[number]] : [] }
    }
    let time = TrialClock.wall.now - start
    // Without saving: the next run finds the same files.
    restoration.store.endLaunch()
    guard windows.count == count, windows.last?.isSame(as: model) == true else {
      throw BenchError("the scenes were not restored")
    }
    return time
  }
}

/// An app that encodes its state and passes it to the queue, without waiting for the disk.
///
/// The state never changes, so the store skips the write and is soon ready for the next save. A measured
/// pause therefore includes waking a thread more often than it would with a real disk.
final class SavingApp {
  private let workload: Workload
  private let writer: ArchiveWriter
  private let store: RestorationStore
  private var lastSave: UInt64?

  init(_ workload: Workload, folder: URL) throws {
    self.workload = workload
    writer = ArchivePeer.makeWriter(for: workload)
    store = try RestorationStore(folder: folder.path)
  }

  func save() throws { lastSave = store.submit(try ArchivePeer.finishEncoding(workload, with: writer)) }

  /// Waits until the last save is complete.
  func rest() throws {
    if let lastSave { try store.wait(for: lastSave) }
  }
}

/// An app that saves after each of many edits.
final class EditedApp {
  private let store: RestorationStore
  private let application: RestorableTree
  private var objects: [BenchObject] = []

  /// Creates an app whose chains are folded after `links` links; with 0, it saves whole archives.
  init(_ material: Material, in folder: URL, links: Int = StoreLimits().links) throws {
    store = try RestorationStore(folder: folder.path, limits: StoreLimits(links: links))
    let root = LiveTree.make(material.liveCount)
    var level = [root]
    while !level.isEmpty {
      objects += level
      level = level.flatMap(\.children)
    }
    application = RestorableTree(roots: [root])
    try application.startFresh()
    try store.saveChanges(of: application)
  }

  /// Edits one object after the other, saves each time, and returns the number of bytes written.
  func bytesOfEdits(_ count: Int) throws -> Int? {
    try KernelCount.writtenBytes {
      for number in 0..<count {
        objects[number * 7919 % objects.count].change()
        try store.saveChanges(of: application)
      }
    }
  }
}

extension RestorationStore {
  /// Opens a store in which the state of a tree was saved, and then a number of edits.
  static func edited(_ material: Material, edits: Int) throws -> RestorationStore {
    let folder = material.newFolder("edited")
    // The app releases the folder.
    _ = try EditedApp(material, in: folder).bytesOfEdits(edits)
    return try RestorationStore(folder: folder.path)
  }

  /// Loads the newest archive and checks every byte of it.
  func newest() throws -> StoreLoad.Archive {
    guard let saved = try load().archive else { throw BenchError("the store has nothing to load") }
    return saved
  }

  private func changes(of application: RestorableTree) throws -> Preservation {
    try application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(encodesOnlyChanges: true))
  }

  fileprivate func saveChanges(of application: RestorableTree) throws { _ = try save(changes(of: application)) }

  fileprivate func submitChanges(of application: RestorableTree) throws -> UInt64 {
    guard let number = try submit(changes(of: application)) else { throw BenchError("there was nothing to save") }
    return number
  }

  /// Waits until a submitted save is on disk.
  fileprivate func wait(for number: UInt64) throws {
    let isDone = DispatchSemaphore(value: 0)
    // Safe: written before the semaphore is signaled, read after it.
    nonisolated(unsafe) var outcome = SaveOutcome.expired
    Task.detached {
      unsafe outcome = await self.outcome(of: number, until: .now + .seconds(60), clock: .continuous)
      isDone.signal()
    }
    isDone.wait()
    let result = unsafe outcome
    guard result == .saved || result == .unchanged else {
      throw BenchError("a save was not written: \(lastSaveError.map { "\($0)" } ?? "\(result)")")
    }
  }
}
