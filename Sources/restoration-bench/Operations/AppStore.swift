import Dispatch
import Foundation
import RestorationArchive
import StateRestoration

/// The store and its queue, used as an app uses them.
///
/// No other part of the benchmark uses their API.
final class AppStore {
  private let store: RestorationStore

  init(folder: URL, limits: StoreLimits = StoreLimits()) throws {
    store = try RestorationStore(folder: folder.path, limits: limits)
  }

  // MARK: Launching

  func beginLaunch() throws {
    _ = try store.beginLaunch(bundleVersion: "1")
  }

  /// Loads the newest archive and checks every byte of it.
  func load() throws -> StoreLoad.Archive {
    guard let saved = try store.load().archive else { throw BenchError("the store has nothing to load") }
    return saved
  }

  func restore(_ application: RestorableTree, from saved: StoreLoad.Archive, with resolver: Resolver) throws {
    let report = try store.restore(application, from: saved, without: [], with: resolver, options: RestorationOptions())
    guard !report.isDegraded else { throw BenchError("not everything was restored: \(report.summary)") }
  }

  func endLaunch() {
    store.markStable()
  }

  // MARK: Saving

  func save(_ data: Data) throws {
    _ = try store.save(data)
  }

  func save(_ data: Data, ofScene scene: String) throws {
    guard let archive = ArchiveName.scene(scene) else { throw BenchError("no scene can be called \(scene)") }
    _ = try store.save(data, as: archive)
  }

  func save(_ preservation: Preservation) throws {
    _ = try store.save(preservation)
  }

  func submit(_ encoded: EncodedArchive) -> UInt64 {
    store.submit(encoded)
  }

  func submit(_ preservation: Preservation) throws -> UInt64 {
    guard let number = store.submit(preservation) else { throw BenchError("there was nothing to save") }
    return number
  }

  /// Waits until a submitted save is on disk.
  func wait(for number: UInt64) throws {
    let (store, isDone) = (store, DispatchSemaphore(value: 0))
    // Safe: written before the semaphore is signaled, read after it.
    nonisolated(unsafe) var outcome = SaveOutcome.expired
    Task.detached {
      unsafe outcome = await store.outcome(of: number, until: .now + .seconds(60), clock: .continuous)
      isDone.signal()
    }
    isDone.wait()
    let result = unsafe outcome
    guard result == .saved || result == .unchanged else {
      throw BenchError("a save was not written: \(store.lastSaveError.map { "\($0)" } ?? "\(result)")")
    }
  }
}
