import RestorationArchive

/// Records which callback of an app is running while an archive is restored, so that the next launch knows which one
/// killed it.
///
/// A session needs no store for it: it also restores without one.
protocol CallbackRecorder: AnyObject, Sendable {
  /// Whether a node of the archive killed the app before, so that each callback is compared with it.
  var hasSuspects: Bool { get }
  /// Records a callback, or an end, of an object that registers after its archive was restored.
  var noteLate: @Sendable (RestorationPhase, RestorationPath, _ node: Int) -> Void { get }
  /// Records that a callback of a node is about to begin.
  func note(_ phase: RestorationPhase, node: Int)
  /// Records that code of the app is about to run that belongs to no node of this archive.
  func noteWaiting()
  /// Records that a node that killed the app before is called again; the node may have several paths.
  func noteSuspect(_ phase: RestorationPhase, _ paths: [RestorationPath])
  /// Records that restoring has ended, or that it goes on outside of the restoring function.
  func end(isExtended: Bool)
}
