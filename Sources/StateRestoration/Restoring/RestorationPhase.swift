/// How far a launch has come, as it is noted before each call into the app: what killed the process is then known at the next launch.
public enum RestorationPhase: String, Sendable, CaseIterable {
  /// The app decides, or an object is made for a node.
  case creating
  /// An object decodes its state.
  case decoding
  /// Everything is decoded; callbacks that say so are called.
  case finishing
  /// Restoring goes on, and no node is being called.
  case waiting
  /// Restoring has ended; the app is not yet known to run well.
  case settling
}
