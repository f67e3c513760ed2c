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
}
