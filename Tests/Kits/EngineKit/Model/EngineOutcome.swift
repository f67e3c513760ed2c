/// The comparable results of the engine, or of the model of its rules.
public struct EngineOutcome: Equatable, Sendable {
  /// The nodes with their outcomes, one line each, in order.
  public var nodes: [String] = []
  /// The calls into the app, in order.
  public var calls: [String] = []
  /// Whether state was discarded, for each path that the app reported as gone.
  public var discarded: [Bool] = []
  /// The nodes of the next save and the order of siblings, one line each, sorted.
  public var saved: [String] = []
  /// The same for the second save.
  public var savedAgain: [String] = []
  /// The outcomes of the nodes after both saves.
  public var nodesAgain: [String] = []

  /// Returns the parts that differ from another outcome, each with both versions.
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
