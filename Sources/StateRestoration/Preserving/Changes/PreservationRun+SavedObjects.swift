import RestorationArchive
import Storage

extension PreservationRun {
  /// Returns what the next capture needs to encode changes only; nil if it must encode everything again.
  ///
  /// Moves the table of objects out of the run, which must have ended.
  func savedObjects() -> SavedObjects? {
    guard options.extent == .changes, isFollowable, let everything = application.lastSaved else { return nil }
    let count = state.value.nodes.count
    var nodes: [SavedObjects.SavedObject] = []
    nodes.reserveCapacity(count)
    var trackedCount = 0
    for number in 0..<count {
      guard let node = savedNode(number) else { return nil }
      if node.isTracked { trackedCount += 1 }
      nodes.append(node)
    }
    // Otherwise most of the work would be done twice.
    guard 2 * trackedCount >= count else { return nil }
    if let changes = application.changes {
      for node in nodes where node.isTracked { if let object = node.object { changes.claim(object) } }
    }
    var numbers = IdentityTable()
    swap(&numbers, &state.value.numbers)
    return SavedObjects(
      nodes, numbers, references: references, everything: everything, at: CapturePlace(), header: header,
      applicationSchemaVersion: application.delegate?.applicationSchemaVersion ?? 0)
  }

  /// Whether everything that was saved follows from the objects in the tree alone.
  private var isFollowable: Bool {
    notes.isEmpty && !hasShells && disordered.isEmpty && candidates?.all.isEmpty ?? true && application.registered.isEmpty
      && session?.isSettled ?? true && (application.condition == .fresh || application.condition == .restored)
      && (application.delegate != nil || session.map { $0.progress[0].isConsumed || $0.refusal != nil } ?? true)
  }

  private func savedNode(_ number: Int) -> SavedObjects.SavedObject? {
    let node = state.value.nodes[number]
    guard let object = node.object, node.isListed, node.written != nil, !node.isReplaced else { return nil }
    return SavedObjects.SavedObject(
      object: object, identifier: node.identifier, parent: node.parent, depth: node.depth, isTracked: type(of: object).tracksChanges)
  }
}

extension RestorationSession {
  /// Whether no saved state waits for an object any more, so that all that is to be saved comes from objects.
  var isSettled: Bool {
    !isRunning && !isForgotten && quarantine.isEmpty && unknownKeys.isEmpty && unknownApplicationKeys == nil && lateFailures.isEmpty
      && (refusal != nil || waiting?.isEmpty == true)
  }
}
