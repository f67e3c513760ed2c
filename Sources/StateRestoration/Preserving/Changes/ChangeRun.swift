import RestorationArchive

/// A capture of what has changed since the last one: finds the objects that moved, and encodes those that changed.
///
/// It encodes changed objects and untracked ones. It compares the children of these objects, of the top level, and of the
/// parents of released and renamed objects. In an unsupported case it throws ``Irregular``, and everything is captured
/// instead.
final class ChangeRun: CapturingRun {
  /// Thrown if the changes cannot be captured by themselves.
  struct Irregular: Error {}

  let application: RestorableApplication
  let saved: SavedObjects
  let options: PreservationOptions
  let header: ArchiveHeader
  let writer: ArchiveWriter
  var notes: [PreservationReport.Note] = []
  /// The children of nodes before and after.
  var orders: [RestorationPath: ChildOrder] = [:]
  /// The objects to encode.
  var changed: Set<Int> = []
  /// The objects to encode that were not saved before.
  var added: Set<Int> = []
  /// The objects whose identifier has changed.
  var renamed: Set<Int> = []
  /// The nodes written so far.
  var written: [Int: ArchiveWriter.Node] = [:]
  /// The objects whose contents were written.
  var encoded: [Int] = []
  private var encodedNumber = -1
  /// Whether a reference could not be followed; an object may have caught the error.
  private var isIrregular = false
  /// Whether the objects have been compared with those saved before.
  private(set) var isPrepared = false

  init(_ application: RestorableApplication, _ saved: SavedObjects, header: ArchiveHeader, options: PreservationOptions) throws {
    self.application = application
    self.saved = saved
    self.header = header
    self.options = options
    writer = application.changeWriter ?? ArchiveWriter()
    application.changeWriter = writer
    try writer.reset(header: header, expectedNodeCount: 16, userInfo: [.preservationRun: WeakRun(self)])
  }

  /// Captures the changes.
  ///
  /// - Returns: The changes; nil if the delegate does not want to save now.
  /// - Throws: ``Irregular``, after which nothing known about the saved objects can be relied upon; in strict mode, the
  ///   error of an object.
  func capture() throws -> (changes: PreservedChanges?, decision: SaveDecision) {
    let decision = try encodeApplication()
    guard decision == .save else { return (nil, decision) }
    // The delegate may have changed objects since.
    try prepare()
    try encodeObjects()
    if isIrregular { throw Irregular() }
    return (try finish(), .save)
  }

  private func finish() throws -> PreservedChanges {
    let archive = PreservedArchive(try writer.finishEncodingDistinct(keepsNodes: true), nodeCount: saved.count)
    let before = saved.last?.archive ?? saved.everything
    let nodes = encoded.map { number in
      let previous = saved.nodes[number].captured?.archive ?? saved.everything
      return PreservedChanges.Encoded(path: saved.path(of: number), before: added.contains(number) ? nil : previous)
    }
    let schema = application.delegate?.applicationSchemaVersion ?? 0
    let changes = PreservedChanges(
      archive, at: saved.place.next, orders: orders, encoded: [PreservedChanges.Encoded(path: .application, before: before)] + nodes,
      isHeaderChanged: schema != saved.applicationSchemaVersion || !header.hasSameContent(as: saved.header))
    for number in encoded { saved.setCaptured(number, changes) }
    saved.note(changes, header: header, applicationSchemaVersion: schema)
    return changes
  }

  func report(_ kind: PreservationReport.NoteKind, _ path: RestorationPath?, _ message: String) {
    notes.append(ReportNote(kind: kind, path: path, message: message))
  }

  // MARK: Finding changes

  /// Finds what has changed since the last call, or since the last capture.
  func prepare() throws {
    guard let reported = application.changes?.signal.takeChanged(isCollecting: true) else { throw Irregular() }
    var visited = reported.compactMap { saved.number(at: $0) }
    // The parents whose children may have changed.
    var parents: Set<Int> = [-1]
    if !isPrepared { visited += saved.untracked }
    isPrepared = true
    for number in visited {
      let parent = saved.nodes[number].parent
      guard let object = saved.nodes[number].object else {
        parents.insert(parent)
        continue
      }
      changed.insert(number)
      parents.insert(number)
      guard object.restorationIdentifier?.isSameText(as: saved.nodes[number].identifier) != true else { continue }
      renamed.insert(number)
      parents.insert(parent)
    }
    try follow(parents)
  }

  // MARK: Encoding

  private func encodeApplication() throws -> SaveDecision {
    ApplicationSchema(version: 0).note(in: writer)
    guard let delegate = application.delegate else { return .save }
    var decision = SaveDecision.save
    do {
      try writer.encodeApplicationState { coder in
        decision = delegate.shouldSaveState(to: coder)
        guard decision == .save, UInt32(exactly: delegate.applicationSchemaVersion) != nil else { throw Irregular() }
        try delegate.willEncodeRestorableState(with: coder)
      }
      ApplicationSchema(version: delegate.applicationSchemaVersion).note(in: writer)
    } catch {
      // The capture of everything reports a failure and keeps the previous state.
      if decision == .save { throw Irregular() }
    }
    return decision
  }

  private func encodeObjects() throws {
    for number in changed.sorted(by: { (saved.nodes[$0].depth, $0) < (saved.nodes[$1].depth, $1) }) where !saved.nodes[number].isRemoved {
      try encode(number)
    }
  }

  private func encode(_ number: Int) throws {
    let node = saved.nodes[number]
    guard let object = node.object else { throw Irregular() }
    let kind = type(of: object)
    let tag = kind.restorationType
    let version = kind.restorationSchemaVersion
    guard UInt32(exactly: version) != nil else { throw Irregular() }
    let parent = try way(to: node.parent)
    encodedNumber = number
    defer { encodedNumber = -1 }
    do {
      try writer.addNode(
        node.identifier, under: parent, type: tag.isEmpty ? nil : tag, schemaVersion: tag.isEmpty ? 0 : version,
        provider: object.restorationProvider, added: { written[number] = $0 },
        encoding: { try object.encodeRestorableState(with: $0) })
    } catch {
      try keepPrevious(number, after: error)
      return
    }
    // A node without type, state and children is left out, unless an object refers to it.
    if tag.isEmpty, node.firstChild < 0, let added = written[number], writer.removeIfLastAndEmpty(added) { throw Irregular() }
    encoded.append(number)
    if node.isTracked { application.changes?.claim(object) }
  }

  /// Leaves the node of an object that failed to encode as it was saved before.
  private func keepPrevious(_ number: Int, after error: any Error) throws {
    if error is Irregular || added.contains(number) { throw Irregular() }
    let path = saved.path(of: number)
    application.delegate?.didCatch(error, at: path)
    let text = ErrorText.text(of: error)
    if options.isStrict { throw RestorationError(.encodingFailed, path: path, "encoding failed: \(text)") }
    report(.keptPrevious, path, "encoding failed, the previous state is kept: \(text)")
  }

  /// Returns the node of an object, and adds one without contents if there is none; nil for the top level.
  private func way(to number: Int) throws -> ArchiveWriter.Node? {
    if number < 0 { return nil }
    if let node = written[number] { return node }
    let node = try writer.addNode(saved.nodes[number].identifier, under: way(to: saved.nodes[number].parent))
    written[number] = node
    return node
  }

  // MARK: References

  func path(of object: any Restorable) throws -> RestorationPath? {
    // The delegate refers to objects before they were compared.
    if !isPrepared { try prepare() }
    guard let number = saved.number(of: object) else {
      // Objects outside the tree are saved too if one refers to them, or the reference is reported.
      isIrregular = true
      throw Irregular()
    }
    if encodedNumber >= 0 { saved.addReference(from: encodedNumber, to: number) }
    return saved.path(of: number)
  }

  func path(ofAny object: Any) throws -> RestorationPath? {
    guard let object = object as? any Restorable, let path = try path(of: object) else {
      isIrregular = true
      throw Irregular()
    }
    return path
  }
}
