#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import RestorationArchive
import Locking

extension RestorationStore {
  /// Predicts the files of an archive and the history of the next launch; if this launch has begun, returns its own.
  func predictedFiles(of archive: ArchiveName) throws(StoreError) -> PredictedFiles {
    // Conclusions that this launch could not carry out are left to a later launch.
    if let begun = launch.history { return PredictedFiles(begun, try loadableFiles(of: archive), []) { digest(of: $0) } }
    let history = historyOfNextLaunch(after: try leftRecords())
    return PredictedFiles(history, try loadableFiles(of: archive), history.conclusions) { digest(of: $0) }
  }

  /// Plans the launch of an archive.
  ///
  /// - Parameters:
  ///   - archive: The name of the archive.
  ///   - accepting: Decides whether the app accepts an archive, as for ``load(_:accepting:)``.
  /// - Returns: The action and its reason.
  /// - Throws: ``StoreError``.
  package func plan(
    for archive: ArchiveName = .application, accepting: (ArchiveHeader, Date?) -> Answer = { _, _ in .accept }
  ) throws(StoreError) -> LaunchPlan {
    let load = try load(archive, accepting: accepting)
    if case .pending = load.outcome { return LaunchPlan(.wait, load, "the storage is not accessible yet") }
    let files = try predictedFiles(of: archive)
    return Self.plan(load, archive, files.history, try offers(of: archive, load, files))
  }

  private static func plan(_ load: StoreLoad, _ archive: ArchiveName, _ history: LaunchHistory, _ offers: [StoreOffer]) -> LaunchPlan {
    guard case .archive(let saved) = load.outcome else { return freshPlan(load, offers) }
    switch history.decision(for: archive) {
    case .offer(let reason, let suspects):
      let offer = StoreOffer(archive: archive, generation: saved.generation, reason: reason, suspects: suspects, paths: [])
      return LaunchPlan(.offer(offer), load, "offers generation \(saved.generation.number): \(reason.sentence)")
    case .restore(let left):
      let part = saved.isPartial ? "the intact part of generation" : "generation"
      let without = left.isEmpty ? "" : ", without \(left.count) \(left.count == 1 ? "path" : "paths") that killed the app"
      let digests = Dictionary(left.compactMap { entry in entry.digest.map { (entry.path, $0) } }, uniquingKeysWith: { $1 })
      return LaunchPlan(
        .restore(saved, without: Set(left.map(\.path))), load, "restores \(part) \(saved.generation.number)\(without)", digests: digests)
    }
  }

  private static func freshPlan(_ load: StoreLoad, _ offers: [StoreOffer]) -> LaunchPlan {
    let unsupported = load.candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    switch load.outcome {
    case .declined where unsupported: return LaunchPlan(.startFresh(.laterVersion), load, "the saved state is of a later version")
    case .declined: return LaunchPlan(.startFresh(.refused), load, "the app declined all saved state")
    case .noFiles where offers.isEmpty: return LaunchPlan(.startFresh(.nothingSaved), load, "nothing was saved")
    case .noFiles: return LaunchPlan(.startFresh(.offered), load, "the saved state is only offered")
    default: return LaunchPlan(.startFresh(.allDamaged), load, "no saved file can be read")
    }
  }
}
