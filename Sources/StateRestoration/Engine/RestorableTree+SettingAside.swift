import RestorationArchive
import Storage

extension RestorableTree {
  /// Sets the state of an object and of all below it aside, to be restored when an object comes to its path again.
  ///
  /// An object that leaves the tree is closed, and its state is deleted at the next save. Call this in the turn in which it
  /// leaves, and before it does, if it may come back: a screen that is destroyed when the user goes back, or a panel
  /// that is hidden. Its state is then saved with the app, also over restarts; no factory is asked for it.
  ///
  ///     try tree.setAside(screen)
  ///     stack.removeLast()
  ///     …
  ///     let screen = Screen("details")
  ///     stack.append(screen)
  ///     tree.restoreState(of: screen)
  ///
  /// ``discardState(at:)`` deletes it, and so does closing the object above it. Of an object that throws while it encodes, the
  /// previous state is set aside, and the report of the next save says so.
  ///
  /// - Returns: Whether there was anything to set aside: false for an object that is not saved, and if the delegate does
  ///   not save now.
  /// - Throws: ``RestorationError`` before the app was restored or started fresh, and within a callback; the errors of
  ///   ``preserve(header:options:)``.
  /// - Complexity: That of a capture of everything.
  @discardableResult
  public func setAside(_ object: any Restorable) throws -> Bool {
    guard condition == .restored || condition == .fresh, !isBusy else {
      throw RestorationError(.wrongTime, "state is set aside after the app was restored or started fresh, and not within a callback")
    }
    isPreserving = true
    defer { isPreserving = false }
    let options = session?.options
    let header = try lastSnapshot?.header ?? ArchiveHeader(bundleVersion: options?.build, timestamp: options?.launch.now)
    let limits = session?.options.carryLimits ?? .standard
    let capture = Capture(self, header: header, options: PreservationOptions(carryLimits: limits))
    capture.isOfAside = true
    let archive = try capture.everything().archive?.opened()
    let top = capture.tree.number(of: object).map(capture.tree.path)
    let nodes = try archive.flatMap { archive in try top.flatMap { try AsideNodes(below: $0, of: archive) } }
    let session = nodes == nil ? self.session : try sessionForAside()
    // Also if there is nothing to set aside: what the capture has dropped, the next save does not find.
    session?.unreported.notes += capture.notes.filter { note in
      // The next save does not encode what is set aside now.
      let isOfAside = (note.kind == .keptPrevious || note.kind == .failed) && note.path.map { top?.contains($0) == true } == true
      return note.kind.isLoss || [.discarded, .quarantineEnded].contains(note.kind) || isOfAside && nodes != nil
    }
    session?.unreported.quarantineChanges.formUnion(capture.quarantineChanges)
    guard let session, let top, let nodes else { return false }
    // Without nodes, so that the node that follows keeps its place among its siblings.
    for path in nodes.siblings { _ = session.addedEntry(at: path) }
    let owners = nodes.all.map { node in capture.tree.number(at: node.path).flatMap { capture.tree[$0].object } }
    // Where they stood before, they were not closed.
    let leaving = Set(owners.compactMap { $0.map { ObjectIdentifier($0) } })
    let left = session.residents.filter { resident in resident.value.object.map { leaving.contains(ObjectIdentifier($0)) } ?? false }.keys
    session.vacated.formUnion(left)
    for entry in left { session.residents[entry] = nil }
    for (node, owner) in zip(nodes.all, owners) { try session.setAside(node, of: owner) }
    session.noteResidents(above: top) { path in
      capture.tree.number(at: path).flatMap { capture.tree[$0].object }
    }
    session.sortEntries()
    captured = nil
    return true
  }

  /// Restores the state that waits at the path of an object that has joined the tree after the launch.
  ///
  /// Objects that are registered (``register(_:at:fileID:line:)``) need no call. Call it before the next save, which would
  /// replace the saved state by the object's, and before the object has content of its own: if decoding fails, the saved state
  /// is kept until the object changes.
  ///
  /// - Returns: The state found for the object, which is told it too. ``RestoredState/pending`` before the app is restored and
  ///   within a callback of the engine: nothing has happened then, and the call must be repeated.
  /// - Complexity: O(n) in the objects of the tree if state waits under the object's identifier anywhere.
  @discardableResult
  public func restoreState(of object: any Restorable) -> RestoredState {
    guard condition == .restored || condition == .fresh, !isBusy else { return .pending }
    if let session, session.mayHaveState(for: object, at: registered[object]?.path) {
      walk(for: session)
      // Without a parent or a registration it has no place yet, and what waits under its identifier at the top is not its own.
      let hasPlace = session.livePath?(object) != nil || registered[object] != nil || object.restorationParent != nil
      if hasPlace { return session.restoreRegistered(object) }
      session.livePath = nil
    }
    object.applicationFinishedRestoringState(.none)
    return .none
  }

  /// Returns the session that holds state set aside; a new one if nothing was restored.
  private func sessionForAside() throws -> RestorationSession {
    if let session, session.holdsState { return session }
    // The report of what was refused stays.
    let earlier = report
    let made = RestorationSession(
      application: self, archive: try ArchiveReader(ArchiveWriter().finish()), resolver: session?.resolver ?? resolver ?? Resolver(),
      options: RestorationOptions(), progress: nil, isMerging: false)
    // Nothing of it was there before the app's own work.
    (made.isOfArchive, made.isFirstTurn, earlierReport) = (false, false, earlier)
    made.progress[0].isConsumed = true
    session = made
    return made
  }
}

/// The node of an object and those below it, in an archive of their own.
private struct AsideNodes {
  let all: [NodeReader]
  /// The paths of the siblings before the first node, in order.
  let siblings: [RestorationPath]

  /// Copies the nodes; nil if there is none at the path.
  init?(below path: RestorationPath, of archive: ArchiveReader) throws {
    guard let top = try archive.node(at: path), let parent = path.parent else { return nil }
    let among = try parent.isEmpty ? archive.application().children() : archive.node(at: parent)?.children() ?? []
    siblings = among.map(\.path).prefix { $0 != path }.map(\.self)
    let writer = ArchiveWriter(like: archive)
    var above: ArchiveWriter.Node?
    for identifier in path.components.dropLast() { above = try writer.addNode(identifier, under: above) }
    var paths: [RestorationPath] = []
    // A stack: the next node to copy is last.
    var pending = [(node: top, above: above)]
    while let (node, above) = pending.popLast() {
      let contents = try node.everything()
      var attributes = contents.attributes
      if paths.isEmpty { attributes[EngineAttribute.setAside] = true }
      // The next save counts this session.
      var origin = node.origin
      if let count = origin?.sessionsCarried, count > 0 { origin?.sessionsCarried = count - 1 }
      let written = try writer.addNode(
        node.path.identifier ?? "", under: above, type: node.type, schemaVersion: node.schemaVersion, origin: origin)
      try writer.encode(contents.state, of: written, provider: contents.provider, attributes: attributes)
      paths.append(node.path)
      for child in try node.children().reversed() { pending.append((child, written)) }
    }
    let copy = try ArchiveReader(writer.finish())
    all = try paths.compactMap { try copy.node(at: $0) }
  }
}

extension RestorationSession {
  /// Returns the entry at a path, and adds entries without nodes where there are none.
  func addedEntry(at path: RestorationPath) -> Int {
    if let known = entry(at: path) { return known }
    guard let above = path.parent, let identifier = path.identifier else { return 0 }
    let parent = addedEntry(at: above)
    let index = tree.addEntry(identifier, below: parent)
    progress.append(Progress())
    objects.append(nil)
    return index
  }

  /// Gives an entry a node of another archive.
  func setNode(_ node: NodeReader, of index: Int) {
    tree.setNode(node, of: index)
    if let type = node.type { tree.setType(typeNumber(of: type, node.schemaVersion), of: index) }
  }

  /// Adds a node whose state waits for an object to come to its path.
  fileprivate func setAside(_ node: NodeReader, of object: (any Restorable)?) throws {
    let contents = try node.everything()
    let index = addedEntry(at: node.path)
    setNode(node, of: index)
    progress[index] = Progress(outcome: .later)
    (residents[index], errors[index], unadopted[index]) = (nil, nil, nil)
    vacated.remove(index)
    pendingContents[index] = contents
    // It may stay, for example because it is registered: its state is then still kept beside it.
    if let object, let known = kept[index], known.object === object, !known.isReplaced { return }
    kept[index] = nil
    // If it is still in the tree at the next save, it was not set aside.
    if let object { noteUnadopted(object, of: index) }
  }

  /// Sorts the entries again after some were added or moved.
  func sortEntries() {
    tree.sortPreorder()
    (waiting, waitingIdentifiers, movedEntries, followedEntries) = (nil, nil, nil, nil)
  }
}
