import ArchiveFormat
import RestorationArchive

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
          kind: .excessCompletion, path: nil, message: "restoring was completed \(excessCompletions) times more than it was extended"))
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
