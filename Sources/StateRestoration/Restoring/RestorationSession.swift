import RestorationArchive

/// Restores one archive: makes or finds all objects, then decodes each, then says that it is done.
///
/// It is kept when restoring has finished, since objects may still register for what nobody took.
final class RestorationSession {
  /// What is known about an entry of the tree.
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
    /// Whether the children of its object were looked up.
    var hasLiveChildren = false
    var depth: UInt16 = 0
  }

  static let noRule: Int32 = -1
  static let delegateRule: Int32 = -2
  static let liveRule: Int32 = -3

  weak var application: RestorableApplication?
  let archive: ArchiveReader
  let resolver: Resolver
  var options: RestorationOptions
  var tree: SavedTree
  var progress: [Progress]
  /// By entry, while restoring goes on.
  var objects: [(any Restorable)?]
  /// By object: the entry that it is bound to.
  var boundEntries: [ObjectIdentifier: Int] = [:]
  /// By entry: what went wrong.
  var errors: [Int: String] = [:]
  /// By entry: everything that was asked, if it is to be noted.
  var traces: [Int: [String]] = [:]
  /// By entry whose object has children: those, by identifier.
  private var liveChildren: [Int: [IdentifierKey: any Restorable]] = [:]
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
  /// By path: what may have to be kept of what an object decoded.
  var keptKeys: [RestorationPath: KeptKeys] = [:]
  private(set) lazy var index = makeIndex()
  private(set) lazy var userInfo: [CodingUserInfoKey: Any] = [.restorationSession: WeakSession(self)]
  /// Whether the app wants what was saved to be deleted, so that nothing of it may be saved again.
  var isForgotten = false
  /// Objects that have registered while this session ran.
  var lateRegistrations: [any Restorable] = []
  /// Whether this session calls into the app, so that others have to wait.
  var isRunning = false

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
    var pass = UpgradePass(resolver, header: archive.header)
    pass.run(on: &tree)
    self.tree = tree
    progress = Array(repeating: Progress(), count: tree.entries.count)
    objects = Array(repeating: nil, count: tree.entries.count)
    for index in tree.order.dropFirst() { progress[index].depth = progress[tree.entries[index].parent].depth + 1 }
  }

  var entries: [SavedTree.Entry] { tree.entries }

  // MARK: Asking about entries

  func path(of index: Int) -> RestorationPath { tree.path(of: index) }

  func type(of index: Int) -> String? { resolver.currentType(tree.entries[index].node?.type) }

  func provider(of index: Int) -> ProviderReference? {
    guard let node = tree.entries[index].node, node.hasProvider else { return nil }
    return try? node.everything().provider
  }

  /// The object of the nearest entry above that has one.
  func parentObject(of index: Int) -> (any Restorable)? {
    var parent = tree.entries[index].parent
    while parent > 0 {
      if let object = objects[parent] { return object }
      parent = tree.entries[parent].parent
    }
    return nil
  }

  /// A decoder for the state of an entry.
  func decoder(of index: Int) throws -> StateDecoder {
    if let error = tree.upgradeErrors[index] { throw error }
    guard let node = tree.entries[index].node else { return try StateDecoder.empty(header: archive.header, userInfo: userInfo) }
    return try StateDecoder(node: node, userInfo: userInfo, number: index, application: tree.entries[0].node)
  }

  /// A decoder for the application state; an empty one if that cannot be read.
  func applicationDecoder() throws -> StateDecoder {
    do {
      return try decoder(of: 0)
    } catch {
      if errors[0] == nil { errors[0] = ErrorText.text(of: error) }
      return try StateDecoder.empty(header: archive.header, userInfo: userInfo)
    }
  }

  private func makeIndex() -> [ChildKey: Int] {
    var index: [ChildKey: Int] = [:]
    index.reserveCapacity(tree.entries.count)
    for entry in tree.entries.indices.dropFirst() {
      index[ChildKey(parent: tree.entries[entry].parent, identifier: IdentifierKey(tree.entries[entry].identifier))] = entry
    }
    return index
  }

  /// The child of an entry with an identifier.
  func child(_ identifier: String, of parent: Int) -> Int? {
    index[ChildKey(parent: parent, identifier: IdentifierKey(identifier))]
  }

  /// The entry at a path.
  func entry(at path: RestorationPath) -> Int? {
    var entry = 0
    for identifier in path.components {
      guard let next = index[ChildKey(parent: entry, identifier: IdentifierKey(identifier))] else { return nil }
      entry = next
    }
    return entry
  }

  /// The entry at a path that may be one of before an alias.
  func entry(atSaved path: RestorationPath) -> Int? {
    entry(at: resolver.moves.isEmpty ? path : resolver.moved(path)) ?? entry(at: path)
  }

  func announce(_ phase: RestorationPhase, _ index: Int) {
    options.observer?.restorationWillCall(phase, path: path(of: index))
  }

  func note(_ kind: RestorationReport.Note.Kind, _ path: RestorationPath?, _ message: String) {
    notes.append(RestorationReport.Note(kind: kind, path: path, message: message))
  }

  /// An object that is at the path of an entry already.
  func liveObject(at index: Int) -> (any Restorable)? {
    let parent = tree.entries[index].parent
    if parent == 0 || objects[parent] != nil {
      if !progress[parent].hasLiveChildren {
        progress[parent].hasLiveChildren = true
        let children = parent == 0 ? application?.roots ?? [] : objects[parent]?.restorationChildren ?? []
        if !children.isEmpty { liveChildren[parent] = Self.byIdentifier(children) }
      }
      if let object = liveChildren[parent]?[IdentifierKey(tree.entries[index].identifier)] { return object }
    }
    return registeredObject(at: index)
  }

  private func registeredObject(at index: Int) -> (any Restorable)? {
    guard let application, !application.registered.isEmpty else { return nil }
    let registered = liveObject(atPath: path(of: index), isRegistered: true)
    // The path of one whose parent was bound since is known only now.
    guard registered == nil, let parent = objects[tree.entries[index].parent] else { return registered }
    return registeredChildren[ObjectIdentifier(parent)]?[IdentifierKey(tree.entries[index].identifier)]
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

  /// Forgets what only restoring needs, so that no object is kept alive.
  func release() {
    for index in objects.indices { objects[index] = nil }
    for index in progress.indices { progress[index].hasLiveChildren = false }
    liveChildren = [:]
    liveIndex = nil
    registeredIndex = nil
    registeredChildren = [:]
    boundEntries = [:]
  }

  /// Whether the state of an entry was not taken and is to be carried over.
  func isPending(_ index: Int) -> Bool {
    guard refusal == nil, !isForgotten, index > 0, !progress[index].isConsumed, tree.entries[index].node != nil else { return false }
    switch progress[index].outcome {
    case .restored, .located, .notDecoded, .placeholder, .skipped(.tombstone), .skipped(.expired), .skipped(.refused): return false
    case .skipped, .later, .failed, .quarantined, nil: return true
    }
  }
}

/// A session, for coders: they may outlive it.
final class WeakSession {
  weak var session: RestorationSession?
  init(_ session: RestorationSession) { self.session = session }
}

extension CodingUserInfoKey {
  static let restorationSession = CodingUserInfoKey(unchecked: "state-restoration.session")
  static let preservationRun = CodingUserInfoKey(unchecked: "state-restoration.preservation")

  private init(unchecked name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("any text is a key") }
    self = key
  }
}
