public import RestorationArchive

/// Is told before each call into the app while state is restored.
///
/// A store notes it where it survives the process, so that a subtree whose restoring killed the app can be left out at the next launch.
public protocol RestorationObserver: AnyObject {
  /// The app is about to be called in a phase, for the node at a path; the empty path is the app's delegate.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath)
}
