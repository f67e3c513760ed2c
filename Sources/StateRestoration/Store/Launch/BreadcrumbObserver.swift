import RestorationArchive

/// Notes in a store, before each call into the app, what is being restored.
final class BreadcrumbObserver: RestorationObserver {
  private let store: RestorationStore
  private let generation: Generation
  /// The observer that the app has given.
  private let next: (any RestorationObserver)?

  init(store: RestorationStore, generation: Generation, next: (any RestorationObserver)? = nil) {
    self.store = store
    self.generation = generation
    self.next = next
  }

  /// Notes it, by one write of a hundred bytes and the path.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath) {
    store.note(phase, path: path, in: generation)
    next?.restorationWillCall(phase, path: path)
  }
}
