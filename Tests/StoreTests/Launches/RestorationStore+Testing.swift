import Locking

@testable import StateRestoration

extension RestorationStore {
  /// Notes what is restored, as restoring does.
  func observer(for archive: StoreLoad.Archive) -> BreadcrumbObserver {
    BreadcrumbObserver(store: self, generation: archive.generation)
  }

  /// Says what came of restoring a file, as restoring does.
  func didRestore(_ generation: Generation, isComplete: Bool) {
    state.withLock { $0.pinnedFor[generation.archive] = nil }
    if !isComplete { pin(generation) }
  }
}
