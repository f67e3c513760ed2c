import RestorationArchive

extension RestorationSession {
  func makeReport(excessCompletions: Int) -> RestorationReport {
    var nodes: [RestorationReport.Node] = []
    nodes.reserveCapacity(tree.order.count)
    for index in tree.order.dropFirst() {
      // A place that only an alias made necessary is in no archive.
      guard tree.entries[index].node != nil else { continue }
      nodes.append(reportNode(index))
    }
    var notes = tree.unreadable.map { unreadable in
      RestorationReport.Note(kind: .unreadable, path: unreadable.parent, message: "a node below it cannot be read: \(unreadable.error)")
    }
    notes += self.notes
    if excessCompletions > 0 {
      notes.append(
        RestorationReport.Note(
          kind: .excessCompletion, path: nil, message: "restoring was completed \(excessCompletions) times more than it was extended"))
    }
    return RestorationReport(
      decision: refusal?.decision ?? .restore, refusal: refusal?.reason, application: progress[0].outcome ?? .skipped(.noFactory),
      applicationError: errors[0], nodes: nodes, notes: notes)
  }

  private func reportNode(_ index: Int) -> RestorationReport.Node {
    RestorationReport.Node(
      path: path(of: index), archivedPath: tree.archivedPaths[index], type: type(of: index),
      outcome: progress[index].outcome ?? .skipped(.noFactory), rule: rule(of: index), upgrade: tree.upgrades[index],
      isCarriedOver: isPending(index) && pendingContents[index] != nil, isAdded: tree.added.contains(index), error: errors[index],
      trace: traces[index] ?? [])
  }

  private func rule(of index: Int) -> ResolutionRule? {
    switch progress[index].rule {
    case Self.noRule: nil
    case Self.delegateRule: .delegate
    case Self.liveRule: .liveObject
    case let number: resolver.rule(of: Int(number))
    }
  }
}
