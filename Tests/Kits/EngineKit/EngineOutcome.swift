/// What can be compared of what the engine and the model of its rules did.
public struct EngineOutcome: Equatable, Sendable {
  /// A node and what became of it, one line each, in order.
  public var nodes: [String] = []
  /// The calls into the app, in order.
  public var calls: [String] = []
  /// Whether state was discarded, for each path that the app said is gone.
  public var discarded: [Bool] = []
  /// The nodes of the next save and the order of siblings, one line each, sorted.
  public var saved: [String] = []
  /// The same of the save after that.
  public var savedAgain: [String] = []
  /// What became of the nodes after both.
  public var nodesAgain: [String] = []

  /// The parts in which this outcome differs from another one, each with both versions.
  public func differences(from other: EngineOutcome) -> [String] {
    let parts: [(String, [String], [String])] = [
      ("nodes", nodes, other.nodes), ("calls", calls, other.calls),
      ("discarded", discarded.map { "\($0)" }, other.discarded.map { "\($0)" }),
      ("saved", saved, other.saved), ("saved again", savedAgain, other.savedAgain), ("nodes again", nodesAgain, other.nodesAgain),
    ]
    return parts.compactMap { name, mine, others in
      mine == others ? nil : "\(name): \(mine.filter { !others.contains($0) }) and not \(others.filter { !mine.contains($0) })"
    }
  }
}
