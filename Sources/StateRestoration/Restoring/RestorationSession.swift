import ArchiveFormat
import RestorationArchive

/// Restores one archive: makes or finds all objects, then decodes each, then says that it is done.
///
/// It is kept when restoring has finished, since objects may still register for what nobody took.
final class RestorationSession {
  /// What is known about an entry of the state.value.tree.
  struct Progress {
    /// What became of it; nil as long as it is not decided.
    var outcome: RestorationOutcome?
    /// The number of the factory that was asked, or one of the numbers below.
    var rule: Int32 = noRule
    /// Whether its object was there already.
    var isLocated = false
    /// Whether the object was made by a factory and has to be adopted.
    var isMade = false
    /// Whether an object has taken the state, so that it is not to be carried over.
    var isConsumed = false
    /// Whether its object was in nobody's children when restoring had ended.
    var isUnadopted = false
    /// Whether the children of its object were looked up.
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
  /// By entry: what went wrong.
  var errors: [Int: String] = [:]
  /// By entry: everything that was asked, if it is to be noted.
  var traces: [Int: [String]] = [:]
  /// Live objects by path, for references to what this session has not bound; made when one is needed.
  var liveIndex: [RestorationPath: any Restorable]?
  /// Registered objects by path; made when one is needed, and anew when one registers.
  private var registeredIndex: [RestorationPath: any Restorable]?
  /// Registered objects by the object that they lie under.
  private var registeredChildren: [ObjectIdentifier: [IdentifierKey: any Restorable]] = [:]
  /// Why the archive as a whole was not restored.
  var refusal: RestorationPolicy.Refusal?
  var notes: [RestorationReport.Note] = []
  /// States that nobody took, read when restoring ended.
  var pendingContents: [Int: PendingContents] = [:]
  /// Whether the report of the launch is made, so that what fails from now on is not in it.
  var isLaunchOver = false
  /// The paths of objects that came after the launch and could not be restored.
  var lateFailures: [RestorationPath] = []
  /// By path that is quarantined: the state that was found there.
  var foundQuarantined: [RestorationPath: UInt64] = [:]
  /// The entries that are quarantined by themselves, not for one above, and what became of live objects there; 0 is the application state.
  var quarantine: [Int: QuarantinedEntry] = [:]
  /// By path: what may have to be kept of what an object decoded.
  var keptKeys: [RestorationPath: KeptKeys] = [:]
  /// By path in the archive: the entries that aliases have moved; made when one is looked for.
  private var movedEntries: [RestorationPath: Int]?
  /// What may have to be kept of the application state that the delegate decoded.
  var keptApplicationKeys: KeptApplicationKeys?
  /// By entry with many children: those, by identifier; made when one is looked for.
  private var childIndexes: [Int: [IdentifierKey: Int]] = [:]
  /// By entry that has state waiting at or below it: the object that was at its path when that was last looked at.
  var residents: [Int: WeakObject] = [:]
  /// The entries of which that was noted while restoring still keeps objects alive.
  var newResidents: Set<Int> = []
  /// The entries that are pending, when they were last looked for: once restoring has ended there are only ever fewer.
  private var waiting: [Int]?
  /// Whether the app wants what was saved to be deleted, so that nothing of it may be saved again.
  var isForgotten = false
  /// Objects that have registered while this session ran.
  var lateRegistrations: [any Restorable] = []
  /// Whether this session calls into the app, so that others have to wait.
  var isRunning = false
  /// Whether the observer was told of a call since it was last told that restoring has settled.
  private var hasCalled = false

  /// What is touched for every node.
  ///
  /// No access to it calls into the app, so it needs no check that none is within another one.
  struct State: ~Copyable {
    var tree: SavedTree
    var progress: [Progress]
    /// By entry, while restoring goes on.
    var objects: [(any Restorable)?]
    /// By object: the entry that it is bound to.
    var boundEntries = IdentityTable()
    /// By entry whose object has children: those, by identifier.
    var liveChildren: [Int: [IdentifierKey: any Restorable]] = [:]
    /// The types of nodes, by the number that entries know them by.
    var types: [SavedType] = []
    var context: WeakSession?
    /// The upgraded application state, if it was upgraded: that of the archive is out of date.
    var applicationNode: BoxedNode?
    var userInfo: [CodingUserInfoKey: Any] = [:]
    /// Whether an object has ever registered.
    var hasRegistered = false
    /// What the last factory was asked with; it serves the next one too, unless somebody kept it.
    var request: FactoryRequest?
  }

  // For those who look from outside.
  var tree: SavedTree { state.value.tree }
  var progress: [Progress] { state.value.progress }
  var objects: [(any Restorable)?] { state.value.objects }

  /// The entry that an object is bound to.
  func entry(boundTo object: any Restorable) -> Int? { state.value.boundEntries[object] }

  /// Whether the object of an entry is this one.
  func isObject(_ object: any Restorable, of index: Int) -> Bool { state.value.objects[index] === object }

  /// The entries that have an object bound to them.
  var boundEntries: Set<Int> { Set(state.value.boundEntries.numbers) }

  /// Notes that an object has registered or is registered no more.
  func noteRegistration() {
    liveIndex = nil
    state.value.hasRegistered = true
  }

  /// What is carried over of an entry.
  struct PendingContents {
    var provider: ProviderReference?
    var attributes: ArchiveDictionary
    var state: ArchiveDictionary
  }

  /// A child of an entry, as a key.
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

  /// Numbers the types: those of the archive as it does, then those of upgraded nodes.
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

  // MARK: Asking about entries

  func path(of index: Int) -> RestorationPath { state.value.tree.path(of: index) }

  /// The type of an entry.
  func savedType(of index: Int) -> SavedType { state.value.types[state.value.tree.entries[index].facts.type] }

  /// The number of the factory of an entry's type.
  func typeFactory(of index: Int) -> Int? { state.value.types[state.value.tree.entries[index].facts.type].factory }

  /// What the class of an object says about the type of an entry.
  func ask(_ kind: any Restorable.Type, about index: Int) -> SavedType.ClassAnswer {
    state.value.types[state.value.tree.entries[index].facts.type].ask(kind)
  }

  /// The tags of the types, by number.
  var typeTags: [String?] { state.value.types.map(\.tag) }

  func type(of index: Int) -> String? { state.value.types[state.value.tree.entries[index].facts.type].tag }

  func provider(of index: Int) -> ProviderReference? {
    guard let node = state.value.tree.node(of: index), node.hasProvider else { return nil }
    return try? node.everything().provider
  }

  /// The object of the nearest entry above that has one.
  func parentObject(of index: Int) -> (any Restorable)? {
    var parent = state.value.tree.entries[index].parent
    while parent > 0 {
      if let object = state.value.objects[parent] { return object }
      parent = state.value.tree.entries[parent].parent
    }
    return nil
  }

  /// A decoder for the state of an entry.
  func decoder(of index: Int) throws -> StateDecoder { try decoder(of: index, at: path(of: index)) }

  /// A decoder for the state of an entry whose path is known.
  func decoder(of index: Int, at path: RestorationPath) throws -> StateDecoder {
    if let error = state.value.tree.upgradeErrors[index] { throw error }
    let place = state.value.tree.entries[index].facts.node
    if place < 0 { return try emptyDecoder() }
    if let node = state.value.tree.replacements[index] {
      return try decoder(of: index, node.moved(to: path), application: state.value.tree.node(of: 0).map { BoxedNode($0) })
    }
    // Not by a method of the tree: calling one on a tree that lies in a box copies the tree.
    return try decoder(
      of: index, archive.node(state.value.tree.nodes[place], at: path), application: state.value.applicationNode)
  }

  private func decoder(of index: Int, _ node: ArchivedNode, application: BoxedNode?) throws -> StateDecoder {
    try StateDecoder(
      node: node, userInfo: state.value.userInfo, number: index, context: state.value.context, application: application)
  }

  /// The form of the application state, after upgrades.
  var applicationSchema: ApplicationSchema {
    var schema = ApplicationSchema(of: archive.header)
    if let upgrade = state.value.tree.upgrades[0] { schema.upgrade(to: upgrade.upperBound) }
    return schema
  }

  /// A decoder for the application state; an empty one if that cannot be read.
  func applicationDecoder() throws -> StateDecoder {
    do {
      return try decoder(of: 0)
    } catch {
      if errors[0] == nil { errors[0] = ErrorText.text(of: error) }
      return try emptyDecoder()
    }
  }

  /// A decoder that has nothing to decode.
  private func emptyDecoder() throws -> StateDecoder {
    let empty = try ArchiveReader(ArchiveWriter(like: archive).finish())
    return try StateDecoder(
      node: try empty.application(), userInfo: state.value.userInfo, number: 0, context: state.value.context)
  }

  /// The child of an entry with an identifier; of several the one that was read last.
  func child(_ identifier: String, of parent: Int) -> Int? {
    // A few are compared one by one, which is cheaper than hashing.
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

  /// The entry at a path.
  func entry(at path: RestorationPath) -> Int? {
    var entry = 0
    for identifier in path.components {
      guard let next = child(identifier, of: entry) else { return nil }
      entry = next
    }
    return entry
  }

  /// The entry at a path that may be one of before an alias.
  func entry(atSaved path: RestorationPath) -> Int? {
    if resolver.moves.isEmpty { return entry(at: path) }
    if movedEntries == nil {
      movedEntries = Dictionary(state.value.tree.archivedPaths.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
    // Not all aliases that a path is subject to were applied to its node: one whose target was taken was not.
    return movedEntries?[path] ?? entry(at: resolver.moved(path)) ?? entry(at: path)
  }

  func announce(_ phase: RestorationPhase, _ index: Int) {
    guard let observer = options.observer else { return }
    hasCalled = true
    observer.restorationWillCall(phase, path: path(of: index))
  }

  /// Tells the observer that restoring has ended; not if it was told nothing before.
  func announceSettlingAfterCalls() {
    if hasCalled { announceSettling() }
  }

  /// Tells the observer that restoring has ended, unless it goes on.
  func announceSettling() {
    hasCalled = false
    // As long as something goes on restoring, a death counts as one while restoring.
    guard let application, application.extensions.count == 0 else {
      options.observer?.restorationWillCall(.waiting, path: .application)
      return
    }
    options.observer?.restorationWillCall(.settling, path: .application)
  }

  func note(_ kind: RestorationReport.Note.Kind, _ path: RestorationPath?, _ message: String) {
    notes.append(RestorationReport.Note(kind: kind, path: path, message: message))
  }

  /// An object that is at the path of an entry already.
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
    // The path of one whose parent was bound since is known only now.
    guard registered == nil, let parent = state.value.objects[state.value.tree.entries[index].parent] else { return registered }
    return registeredChildren[ObjectIdentifier(parent)]?[IdentifierKey(state.value.tree.entries[index].identifier)]
  }

  /// The live object at a path: registered, or, if that is wanted, found from the roots down.
  func liveObject(atPath path: RestorationPath, isRegistered: Bool) -> (any Restorable)? {
    guard let application else { return nil }
    if liveIndex == nil {
      // One that registered may have been bound since, and so may its parents.
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

  /// The request that a factory is asked with.
  func request(for index: Int) -> FactoryRequest {
    if isKnownUniquelyReferenced(&state.value.request), let request = state.value.request {
      request.reuse(for: index)
      return request
    }
    let request = FactoryRequest(session: self, index: index)
    state.value.request = request
    return request
  }

  /// Forgets what only restoring needs, so that no object is kept alive.
  func release() {
    // What is let go here may be the last to hold an object, and its end is told to nobody before all is in order again.
    var objects = [(any Restorable)?](repeating: nil, count: state.value.objects.count)
    swap(&objects, &state.value.objects)
    let lookUps = takeLookUps()
    state.value.request = nil
    state.value.boundEntries = IdentityTable()
    withExtendedLifetime((objects, lookUps)) {}
  }

  /// Forgets which live objects were found where, so that they are looked up anew.
  func forgetLookUps() {
    let lookUps = takeLookUps()
    withExtendedLifetime(lookUps) {}
  }

  /// Which live objects were found where.
  private struct LookUps {
    var children: [Int: [IdentifierKey: any Restorable]] = [:]
    var live: [RestorationPath: any Restorable]?
    var registered: [RestorationPath: any Restorable]?
    var registeredChildren: [ObjectIdentifier: [IdentifierKey: any Restorable]] = [:]
  }

  /// Empties all look-ups; returns what was in them, to be let go when all is in order again.
  private func takeLookUps() -> LookUps {
    for index in state.value.progress.indices { state.value.progress[index].hasLiveChildren = false }
    var taken = LookUps()
    swap(&taken.children, &state.value.liveChildren)
    swap(&taken.live, &liveIndex)
    swap(&taken.registered, &registeredIndex)
    swap(&taken.registeredChildren, &registeredChildren)
    return taken
  }

  /// The entries whose state was not taken and is to be carried over, in preorder.
  func pendingEntries() -> [Int] {
    if isRunning { return state.value.tree.order.filter { isPending($0) } }
    let pending = (waiting ?? state.value.tree.order).filter { isPending($0) }
    waiting = pending
    return pending
  }

  /// Whether the state of an entry was not taken and is to be carried over.
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

/// A session, for coders: they may outlive it.
final class WeakSession: CoderContext {
  weak var session: RestorationSession?
  init(_ session: RestorationSession) { self.session = session }
  var changes: ChangeTracking? { session?.application?.changes }
  func path(ofAny object: Any) -> RestorationPath? { nil }
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { session?.object(at: target, for: nil, key: key) }
}
