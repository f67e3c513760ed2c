/// What became of a launch that was to begin while the files could not be reached.
enum AwaitedLaunch {
  /// There was none.
  case none
  /// It begins as soon as something is loaded or saved, for this build.
  case waiting(bundleVersion: String?)
}
