/// What can be compared of what the engine and the model of its rules did.
public struct EngineOutcome: Equatable, Sendable {
  /// A node and what became of it, one line each, in order.
  public var nodes: [String] = []
  /// The calls into the app, in order.
  public var calls: [String] = []
  /// The nodes of the next save, one line each, sorted.
  public var saved: [String] = []
}
