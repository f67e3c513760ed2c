/// The progress of a launch, recorded before each call into the app so that the next launch can identify the cause of a
/// crash.
public enum RestorationPhase: String, Sendable, CaseIterable {
  /// The app makes a decision, or an object is created for a node.
  case creating
  /// An object decodes its state.
  case decoding
  /// All objects are decoded, and completion callbacks run.
  case finishing
  /// Restoration continues, but no node is being called.
  case waiting
  /// Restoration has ended, but the launch is not yet known to be stable.
  case ended
}
