import Locking

/// The results of a session, from which the nodes of a report are computed.
protocol ReportedOutcomes: Sendable {
  /// Whether the state of a node was neither restored to a live object nor carried over.
  var hasLosses: Bool { get }
  /// Whether nothing took in a state by mistake, which is kept.
  var hasKeptStates: Bool { get }
  /// Returns the reported nodes.
  func nodes() -> [RestorationReport.NodeResult]
}

extension RestorationReport {
  /// The nodes of a report, computed on first access, because most launches only check for losses.
  final class NodeList: Sendable {
    /// The nodes once they are computed, without the archive.
    private struct Computed: ReportedOutcomes {
      let hasLosses: Bool
      let hasKeptStates: Bool
      let known: [NodeResult]

      func nodes() -> [NodeResult] { known }
    }

    private let outcomes: Lock<any ReportedOutcomes>

    init(_ outcomes: any ReportedOutcomes) {
      self.outcomes = Lock(outcomes)
    }

    var nodes: [NodeResult] {
      outcomes.withLock { outcomes in
        let nodes = outcomes.nodes()
        // Replacing the outcomes releases the archive.
        outcomes = Computed(hasLosses: outcomes.hasLosses, hasKeptStates: outcomes.hasKeptStates, known: nodes)
        return nodes
      }
    }

    /// Whether the state of a node was neither restored to a live object nor carried over.
    var hasLosses: Bool { outcomes.withLock { $0.hasLosses } }

    /// Whether nothing took in a state by mistake, which is kept.
    var hasKeptStates: Bool { outcomes.withLock { $0.hasKeptStates } }
  }
}
