import ArchiveFormat
import RestorationArchive

/// The restoration of one archive: creates or finds all objects, decodes each, then notifies them.
///
/// The session is kept after restoring, because objects may still register for unclaimed state.
final class RestorationSession {
  /// The progress of an entry of the tree.
  struct Progress {
    /// The outcome; nil until decided.
    var outcome: RestorationOutcome?
    /// The number of the factory that was asked, or one of the constants below.
    var rule: Int32 = noRule
    /// Whether the object already existed.
    var isLocated = false
    /// Whether a factory created the object, so that it needs to be adopted.
    var isMade = false
    /// Whether an object has claimed the state, so that it is not carried over.
    var isConsumed = false
    /// Whether the object was not in the live tree when restoring ended.
    var isUnadopted = false
    /// Whether the children of the object have been looked up.
    var hasLiveChildren = false
  }

  static let noRule: Int32 = -1
  static let delegateRule: Int32 = -2
  static let liveRule: Int32 = -3

  weak var application: RestorableApplication?
  let archive: ArchiveReader
  let resolver: Resolver
  let options: RestorationOptions
  let state: UncheckedBox<State>
  /// The error message of each failed entry.
  var errors: [Int: String] = [:]
  /// The resolution steps of each entry, if they are traced.
  var traces: [Int: [String]] = [:]
  /// Live objects by path, for references to objects that this session has not bound; built on demand.
  var liveIndex: [RestorationPath: any Restorable]?
  /// Registered objects by path; built on demand, and rebuilt after each registration.
  private var registeredIndex: [RestorationPath: any Restorable]?
  /// Registered objects by parent.
  private var registeredChildren: [ObjectIdentifier: [IdentifierKey: any Restorable]] = [:]
  /// The refusal of the archive as a whole.
  var refusal: RestorationPolicy.Refusal?
  var notes: [RestorationReport.Note] = []
  /// Unclaimed states, read when restoring ended.
  var pendingContents: [Int: PendingContents] = [:]
  /// Whether the launch report has been made; later failures are not in it.
  var isLaunchOver = false
  /// The paths of objects that were registered after the launch and could not be restored.
  var lateFailures: [RestorationPath] = []
  /// The digest of the state found at each quarantined path.
  var foundQuarantined: [RestorationPath: UInt64] = [:]
  /// The entries quarantined by themselves rather than through an ancestor, with the state of live objects there; 0 is
  /// the application state.
  var quarantine: [Int: QuarantinedEntry] = [:]
  /// The decoded keys that may have to be preserved, by path of the object.
  var unknownKeys: [RestorationPath: UnknownKeys] = [:]
  /// The entries moved by aliases, by archived path; built on demand.
  private var movedEntries: [RestorationPath: Int]?
  /// The decoded application state that may have to be preserved.
  var unknownApplicationKeys: UnknownApplicationKeys?
  /// The children by identifier, of entries with many children; built on demand.
  private var childIndexes: [Int: [IdentifierKey: Int]] = [:]
  /// The last known object at the path of each entry with unclaimed state at or below it.
  var residents: [Int: WeakObject] = [:]
  /// The entries whose resident was recorded while restoring still kept objects alive.
  var newResidents: Set<Int> = []
  /// The pending entries at the last query; after restoring has ended, their number can only decrease.
  private var waiting: [Int]?
  /// Whether the app requested deletion of the saved state, so that none of it may be saved again.
  var isForgotten = false
  /// Objects registered while this session ran.
  var lateRegistrations: [any Restorable] = []
  /// Whether this session is calling into the app, so that others have to wait.
  var isRunning = false
  /// Whether the observer was notified of a call since the last *settling* phase.
  private var hasCalled = false

  /// State that is accessed for every node.
  ///
  /// No access calls into the app, so exclusivity checks are unnecessary.
  struct State: ~Copyable {
    var tree: SavedTree
    var progress: [Progress]
    /// The object of each entry, during restoration.
    var objects: [(any Restorable)?]
    /// The entry that each object is bound to.
    var boundEntries = IdentityTable()
    /// The live children by identifier, for each entry whose object has children.
    var liveChildren: [Int: [IdentifierKey: any Restorable]] = [:]
    /// The types of nodes, by type number.
    var types: [SavedType] = []
    var context: WeakSession?
    /// The upgraded application state, if any; the state in the archive is then outdated.
    var applicationNode: BoxedNode?
    var userInfo: [CodingUserInfoKey: Any] = [:]
    /// Whether any object has registered.
    var hasRegistered = false
    /// The last factory request, reused for the next factory unless the app has retained it.
    var request: FactoryRequest?
  }

  // Read access for other types.
  var tree: SavedTree { state.value.tree }
  var progress: [Progress] { state.value.progress }
  var objects: [(any Restorable)?] { state.value.objects }

  /// Returns the entry that an object is bound to.
  func entry(boundTo object: any Restorable) -> Int? { state.value.boundEntries[object] }

  /// Returns whether an object is the object of an entry.
  func isObject(_ object: any Restorable, of index: Int) -> Bool { state.value.objects[index] === object }

  /// The entries with a bound object.
  var boundEntries: Set<Int> { Set(state.value.boundEntries.numbers) }

  /// Records that an object was registered or unregistered.
  func noteRegistration() {
    liveIndex = nil
    state.value.hasRegistered = true
  }

  /// The contents of an entry to carry over.
  struct PendingContents {
    var provider: ProviderReference?
    var attributes: ArchiveDictionary
    var state: ArchiveDictionary
  }

  /// A dictionary key for a child of an entry.
  struct ChildKey: Hashable {
    let parent: Int
    let identifier: IdentifierKey
  }

  init(application: RestorableApplication, archive: ArchiveReader, resolver: Resolver, options: RestorationOptions) {
    self.application = application
    self.archive = archive
    self.resolver = resolver
    self.options = options
    var tree = SavedTree(archive, moves: resolver.moves)
    var pass = UpgradePass(resolver, of: archive)
    pass.run(on: &tree)
    let count = tree.entries.count
    state = UncheckedBox(
      State(tree: tree, progress: Array(repeating: Progress(), count: count), objects: Array(repeating: nil, count: count)))
    state.value.boundEntries = IdentityTable(capacity: count)
    state.value.hasRegistered = !application.registered.isEmpty
    let context = WeakSession(self)
    state.value.context = context
    state.value.userInfo = [.restorationSession: context]
    if state.value.tree.replacements[0] != nil { state.value.applicationNode = state.value.tree.node(of: 0).map { BoxedNode($0) } }
    numberTypes()
  }

  /// Numbers the types: first those of the archive, with the archive's numbers, then those of upgraded nodes.
  private func numberTypes() {
    state.value.types = [SavedType(tag: nil, schemaVersion: 0, factory: nil)]
    for type in archive.nodeTypes { addType(type.tag, type.schemaVersion) }
    var numbers: [IdentifierKey: [UInt32: Int]] = [:]
    for (index, node) in state.value.tree.replacements {
      let key = IdentifierKey(node.type ?? "")
      if numbers[key]?[node.schemaVersion] == nil {
        numbers[key, default: [:]][node.schemaVersion] = state.value.types.count
        addType(node.type, node.schemaVersion)
      }
      if let number = numbers[key]?[node.schemaVersion] { state.value.tree.setType(number, of: index) }
    }
  }

  private func addType(_ saved: String?, _ schemaVersion: UInt32) {
    let tag = resolver.currentType(saved)
    state.value.types.append(SavedType(tag: tag, schemaVersion: Int(schemaVersion), factory: resolver.factory(ofType: tag)))
  }

  // MARK: Entry queries

  func path(of index: Int) -> RestorationPath { state.value.tree.path(of: index) }

  /// Returns the type of an entry.
  func savedType(of index: Int) -> SavedType { state.value.types[state.value.tree.entries[index].facts.type] }

  /// Returns the number of the factory for an entry's type.
  func typeFactory(of index: Int) -> Int? { state.value.types[state.value.tree.entries[index].facts.type].factory }

  /// Returns the answer of an object's class for the type of an entry.
  func ask(_ kind: any Restorable.Type, about index: Int) -> SavedType.ClassAnswer {
    state.value.types[state.value.tree.entries[index].facts.type].ask(kind)
  }

  /// The type tags, by number.
  var typeTags: [String?] { state.value.types.map(\.tag) }

  func type(of index: Int) -> String? { state.value.types[state.value.tree.entries[index].facts.type].tag }

  func provider(of index: Int) -> ProviderReference? {
    guard let node = state.value.tree.node(of: index), node.hasProvider else { return nil }
    return try? node.everything().provider
  }

  /// Returns the object of the nearest ancestor that has one.
  func parentObject(of index: Int) -> (any Restorable)? {
    var parent = state.value.tree.entries[index].parent
    while parent > 0 {
      if let object = state.value.objects[parent] { return object }
      parent = state.value.tree.entries[parent].parent
    }
    return nil
  }

  /// Returns a decoder for the state of an entry.
  func decoder(of index: Int) throws -> StateDecoder { try decoder(of: index, at: path(of: index)) }

  /// Returns a decoder for the state of an entry with a known path.
  func decoder(of index: Int, at path: RestorationPath) throws -> StateDecoder {
    if let error = state.value.tree.upgradeErrors[index] { throw error }
    let place = state.value.tree.entries[index].facts.node
    if place < 0 { return try emptyDecoder() }
    if let node = state.value.tree.replacements[index] {
      return try decoder(of: index, node.moved(to: path), application: state.value.tree.node(of: 0).map { BoxedNode($0) })
    }
    // Not through a method of the tree: calling a method on the boxed tree copies it.
    return try decoder(
      of: index, archive.node(state.value.tree.nodes[place], at: path), application: state.value.applicationNode)
  }

  private func decoder(of index: Int, _ node: NodeReader, application: BoxedNode?) throws -> StateDecoder {
    try StateDecoder(
      node: node, userInfo: state.value.userInfo, number: index, context: state.value.context, application: application)
  }

  /// The schema of the application state, after upgrades.
  var applicationSchema: ApplicationSchema {
    var schema = ApplicationSchema(of: archive.header)
    if let upgrade = state.value.tree.upgrades[0] { schema.upgrade(to: upgrade.upperBound) }
    return schema
  }

  /// Returns a decoder for the application state; an empty one if the state cannot be read.
  func applicationDecoder() throws -> StateDecoder {
    do {
      return try decoder(of: 0)
    } catch {
      if errors[0] == nil { errors[0] = ErrorText.text(of: error) }
      return try emptyDecoder()
    }
  }

  /// Returns a decoder without any state.
  private func emptyDecoder() throws -> StateDecoder {
    let empty = try ArchiveReader(ArchiveWriter(like: archive).finish())
    return try StateDecoder(
      node: try empty.application(), userInfo: state.value.userInfo, number: 0, context: state.value.context)
  }

  /// Returns the child of an entry with an identifier; if there are several, the one read last.
  func child(_ identifier: String, of parent: Int) -> Int? {
    // Linear search is cheaper than hashing for a few children.
    if state.value.tree.entries[parent].childCount > 8 {
      if childIndexes[parent] == nil { childIndexes[parent] = makeChildIndex(of: parent) }
      return childIndexes[parent]?[IdentifierKey(identifier)]
    }
    var found: Int?
    var index = state.value.tree.entries[parent].firstChild
    while index >= 0 {
      if state.value.tree.entries[index].identifier.isSameText(as: identifier), index > found ?? -1 { found = index }
      index = state.value.tree.entries[index].nextSibling
    }
    return found
  }

  private func makeChildIndex(of parent: Int) -> [IdentifierKey: Int] {
    var children: [IdentifierKey: Int] = [:]
    children.reserveCapacity(state.value.tree.entries[parent].childCount)
    var index = state.value.tree.entries[parent].firstChild
    while index >= 0 {
      let key = IdentifierKey(state.value.tree.entries[index].identifier)
      children[key] = max(index, children[key] ?? -1)
      index = state.value.tree.entries[index].nextSibling
    }
    return children
  }

  /// Returns the entry at a path.
  func entry(at path: RestorationPath) -> Int? {
    var entry = 0
    for identifier in path.components {
      guard let next = child(identifier, of: entry) else { return nil }
      entry = next
    }
    return entry
  }

  /// Returns the entry at a path that may predate an alias.
  func entry(atSaved path: RestorationPath) -> Int? {
    if resolver.moves.isEmpty { return entry(at: path) }
    if movedEntries == nil {
      movedEntries = Dictionary(state.value.tree.archivedPaths.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
    // An alias whose target was taken was not applied to the node, although it matches the path.
    return movedEntries?[path] ?? entry(at: resolver.moved(path)) ?? entry(at: path)
  }

  func announce(_ phase: RestorationPhase, _ index: Int) {
    guard let observer = options.observer else { return }
    hasCalled = true
    observer.restorationWillCall(phase, path: path(of: index))
  }

  /// Announces the end of restoring, unless no call was announced since the last one.
  func announceEndAfterCalls() {
    if hasCalled { announceEnd() }
  }

  /// Announces the end of restoring, unless it is extended.
  func announceEnd() {
    hasCalled = false
    // While restoration is extended, termination of the process counts as a crash during restoration.
    guard let application, application.extensions.count == 0 else {
      options.observer?.restorationWillCall(.waiting, path: .application)
      return
    }
    options.observer?.restorationWillCall(.ended, path: .application)
  }

  func note(_ kind: RestorationReport.Note.Kind, _ path: RestorationPath?, _ message: String) {
    notes.append(RestorationReport.Note(kind: kind, path: path, message: message))
  }

  /// Returns a live object that is already at the path of an entry.
  func liveObject(at index: Int) -> (any Restorable)? {
    let parent = state.value.tree.entries[index].parent
    if parent == 0 || state.value.objects[parent] != nil {
      if !state.value.progress[parent].hasLiveChildren {
        state.value.progress[parent].hasLiveChildren = true
        let children = parent == 0 ? application?.roots ?? [] : state.value.objects[parent]?.restorationChildren ?? []
        if !children.isEmpty { state.value.liveChildren[parent] = Self.byIdentifier(children) }
      }
      if !state.value.liveChildren.isEmpty,
        let object = state.value.liveChildren[parent]?[IdentifierKey(state.value.tree.entries[index].identifier)]
      {
        return object
      }
    }
    return registeredObject(at: index)
  }

  private func registeredObject(at index: Int) -> (any Restorable)? {
    guard state.value.hasRegistered, let application, !application.registered.isEmpty else { return nil }
    let registered = liveObject(atPath: path(of: index), isRegistered: true)
    // If the parent was bound only later, the path of the object is known only now.
    guard registered == nil, let parent = state.value.objects[state.value.tree.entries[index].parent] else { return registered }
    return registeredChildren[ObjectIdentifier(parent)]?[IdentifierKey(state.value.tree.entries[index].identifier)]
  }

  /// Returns the live object at a path: a registered one, or, unless `isRegistered` is set, one reachable from the
  /// roots.
  func liveObject(atPath path: RestorationPath, isRegistered: Bool) -> (any Restorable)? {
    guard let application else { return nil }
    if liveIndex == nil {
      // A registered object or its parents may have been bound since.
      registeredIndex = nil
      liveIndex = LiveWalk.index(application.roots)
    }
    if registeredIndex == nil {
      registeredIndex = makeRegisteredIndex(application)
    }
    return registeredIndex?[path] ?? (isRegistered ? nil : liveIndex?[path])
  }

  private func makeRegisteredIndex(_ application: RestorableApplication) -> [RestorationPath: any Restorable] {
    var index: [RestorationPath: any Restorable] = [:]
    registeredChildren = [:]
    for (object, path) in application.registered.alive {
      if path == nil, let parent = object.restorationParent, let identifier = object.restorationIdentifier {
        let key = IdentifierKey(identifier)
        if registeredChildren[ObjectIdentifier(parent)]?[key] == nil {
          registeredChildren[ObjectIdentifier(parent), default: [:]][key] = object
        }
      }
      if let path = application.path(of: object, in: self), index[path] == nil { index[path] = object }
    }
    return index
  }

  private static func byIdentifier(_ objects: [any Restorable]) -> [IdentifierKey: any Restorable] {
    var result: [IdentifierKey: any Restorable] = [:]
    for object in objects {
      guard let identifier = object.restorationIdentifier else { continue }
      if result[IdentifierKey(identifier)] == nil { result[IdentifierKey(identifier)] = object }
    }
    return result
  }

  /// Returns the request for a factory.
  func request(for index: Int) -> FactoryRequest {
    if isKnownUniquelyReferenced(&state.value.request), let request = state.value.request {
      request.reuse(for: index)
      return request
    }
    let request = FactoryRequest(self, index: index)
    state.value.request = request
    return request
  }

  /// Releases everything that only restoring needs, so that it keeps no object alive.
  func release() {
    // This may release the last reference to an object. The objects are kept until all properties are consistent,
    // because their `deinit` can run other code.
    var objects = [(any Restorable)?](repeating: nil, count: state.value.objects.count)
    swap(&objects, &state.value.objects)
    let lookUps = takeLookUps()
    state.value.request = nil
    state.value.boundEntries = IdentityTable()
    withExtendedLifetime((objects, lookUps)) {}
  }

  /// Clears the lookup tables of live objects, so that they are built again.
  func forgetLookUps() {
    let lookUps = takeLookUps()
    withExtendedLifetime(lookUps) {}
  }

  /// The lookup tables of live objects.
  private struct LookUps {
    var children: [Int: [IdentifierKey: any Restorable]] = [:]
    var live: [RestorationPath: any Restorable]?
    var registered: [RestorationPath: any Restorable]?
    var registeredChildren: [ObjectIdentifier: [IdentifierKey: any Restorable]] = [:]
  }

  /// Clears the lookup tables, and returns their contents so that the caller releases them when all properties are
  /// consistent.
  private func takeLookUps() -> LookUps {
    for index in state.value.progress.indices { state.value.progress[index].hasLiveChildren = false }
    var taken = LookUps()
    swap(&taken.children, &state.value.liveChildren)
    swap(&taken.live, &liveIndex)
    swap(&taken.registered, &registeredIndex)
    swap(&taken.registeredChildren, &registeredChildren)
    return taken
  }

  /// Returns the entries with unclaimed state to carry over, in preorder.
  func pendingEntries() -> [Int] {
    if isRunning { return state.value.tree.order.filter { isPending($0) } }
    let pending = (waiting ?? state.value.tree.order).filter { isPending($0) }
    waiting = pending
    return pending
  }

  /// Returns whether an entry has unclaimed state to carry over.
  func isPending(_ index: Int) -> Bool {
    guard refusal == nil, !isForgotten, index > 0, !state.value.progress[index].isConsumed, state.value.tree.entries[index].facts.isSaved
    else { return false }
    switch state.value.progress[index].outcome {
    case .restored, .located, .notAdopted, .notDecoded, .placeholder: return false
    case .skipped(.tombstone), .skipped(.gone), .skipped(.closed), .skipped(.expired), .skipped(.refused): return false
    case .skipped, .later, .failed, .quarantined, nil: return true
    }
  }
}

/// A weak reference to a session for coders, which may outlive it.
final class WeakSession: CoderContext {
  weak var session: RestorationSession?
  init(_ session: RestorationSession) { self.session = session }
  var changes: ChangeTracking? { session?.application?.changes }
  func path(ofAny object: Any) -> RestorationPath? { nil }
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { session?.object(at: target, for: nil, key: key) }
}
