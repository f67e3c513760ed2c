/// A launch that waits until the storage is accessible.
enum AwaitedLaunch {
  /// No launch is waiting.
  case none
  /// The launch of this build begins at the next load or save.
  case waiting(bundleVersion: String?)
}
