import Locking

@testable import StateRestoration

extension RestorationStore {
  /// Returns an observer that records restoring, as a real restore uses.
  func observer(for archive: StoreLoad.Archive) -> BreadcrumbObserver {
    BreadcrumbObserver(store: self, generation: archive.generation)
  }

  /// Reports the result of restoring a file, as a real restore does.
  func didRestore(_ generation: Generation, isComplete: Bool) {
    state.withLock { $0.pinnedFor[generation.archive] = nil }
    if !isComplete { pin(generation) }
  }

  /// The nodes that this launch suspects of the death of the previous process, or has quarantined for it.
  var blamed: [(archive: ArchiveName, path: RestorationPath)] {
    let ledger = state.withLock { $0.history?.ledger } ?? LaunchLedger()
    return ledger.quarantined.map { ($0.archive, $0.path) }
      + ledger.streaks.flatMap { archive, streak in streak.suspects.map { (archive, $0) } }
  }
}
