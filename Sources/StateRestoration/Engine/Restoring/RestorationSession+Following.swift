import RestorationArchive

/// State that waits below an object belongs to the object, whatever its path is.
extension RestorationSession {
  /// Moves the entries of objects that were renamed or moved since, with the state that waits below them.
  ///
  /// Everything that is known of an entry goes with it, because it is known by its number.
  ///
  /// - Parameter place: Returns the path of an object in the live tree; nil if it is not there.
  func followObjects(to place: (any Restorable) -> RestorationPath?) {
    guard holdsState, !residents.isEmpty, !pendingEntries().isEmpty else { return }
    // An object that the app puts elsewhere while it restores has never been at the path of its state.
    let places = residents.compactMap { entry, resident in
      resident.object.flatMap(place).map { (entry: entry, path: $0) }
    }
    var left: Set<Int> = []
    for (entry, path) in places {
      if self.path(of: entry) == path { placed.insert(entry) }
      if self.path(of: entry) == path || !placed.contains(entry) || hasQuarantined(atOrBelow: entry) { continue }
      left.insert(entry)
      if formerPaths[entry] == nil { formerPaths[entry] = self.path(of: entry) }
    }
    if left.isEmpty { return }
    restoredTree = restoredTree ?? tree
    // What its object has replaced goes with it, because of what waits below, and takes no path from other state.
    let outdone = left.filter { isOutdone($0) || isReplaced($0) }
    // Parents before their children.
    for (entry, path) in places.sorted(by: { ($0.path.count, $0.entry) < ($1.path.count, $1.entry) }) {
      guard left.remove(entry) != nil, self.path(of: entry) != path, let parent = path.parent, let identifier = path.identifier,
        path.count + tree.height(of: entry) <= RestorationPath.maximumCount
      else { continue }
      // The object that is now at its old path may be above it.
      if self.path(of: entry).contains(parent) { tree.detach(entry) }
      let above = addedEntry(at: parent)
      // The object now has the path of another entry, which is not that of its state.
      let other = tree.child(identifier, of: above)
      if let other, !left.contains(other) {
        let isOutdone = outdone.contains(entry)
        tree.prefer(isOutdone ? other : entry, to: isOutdone ? entry : other)
      }
      tree.place(entry, identifier, under: above)
    }
    sortEntries()
  }

  /// The launch history knows quarantined nodes by their paths.
  private func hasQuarantined(atOrBelow entry: Int) -> Bool {
    let positions = tree.entries[entry].position..<tree.entries[entry].end
    return quarantined.contains { positions.contains(tree.entries[$0].position) }
  }

  /// Returns the entry that was restored at a path and has followed its object since; saved references mean it.
  func entry(followedFrom path: RestorationPath) -> Int? {
    guard let restoredTree else { return nil }
    let followed = followedEntries ?? entriesMoved(since: restoredTree)
    followedEntries = followed
    return followed[path] ?? (resolver.registered.moves.isEmpty ? nil : followed[resolver.moved(path)])
  }

  private func entriesMoved(since before: SavedTree) -> [RestorationPath: Int] {
    var followed: [RestorationPath: Int] = [:]
    var hasMoved = Array(repeating: false, count: before.entries.count)
    for index in before.order.dropFirst() {
      let (old, new) = (before.entries[index], tree.entries[index])
      hasMoved[index] = hasMoved[old.parent] || old.parent != new.parent || old.identifier != new.identifier
      guard hasMoved[index] else { continue }
      followed[before.path(of: index)] = index
      if let path = before.archivedPaths[index] { followed[path] = index }
    }
    return followed
  }

  /// Returns the path of an entry in the last save.
  func formerPath(of index: Int) -> RestorationPath {
    if formerPaths.isEmpty { return path(of: index) }
    var below: [String] = []
    var next = index
    while next > 0, formerPaths[next] == nil {
      below.append(tree.entries[next].identifier)
      next = tree.entries[next].parent
    }
    return below.reversed().reduce(formerPaths[next] ?? .application) { $0.appending($1) }
  }
}
