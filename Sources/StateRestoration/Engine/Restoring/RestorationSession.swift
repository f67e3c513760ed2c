import RestorationArchive

/// The restoration of one archive: creates or finds all objects, decodes each, then notifies them.
///
/// The session is kept after restoring, because objects may still register for unclaimed state.
final class RestorationSession {
  /// The progress of an entry of the tree.
  struct Progress {
    /// The outcome; nil until decided.
    var outcome: RestorationOutcome?
    /// The index of the factory that was called, or one of the constants below.
    var rule: Int32 = noRule
    /// Whether the object already existed.
    var isLocated = false
    /// Whether a factory created the object, so that it needs to be adopted.
    var isMade = false
    /// Whether an object has taken the state in, or does not want it at this launch; it is then not carried over.
    var isConsumed = false
    /// Whether the object was not in the live tree when restoring ended.
    var isUnadopted = false
    /// Whether the object existed already and was no child of its parent any more when that had decoded.
    var isDropped = false
    /// Whether a factory has asked for the state.
    var isReadByFactory = false
    /// Whether the object has live children; nil if they have not been looked up.
    var hasLiveChildren: Bool?

    /// Records that the entry has an object, which already existed or was made.
    mutating func bind(isLocated: Bool) { (outcome, self.isLocated, isMade) = (nil, isLocated, !isLocated) }

    /// Records that the object has decoded the state.
    mutating func restore() { (outcome, isConsumed) = (isLocated ? .located : .restored, true) }
  }

  static let noRule: Int32 = -1
  static let delegateRule: Int32 = -2
  static let liveRule: Int32 = -3

  weak var application: RestorableTree?
  let archive: ArchiveReader
  let resolver: Resolver
  let options: RestorationOptions
  let leftNodes: QuarantinedNodes

  /// The entries of objects since they were released: until the first capture after restoring, and of those that came late.
  private var decoded = DecodedObjects()

  // These are accessed several times for each node, and hold no object of the app, only errors of its upgrades: no access to
  // them runs its code, and so none overlaps another.

  /// The saved nodes, and the progress of each.
  @safe @exclusivity(unchecked) var tree: SavedTree
  @safe @exclusivity(unchecked) var progress: [Progress]
  /// The entry that each object is bound to.
  @safe @exclusivity(unchecked) var entryNumbers: IdentityTable
  /// The types of nodes, by type number.
  @safe @exclusivity(unchecked) var types = [SavedType(tag: nil, schemaVersion: 0, factory: nil)]

  /// The object of each entry, during restoration.
  var objects: [(any Restorable)?]
  /// The objects that others have replaced, during restoration.
  var replacedObjects: [any Restorable] = []
  /// The live children by identifier, for each entry whose object has children.
  var liveChildren: [Int: [TextKey: any Restorable]] = [:]
  /// The upgraded application state, if any; the state in the archive is then outdated.
  let applicationNode: BoxedNode?
  let context = WeakSession()
  let userInfo: [CodingUserInfoKey: Any]
  /// Whether any object has registered.
  var hasRegistered: Bool
  /// The last factory request, reused for the next factory unless the app has retained it.
  var lastRequest: FactoryRequest?
  /// The error message of each failed entry.
  var errors: [Int: String] = [:]
  /// The resolution steps of each entry, if they are traced.
  var traces: [Int: [String]] = [:]
  /// Live objects by path, for references to objects that this session has not bound; built on demand.
  var liveIndex: [RestorationPath: any Restorable]?
  /// Registered objects by path; built on demand.
  var registeredIndex: [RestorationPath: any Restorable]?
  /// Registered objects by parent.
  var registeredChildren: [ObjectIdentifier: [TextKey: any Restorable]] = [:]
  /// Whether the session is that of a saved archive, and does not only hold state that was set aside.
  var isOfArchive = true
  /// The refusal of the archive as a whole.
  var refusal: RestorationPolicy.Refusal?
  var notes: [RestorationReport.Note] = []
  /// Unclaimed states, read when restoring ended.
  var pendingContents: [Int: NodeReader.Contents] = [:]
  /// By quarantined path, the current path of the node that it applies to, and the digest of its state if that can be read.
  var foundQuarantined: [RestorationPath: (path: RestorationPath, digest: UInt64?)] = [:]
  /// The entries quarantined by themselves rather than through an ancestor; 0 is the application state.
  var quarantined: Set<Int> = []
  /// The states that are kept beside an object; 0 is the application state, kept beside the delegate.
  var kept: [Int: KeptState] = [:]
  /// Whether the turn of the actor lasts in which restoring has ended, and nothing was saved.
  var isFirstTurn = true
  /// The objects without state of their own in the archive, below objects beside which state is kept.
  var blanks: [ObjectIdentifier: KeptState] = [:]
  /// The objects that were made for a path although there was a live one, by the live one.
  var rivals: [ObjectIdentifier: (live: WeakObject, made: WeakObject)] = [:]
  /// The objects that were restored, and were not in the live tree when restoring ended.
  var unadopted: [Int: WeakObject] = [:]
  /// The entries that these objects, and earlier ones of the same entries, were restored from or set aside as.
  var placeless: [ObjectIdentifier: (object: WeakObject, entry: Int)] = [:]
  /// The keys that were read of each entry, if the report is to note the others.
  var readKeys: [Int: ReadKeys] = [:]
  /// The keys that factories read, which their objects know.
  var keysOfFactories: [Int: ReadKeys] = [:]
  /// The first error of each object that decoded a part of its properties.
  var partialFailures: [Int: any Error] = [:]
  /// The targets of decoded references that led to no object.
  var waitingReferences: [ObjectIdentifier: WaitingReferences] = [:]
  /// The losses that were found when state was set aside; the next save reports them.
  var unreported: (notes: [PreservationReport.Note], quarantineChanges: Set<RestorationPath>) = ([], [])
  /// The entries moved by aliases, by archived path; built on demand.
  var movedEntries: [RestorationPath: Int]?
  /// The types whose saved schema version is newer than that of this build, once noted.
  var typesOfNewerSchema: Set<Int> = []
  /// The decoded application state that may have to be preserved.
  var unknownApplicationKeys: UnknownKeys?
  /// The last known object at the path of each entry with unclaimed state at or below it.
  var residents: [Int: WeakObject] = [:]
  /// The entries whose resident has been at their paths.
  var placed: Set<Int> = []
  /// The tree before entries have followed their objects, for the report and for saved references; nil if none has.
  var restoredTree: SavedTree?
  /// The entries that have followed their objects since they were restored, by their paths then; built on demand.
  var followedEntries: [RestorationPath: Int]?
  /// The paths in the last save of the entries that have followed their objects since.
  var formerPaths: [Int: RestorationPath] = [:]
  /// The entries whose objects had moved elsewhere when they were set aside there: the state below was not closed.
  var vacated: Set<Int> = []
  /// The entries whose resident was recorded during restoration, when the session itself kept objects alive; they are
  /// checked again afterwards.
  var newResidents: Set<Int> = []
  /// The pending entries at the last query; after restoring has ended, their number can only decrease.
  var waiting: [Int]?
  /// The identifiers of these entries and of those above them; built on demand.
  var waitingIdentifiers: Set<TextKey>?
  /// Returns the path that the next save gives a live object, while objects are restored that come late.
  var livePath: ((any Restorable) -> RestorationPath?)?
  /// Whether the app requested deletion of the saved state, so that none of it may be saved again.
  var isForgotten = false
  /// Whether the saved state counts: the archive was not refused, and the app has not forgotten it.
  var holdsState: Bool { refusal == nil && !isForgotten }
  /// Objects registered while this session ran.
  var lateRegistrations: [any Restorable] = []
  /// Whether this session is calling into the app, so that others have to wait.
  var isRunning = false
  /// Whether the app runs already, so that containers keep the live children that the archive lacks.
  let isMerging: Bool
  /// Whether a call was announced since restoring ended, or since the last `ended` phase after that.
  private var hasCalled = false
  /// Records the running callback until restoring has ended.
  private var runningProgress: (any CallbackRecorder)?
  /// Records the callbacks of objects that register later.
  private let lateProgress: (@Sendable (RestorationPhase, RestorationPath, _ node: Int) -> Void)?
  /// The number of entries that were in the archive; each of them has the number of its node.
  private let archivedCount: Int

  /// Returns the entry that an object is bound to.
  func entry(boundTo object: any Restorable) -> Int? { entryNumbers[object] }

  /// Returns the entry whose state an object has taken in since the last capture.
  func entry(takenInBy object: any Restorable) -> Int? {
    guard let index = entryNumbers[object] ?? decoded.entry(of: object), progress[index].isConsumed else { return nil }
    return index
  }

  /// Forgets which object has taken in which state: a capture has them all.
  func forgetDecoded() { decoded = DecodedObjects() }

  /// Releases the table of bound objects; what they have taken in stays known.
  func releaseEntryNumbers() {
    var numbers = IdentityTable()
    swap(&numbers, &entryNumbers)
    decoded.add(numbers, objects, replacedObjects)
  }

  /// Records that an object was registered.
  func noteRegistration(of object: any Restorable, at path: RestorationPath?) {
    liveIndex = nil
    hasRegistered = true
    if let application, registeredIndex != nil { addToRegisteredIndex(object, path, application) }
  }

  /// A reference that an object decoded as nil.
  struct WaitingReference {
    /// Its place in the decoded list.
    let place: Int
    /// The name of the class of the list that it has left; nil if it is nil in its place.
    let list: String?
    /// The entry that it leads to, and that had no object; nil if null was stored, or there is no such entry.
    var entry: Int?
  }

  /// The references of an object, or of the delegate, that it decoded as nil, in order, by key.
  struct WaitingReferences {
    weak var owner: AnyObject?
    var references: [TextKey: [WaitingReference]] = [:]
  }

  init(
    application: RestorableTree, archive: ArchiveReader, resolver: Resolver, options: RestorationOptions,
    progress: (any CallbackRecorder)?, isMerging: Bool
  ) {
    self.application = application
    self.isMerging = isMerging
    runningProgress = progress
    lateProgress = progress?.noteLate
    self.archive = archive
    self.resolver = resolver
    self.options = options
    var tree = SavedTree(archive, moves: resolver.registered.moves)
    archivedCount = tree.archivedCount
    var pass = UpgradePass(resolver, of: archive)
    let leftNodes = QuarantinedNodes(options, in: archive, resolver)
    self.leftNodes = leftNodes
    if !options.quarantined.isEmpty { pass.isLeft = { leftNodes.quarantine(of: $0, archived: $1) != nil } }
    if let progress {
      pass.willUpgrade = { index, paths in
        progress.note(.decoding, node: index)
        if progress.hasSuspects { progress.noteSuspect(.decoding, paths()) }
      }
    }
    pass.run(on: &tree)
    progress?.noteWaiting()
    let count = tree.entries.count
    self.tree = tree
    self.progress = Array(repeating: Progress(), count: count)
    objects = Array(repeating: nil, count: count)
    entryNumbers = IdentityTable(capacity: count)
    hasRegistered = !application.registered.isEmpty
    userInfo = [.restorationSession: context]
    applicationNode = tree.replacements[0] == nil ? nil : tree.node(of: 0).map { BoxedNode($0) }
    context.session = self
    numberTypes()
    for (index, key, isOfChild) in pass.dropped {
      if tree.upgradeErrors[index] != nil || tree.upgradeErrors[tree.entries[index].parent] != nil { continue }
      let key = key.quotedForDisplay
      let what =
        isOfChild
        ? "the value under \(key) is dropped: an upgrade moves one here that was saved later"
        : "a value that an upgrade moves here is dropped: there is one under \(key) already"
      note(.lost, path(of: index), what)
    }
  }

  /// Numbers the types: first those of the archive, with the archive's numbers, then those of upgraded nodes.
  private func numberTypes() {
    for type in archive.nodeTypes { addType(type.tag, type.schemaVersion) }
    var numbers: [TextKey: [Int: Int]] = [:]
    for (index, node) in tree.replacements {
      let key = TextKey(node.type ?? "")
      let number = numbers[key]?[node.schemaVersion] ?? addType(node.type, node.schemaVersion)
      numbers[key, default: [:]][node.schemaVersion] = number
      tree.setType(number, of: index)
    }
  }

  /// Returns the number of a type with a version, and adds it if it is new.
  func typeNumber(of tag: String, _ schemaVersion: Int) -> Int {
    let current = resolver.currentType(tag) ?? tag
    let known = types.lastIndex { $0.schemaVersion == schemaVersion && $0.tag?.isSameText(as: current) == true }
    return known ?? addType(tag, schemaVersion)
  }

  @discardableResult
  private func addType(_ saved: String?, _ schemaVersion: Int) -> Int {
    let tag = resolver.currentType(saved)
    types.append(SavedType(tag: tag, schemaVersion: schemaVersion, factory: resolver.factory(ofType: tag)))
    return types.count - 1
  }

  /// Announces a call into the app for an entry, which the next launch blames if the process dies in it.
  @inline(__always)
  func announce(_ phase: RestorationPhase, _ index: Int, tellsObserver: Bool = true) {
    if let runningProgress {
      runningProgress.note(phase, node: index < archivedCount ? index : tree.nodeNumber(of: index))
      if runningProgress.hasSuspects { noteSuspect(phase, index) }
    } else {
      hasCalled = true
      lateProgress?(phase, path(of: index), tree.nodeNumber(of: index))
    }
    if tellsObserver { options.onCall?(phase, path(of: index)) }
  }

  /// Announces calls into the app for objects without an entry.
  func announceWaiting() {
    hasCalled = true
    runningProgress?.noteWaiting()
    options.onCall?(.waiting, .application)
  }

  private func noteSuspect(_ phase: RestorationPhase, _ index: Int) {
    runningProgress?.noteSuspect(phase, [path(of: index)] + (tree.archivedPaths[index].map { [$0] } ?? []))
  }

  /// Announces the end of restoring, unless no call was announced since the last one.
  func announceEndAfterCalls() {
    if hasCalled || runningProgress != nil { announceEnd() }
  }

  /// Announces the end of restoring, unless it is extended.
  func announceEnd() {
    hasCalled = false
    // While restoration is extended, termination of the process counts as a crash during restoration.
    let isExtended = application.map { $0.activity.count > 0 } ?? true
    if let runningProgress {
      runningProgress.end(isExtended: isExtended)
      self.runningProgress = nil
    } else {
      lateProgress?(isExtended ? .waiting : .ended, .application, 0)
    }
    options.onCall?(isExtended ? .waiting : .ended, .application)
  }

  func note(_ kind: RestorationReport.NoteKind, _ path: RestorationPath?, _ message: String) {
    notes.append(ReportNote(kind: kind, path: path, message: message))
  }

  /// Returns the request for a factory.
  func request(for index: Int) -> FactoryRequest {
    if isKnownUniquelyReferenced(&lastRequest), let request = lastRequest {
      request.reuse(for: index)
      return request
    }
    let request = FactoryRequest(self, index: index)
    lastRequest = request
    return request
  }
}

/// The entries that objects were bound to, without keeping the objects.
private struct DecodedObjects: ~Copyable {
  /// Keeps the memory of an object, and not the object, so that no other object gets its address.
  ///
  /// It is never read: that traps once the object is gone.
  private struct Pin {
    unowned let object: AnyObject
  }

  private var numbers = IdentityTable()
  private var pins: [Pin] = []

  func entry(of object: AnyObject) -> Int? { numbers[object] }

  /// Adds bound and replaced objects; an object that had an earlier entry gets the new one.
  mutating func add(_ added: consuming IdentityTable, _ objects: [(any Restorable)?], _ replaced: [any Restorable]) {
    if added.count == 0 { return }
    pins.reserveCapacity(pins.count + added.count)
    for object in replaced { pins.append(Pin(object: object)) }
    let isFirst = numbers.count == 0
    for number in added.numbers {
      guard let object = objects[number] else { continue }
      pins.append(Pin(object: object))
      if !isFirst { numbers.update(number, at: ObjectIdentifier(object)) }
    }
    if isFirst { numbers = added }
  }
}

/// A weak reference to a session for coders, which may outlive it.
final class WeakSession: CoderContext {
  weak var session: RestorationSession?

  override func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? {
    session?.object(at: target, for: nil, key: key)
  }

  override func currentPath(of target: RestorationPath) -> RestorationPath { session?.currentPath(ofSaved: target) ?? target }

  override func note(_ failure: any Error, of number: Int) -> Bool {
    guard let session, session.isRunning, number >= 0 else { return false }
    if session.partialFailures[number] == nil { session.partialFailures[number] = failure }
    return true
  }

  override func noteUnread(by object: any Restorable, _ coder: StateDecoder) { session?.noteUnread(by: object, coder) }

  override func restoredProperties(of object: AnyObject, at path: () -> RestorationPath) throws -> RestoredProperties? {
    guard let application = session?.application else { return try super.restoredProperties(of: object, at: path) }
    return try application.restoredProperties(of: object, at: path)
  }
}
