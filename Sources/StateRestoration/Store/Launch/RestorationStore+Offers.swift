public import RestorationArchive
import Locking

extension RestorationStore {
  /// The open offers of an archive, newest first: saved states that were not restored automatically, and that the user
  /// may restore.
  ///
  /// An unanswered offer stays open, and is repeated at the next launch.
  ///
  /// - Throws: ``StoreError``.
  public func offers(of archive: ArchiveName = .application) throws(StoreError) -> [StoreOffer] {
    let files = try predictedFiles(of: archive)
    return try openOffers(of: archive, nil, files).map { described($0, files.stored($0.generation)) }
  }

  /// Adds the time and the build of an offer, and its top-level objects if it is short: a long one may not fit into memory.
  private func described(_ offer: StoreOffer, _ file: Generation) -> StoreOffer {
    guard !offer.isUnread, let catalog = try? reader.catalog() else { return offer }
    let newest = catalog.links(of: file).last?.fileName ?? file.fileName
    guard let header = try? StoredArchive.header(of: newest, in: folder) else { return offer }
    let byteCount = (try? folder.system.status(at: folder.path(of: file.fileName)))?.byteCount
    return offer.described(by: header, (byteCount ?? .max) <= 1 << 20 ? reader.opened(file)?.reader : nil)
  }

  /// Returns the open offers as far as they are known without opening them.
  func openOffers(of archive: ArchiveName, _ load: StoreLoad?, _ files: PredictedFiles) throws(StoreError) -> [StoreOffer] {
    // The state that a launch would restore may itself be only offered.
    var current = load?.archive?.generation
    if load == nil || load?.archive == nil { current = files.unread(archive) }
    if load == nil, current == nil {
      switch files.history.decision(for: archive, current: nil) {
      case .offer, .leave: current = try self.load(archive).archive?.generation
      case .restore: break
      }
    }
    return files.history.offers(of: archive, among: files.catalog.generations, current: current)
  }

  /// Returns the archive of an offer, which accepting would restore.
  ///
  /// - Throws: ``StoreError/noGeneration(_:)`` if the offer no longer exists; ``StoreError/unusable(_:_:)`` if nothing
  ///   of it can be read.
  public func contents(of offer: StoreOffer) throws(StoreError) -> ArchiveReader {
    try contents(of: generation(of: offer))
  }

  func contents(of generation: Generation) throws(StoreError) -> ArchiveReader {
    let bytes = try read(generation)
    do throws(ArchiveError) {
      return try ArchiveReader(inspecting: bytes)
    } catch {
      throw .unusable(generation.number, error)
    }
  }

  /// Accepts an offer: restores its state into the running app.
  ///
  /// The current state is saved first and becomes an offer itself. The accepted state becomes final when the app is
  /// stable; if the process dies before, the offer is open again and the next launch restores the replaced state. If
  /// the offer is limited to some nodes (``StoreOffer/paths``), only these are restored from it.
  ///
  /// If the app has no state to save (``SaveDecision/forget``, ``SaveDecision/keepPrevious``), the offer replaces what was saved
  /// last; a death before the accepted state is stable then makes it an offer again.
  ///
  ///     let report = try store.accept(
  ///       offer, without: Set(offer.suspects), into: tree, with: resolver, replacing: tree.preserve(header: header))
  ///
  /// - Parameters:
  ///   - offer: The offer.
  ///   - paths: The nodes to leave out as if they were quarantined; their state is kept.
  ///   - evenIfDiedTwice: Whether to accept although accepted offers of this archive have ended the process twice in a row: the user
  ///     was asked, and the app does not decide by itself.
  ///   - tree: The app, or the scene.
  ///   - resolver: The factories and rules that create objects for nodes.
  ///   - current: The current state of the app.
  ///   - options: The restoration options.
  ///   - isolation: The actor that owns the objects.
  /// - Returns: The report for each node.
  /// - Throws: ``StoreError``, in which case nothing is restored; ``StoreError/alreadyAnswered(_:isAccepted:)``, and
  ///   ``StoreError/otherArchive(offered:restored:)`` if the app was restored as a different archive, in which cases
  ///   nothing has changed; ``RestorationError`` if called from a callback of the engine.
  public func accept(
    _ offer: StoreOffer, without paths: Set<RestorationPath> = [], evenIfDiedTwice: Bool = false, into tree: RestorableTree,
    with resolver: Resolver, replacing current: Preservation, options: RestorationOptions = RestorationOptions(),
    isolation: isolated (any Actor)? = #isolation
  ) throws -> RestorationReport {
    if let restored = tree.storedAs, restored != offer.archive {
      throw StoreError.otherArchive(offered: offer.archive, restored: restored)
    }
    try beginLaunch()
    let archive = offer.archive
    // First the pending conclusion about an earlier offer: the new acceptance replaces its entry in the ledger.
    try changingFiles { (writer) throws(StoreError) in try writer.carryOutConclusions() }
    try expectOpen(offer.generation.number, of: archive)
    if !evenIfDiedTwice, launch.history?.ledger.failedTrials[archive] ?? 0 > 1 { throw StoreError.diedTwice(offer.generation.number) }
    let accepted = try contents(of: offer)
    let report = try offering(offer, generation(of: offer)) {
      // What the delegate wants to be forgotten is not saved, and nothing else is removed for it.
      if current.decision != .forget, try save(current, as: archive) == .deferred { throw StoreError.inaccessible }
      let replaced = try reader.catalog().current(of: archive) ?? generation(of: offer)
      let takeover = try takeOver(
        try bytes(of: offer, accepted, over: replaced), offer, replacing: replaced, without: paths, isRunning: true)
      do {
        return try restore(tree, from: takeover.saved, with: resolver, options)
      } catch {
        undo(takeover)
        throw error
      }
    }
    noteAnswer(offer, isAccepted: true)
    if report.decision == .restore { watch(tree, archive) }
    return report
  }

  /// Restores accepted state into an app, without its quarantined nodes.
  private func restore(
    _ tree: RestorableTree, from saved: StoreLoad.Archive, with resolver: Resolver, _ options: RestorationOptions
  ) throws -> RestorationReport {
    let archive = saved.generation.archive
    tree.storedAs = archive
    var options = options
    options.letUserDecide()
    if let history = launch.history { for entry in history.left(in: archive) { options.left[entry.path] = history.leftNode(entry) } }
    return try restore(tree, from: saved, without: Set(options.left.keys), with: resolver, options: options, isAgain: true)
  }

  /// Makes a file an offer, with the next save, unless it is one; undoes that if `body` throws.
  private func offering<Result, Failure: Error>(
    _ offer: StoreOffer, _ generation: Generation, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isOffered = writer.withLock { $0[generation.archive].skipped[generation.number] != nil }
    if generation.mark == .offered || isOffered { return try body() }
    skip(offer)
    do throws(Failure) {
      return try body()
    } catch {
      writer.withLock { $0.takeBackOffer(generation) }
      throw error
    }
  }

  /// Accepts an offer while no app is running: the next launch restores its state.
  ///
  /// As with ``accept(_:without:evenIfDiedTwice:into:with:replacing:options:isolation:)``, the current state becomes an offer, and
  /// becomes current again if that launch dies.
  ///
  /// - Throws: ``StoreError``, such as ``StoreError/alreadyAnswered(_:isAccepted:)``, in which case nothing has changed.
  public func accept(_ offer: StoreOffer, without paths: Set<RestorationPath> = []) throws(StoreError) {
    let archive = offer.archive
    // What waits is newer than the files, and becomes the offer.
    try deliver(archive)
    // Carries out the conclusion about an earlier accepted offer, which may change the current file.
    try changeHistory { _ in }
    try changingFiles { (writer) throws(StoreError) in try writer.carryOutConclusions() }
    try expectOpen(offer.generation.number, of: archive)
    let generation = try generation(of: offer)
    if generation.mark == .closed { return try reopen(generation) }
    let accepted = try contents(of: offer)
    // What a closed scene has left comes back with it.
    let closed = try reader.catalog().generations(of: archive).first { $0.mark == .closed && $0.number > generation.number }
    let open = try reader.catalog().candidates(for: archive, launch.knownHistory().ledger)
    let wasClosed = closed != nil && open.isEmpty
    do throws(StoreError) {
      if wasClosed, let closed { try reopen(closed) }
      try accept(offer, generation, accepted, without: paths, wasClosed: wasClosed)
    } catch {
      // Unless the accepted state is there by now, or another call has reopened it.
      if wasClosed, let closed, error != .noGeneration(closed.number) { try? closeAgain(closed) }
      throw error
    }
  }

  private func accept(
    _ offer: StoreOffer, _ generation: Generation, _ accepted: ArchiveReader, without paths: Set<RestorationPath>, wasClosed: Bool
  ) throws(StoreError) {
    let archive = offer.archive
    let catalog = try reader.catalog()
    let history = try launch.knownHistory()
    guard let replaced = catalog.candidates(for: archive, history.ledger).first, replaced != generation else {
      // The offer is still the newest state, which the next launch restores once it was accepted.
      guard case .offer = history.decision(for: archive, current: generation.number) else {
        throw .alreadyAnswered(generation.number, isAccepted: true)
      }
      return try changeHistory { history in
        history.pardon(archive)
        // A scene that this launch opens later is restored, even in safe mode.
        history.written.insert(archive)
        history.ledger.wanted[archive] = generation.number
        history.quarantine(paths, of: archive, in: accepted)
      }
    }
    let bytes = try bytes(of: offer, accepted, over: replaced)
    let takeover = try offering(offer, generation) { () throws(StoreError) in
      try takeOver(bytes, offer, replacing: replaced, without: paths, isRunning: false, wasClosed: wasClosed)
    }
    do throws(StoreError) {
      try changeHistory { history in
        // Deaths of the previous process count against the state that was current then.
        history.pardon(archive)
        history.ledger.wanted[archive] = takeover.saved.generation.number
      }
    } catch {
      // The offer is accepted; what a launch has in memory is written with its next save.
      if launch.history == nil { throw error }
    }
  }

  /// Permanently declines an offer; its file is set aside with the mark `declined`.
  ///
  /// - Throws: ``StoreError``, such as ``StoreError/alreadyAnswered(_:isAccepted:)``.
  public func decline(_ offer: StoreOffer) throws(StoreError) {
    try expectOpen(offer.generation.number, of: offer.archive)
    try decline(generation(of: offer))
    noteAnswer(offer, isAccepted: false)
  }

  /// Throws ``StoreError/alreadyAnswered(_:isAccepted:)`` if the offer of a generation was answered before.
  package func expectOpen(_ number: UInt64, of archive: ArchiveName) throws(StoreError) {
    let isDeclined = try reader.catalog().generations.contains { $0.archive == archive && $0.number == number && $0.mark == .declined }
    let answer = try launch.knownHistory().answer(to: number, of: archive)
    if let answer = answer ?? (isDeclined ? false : nil) { throw .alreadyAnswered(number, isAccepted: answer) }
  }

  /// Sets aside a file that the app has permanently declined.
  ///
  /// - Throws: ``StoreError``.
  package func decline(_ generation: Generation) throws(StoreError) {
    try changingFiles { (writer) throws(StoreError) in try writer.decline(generation) }
  }

  /// Keeps the files of offers until ``letGo(_:)`` is called: restoring one saves what has changed before, and a save removes
  /// the oldest files.
  func hold(_ offers: [StoreOffer]) { writer.change { $0.restoring += offers.map(\.generation) } }

  /// Leaves the files of offers to the limits again.
  func letGo(_ offers: [StoreOffer]) {
    writer.change { writer in
      for offer in offers {
        if let index = writer.restoring.firstIndex(of: offer.generation) { writer.restoring.remove(at: index) }
      }
    }
  }

  /// Runs `body`, which accepts offers; its saves do not make the accepted states stable.
  func whileAccepting<Result>(_ body: () throws -> Result) rethrows -> Result {
    launch.update { ($0.isAccepting, $0.together) = (true, []) }
    defer { launch.update { $0.isAccepting = false } }
    return try body()
  }

  private func noteAnswer(_ offer: StoreOffer, isAccepted: Bool) {
    launch.update { $0.answers[Generation(offer.archive, offer.generation.number)] = isAccepted }
  }

  // MARK: Steps

  /// Returns the file of an offer, with its present mark.
  private func generation(of offer: StoreOffer) throws(StoreError) -> Generation {
    let generation = try reader.catalog().generations.first {
      $0.archive == offer.archive && $0.number == offer.generation.number && $0.mark != .declined && $0.mark != .damaged
    }
    guard let generation else { throw .noGeneration(offer.generation.number) }
    return generation
  }

  private func read(_ generation: Generation) throws(StoreError) -> [UInt8] {
    switch try system({ () throws(FileSystemError) in try reader.stored(generation) }) {
    case .bytes(let bytes, _, _): return bytes
    case .refused(let error): throw .unusable(generation.number, error)
    }
  }

  /// Returns the bytes to restore: the offer's, or the current file's with some nodes of the offer.
  private func bytes(
    of offer: StoreOffer, _ accepted: ArchiveReader, over current: Generation
  ) throws(StoreError) -> [UInt8] {
    guard !offer.paths.isEmpty else { return try read(generation(of: offer)) }
    let bytes = try read(current)
    do throws(ArchiveError) {
      let offered = try ArchiveTree(decoding: accepted)
      var tree = try ArchiveTree(decoding: ArchiveReader(bytes))
      for path in offer.paths { tree.take(path, from: offered) }
      return [UInt8](try tree.encoded())
    } catch {
      throw .unusable(offer.generation.number, error)
    }
  }

  /// Makes accepted state current, on trial; if that fails, nothing has changed.
  private func takeOver(
    _ bytes: [UInt8], _ offer: StoreOffer, replacing replaced: Generation, without paths: Set<RestorationPath>, isRunning: Bool,
    wasClosed: Bool = false
  ) throws(StoreError) -> Takeover {
    let archive = offer.archive
    let reader = try wrappingErrors { () throws(ArchiveError) in try ArchiveReader(bytes) }
    let before = try changingFiles { (writer) throws(StoreError) in try writer.moment(of: archive) }
    var takeover = Takeover(
      saved: StoreLoad.Archive(generation: replaced, reader: reader, findings: [], confirmedAt: nil), before: before, isRunning: isRunning)
    // From here on, a death of the process counts against the accepted state.
    if isRunning { launch.update { $0.begin(replaced) } }
    let hasLaunched = launch.history != nil
    do throws(StoreError) {
      try changeHistory { history in
        history.quarantine(paths, of: archive, in: reader)
        history.accept(
          offer.generation.number, as: reader.contentDigest, replacing: replaced.number, of: archive, isRunning: hasLaunched,
          wasClosed: wasClosed)
      }
      skip(replaced.number == offer.generation.number ? offer : StoreOffer(replaced, .replaced))
      guard try save(bytes, as: archive) == .saved, let generation = currentGeneration(of: archive)
      else { throw .noGeneration(offer.generation.number) }
      // Until the accepted state is final, its file stays as it is.
      writer.withLock { $0[archive].current?.chain = nil }
      takeover.saved.generation = generation
      return takeover
    } catch {
      undo(takeover)
      throw error
    }
  }

  /// An offer that was accepted, and what was there before.
  private struct Takeover {
    var saved: StoreLoad.Archive
    let before: StoreWriter.Moment
    /// Whether the state is restored into a running app.
    let isRunning: Bool
  }

  /// Undoes an acceptance that has failed; nothing of it may happen later.
  private func undo(_ takeover: Takeover) {
    let archive = takeover.before.archive
    mailboxes.withdraw(archive)
    if takeover.isRunning { noteFailure(of: archive) }
    let canReach = canReach
    writer.withLock { writer in
      if canReach, (try? writer.goBack(to: takeover.before)) != nil { return }
      // Then with the next conclusions, at the latest by the next launch.
      if canReach, (try? writer.changeHistory { $0.reject(archive) }) != nil { return }
      launch.update { $0.reject(archive) }
    }
  }
}

extension ArchiveTree {
  /// Takes the own state of a node from another tree; the empty path denotes the application state.
  ///
  /// The nodes below it are not changed, because they may be newer. Nodes that only the other tree has are added.
  fileprivate mutating func take(_ path: RestorationPath, from other: ArchiveTree) {
    if path.isEmpty {
      applicationState = other.applicationState
      return
    }
    Self.take(path.components[...], from: other.nodes, into: &nodes)
  }

  private static func take(_ rest: ArraySlice<String>, from other: [ArchiveNode], into nodes: inout [ArchiveNode]) {
    guard let identifier = rest.first, let source = other.first(where: { $0.identifier.isSameText(as: identifier) }) else { return }
    let place = nodes.firstIndex { $0.identifier.isSameText(as: identifier) }
    if rest.count == 1 {
      guard let place else { return nodes.append(source) }
      let newer = nodes[place].children
      nodes[place] = source
      nodes[place].children = merged(source.children, newer)
      return
    }
    if let place { return take(rest.dropFirst(), from: source.children, into: &nodes[place].children) }
    // An ancestor that no longer exists is added again.
    var parent = source
    parent.children = []
    take(rest.dropFirst(), from: source.children, into: &parent.children)
    nodes.append(parent)
  }

  /// Returns newer nodes with all that only the older ones have: in the order of the older ones, the others after them.
  private static func merged(_ older: [ArchiveNode], _ newer: [ArchiveNode]) -> [ArchiveNode] {
    var rest = newer
    var places = Dictionary(uniqueKeysWithValues: newer.enumerated().map { (TextKey($1.identifier), $0) })
    let result = older.map { node in
      guard let place = places.removeValue(forKey: TextKey(node.identifier)) else { return node }
      rest[place].children = merged(node.children, rest[place].children)
      return rest[place]
    }
    return result + rest.filter { places[TextKey($0.identifier)] != nil }
  }
}
