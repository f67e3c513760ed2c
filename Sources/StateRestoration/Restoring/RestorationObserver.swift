public import RestorationArchive

/// Is told before each call into the app while state is restored.
///
/// A store notes it where it survives the process, so that a subtree whose restoring killed the app can be left out at the next launch. The phase
/// *settling* is announced when restoring returns, unless it is extended then: its end is heard of through ``RestorationExtensions/onEnd(_:)``.
public protocol RestorationObserver: AnyObject {
  /// The app is about to be called in a phase, for the node at a path; the empty path is the app's delegate.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath)
}
