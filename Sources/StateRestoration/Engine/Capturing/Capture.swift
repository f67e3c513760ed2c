import RestorationArchive

/// One capture of the state of the live objects: a walk over the tree, and the encoding of each object that is not known
/// to be as it was.
///
/// A capture of everything starts with an empty tree, and adds the unclaimed state of the restored archive. A capture of
/// changes starts with the tree of the capture before. It ends without a result where that tree does not suffice, for
/// example if an object refers to one outside of it; everything is captured then.
///
/// Coders find the capture through their context, to convert objects to paths.
final class Capture {
  /// Thrown if the changes cannot be captured by themselves.
  struct Irregular: Error {}

  let application: RestorableTree
  let options: PreservationOptions
  let header: ArchiveHeader
  /// The session of the restored archive, if any; it does not change while state is captured.
  let session: RestorationSession?
  /// Not a variable: each use would retain and release it, several times for each object.
  let tree: CapturedTree
  /// Whether the tree was empty, so that all objects are encoded.
  let isOfEverything: Bool
  private(set) lazy var context = CaptureContext(self)
  private(set) lazy var writer = makeWriter()
  var notes: [PreservationReport.Note] = []
  /// The objects that are saved of those with one path.
  var duplicates: [RestorationPath: WeakObject] = [:]
  /// The quarantined paths, as given, whose objects the user has changed.
  var quarantineChanges: Set<RestorationPath> = []
  /// The nodes to carry over, once collected.
  var candidates: Candidates?
  /// Whether state is captured to set a part of it aside.
  var isOfAside = false
  /// The entries whose state is kept beside an object that encodes as it did first.
  var unchanged: Set<Int> = []
  /// The entries of which is known whether they are carried over as they were saved.
  var asSaved: [Int: Bool] = [:]
  /// The numbers of parents whose children may have been written out of order.
  var disordered: Set<Int> = []
  /// Whether the paths of all objects are determined.
  var isWalked = false
  /// The registration count at the last collection of registered objects.
  var registrationCount = 0
  /// The objects to encode, in a capture of changes.
  var changed: Set<Int> = []
  /// The objects whose identifier has changed.
  var renamed: Set<Int> = []
  /// The number of the first node that a capture of changes adds.
  let firstAdded: Int
  /// The nodes whose children have changed since the last capture.
  var orders: [RestorationPath: ChildOrder] = [:]
  /// The archives of the objects in other open trees of the app; a walk over all of them, on demand.
  private(set) lazy var owners = findOwners()
  /// The unknown keys of objects that were restored in other open trees of the app.
  private(set) lazy var unknownKeysElsewhere = (application.others?() ?? []).reduce(into: [ObjectIdentifier: UnknownKeys]()) {
    if !$1.tree.unknownKeys.isEmpty { $0.merge($1.tree.unknownKeys) { known, _ in known } }
  }
  /// The number of the object that is being encoded; -1 for none.
  private var encodedNumber = -1
  /// The object that was encoded by the default implementation last, and its properties.
  private var byDefault: (object: ObjectIdentifier, properties: RestoredProperties?)?
  /// The object whose restored properties were encoded last.
  var lastWithProperties: ObjectIdentifier?
  /// The classes with an encoding of their own, with and without restored properties.
  private var ownEncodings: Set<OwnEncoding> = []
  private var lastOwnEncoding: OwnEncoding?
  /// The entries whose state was saved for an object that restoring has not reached yet.
  var notReached: Set<Int> = []
  /// Whether a node is in the archive only because an object refers to it.
  private var hasShells = false
  /// Whether a capture of changes has met a case that needs a capture of everything.
  var isIrregular = false

  /// Begins a capture of everything, or of the changes since the capture that `tree` belongs to.
  init(_ application: RestorableTree, header: ArchiveHeader, options: PreservationOptions, since tree: CapturedTree? = nil) {
    self.application = application
    self.header = header
    self.options = options
    session = application.session
    isOfEverything = tree == nil
    self.tree = tree ?? CapturedTree(capacity: application.expectedNodeCount)
    firstAdded = self.tree.numbers.upperBound
  }

  func report(_ kind: PreservationReport.NoteKind, _ path: RestorationPath?, _ message: String) {
    notes.append(ReportNote(kind: kind, path: path, message: message))
    if kind != .keptPrevious, !kind.isRegular { isIrregular = true }
  }

  /// Returns the writer of the last capture, reset for this one, or a new writer.
  private func makeWriter() -> ArchiveWriter {
    let count = isOfEverything ? application.expectedNodeCount : 16
    // Taken for the duration of the capture; returned when the archive is finished.
    var writer = (isOfEverything ? application.writer.take() : application.changeWriter.take()) ?? ArchiveWriter()
    // Fails only while a node is being encoded, which a finished capture has not left behind.
    if (try? writer.reset(header: header, expectedNodeCount: count, userInfo: userInfo)) == nil {
      writer = ArchiveWriter(header: header, expectedNodeCount: count, userInfo: userInfo)
    }
    writer.context = context
    return writer
  }

  var userInfo: [CodingUserInfoKey: Any] { [.capture: context] }

  /// Returns a writer for state that is not part of the archive, or not yet.
  func makeSeparateWriter() -> ArchiveWriter {
    let writer = ArchiveWriter(userInfo: userInfo)
    writer.context = context
    return writer
  }

  // MARK: Capturing everything

  /// Encodes all objects, and adds the state that is carried over.
  ///
  /// - Returns: The archive, and the number of its nodes; no archive if the delegate does not want to save now.
  /// - Throws: The error of an object in strict mode; ``RestorationError`` for duplicate paths if they are to fail;
  ///   `ArchiveError` for a header that cannot be stored.
  func everything() throws -> (archive: EncodedArchive?, nodeCount: Int, decision: SaveDecision) {
    let decision = try encodeApplication()
    guard decision == .save else { return (nil, 0, decision) }
    noteShared(among: tree.numbers)
    if session?.isRunning == false { session?.followObjects { [tree] in tree.number(of: $0).map(tree.path) } }
    try encodeObjects()
    carryOver()
    orderSiblings()
    let nodeCount = writer.nodeCount
    let encoded = try writer.finishEncodingDistinct(keepsNodes: nodeCount <= Self.maximumKeptNodes)
    application.writer = writer
    return (encoded, nodeCount, .save)
  }

  /// The largest node count for which the writer is kept until the next capture; a limit on its memory.
  private static let maximumKeptNodes = 4096

  /// Encodes all objects, including those that join through references or register during encoding.
  private func encodeObjects() throws {
    var count = 0
    keepStates()
    repeat {
      try encodeObjects(from: count)
      count = tree.numbers.upperBound
      // The unclaimed state of newly registered objects is no longer pending, so it must be encoded here or it is lost.
    } while try takeInRegistered()
    for number in tree.numbers where tree[number].isNeeded && tree[number].written == nil && !tree[number].isReplaced {
      _ = ensureWritten(number)
    }
  }

  private func encodeObjects(from first: Int) throws {
    // A local copy, because each access to a lazy property tests whether it is initialized.
    let writer = writer
    var open: [Int] = []
    var number = first
    while number < tree.numbers.upperBound {
      while let last = open.last, last != Int(tree[number].parent) {
        close(last)
        open.removeLast()
      }
      try encode(number, with: writer)
      open.append(number)
      number += 1
    }
    for last in open.reversed() { close(last) }
  }

  /// Removes the node of an object that wrote nothing to the archive, after its descendants are done.
  private func close(_ number: Int) {
    guard !tree[number].hasTag, let node = tree[number].written, tree[number].object != nil else { return }
    guard !tree[number].isNeeded else {
      hasShells = hasShells || writer.isLastAndEmpty(node)
      return
    }
    if writer.removeIfLastAndEmpty(node) { tree[number].written = nil }
  }

  private func encode(_ number: Int, with writer: ArchiveWriter) throws {
    // A placeholder gets a node only if a descendant needs one.
    guard let object = tree[number].object, !tree[number].isReplaced else { return }
    var parent: ArchiveWriter.Node?
    if tree[number].parent >= 0 {
      guard let written = ensureWritten(Int(tree[number].parent)) else {
        tree[number].isRefused = true
        return
      }
      parent = written
    }
    if let session, let index = unboundEntry(of: number, object, in: session) { return keep(number, under: parent, entry: index) }
    do {
      try add(number, object, under: parent, with: writer)
    } catch {
      application.delegate?.didCatch(error, at: tree.path(of: number))
      if options.isStrict { throw strict(error, tree.path(of: number)) }
      keepPrevious(number, object, under: parent, after: error)
    }
  }

  /// Encodes an object into a node, with the unknown keys that it has.
  ///
  /// - Throws: The error of the object.
  private func add(_ number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, with writer: ArchiveWriter) throws {
    let kind = type(of: object)
    let (tag, version) = kind.savedType
    let provider = object.restorationProvider
    tree[number].hasTag = tag != nil
    encodedNumber = number
    byDefault = nil
    defer { encodedNumber = -1 }
    if let kept = unknownKeys(of: object) {
      try write(number, object, under: parent, provider, keeping: kept)
    } else {
      try writer.addNode(
        tree[number].identifier, under: parent, type: tag, schemaVersion: version, provider: provider,
        added: { tree[number].written = $0 },
        encoding: { coder in
          try object.encodeRestorableState(with: coder)
          if byDefault == nil { reportMistakes(of: object, with: coder) }
        })
    }
    if provider == nil, let byDefault, byDefault.object == ObjectIdentifier(object), byDefault.properties?.arePlain ?? true {
      tree.setPlain(number, ObjectIdentifier(kind), byDefault.properties)
    } else {
      tree.setEncodedEachTime(number)
    }
  }

  /// Returns the archive node of an object or placeholder, and creates it without state if necessary; nil if this
  /// fails.
  func ensureWritten(_ number: Int) -> ArchiveWriter.Node? {
    if let node = tree[number].written { return node }
    if tree[number].isRefused { return nil }
    if tree[number].object == nil || tree[number].isReplaced {
      // The unclaimed node at a placeholder takes its place, if there is one (R-3.5-1), and that of a quarantined object.
      carryOver(toPlace: number)
      if let node = tree[number].written { return node }
    }
    var parent: ArchiveWriter.Node?
    if tree[number].parent >= 0 {
      guard let written = ensureWritten(Int(tree[number].parent)) else { return nil }
      parent = written
    }
    do {
      let node = try writer.addNode(tree[number].identifier, under: parent)
      tree[number].written = node
      // Siblings that belong after it may already be written.
      disordered.insert(Int(tree[number].parent))
      if tree[number].object == nil { try writer.encode([:], of: node, attributes: [EngineAttribute.placeholder: true]) }
      return node
    } catch {
      report(.lost, tree.path(of: number), "it cannot be saved: \(ErrorText.text(of: error))")
      tree[number].isRefused = true
      return nil
    }
  }

  // MARK: Previous state

  /// Returns the entry of an object that is being restored but not decoded yet: encoding it now would not yield its
  /// state.
  ///
  /// Its entry may not have been reached at all, if a factory saves.
  private func unboundEntry(of number: Int, _ object: any Restorable, in session: RestorationSession) -> Int? {
    guard session.isRunning else { return nil }
    if let index = session.entry(boundTo: object) { return session.progress[index].isConsumed ? nil : index }
    guard let index = session.entry(at: tree.path(of: number)), index > 0, session.tree.entries[index].facts.isSaved,
      session.progress[index].outcome == nil, session.objects[index] == nil
    else { return nil }
    notReached.insert(index)
    return index
  }

  /// Saves the archived state of an entry for an object that has not decoded it yet.
  private func keep(_ number: Int, under parent: ArchiveWriter.Node?, entry: Int) {
    guard let session, let node = session.tree.node(of: entry) else { return }
    if let failure = copy(node, to: number, under: parent, origin: carriedOrigin(of: node)) {
      report(
        .lost, tree.path(of: number), "its object is not restored yet, and its state cannot be kept: \(ErrorText.text(of: failure))")
    } else {
      report(.carriedOver, tree.path(of: number), "its object is not restored yet")
    }
  }

  /// Saves the previous state of an object that failed to encode.
  private func keepPrevious(_ number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, after error: any Error) {
    let path = tree.path(of: number)
    tree.setEncodedEachTime(number)
    if let node = tree[number].written, writer.removeIfLastAndEmpty(node) { tree[number].written = nil }
    let own = application.lastState(of: object)
    guard let last = own ?? lastStateElsewhere(of: object), let previous = last.node else {
      return saveNothing(of: number, object, under: parent, after: error, mayBeElsewhere: own == nil)
    }
    let text = ErrorText.text(of: error)
    if let failure = copy(previous, to: number, under: parent, origin: previous.origin) {
      reportLost(path, after: error, because: failure)
    } else if own != nil, last.path == path {
      report(.keptPrevious, path, "encoding failed, the previous state is kept: \(text)")
    } else {
      // The copy may be older than what the user sees, and the file before has it where it was.
      let place = "from \(last.path.textForDisplay)\(own == nil ? " of another archive" : "")"
      report(.superseded, path, "encoding failed, the previous state \(place) is kept, and the file before is pinned: \(text)")
    }
  }

  /// Saves the node of an object that failed to encode before anything was saved of it, so that its children keep it.
  private func saveNothing(
    of number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, after error: any Error, mayBeElsewhere: Bool
  ) {
    let path = tree.path(of: number)
    // It may come from another tree, whose last file then has the only copy.
    let isLost = mayBeElsewhere && (application.others.map { !$0().isEmpty } ?? (application.savedObjects != nil))
    let before = isLost ? "nothing was saved here before (the file before is pinned)" : "nothing was saved before"
    report(isLost ? .lost : .failed, path, "encoding failed, and \(before): \(ErrorText.text(of: error))")
    if tree[number].written != nil { return }
    // With its type and version, so that the next launch does not take it for a state that needs an upgrade.
    let (tag, version) = type(of: object).savedType
    tree[number].written = try? writer.addNode(tree[number].identifier, under: parent, type: tag, schemaVersion: version)
    if tree[number].written == nil { _ = ensureWritten(number) }
  }

  func previousNode(at path: RestorationPath) -> NodeReader? {
    if let last = application.lastSnapshot { return try? last.node(at: path) }
    guard let session, session.holdsState, let index = session.entry(at: path), index > 0 else { return nil }
    return session.tree.node(of: index)
  }

  /// Saves the contents of an archived node; on failure, saves an empty node and returns the error.
  private func copy(
    _ node: NodeReader, to number: Int, under parent: ArchiveWriter.Node?, origin: ArchiveOrigin?
  ) -> (any Error)? {
    do {
      let contents = try node.everything()
      // A node with encoded content cannot be removed, only filled.
      let written =
        try tree[number].written
        ?? writer.addNode(
          tree[number].identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: origin)
      tree[number].written = written
      tree[number].isNeeded = true
      var attributes = storable(contents.attributes, at: tree.path(of: number))
      // They say of the node that it has no object; its age still counts from then, if it has an origin.
      attributes[EngineAttribute.setAside] = nil
      if origin == nil { attributes[EngineAttribute.lastClaimable] = nil }
      try writer.encode(contents.state, of: written, provider: contents.provider, attributes: attributes)
      return nil
    } catch {
      if tree[number].written == nil { _ = ensureWritten(number) }
      return error
    }
  }

  func strict(_ error: any Error, _ path: RestorationPath) -> RestorationError {
    RestorationError(.encodingFailed, path: path, "encoding failed: \(ErrorText.text(of: error))")
  }

  /// Reports lost state: encoding the current state failed, and the previous state could not be kept either.
  func reportLost(_ path: RestorationPath, after error: any Error, because failure: any Error) {
    let texts = (ErrorText.text(of: error), ErrorText.text(of: failure))
    report(.lost, path, "encoding failed: \(texts.0); and what was saved before cannot be kept: \(texts.1)")
  }

  // MARK: Capturing changes

  /// Encodes the objects that are not known to be as they were.
  ///
  /// - Returns: The changes; nil if the delegate does not want to save now.
  /// - Throws: ``Irregular``, after which nothing known about the tree can be relied upon; in strict mode, the error of an
  ///   object.
  func changes() throws -> (changes: CapturedChanges?, decision: SaveDecision) {
    let decision = try encodeApplication()
    guard decision == .save else { return (nil, decision) }
    // The delegate may have changed objects since.
    try findChanges()
    noteShared(among: firstAdded..<tree.numbers.upperBound)
    let numbers = changed.sorted { (tree[$0].depth, $0) < (tree[$1].depth, $1) }
    var encoded: Set<RestorationPath> = [.application]
    for number in numbers where !tree[number].isRemoved {
      if try encodeChange(number) { encoded.insert(tree.path(of: number)) }
    }
    if isIrregular { throw Irregular() }
    let archive = try writer.finishEncodingDistinct(keepsNodes: true)
    application.changeWriter = writer
    tree.seal(changed.union(ways))
    return (CapturedChanges(archive, encoded: encoded, orders: orders), .save)
  }

  /// Encodes a changed object; returns false if it failed, and its node stays as it was.
  private func encodeChange(_ number: Int) throws -> Bool {
    guard let object = tree[number].object else { throw Irregular() }
    let isNew = number >= firstAdded
    do {
      try add(number, object, under: way(to: Int(tree[number].parent)), with: writer)
    } catch {
      if error is Irregular || isNew { throw Irregular() }
      let path = tree.path(of: number)
      tree.setEncodedEachTime(number)
      application.delegate?.didCatch(error, at: path)
      if options.isStrict { throw strict(error, path) }
      report(.keptPrevious, path, "encoding failed, the previous state is kept: \(ErrorText.text(of: error))")
      return false
    }
    // A node without type, state and children is left out, unless an object refers to it.
    if !tree[number].hasTag, tree.firstChild(of: number) < 0, let node = tree[number].written, writer.removeIfLastAndEmpty(node) {
      throw Irregular()
    }
    tree.setTracked(noteClass(of: object), number)
    return true
  }

  /// The nodes added without contents, as the way to others.
  private var ways: Set<Int> = []

  /// Returns the node of an object, and adds one without contents if there is none; nil for the top level.
  private func way(to number: Int) throws -> ArchiveWriter.Node? {
    if number < 0 { return nil }
    if let node = tree[number].written { return node }
    let node = try writer.addNode(tree[number].identifier, under: way(to: Int(tree[number].parent)))
    tree[number].written = node
    ways.insert(number)
    return node
  }

  // MARK: Between captures

  /// Returns the tree for the next capture; nil if that has to capture everything again.
  func treeForChanges() -> CapturedTree? {
    guard isFollowable, tree.seal(tracksChanges: noteClass) else { return nil }
    return tree
  }

  /// Returns whether the class of an object reports its changes, and lets the object's properties report to the
  /// application.
  private func noteClass(of object: any Restorable) -> Bool {
    guard type(of: object).tracksChanges else { return false }
    if application.changes != nil { _ = try? application.restoredProperties(of: object) { .application } }
    return true
  }

  /// Whether everything that was captured follows from the objects in the tree alone.
  private var isFollowable: Bool {
    notes.allSatisfy(\.kind.isRegular) && !hasShells && disordered.isEmpty && candidates?.all.isEmpty ?? true
      && !application.registered.hasAlive && application.ending == nil && session?.isSettled ?? true
      && (application.condition == .fresh || application.condition == .restored)
      && (application.delegate != nil || session.map(\.hasNoApplicationState) ?? true)
  }

  // MARK: Coders

  /// Records that an object is encoded by the default implementation, which encodes nothing but its restored properties.
  func noteDefaultEncoding(of object: any Restorable, _ properties: RestoredProperties?) {
    byDefault = (ObjectIdentifier(object), properties)
    if let properties, properties.holdChildren, object.restorationChildren.isEmpty {
      reportMissing(properties.children(of: object), of: object)
    }
  }

  private struct OwnEncoding: Hashable {
    let kind: ObjectIdentifier
    let hasProperties: Bool
  }

  /// Reports repeated keys and missing restored properties of an object with an encoding of its own, once for its class with
  /// and once without encoded properties.
  private func reportMistakes(of object: any Restorable, with coder: StateEncoder) {
    let hasProperties = lastWithProperties == ObjectIdentifier(object)
    let encoding = OwnEncoding(kind: ObjectIdentifier(type(of: object)), hasProperties: hasProperties)
    // Most objects are of the class of the one before.
    if encoding == lastOwnEncoding { return }
    lastOwnEncoding = encoding
    guard ownEncodings.insert(encoding).inserted else { return }
    var properties: RestoredProperties?
    if !hasProperties { properties = try? RestoredProperties.find(of: object) { coder.path } }
    // Each save has a capture of changes, and few have new classes.
    if !isOfEverything, properties == nil { return }
    var keys: Set<String> = []
    let repeated = Set(coder.keys.filter { !keys.insert($0).inserted })
    if !repeated.isEmpty {
      let names = repeated.sorted().map(\.quotedForDisplay).joined(separator: ", ")
      report(
        .repeatedKey, coder.path,
        "\(type(of: object)).encodeRestorableState(with:) encodes \(names) more than once, and only the last value is saved: "
          + "a subclass needs keys that its superclass does not use")
    }
    guard let properties else { return }
    let missing = properties.places.filter { $0.isCoded && !keys.contains($0.key) }.map { $0.key.quotedForDisplay }
    guard !missing.isEmpty else { return }
    report(
      .withoutProperties, coder.path,
      "\(type(of: object)).encodeRestorableState(with:) leaves out its @Restored \(missing.joined(separator: ", ")): "
        + "call super there, or encodeRestoredProperties(with:)")
  }

  /// Reports the children that an object has and does not return, unless they are in the tree by themselves.
  private func reportMissing(_ children: [any Restorable], of object: any Restorable) {
    guard children.contains(where: { $0.restorationParent == nil && application.registered[$0] == nil }) else { return }
    let message = "its @RestoredChildren are not saved: return them in restorationChildren of \(type(of: object)) too"
    report(.withoutChildren, tree.number(of: object).map { tree.path(of: $0) }, message)
  }

  /// Returns the path of an object for a reference to it; nil if it has none.
  func path(of object: any Restorable) throws -> RestorationPath? {
    guard isOfEverything else { return try pathInTree(of: object) }
    try walk()
    if tree.number(of: object) == nil, object.restorationParent == nil, application.registered[object] == nil,
      let session, let index = session.entry(ofPlaceless: object)
    {
      // It is saved nowhere itself: at another path, it would take the place of what is there.
      let path = session.path(of: index)
      if let number = tree.number(at: path), tree[number].object != nil { return noteReference(to: number) }
      return session.isPending(index) ? path : nil
    }
    if let number = tree.number(of: object) { return noteReference(to: number) }
    // A copy of an object of another scene would be another object at the next launch.
    guard owner(of: object) == nil, let number = try place(object) else { return nil }
    return noteReference(to: number)
  }

  /// Returns the path of an object that may not be restorable; nil if it has none.
  func path(ofAny object: Any) throws -> RestorationPath? {
    if isOfEverything, let known = tree.number(of: object as AnyObject) { return noteReference(to: known) }
    guard let object = object as? any Restorable, let path = try path(of: object) else {
      let reason = (object as? any Restorable).map { whyWithoutPath($0) } ?? "which has no path"
      let path = encodedNumber < 0 ? nil : tree.path(of: encodedNumber)
      report(.reference, path, "a reference to a \(type(of: object)), \(reason), is stored as null")
      return nil
    }
    return path
  }

  private func noteReference(to number: Int) -> RestorationPath {
    tree[number].isNeeded = true
    if application.changes != nil, encodedNumber >= 0 { tree.addReference(from: encodedNumber, to: number) }
    return tree.path(of: number)
  }

  private func pathInTree(of object: any Restorable) throws -> RestorationPath? {
    // The delegate refers to objects before they were compared.
    if !isWalked { try findChanges() }
    guard let number = tree.number(of: object), tree.isObject(object, of: number) || tree[number].object === object else {
      // Objects outside the tree are saved too if one refers to them, or the reference is reported.
      isIrregular = true
      throw Irregular()
    }
    if encodedNumber >= 0 { tree.addReference(from: encodedNumber, to: number) }
    return tree.path(of: number)
  }
}

extension RestorationSession {
  /// Whether no saved state waits for an object any more, so that all that is to be saved comes from objects.
  var isSettled: Bool {
    !isRunning && !isForgotten && quarantined.isEmpty && kept.isEmpty
      && (refusal != nil || waiting?.isEmpty == true)
  }
}
