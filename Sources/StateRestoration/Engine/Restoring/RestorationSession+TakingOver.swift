import RestorationArchive

/// What a session has to carry goes to the next one, when an offer is restored into the running app.
extension RestorationSession {
  /// Takes over the state that waits in the session before this one, and what is known of live objects.
  func takeOver(from earlier: RestorationSession) {
    guard earlier.holdsState else { return }
    unreported = earlier.unreported
    // The entries here of those there.
    var entries: [Int: Int] = [:]
    for index in earlier.pendingEntries() where !earlier.isOutdone(index) && !earlier.isReplaced(index) {
      entries[index] = takeOver(index, from: earlier)
    }
    for (key, known) in earlier.waitingReferences where known.owner != nil {
      waitingReferences[key] = known
      waitingReferences[key]?.references = known.references.mapValues { references in
        references.map {
          WaitingReference(place: $0.place, list: $0.list, entry: $0.entry.flatMap { target(of: $0, from: earlier, entries) })
        }
      }
    }
    for (index, entry) in entries { takeOverObjects(of: index, as: entry, from: earlier) }
    for (key, known) in earlier.placeless { placeless[key] = entries[known.entry].map { (known.object, $0) } }
    (blanks, rivals) = (earlier.blanks, earlier.rivals)
    takeOverApplicationState(from: earlier)
    sortEntries()
  }

  /// Adds a waiting entry of an earlier session; if this archive has a node of its own there, reports the earlier one instead.
  private func takeOver(_ index: Int, from earlier: RestorationSession) -> Int? {
    guard let node = earlier.tree.node(of: index) else { return nil }
    let path = earlier.path(of: index)
    let known = earlier.tree.rewritten.contains(index) ? nil : earlier.pendingContents[index]
    guard let contents = try? known ?? node.everything() else {
      noteSuperseded(path)
      return nil
    }
    if let known = entry(at: path), let own = tree.node(of: known), !own.isPlaceholder {
      if (try? own.state()) != contents.state { noteSuperseded(path) }
      return nil
    }
    let entry = addedEntry(at: path)
    setNode(node, of: entry)
    progress[entry] = Progress(outcome: earlier.progress[index].outcome ?? .later)
    // Its number is that of another resolver.
    progress[entry].rule = earlier.couldClaim(index) ? Self.liveRule : Self.noRule
    progress[entry].isUnadopted = earlier.progress[index].isUnadopted
    (pendingContents[entry], errors[entry]) = (contents, earlier.errors[index])
    if earlier.quarantined.contains(index) { quarantined.insert(entry) }
    return entry
  }

  /// Takes over the objects at and above a waiting entry.
  private func takeOverObjects(of index: Int, as entry: Int, from earlier: RestorationSession) {
    (kept[entry], unadopted[entry]) = (earlier.kept[index], earlier.unadopted[index])
    var (above, own) = (index, entry)
    while above > 0, own > 0 {
      residents[own] = earlier.residents[above]
      if earlier.vacated.contains(above) { vacated.insert(own) }
      if earlier.placed.contains(above) { placed.insert(own) }
      (above, own) = (earlier.tree.entries[above].parent, tree.entries[own].parent)
    }
  }

  /// Returns the entry here that a reference to one of an earlier session leads to.
  private func target(of index: Int, from earlier: RestorationSession, _ entries: [Int: Int]) -> Int? {
    if let known = entries[index] ?? entry(at: earlier.path(of: index)) { return known }
    guard earlier.progress[index].isConsumed else { return nil }
    let entry = addedEntry(at: earlier.path(of: index))
    progress[entry].isConsumed = true
    return entry
  }

  private func takeOverApplicationState(from earlier: RestorationSession) {
    let own = tree.node(of: 0)
    if own?.stateByteCount == 0 { unknownApplicationKeys = earlier.unknownApplicationKeys }
    guard earlier.kept[0]?.isReplaced == false || earlier.keepsApplicationState && earlier.kept[0] == nil else { return }
    if (try? own?.state()) != (try? earlier.tree.node(of: 0)?.state()) { noteSuperseded(.application) }
  }

  private func noteSuperseded(_ path: RestorationPath) {
    let message = "its saved state was waiting, and another one was restored in its place: the file before is pinned"
    unreported.notes.append(ReportNote(kind: .superseded, path: path, message: message + " (`restoration store` lists it)"))
  }
}
