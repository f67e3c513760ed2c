public import RestorationArchive

/// Is told before each call into the app while state is restored, by the path that the node has for this build.
///
/// A store notes it where it survives the process, so that a subtree whose restoring killed the app can be left out at the next launch. The phase
/// *settling* is announced when restoring returns, unless it is extended then: its end is heard of through ``RestorationExtensions/onEnd(_:)``.
/// What waits for an object that registers later is restored then, and *settling* is announced once more when that has ended.
public protocol RestorationObserver: AnyObject {
  /// The app is about to be called in a phase, for the node at a path; the empty path is the app's delegate.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath)
}
