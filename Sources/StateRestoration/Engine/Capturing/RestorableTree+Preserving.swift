public import FoundationValues
public import RestorationArchive

extension RestorableTree {
  /// Saves the state of all objects, and returns an archive and a report for the caller to write.
  ///
  /// Objects are encoded in path order, parents first. An object that throws keeps its previous state. Unclaimed state
  /// of the restored archive is carried over, with its original origin.
  ///
  /// Equal state produces an equal content digest.
  ///
  /// - Parameters:
  ///   - header: The header of the archive.
  ///   - options: The preservation options.
  /// - Returns: The archive, or the decision to keep or delete the previous state.
  /// - Throws: ``RestorationError`` if the saved state has been neither restored nor given up, or within another call of
  ///   this method; with ``PreservationOptions/verifiesChanges``, if an object has changed without reporting it.
  ///   `ArchiveError` for a header that cannot be stored.
  public func preserve(header: ArchiveHeader, options: PreservationOptions = PreservationOptions()) throws -> Preservation {
    guard condition != .undecided || session?.isRunning == true else {
      throw RestorationError(
        .notRestoredYet, "saving now would replace state that was neither restored nor given up: restore or start fresh first")
    }
    guard !isPreserving else {
      throw RestorationError(.wrongTime, "state is not preserved from within a callback of preserving; save after it has returned")
    }
    isPreserving = true
    defer { isPreserving = false }
    if session?.isRunning == false { session?.isFirstTurn = false }
    let known = captured
    captured = nil
    if options.encodesOnlyChanges { observeChanges() }
    if options.encodesOnlyChanges, let known, let preservation = try preserveChanges(since: known, header: header, options: options) {
      return preservation
    }
    return try preserveEverything(header: header, options: options)
  }

  private func preserveEverything(header: ArchiveHeader, options: PreservationOptions) throws -> Preservation {
    _ = changes?.signal.takeChanged(isCollecting: true)
    if !unknownKeys.isEmpty { unknownKeys = unknownKeys.filter { $0.value.object != nil } }
    let capture = Capture(self, header: header, options: options)
    let (archive, nodeCount, decision) = try capture.everything()
    guard let archive else { return decline(decision) }
    let snapshot = Snapshot(archive, header: capture.writer.header)
    lastSnapshot = snapshot
    (lastNodeCount, duplicates) = (nodeCount, capture.duplicates)
    if changes != nil { captured = capture.treeForChanges() }
    if captured == nil { capture.tree.releaseObjects() }
    savedObjects = SavedObjects(snapshot: snapshot, tree: capture.tree)
    session?.forgetDecoded()
    session?.formerPaths = [:]
    let earlier = session?.unreported
    session?.unreported = ([], [])
    let report = PreservationReport(
      notes: capture.notes + (earlier?.notes ?? []), nodeCount: nodeCount, archive: archive, budget: options.budget,
      quarantineChanges: capture.quarantineChanges.union(earlier?.quarantineChanges ?? []))
    return hold(Preservation(decision: .save, report: report, isDeferred: condition == .pending, snapshot: snapshot))
  }

  /// Captures the changes; nil if everything has to be captured.
  private func preserveChanges(
    since known: CapturedTree, header: ArchiveHeader, options: PreservationOptions
  ) throws -> Preservation? {
    guard !known.isWorn, !registered.hasAlive, ending == nil, session?.isSettled ?? true,
      var snapshot = lastSnapshot,
      snapshot.changeCount < Snapshot.maximumChangeCount
    else { return nil }
    do {
      let capture = Capture(self, header: header, options: options, since: known)
      let (changes, decision) = try capture.changes()
      guard let changes else {
        if !capture.isWalked { captured = known }
        return decision == .save ? nil : decline(decision)
      }
      snapshot.add(changes, header: capture.writer.header)
      if options.verifiesChanges { try verify(snapshot, header: header, options: options) }
      // An object that failed has reported its change once, so that the next capture must encode everything.
      (lastSnapshot, captured) = (snapshot, capture.notes.allSatisfy(\.kind.isRegular) ? known : nil)
      savedObjects = SavedObjects(snapshot: snapshot, tree: known)
      let report = PreservationReport(notes: capture.notes, nodeCount: known.count, archive: nil)
      return hold(Preservation(decision: .save, report: report, isDeferred: condition == .pending, snapshot: snapshot))
    } catch is Capture.Irregular {
      known.dropObjects()
      return nil
    }
  }

  private func decline(_ decision: SaveDecision) -> Preservation {
    if decision == .keepPrevious {
      return preservation(.keepPrevious, [.init(kind: .notSaved, path: nil, message: "the delegate keeps the previous state")])
    }
    (lastSnapshot, savedObjects, unknownKeys) = (nil, nil, [:])
    session?.isForgotten = true
    return hold(preservation(.forget, [.init(kind: .notSaved, path: nil, message: "the delegate wants nothing to be saved")]))
  }

  /// The number of nodes to expect: that of the previous archive, or 64 without one.
  var expectedNodeCount: Int { min(lastNodeCount ?? session?.archive.nodeCount ?? 64, 1 << 20) }

  /// Starts to record which objects have changed, for an app whose changes nothing else observes.
  private func observeChanges() {
    guard changes == nil else { return }
    let signal = ChangeSignal {}
    changes = ChangeTracking(signal: signal)
    UnclaimedChanges.use()
    ownSignal = SignalRegistration(signal)
  }

  // MARK: Verifying

  /// Compares a capture of changes with a capture of everything.
  ///
  /// - Throws: ``RestorationError`` if they differ: an object has changed without reporting it.
  private func verify(_ snapshot: Snapshot, header: ArchiveHeader, options: PreservationOptions) throws {
    var options = options
    options.encodesOnlyChanges = false
    guard let everything = try Capture(self, header: header, options: options).everything().archive?.data() else { return }
    let captured = try snapshot.data()
    guard captured != everything else { return }
    let known = try ArchiveTree(decoding: ArchiveReader(captured))
    let real = try ArchiveTree(decoding: ArchiveReader(everything))
    guard let path = Self.firstDifference(known.nodes, real.nodes, at: .application) else {
      throw RestorationError(.unreportedChange, "the captured changes give another archive than a capture of everything")
    }
    let object = LiveWalk.index(roots)[path].map { "the \(type(of: $0)) at" } ?? "the object at"
    throw RestorationError(
      .unreportedChange, path: path,
      "\(object) \(path.textForDisplay) tracks its changes, and has changed its state or its children without setNeedsSave()")
  }

  /// Returns the path of the first node that differs, or whose children do.
  private static func firstDifference(_ known: [ArchiveNode], _ real: [ArchiveNode], at path: RestorationPath) -> RestorationPath? {
    guard known.count == real.count else { return path }
    for (left, right) in zip(known, real) {
      guard left.identifier.isSameText(as: right.identifier) else { return path }
      var (bareLeft, bareRight) = (left, right)
      (bareLeft.children, bareRight.children) = ([], [])
      let below = path.appending(left.identifier)
      if bareLeft != bareRight { return below }
      if let difference = firstDifference(left.children, right.children, at: below) { return difference }
    }
    return nil
  }

  // MARK: Outcomes

  private func preservation(_ decision: SaveDecision, _ notes: [PreservationReport.Note]) -> Preservation {
    Preservation(
      decision: decision, report: PreservationReport(notes: notes, nodeCount: 0, archive: nil),
      isDeferred: condition == .pending && (decision != .keepPrevious || deferredPreservation != nil), snapshot: nil)
  }

  /// Defers a save while the state is pending; the newest replaces earlier ones, even if it may be written at once.
  private func hold(_ preservation: Preservation) -> Preservation {
    deferredPreservation = condition == .pending ? preservation : nil
    return preservation
  }
}

/// The objects of the last capture, and what it has saved of them.
///
/// An offer that is restored does not end it: objects that the offer lacks go on.
struct SavedObjects {
  let snapshot: Snapshot
  let tree: CapturedTree
}

extension RestorableTree {
  /// What was saved of an object when it was captured last, or what it was restored from since.
  struct LastState {
    /// The node; nil if nothing was saved of it, or it cannot be read.
    let node: NodeReader?
    let path: RestorationPath
  }

  /// Returns the last state of an object, wherever it was; nil if it is not known here.
  ///
  /// By object and not by path: another object may have had that.
  func lastState(of object: any Restorable) -> LastState? {
    if let session, session.holdsState, let index = session.entry(takenInBy: object) {
      return LastState(node: session.tree.node(of: index), path: session.path(of: index))
    }
    guard let savedObjects, let path = savedObjects.tree.sealedPath(of: object) else { return nil }
    return LastState(node: try? savedObjects.snapshot.node(at: path), path: path)
  }
}

/// The result of preserving: an archive and a report.
///
/// It can be written anywhere, on any thread. All state is already encoded; the bytes are assembled on first access,
/// preferably on the thread that writes them.
public struct Preservation: Sendable {
  /// The decision of the delegate; there is an archive if it is `save`.
  public let decision: SaveDecision
  /// The report on each object.
  public let report: PreservationReport
  /// Whether writing must be deferred, because the previous state has not arrived yet.
  ///
  /// Also true for ``SaveDecision/keepPrevious`` while an earlier save is still deferred.
  public internal(set) var isDeferred: Bool
  /// The captured state; nil if there is nothing to save.
  let snapshot: Snapshot?
  /// Whether only what has changed since an earlier capture was encoded.
  package var isOfChanges: Bool { snapshot?.changeCount ?? 0 > 0 }

  /// The bytes of the archive, assembled on first access; nil if the delegate keeps or forgets the previous state.
  ///
  /// - Throws: `file-too-large`.
  public var archive: Data? {
    get throws(ArchiveError) { try snapshot?.data() }
  }

  /// A digest of the content, independent of the time of the save; nil without an archive.
  ///
  /// Assembles the archive.
  ///
  /// - Throws: `file-too-large`.
  public var contentDigest: ContentDigest? {
    get throws(ArchiveError) { try snapshot.map { (snapshot) throws(ArchiveError) in try snapshot.contentDigest } }
  }
}

/// Options for preserving state.
public struct PreservationOptions: Sendable {
  /// Whether only the objects that have changed since the previous capture are encoded; the archive is whole all the same.
  ///
  /// The first capture encodes everything. A later one skips objects that ``Restorable/tracksChanges`` while they report
  /// no change, and objects whose class leaves the encoding to ``Restored`` properties of plain values (numbers,
  /// Booleans, strings, dates, data, UUIDs, URLs, enumerations by raw value, and optionals, arrays, sets and
  /// dictionaries of them) while none is set. Everything is encoded while state is unclaimed or quarantined, while an
  /// object is registered individually, has no identifier, or has neither a type nor state nor children, and while most
  /// objects would have to be encoded anyway.
  public var encodesOnlyChanges: Bool
  /// Whether each capture of changes is compared with a capture of everything; intended for tests.
  ///
  /// Preserving then throws if an object that promises to track its changes (``Restorable/tracksChanges``) has changed
  /// without reporting it.
  public var verifiesChanges: Bool
  /// Whether preserving throws if two objects have the same path; intended for tests and debug builds.
  ///
  /// Otherwise the first object in saved order is saved, or the one that was restored to the path, and all of them are
  /// reported. A store pins the file before when a second object comes later.
  package var failsOnDuplicates = false
  /// Whether preserving throws if an object cannot encode its state, instead of keeping the object's previous state.
  package var isStrict = false
  /// The age and size limits of unclaimed state that is carried over.
  public var carryLimits: CarryLimits
  /// The limits on the size of the archive; the report lists what exceeds them, and everything is saved all the same.
  ///
  /// They are checked when everything is captured, and not when ``encodesOnlyChanges`` skips objects.
  public var budget: SizeBudget?

  /// Creates options.
  public init(
    carryLimits: CarryLimits = .standard, encodesOnlyChanges: Bool = false, verifiesChanges: Bool = false, budget: SizeBudget? = nil
  ) {
    (self.carryLimits, self.encodesOnlyChanges) = (carryLimits, encodesOnlyChanges)
    (self.verifiesChanges, self.budget) = (verifiesChanges, budget)
  }

  /// Creates options for tests, in which mistakes of objects are errors.
  package init(failsOnDuplicates: Bool = false, isStrict: Bool) {
    self.init()
    self.failsOnDuplicates = failsOnDuplicates
    self.isStrict = isStrict
  }
}
