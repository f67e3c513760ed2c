import RestorationArchive

/// An observer that records in a store, before each call into the app, which node is being restored.
final class BreadcrumbObserver: RestorationObserver {
  private let store: RestorationStore
  private let generation: Generation
  /// The app's own observer.
  private let next: (any RestorationObserver)?

  init(store: RestorationStore, generation: Generation, next: (any RestorationObserver)? = nil) {
    self.store = store
    self.generation = generation
    self.next = next
  }

  /// Records the call with one write of about a hundred bytes and the path.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath) {
    store.note(phase, path: path, in: generation)
    next?.restorationWillCall(phase, path: path)
  }
}
