import RestorationArchive
import Locking

extension RestorationReport {
  /// What became of the nodes, as the session that restored them knew it: it shares the session's arrays, so taking it costs next to nothing.
  struct Outcomes: Sendable {
    let tree: SavedTree
    let progress: [RestorationSession.Progress]
    /// The tags of the types, by number.
    let types: [String?]
    /// By number of factory: the rule that it is.
    let rules: [ResolutionRule]
    let errors: [Int: String]
    let traces: [Int: [String]]
    let carriedOver: Set<Int>

    /// The entries that are reported: a place that only an alias made necessary is in no archive.
    private var reported: some Sequence<Int> {
      tree.order.dropFirst().lazy.filter { tree.entries[$0].facts.isSaved }
    }

    private func outcome(of index: Int) -> RestorationOutcome { progress[index].outcome ?? .skipped(.noFactory) }

    /// Whether a node's state has not arrived in a live object, and is not carried over either.
    var hasLosses: Bool {
      reported.contains { index in
        switch outcome(of: index) {
        case .failed: !carriedOver.contains(index)
        case .notDecoded(.otherType), .notAdopted: true
        default: false
        }
      }
    }

    /// A node for each of them.
    func nodes() -> [Node] { reported.map { node($0) } }

    private func node(_ index: Int) -> Node {
      Node(
        path: tree.path(of: index), archivedPath: tree.archivedPaths[index],
        type: types[tree.entries[index].facts.type], outcome: outcome(of: index), rule: rule(of: index),
        upgrade: tree.upgrades[index], isCarriedOver: carriedOver.contains(index), isAdded: tree.added.contains(index),
        error: errors[index], trace: traces[index] ?? [])
    }

    private func rule(of index: Int) -> ResolutionRule? {
      switch progress[index].rule {
      case RestorationSession.noRule: nil
      case RestorationSession.delegateRule: .delegate
      case RestorationSession.liveRule: .liveObject
      case let number: rules[Int(number)]
      }
    }
  }

  /// The nodes of a report, made when they are first asked for: most launches ask only whether anything was lost.
  final class NodeList: Sendable {
    private enum State {
      case known(Outcomes)
      case made([Node], hasLosses: Bool)
    }

    private let state: Lock<State>

    init(_ outcomes: Outcomes) {
      state = Lock(.known(outcomes))
    }

    var nodes: [Node] {
      state.withLock { state in
        switch state {
        case .made(let nodes, _): return nodes
        case .known(let outcomes):
          let nodes = outcomes.nodes()
          // The archive is let go.
          state = .made(nodes, hasLosses: outcomes.hasLosses)
          return nodes
        }
      }
    }

    /// Whether a node's state has not arrived in a live object, and is not carried over either.
    var hasLosses: Bool {
      state.withLock { state in
        switch state {
        case .made(_, let hasLosses): hasLosses
        case .known(let outcomes): outcomes.hasLosses
        }
      }
    }
  }
}
