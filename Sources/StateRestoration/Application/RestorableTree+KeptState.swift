import RestorationArchive

extension RestorableTree {
  /// Records the first encoding of each object that stands at the path of state that it did not take in, before the user
  /// can change it.
  ///
  /// Called when restoring ends and when the turn of the actor ends in which it did: changes within that turn are the
  /// app's own. If `newcomer` is given, only that object and its descendants are considered: others may have changed since.
  func noteKeptStates(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    guard session.refusal == nil, !session.isForgotten, newcomer != nil || session.isFirstTurn else { return }
    if newcomer == nil, session.keepsApplicationState, session.kept[0] == nil, delegate != nil {
      let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
      session.kept[0] = KeptState(object: nil, encoding: capture.digestOfApplicationState())
    }
    let waiting = session.pendingEntries().filter { session.kept[$0] == nil }
    guard !waiting.isEmpty, !roots.isEmpty || !registered.isEmpty else { return }
    let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? capture.walk()) != nil else { return }
    var found: Set<Int> = []
    for index in waiting {
      let path = session.path(of: index)
      // Of two nodes for one path, the object is that of the one saved later.
      guard session.entry(at: path) == index, let number = capture.tree.number(at: path), let object = capture.tree[number].object,
        newcomer.map({ capture.tree.isNode(number, below: $0) }) ?? true
      else { continue }
      session.kept[index] = KeptState(object: object, encoding: capture.digest(of: number))
      found.insert(number)
    }
    if !found.isEmpty { noteBlanks(below: found, session, capture) }
  }

  /// Records that the turn of the actor is over in which restoring has ended.
  package func endFirstTurn() {
    guard let session, session.isFirstTurn, !isBusy else { return }
    noteKeptStates(session)
    session.isFirstTurn = false
  }

  /// Records the objects below kept state that have no state of their own in the archive, such as the tab that a new
  /// window begins with: they are saved once they change.
  private func noteBlanks(below tops: Set<Int>, _ session: RestorationSession, _ capture: Capture) {
    var isBelow = tops
    for number in capture.tree.numbers where isBelow.contains(Int(capture.tree[number].parent)) && !tops.contains(number) {
      guard let object = capture.tree[number].object, session.entry(at: capture.tree.path(of: number)) == nil else { continue }
      isBelow.insert(number)
      session.blanks[ObjectIdentifier(object)] = KeptState(object: object, encoding: capture.digest(of: number))
    }
  }
}
