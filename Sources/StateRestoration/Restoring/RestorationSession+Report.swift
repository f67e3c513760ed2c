import RestorationArchive
import Storage

extension RestorationSession {
  func makeReport(excessCompletions: Int) -> RestorationReport {
    let tree = state.value.tree
    var notes = tree.unreadable.map { unreadable in
      let error = tree.error(of: unreadable)
      return RestorationReport.Note(kind: .unreadable, path: error.path, message: "a node below it cannot be read: \(error)")
    }
    notes += self.notes
    if excessCompletions > 0 {
      notes.append(
        RestorationReport.Note(
          kind: .excessCompletion, path: nil, message: "completions of restoring without an extension: \(excessCompletions)"))
    }
    return RestorationReport(
      decision: refusal?.decision ?? .restore, refusal: refusal?.reason,
      application: state.value.progress[0].outcome ?? .skipped(.noFactory),
      applicationError: errors[0], applicationUpgrade: tree.upgrades[0], notes: notes, nodeList: RestorationReport.NodeList(outcomes))
  }

  /// The outcomes of the nodes, up to now.
  private var outcomes: Outcomes {
    Outcomes(
      tree: tree, progress: progress, types: typeTags, rules: resolver.rules, errors: errors, traces: traces,
      carriedOver: Set(pendingContents.keys.filter { isPending($0) && !isBelowEndedQuarantine($0) }))
  }
}

extension RestorationSession {
  /// A snapshot of the session's results; it shares the session's arrays, so it is cheap to take.
  struct Outcomes: ReportedOutcomes {
    let tree: SavedTree
    let progress: [Progress]
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
    func nodes() -> [RestorationReport.NodeResult] { reported.map { node($0) } }

    private func node(_ index: Int) -> RestorationReport.NodeResult {
      RestorationReport.NodeResult(
        path: tree.path(of: index), archivedPath: tree.archivedPaths[index],
        type: types[tree.entries[index].facts.type], outcome: outcome(of: index), rule: rule(of: index),
        upgrade: tree.upgrades[index], isCarriedOver: carriedOver.contains(index), isAdded: tree.added.contains(index),
        error: errors[index], trace: traces[index] ?? [])
    }

    private func rule(of index: Int) -> ResolutionRule? {
      switch progress[index].rule {
      case noRule: nil
      case delegateRule: .delegate
      case liveRule: .liveObject
      case let number: rules[Int(number)]
      }
    }
  }
}
