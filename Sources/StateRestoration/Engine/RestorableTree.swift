public import RestorationArchive

/// The objects of an app, or of a scene, that one archive holds: the roots with all below them, the delegate, and the objects
/// that are registered.
///
///     let tree = RestorableTree(delegate: delegate)
///     let report = try tree.restore(from: archive, with: resolver)
///     print(report.why("root/editors/2"))
///     …
///     let preservation = try tree.preserve(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
///
/// Each archive has its own instance: one for the app, one for each scene. An instance belongs to the thread or actor
/// of its objects.
public final class RestorableTree {
  /// The top-level objects, in restoration order.
  ///
  /// - Precondition: They are set only in a tree that was created without a closure for them. An ``AppRestoration`` and an
  ///   ``AppScene`` have one: setting the roots would cut the tree off from what the closure returns later, which would not be
  ///   saved.
  public var roots: [any Restorable] {
    get { makeRoots?() ?? storedRoots }
    set {
      precondition(makeRoots == nil, "the roots of this tree are those that its `roots:` closure returns; change what it returns")
      storedRoots = newValue
    }
  }
  private var storedRoots: [any Restorable]
  /// Provides the roots if they are stored elsewhere.
  private let makeRoots: (() -> [any Restorable])?
  /// Tracks changes of the objects for automatic saving.
  var changes: ChangeTracking?
  /// The object that decides for the app as a whole.
  ///
  /// Held strongly: a delegate without another owner would be deallocated immediately. A delegate must refer to the
  /// tree weakly, or both live as long as the process.
  public var delegate: (any RestorationDelegate)?
  /// The restoration condition of the app.
  package internal(set) var condition = RestorationCondition.undecided
  /// The counter of restoration work that continues after ``restore(from:with:options:)`` returns.
  public let activity = RestorationActivity()
  /// The last save that the app made while it waited for its saved state; it is written once the app no longer waits.
  package internal(set) var deferredPreservation: Preservation?

  /// The archive name under which a store has restored this app or started it fresh; nil if no store has.
  var storedAs: ArchiveName?
  var session: RestorationSession?
  /// Makes the objects for state that is set aside after a fresh start; nil if the tree does not know it.
  var resolver: Resolver?
  /// The restored states of live objects that may have keys which their builds do not know, by object: they stay with it
  /// whatever its path is, and when an offer is restored that lacks it.
  var unknownKeys: [ObjectIdentifier: UnknownKeys] = [:]
  var registered = RegisteredObjects()
  /// The last capture; also a fallback for objects whose encoding fails.
  var lastSnapshot: Snapshot?
  /// What the last capture has saved of which object.
  var savedObjects: SavedObjects?
  /// The objects that the last capture of everything has saved of those with one path.
  var duplicates: [RestorationPath: WeakObject] = [:]
  /// The number of nodes of the last capture of everything.
  var lastNodeCount: Int?
  /// The tree of the last capture, if the next one can be of the changes alone.
  var captured: CapturedTree?
  /// The writers of the last captures of everything and of changes, kept because they already have the keys of this app.
  var writer: ArchiveWriter?
  var changeWriter: ArchiveWriter?
  /// The registration of a signal that only captures of changes use.
  var ownSignal: SignalRegistration?
  var isPreserving = false
  /// Called with a line about state that an object which came late did not take in.
  var reportKept: ((String) -> Void)?
  /// Returns the other open archives of the app, with their trees; nil without an app.
  var others: (() -> [(archive: ArchiveName, tree: RestorableTree)])?
  /// The tree as it was when the app said that it ends.
  var ending: EndingTree?
  /// The report of an archive that was refused, once state is set aside.
  var earlierReport: RestorationReport?

  /// Creates a tree.
  ///
  /// - Parameters:
  ///   - roots: The top-level objects, in restoration order.
  ///   - delegate: Decides for the app as a whole; held strongly.
  public init(roots: [any Restorable] = [], delegate: (any RestorationDelegate)? = nil) {
    storedRoots = roots
    makeRoots = nil
    self.delegate = delegate
  }

  /// Creates a tree with roots that are stored elsewhere.
  ///
  /// - Parameters:
  ///   - roots: Returns the top-level objects, in restoration order; called whenever they are needed.
  ///   - delegate: Decides for the app as a whole; held strongly.
  public init(roots: @escaping () -> [any Restorable], delegate: (any RestorationDelegate)? = nil) {
    storedRoots = []
    makeRoots = roots
    self.delegate = delegate
  }

  /// The report of the restored archive, up to now; nil if none was restored.
  public var report: RestorationReport? {
    session?.isOfArchive == false ? earlierReport : session?.makeReport(excessCompletions: activity.excessCompletions)
  }

  /// Releases the memory of earlier captures; the next one then captures everything.
  func releaseCaches() {
    guard !isBusy else { return }
    (captured, writer, changeWriter) = (nil, nil, nil)
  }

  var isBusy: Bool { isPreserving || session?.isRunning == true }

  // MARK: Restoring

  /// Restores an archive: creates or finds all objects, decodes each, and notifies each after all are decoded.
  ///
  /// Returns once everything is decoded, so that the first frame can show the restored state. An error in a node
  /// affects only that node and appears in the report. If the archive is refused, the app starts fresh, and the report
  /// records the decision about the archive.
  ///
  /// - Parameters:
  ///   - archive: The saved archive.
  ///   - resolver: Decides which object is restored for each node.
  ///   - options: The restoration options.
  /// - Returns: The outcome of each node.
  /// - Throws: ``RestorationError`` if an archive was already restored, or if called from a callback of the engine.
  public func restore(
    from archive: ArchiveReader, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> RestorationReport {
    try restore(from: archive, with: resolver, options: options, isAgain: false)
  }

  /// Restores an archive; `isAgain` permits this for an app that was restored and whose state is saved.
  func restore(
    from archive: ArchiveReader, with resolver: Resolver, options: RestorationOptions, isAgain: Bool,
    progress: (any CallbackRecorder)? = nil
  ) throws -> RestorationReport {
    guard !isBusy, isAgain || condition != .restored else {
      throw RestorationError(.wrongTime, "an archive is restored once, and not from within a callback")
    }
    let session = RestorationSession(
      application: self, archive: archive, resolver: resolver, options: options, progress: progress, isMerging: isAgain)
    let earlier = self.session
    if let earlier { session.takeOver(from: earlier) }
    self.session = session
    captured = nil
    session.isRunning = true
    defer {
      session.isRunning = false
      session.release()
      session.forgetDeadResidents()
    }
    if try restoreObjects(session, isAgain: isAgain) {
      // The callbacks may have changed the tree since the last traversal.
      session.withLiveness { session.noteResidents(at: 1..<session.tree.order.count, isLive: $0) }
      noteKeptStates(session)
      session.readPendingContents()
      session.isRunning = false
    } else {
      session.isRunning = false
      // State set aside after a fresh start still waits.
      if let earlier, !earlier.isOfArchive, earlier.holdsState {
        (self.session, earlierReport) = (earlier, session.makeReport(excessCompletions: activity.excessCompletions))
      }
      becomeFresh(.refused)
    }
    session.announceEnd()
    return session.makeReport(excessCompletions: activity.excessCompletions)
  }

  /// Restores the objects; returns false if the archive is refused.
  ///
  /// A function of its own, so that nothing here keeps an object alive that the app has let go meanwhile.
  private func restoreObjects(_ session: RestorationSession, isAgain: Bool) throws -> Bool {
    // Their state is neither restored nor gone.
    let earlierObjects = isAgain ? liveObjects : []
    guard try session.run() else { return false }
    condition = .restored
    (lastSnapshot, lastNodeCount) = (nil, nil)
    if !isAgain { savedObjects = nil }
    session.deferRegistered(registeredObjects)
    session.restoreLateRegistrations(notifiesOthers: false)
    finishRemainingObjects(except: earlierObjects)
    session.restoreLateRegistrations(notifiesOthers: true)
    return true
  }

  /// Starts without restored state.
  ///
  /// Notifies every participating object that there is no state for it.
  ///
  /// - Throws: ``RestorationError`` if an archive was already restored, or if called from a callback of the engine.
  public func startFresh(_ reason: FreshStartReason = .chosen) throws(RestorationError) {
    guard !isBusy, condition != .restored else {
      throw RestorationError(.wrongTime, "an app that was restored does not start fresh")
    }
    becomeFresh(reason)
  }

  private func becomeFresh(_ reason: FreshStartReason) {
    condition = .fresh
    delegate?.applicationStartsFresh(reason)
    for object in liveObjects { object.applicationFinishedRestoringState(.none) }
  }

  /// The objects in the tree, and the registered ones.
  private var liveObjects: [any Restorable] {
    var seen = IdentityTable()
    var objects: [any Restorable] = []
    LiveWalk.visit(roots + registeredObjects, seen: &seen) { objects.append($0) }
    return objects
  }

  /// Notifies the objects without restored state, and marks created objects that no live object has adopted.
  ///
  /// - Parameter earlier: The objects that go on as they are, because an offer lacks them; they are not told anything.
  private func finishRemainingObjects(except earlier: [any Restorable]) {
    guard let session else { return }
    let isEarlier = Set(earlier.map { ObjectIdentifier($0) })
    var live = IdentityTable(capacity: session.tree.entries.count)
    var remaining: [any Restorable] = []
    let (roots, registered) = (self.roots, registeredObjects)
    LiveWalk.visit(roots + registered, seen: &live) { object in
      guard let index = session.entry(boundTo: object), session.objects[index] === object else {
        return remaining.append(object)
      }
    }
    for object in remaining where !isEarlier.contains(ObjectIdentifier(object)) {
      // A crash in an object without a node is not the fault of any node.
      session.announceWaiting()
      object.applicationFinishedRestoringState(.none)
    }
    session.noteRivals(among: remaining, roots, registered)
    session.markUnadopted(at: 1..<session.tree.order.count) { live[$0] != nil }
  }

  // MARK: Unclaimed state

  /// Discards the unclaimed state at a path and below it, because its subject no longer exists.
  ///
  /// Call this when the user deletes a document, or closes a tab, for which no object was created at this launch.
  /// Claimed state is not affected; it is dropped when its object is closed. A factory that already knows this during
  /// restoration returns ``FactoryResult/gone``.
  ///
  /// - Parameter path: The path, before or after aliases.
  /// - Returns: Whether there was any unclaimed state.
  @discardableResult
  public func discardState(at path: RestorationPath) -> Bool {
    guard let session else { return false }
    var hasDiscarded = session.discardPending(at: path)
    if !hasDiscarded, !isBusy, session.entry(at: path) == nil, !session.pendingEntries().isEmpty {
      // What waits below an object that was renamed since the last save.
      walk(for: session)
      session.livePath = nil
      hasDiscarded = session.discardPending(at: path)
    }
    if hasDiscarded { changes?.signal.send() }
    return hasDiscarded
  }

  /// Finds the path of each live object in the next save.
  ///
  /// State below an object that was renamed or moved follows the object.
  func walk(for session: RestorationSession) {
    let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? capture.walk()) != nil else { return }
    let path: (any Restorable) -> RestorationPath? = { capture.tree.number(of: $0).map(capture.tree.path) }
    session.followObjects(to: path)
    session.livePath = path
  }

  /// Returns the restored properties of an object, found once; their changes are reported from now on.
  ///
  /// - Throws: The errors of ``RestoredProperties/find(of:at:)``.
  func restoredProperties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    let found = try RestoredProperties.find(of: object, at: path)
    found?.report(to: changes?.signal)
    return found
  }

  // MARK: Waiting for the state

  /// Marks the saved state as not available yet, for example because the device is locked or a disk is not mounted.
  ///
  /// The app can be shown and used in the meantime. Saves are deferred; ``takeDeferredPreservation()`` returns the
  /// newest.
  ///
  /// - Throws: ``RestorationError`` if the app has already restored or started fresh.
  package func awaitState() throws {
    guard condition == .undecided, !isBusy else {
      throw RestorationError(.wrongTime, "only an app that has not started waits for its state")
    }
    condition = .pending
  }

  /// Delivers the awaited state, or nil if there is none.
  ///
  /// The state is restored only if the app has neither started fresh nor saved newer state in the meantime.
  ///
  /// - Returns: The outcome of each node; nil if the app starts, or has started, without the state.
  /// - Throws: ``RestorationError`` as ``restore(from:with:options:)`` does, and if the app does not wait for its state.
  @discardableResult
  package func deliver(
    _ archive: ArchiveReader?, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> RestorationReport? {
    guard condition != .undecided else { throw RestorationError(.wrongTime, "the app does not wait for its state") }
    guard condition == .pending else { return nil }
    if deferredPreservation != nil {
      becomeFresh(.newerState)
      return nil
    }
    guard let archive else {
      try startFresh(.nothingSaved)
      return nil
    }
    return try restore(from: archive, with: resolver, options: options)
  }

  /// Returns the deferred save once it may be written, and clears it; nil while the saved state is awaited, and if no save
  /// was deferred.
  public func takeDeferredPreservation() -> Preservation? {
    if condition == .pending { return nil }
    defer { deferredPreservation = nil }
    var deferred = deferredPreservation
    deferred?.isDeferred = false
    return deferred
  }

  /// Restores an archive that is read asynchronously; saves are deferred until it arrives.
  ///
  /// Reading may happen on another thread, since only the archive is returned. Everything else runs on the caller's
  /// actor.
  ///
  /// - Parameters:
  ///   - resolver: Decides which object is restored for each node.
  ///   - options: The restoration options.
  ///   - read: Reads the saved archive; returns nil if there is none.
  /// - Returns: The outcome of each node; nil if the app starts, or has started, without the state.
  /// - Throws: The error of `read`, after which the app is still waiting; ``RestorationError`` as
  ///   ``restore(from:with:options:)`` does.
  @discardableResult
  nonisolated(nonsending) public func restore(
    with resolver: Resolver, options: RestorationOptions = RestorationOptions(), reading read: () async throws -> ArchiveReader?
  ) async throws -> RestorationReport? {
    if condition == .undecided { try awaitState() }
    let archive = try await read()
    return try deliver(archive, with: resolver, options: options)
  }

  // MARK: Kept states

  /// Records the first encoding of each object that stands at the path of state that it did not take in, before the user
  /// can change it.
  ///
  /// Called when restoring ends, and for objects that come in the rest of that turn of the actor, when it ends. If `newcomer`
  /// is given, only that object and its descendants are considered: others may have changed since.
  func noteKeptStates(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    // Encoding may register objects; while restoring runs, they wait for its end.
    defer { if session.isRunning { session.restoreLateRegistrations(notifiesOthers: true) } }
    guard session.holdsState, newcomer != nil || session.isFirstTurn else { return }
    if newcomer == nil, session.keepsApplicationState, session.kept[0] == nil, delegate != nil {
      let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
      session.kept[0] = KeptState(object: nil, encoding: capture.digestOfApplicationState())
    }
    let waiting = session.pendingEntries().filter { session.kept[$0] == nil }
    guard !waiting.isEmpty, !roots.isEmpty || !registered.isEmpty else { return }
    let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? capture.walk()) != nil else { return }
    session.followObjects { capture.tree.number(of: $0).map(capture.tree.path) }
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
      // What was saved before the archive was restored into the running app goes on being saved.
      let isKnown = session.blanks[ObjectIdentifier(object)]?.object === object
      if isKnown || session.isMerging && savedObjects?.tree.sealedPath(of: object) != nil { continue }
      session.blanks[ObjectIdentifier(object)] = KeptState(object: object, encoding: capture.digest(of: number))
    }
  }
}

/// The condition of an app with respect to its saved state.
package enum RestorationCondition: String, Sendable {
  /// Neither ``RestorableTree/restore(from:with:options:)`` nor ``RestorableTree/startFresh(_:)`` was
  /// called; saving is not allowed yet.
  case undecided
  /// The state may arrive later, for example from a locked device or an unmounted disk; saves are deferred.
  case pending
  /// The app started without restored state.
  case fresh
  /// The app was restored.
  case restored
}
