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
    private enum State {
      case known(any ReportedOutcomes)
      case made([NodeResult], hasLosses: Bool, hasKeptStates: Bool)
    }

    private let state: Lock<State>

    init(_ outcomes: any ReportedOutcomes) {
      state = Lock(.known(outcomes))
    }

    var nodes: [NodeResult] {
      state.withLock { state in
        switch state {
        case .made(let nodes, _, _): return nodes
        case .known(let outcomes):
          let nodes = outcomes.nodes()
          // Replacing the outcomes releases the archive.
          state = .made(nodes, hasLosses: outcomes.hasLosses, hasKeptStates: outcomes.hasKeptStates)
          return nodes
        }
      }
    }

    /// Whether the state of a node was neither restored to a live object nor carried over.
    var hasLosses: Bool {
      state.withLock { state in
        switch state {
        case .made(_, let hasLosses, _): hasLosses
        case .known(let outcomes): outcomes.hasLosses
        }
      }
    }

    /// Whether nothing took in a state by mistake, which is kept.
    var hasKeptStates: Bool {
      state.withLock { state in
        switch state {
        case .made(_, _, let hasKeptStates): hasKeptStates
        case .known(let outcomes): outcomes.hasKeptStates
        }
      }
    }
  }
}
