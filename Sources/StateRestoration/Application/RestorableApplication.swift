public import RestorationArchive

/// An app, or one scene of it, as saving and restoring see it: its root objects, its delegate, and where it stands with saved state.
///
///     let application = RestorableApplication(delegate: delegate)
///     let report = try application.restore(from: archive, with: resolver)
///     print(report.why("root/editors/2"))
///     …
///     let preservation = try application.preserve(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
///
/// Each archive has one of these: one for the app, one for each scene. It belongs to the thread or actor that the objects belong to.
public final class RestorableApplication {
  /// The objects of the topmost level, in the order in which they are to come back.
  public var roots: [any Restorable] {
    get { makeRoots?() ?? storedRoots }
    set {
      makeRoots = nil
      storedRoots = newValue
    }
  }
  private var storedRoots: [any Restorable]
  /// What answers for the roots, if they are kept elsewhere.
  private var makeRoots: (() -> [any Restorable])?
  /// What reports changes of the objects, if they are saved by themselves.
  var changes: ChangeTracking?
  /// The object that decides for the app as a whole.
  ///
  /// Held strongly: a delegate that nobody else held would be gone at once, and its decisions with it. A delegate that refers to the
  /// application does so weakly, or both live as long as the process.
  public var delegate: (any RestorationDelegate)?
  /// Where the app stands with saved state.
  public internal(set) var condition = RestorationCondition.undecided
  /// What goes on restoring after ``restore(from:with:options:)`` has returned.
  public let extensions = RestorationExtensions()
  /// What was saved last while the state was pending, to be written when it is clear that nothing newer comes.
  public internal(set) var heldPreservation: Preservation?

  /// The archive as which a store has restored this, or started it fresh; nil if none has.
  var storedAs: ArchiveName?
  var session: RestorationSession?
  var registered = RegisteredObjects()
  /// What was saved last, for objects that cannot encode their state.
  var lastSaved: PreservedArchive?
  /// The writer of the last save, which knows the keys of this app.
  var writer: ArchiveWriter?
  var isPreserving = false

  /// Makes an app.
  public init(roots: [any Restorable] = [], delegate: (any RestorationDelegate)? = nil) {
    storedRoots = roots
    self.delegate = delegate
  }

  /// Creates an app whose roots are kept elsewhere; `roots` is called whenever they are needed.
  public init(roots: @escaping () -> [any Restorable], delegate: (any RestorationDelegate)? = nil) {
    storedRoots = []
    makeRoots = roots
    self.delegate = delegate
  }

  /// What became of the nodes of the restored archive, up to now; nil if none was restored.
  public var report: RestorationReport? {
    session?.makeReport(excessCompletions: extensions.excessCompletions)
  }

  /// Whether a restored object has lost state that is still in the old archive, so that this should be kept.
  public var isDegraded: Bool { report?.isDegraded ?? false }

  var isBusy: Bool { isPreserving || session?.isRunning == true }

  // MARK: Restoring

  /// Restores an archive: makes or finds all objects, decodes each, and tells each when all are done.
  ///
  /// It returns when everything is decoded, so that the first frame can be right. What goes wrong with a node stays with it, and is in the
  /// report. A refused archive leaves the app fresh; the report says what becomes of the archive.
  ///
  /// - Parameters:
  ///   - archive: What was saved.
  ///   - resolver: Says which object is restored for which node.
  ///   - options: How to restore.
  /// - Returns: What became of each node.
  /// - Throws: ``RestorationError`` if an archive was restored already, or if a callback of the engine calls it.
  public func restore(
    from archive: ArchiveReader, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> RestorationReport {
    try restore(from: archive, with: resolver, options: options, isAgain: false)
  }

  /// The same; `isAgain` allows it for an app that was restored, of which the state is saved.
  func restore(
    from archive: ArchiveReader, with resolver: Resolver, options: RestorationOptions, isAgain: Bool
  ) throws -> RestorationReport {
    guard !isBusy, isAgain || condition != .restored else {
      throw RestorationError(.wrongTime, "an archive is restored once, and not from within a callback")
    }
    let session = RestorationSession(application: self, archive: archive, resolver: resolver, options: options)
    self.session = session
    session.isRunning = true
    defer {
      session.isRunning = false
      session.release()
      session.forgetDeadResidents()
    }
    if try session.run() {
      condition = .restored
      lastSaved = nil
      session.restoreLateRegistrations(tellsOthers: false)
      finishRemainingObjects()
      session.restoreLateRegistrations(tellsOthers: true)
      session.readPendingContents()
      noteResidents(of: session)
      noteQuarantinedObjects(session)
    } else {
      session.isRunning = false
      condition = .fresh
      delegate?.applicationStartsFresh(.refused)
      finishAllObjects()
    }
    session.announceSettling()
    return session.makeReport(excessCompletions: extensions.excessCompletions)
  }

  /// Starts without restored state.
  ///
  /// Every object that takes part is told that there is nothing for it.
  ///
  /// - Throws: ``RestorationError`` if an archive was restored already, or if a callback of the engine calls it.
  public func startFresh(_ reason: FreshStartReason = .chosen) throws {
    guard !isBusy, condition != .restored else {
      throw RestorationError(.wrongTime, "an app that was restored does not start fresh")
    }
    condition = .fresh
    delegate?.applicationStartsFresh(reason)
    finishAllObjects()
  }

  /// Tells the objects that were not restored that there was nothing for them, and marks made objects that nobody adopted.
  private func finishRemainingObjects() {
    guard let session else { return }
    var live = IdentityTable(capacity: session.tree.entries.count)
    var remaining: [any Restorable] = []
    LiveWalk.visit(roots + registeredObjects, seen: &live) { object in
      guard let index = session.entry(boundTo: object), session.isObject(object, of: index) else {
        return remaining.append(object)
      }
    }
    for object in remaining {
      // No node is to blame for what an object does that has none.
      session.announce(.waiting, 0)
      object.applicationFinishedRestoringState(.none)
    }
    session.markUnadopted(at: 1..<session.tree.order.count) { live[$0] != nil }
  }

  /// Notes the objects that live at or above state that nobody took.
  private func noteResidents(of session: RestorationSession) {
    var live = IdentityTable()
    var isWalked = false
    session.noteResidents(at: 1..<session.tree.order.count) { object in
      // The callbacks may have changed the tree since it was last gone over.
      if !isWalked { LiveWalk.visit(roots + registeredObjects, seen: &live) { _ in } }
      isWalked = true
      return live[object] != nil
    }
  }

  private func finishAllObjects() {
    var seen = IdentityTable()
    var objects: [any Restorable] = []
    LiveWalk.visit(roots + registeredObjects, seen: &seen) { objects.append($0) }
    for object in objects { object.applicationFinishedRestoringState(.none) }
  }
}
