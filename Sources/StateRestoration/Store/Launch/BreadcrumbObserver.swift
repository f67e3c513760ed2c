public import RestorationArchive

/// Notes in a store, before each call into the app, what is being restored.
///
///     options.observer = store.observer(for: saved)
///
/// If the call kills the process, the next launch leaves that node out.
public final class BreadcrumbObserver: RestorationObserver {
  private let store: RestorationStore
  private let generation: Generation
  /// Whether restoring has ended, so that what comes now are objects that have registered late.
  private var isOver = false

  init(store: RestorationStore, generation: Generation) {
    self.store = store
    self.generation = generation
  }

  /// Notes it.
  ///
  /// Costs one write of 64 bytes and the path.
  public func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath) {
    let noted: BreadcrumbRecord.Phase =
      switch phase {
      case .creating: .creating
      case .decoding: .decoding
      case .finishing: .finishing
      case .settling: .settling
      }
    store.note(BreadcrumbRecord(noted, path: path, in: generation), in: generation.archive, isLate: isOver)
    if phase == .settling { isOver = true }
  }
}

extension RestorationStore {
  /// What notes the progress of restoring an archive, for ``RestorationOptions/observer``.
  ///
  /// It works once ``beginLaunch(bundleVersion:)`` was called.
  public func observer(for archive: StoreLoad.Archive) -> BreadcrumbObserver {
    BreadcrumbObserver(store: self, generation: archive.generation)
  }
}
