import RestorationArchive
import Locking

extension RestorationReport {
  /// A snapshot of the session's results; it shares the session's arrays, so it is cheap to take.
  struct Outcomes: Sendable {
    let tree: SavedTree
    let progress: [RestorationSession.Progress]
    /// The type tags, by number.
    let types: [String?]
    /// The rule of each factory, by number.
    let rules: [ResolutionRule]
    let errors: [Int: String]
    let traces: [Int: [String]]
    let carriedOver: Set<Int>

    /// The reported entries: all except placeholders required by an alias, which are in no archive.
    private var reported: some Sequence<Int> {
      tree.order.dropFirst().lazy.filter { tree.entries[$0].facts.isSaved }
    }

    private func outcome(of index: Int) -> RestorationOutcome { progress[index].outcome ?? .skipped(.noFactory) }

    /// Whether the state of a node was neither restored to a live object nor carried over.
    var hasLosses: Bool {
      reported.contains { index in
        switch outcome(of: index) {
        case .failed: !carriedOver.contains(index)
        case .notDecoded(.otherType), .notAdopted: true
        default: false
        }
      }
    }

    /// Returns the reported nodes.
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

  /// The nodes of a report, computed on first access, because most launches only check for losses.
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
          // Replacing the outcomes releases the archive.
          state = .made(nodes, hasLosses: outcomes.hasLosses)
          return nodes
        }
      }
    }

    /// Whether the state of a node was neither restored to a live object nor carried over.
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
