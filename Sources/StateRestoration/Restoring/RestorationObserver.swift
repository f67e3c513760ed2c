public import RestorationArchive

/// An observer that is notified before each call into the app during restoration, with the node's path in this build.
///
/// A store writes this where it survives the process, so that the next launch can quarantine a subtree whose
/// restoration crashed the app. The phase *settling* is announced when restoring returns, unless restoration is
/// extended; ``RestorationActivity/onEnd(_:)`` reports the end of extensions. State that is pending for an object
/// registered later is restored at its registration, and *settling* is then announced again.
public protocol RestorationObserver: AnyObject {
  /// Called before a call into the app in a phase, for the node at a path; the empty path is the app's delegate.
  func restorationWillCall(_ phase: RestorationPhase, path: RestorationPath)
}
