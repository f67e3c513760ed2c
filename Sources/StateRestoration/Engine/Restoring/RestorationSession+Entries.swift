import RestorationArchive
import Storage

/// The entries of the tree: types, decoders, lookup by identifier and path, unclaimed state.
extension RestorationSession {
  func path(of index: Int) -> RestorationPath { tree.path(of: index) }

  /// Returns the type of an entry.
  func savedType(of index: Int) -> SavedType { types[tree.entries[index].facts.type] }

  /// Returns the answer of an object's class for the type of an entry.
  func ask(_ kind: any Restorable.Type, about index: Int) -> SavedType.ClassAnswer {
    let number = tree.entries[index].facts.type
    let type = types[number]
    if let (known, answer) = type.lastAnswer, known == ObjectIdentifier(kind) { return answer }
    // Calls the class.
    let answer = type.answer(of: kind)
    types[number].lastAnswer = (ObjectIdentifier(kind), answer)
    return answer
  }

  func type(of index: Int) -> String? { types[tree.entries[index].facts.type].tag }

  func provider(of index: Int) -> ProviderReference? { tree.provider(of: index) }

  /// Returns the object of the nearest ancestor that has one.
  func parentObject(of index: Int) -> (any Restorable)? {
    var parent = tree.entries[index].parent
    while parent > 0 {
      if let object = objects[parent] { return object }
      parent = tree.entries[parent].parent
    }
    return nil
  }

  /// Returns a decoder for the state of an entry, for its factory (or the delegate).
  func decoder(of index: Int) throws -> StateDecoder {
    progress[index].isReadByFactory = true
    return try decoder(of: index, at: LazyPath(path(of: index)), recordsKeys: true)
  }

  /// Returns a decoder for the state of an entry at a known place.
  func decoder(of index: Int, at place: consuming LazyPath, recordsKeys: Bool = false) throws -> StateDecoder {
    if let error = tree.upgradeErrors[index] { throw error }
    let number = tree.entries[index].facts.node
    if number < 0 { return try emptyDecoder() }
    if let node = tree.replacements[index] {
      return try decoder(of: index, node.moved(to: place), application: tree.node(of: 0).map { BoxedNode($0) }, recordsKeys)
    }
    // Not through a method of the tree: calling a method on it copies it.
    return try decoder(of: index, archive.node(tree.nodes[number], at: place), application: applicationNode, recordsKeys)
  }

  private func decoder(of index: Int, _ node: consuming NodeReader, application: BoxedNode?, _ recordsKeys: Bool) throws -> StateDecoder {
    let isEmpty = node.stateByteCount == 0
    return try StateDecoder(
      node: node, userInfo: userInfo, number: index, context: context, application: application,
      readKeys: options.notesUnread || isEmpty ? readKeys(of: index) : recordsKeys ? knownKeys(of: index) : nil)
  }

  /// Returns the record of the keys that are known to a factory and to its object.
  private func knownKeys(of index: Int) -> ReadKeys {
    guard progress[index].isReadByFactory else { return ReadKeys() }
    let keys = keysOfFactories[index] ?? ReadKeys()
    keysOfFactories[index] = keys
    return keys
  }

  /// Returns the record of the keys that are read of an entry: by its factory, its object, or the delegate.
  private func readKeys(of index: Int) -> ReadKeys {
    if let known = readKeys[index] { return known }
    let keys = ReadKeys()
    readKeys[index] = keys
    return keys
  }

  /// Records that an object reads nothing of its state, unless its factory has.
  func noteUnread(by object: any Restorable, _ coder: StateDecoder) {
    let index = coder.number
    let isKept = Swift.type(of: object).keepsUnknownKeys
    guard isRunning, index > 0, !isKept, !progress[index].isReadByFactory, !coder.allKeys.isEmpty else { return }
    readKeys(of: index).begin(coder.allKeys)
  }

  /// The notes about keys that nothing has read, and about objects that read nothing of their state or of which nothing was saved,
  /// once for each type; of objects that were restored otherwise.
  private var notesOfReadKeys: [RestorationReport.Note] {
    func list(_ keys: [String]) -> String { keys.map { $0.quotedForDisplay }.joined(separator: ", ") }
    var types: Set<Int> = []
    return readKeys.sorted { $0.key < $1.key }.compactMap { index, keys in
      guard progress[index].outcome?.isSuccess == true else { return nil }
      if !keys.unread.isEmpty {
        let unread = "\(keys.unread.count == 1 ? "key" : "keys") \(list(keys.unread))"
        if !options.notesUnread, !types.insert(tree.entries[index].facts.type).inserted { return nil }
        let question = options.notesUnread ? "" : "; has the decodeRestorableState(with:) of its class another name?"
        return RestorationReport.Note(kind: .unread, path: path(of: index), message: "nothing has read the saved \(unread)\(question)")
      }
      guard index > 0, keys.isEmpty, !keys.missing.isEmpty, types.insert(tree.entries[index].facts.type).inserted else { return nil }
      let question = "was it saved by a class whose encodeRestorableState(with:) has another name?"
      return RestorationReport.Note(
        kind: .emptyState, path: path(of: index), message: "nothing was saved of its state, but it reads \(list(keys.missing)); \(question)"
      )
    }
  }

  /// The schema of the application state, after upgrades.
  var applicationSchema: ApplicationSchema {
    var schema = ApplicationSchema(of: archive.header)
    if let upgrade = tree.upgrades[0] { schema.upgrade(to: upgrade.upperBound) }
    return schema
  }

  /// Returns a decoder for the application state; an empty one if the state cannot be read.
  func applicationDecoder() throws -> StateDecoder {
    do {
      return try decoder(of: 0, at: LazyPath(.application), recordsKeys: true)
    } catch {
      if errors[0] == nil { errors[0] = ErrorText.text(of: error) }
      return try emptyDecoder()
    }
  }

  /// Returns a decoder without any state.
  func emptyDecoder() throws -> StateDecoder {
    let empty = try ArchiveReader(ArchiveWriter(like: archive).finish())
    return try StateDecoder(
      node: try empty.application(), userInfo: userInfo, number: 0, context: context)
  }

  /// Returns whether another entry has the path of an entry.
  func isOutdone(_ index: Int) -> Bool { !tree.superseded.isEmpty && entry(at: path(of: index)) != index }

  /// Returns the entry at a path.
  func entry(at path: RestorationPath) -> Int? { entry(at: path.components[...], below: 0) }

  private func entry(at components: ArraySlice<String>, below parent: Int) -> Int? {
    guard let identifier = components.first else { return parent }
    let preferred = tree.child(identifier, of: parent)
    if let preferred, let entry = entry(at: components.dropFirst(), below: preferred) { return entry }
    // Below a node whose path another one has, there are paths that only it has.
    let others = tree.superseded.filter { index in
      index != preferred && tree.entries[index].parent == parent
        && tree.entries[index].identifier.isSameText(as: identifier)
    }
    for index in others.sorted() {
      if let entry = entry(at: components.dropFirst(), below: index) { return entry }
    }
    return nil
  }

  /// Returns the entry at a path that may predate an alias.
  func entry(atSaved path: RestorationPath) -> Int? {
    if resolver.registered.moves.isEmpty { return entry(at: path) }
    if movedEntries == nil {
      movedEntries = Dictionary(tree.archivedPaths.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
    // An alias whose target was taken was not applied to the node, although it matches the path.
    return movedEntries?[path] ?? entry(at: resolver.moved(path)) ?? entry(at: path)
  }

  /// Returns the entries with unclaimed state to carry over, in preorder.
  func pendingEntries() -> [Int] {
    if isRunning { return tree.order.filter { isPending($0) } }
    let pending = (waiting ?? tree.order).filter { isPending($0) }
    waiting = pending
    return pending
  }

  /// Whether there may be something to restore for an object that comes late, or something below its path; otherwise, each of
  /// many costs nothing.
  func mayHaveState(for object: any Restorable, at path: RestorationPath?) -> Bool {
    if !lateRegistrations.isEmpty { return true }
    guard let identifier = path?.identifier ?? object.restorationIdentifier else { return false }
    if waitingIdentifiers == nil {
      var entries: Set<Int> = []
      for index in pendingEntries() {
        var next = index
        while next > 0, entries.insert(next).inserted { next = tree.entries[next].parent }
      }
      waitingIdentifiers = Set(entries.map { TextKey(tree.entries[$0].identifier) })
    }
    return waitingIdentifiers?.contains(TextKey(identifier)) ?? false
  }

  /// Returns whether an entry has unclaimed state to carry over.
  func isPending(_ index: Int) -> Bool {
    guard !progress[index].isConsumed, holdsState, index > 0, tree.entries[index].facts.isSaved else { return false }
    switch progress[index].outcome {
    case .placeholder, .notDecoded(.reason): return false
    case .skipped(.tombstone), .skipped(.gone), .skipped(.closed), .skipped(.expired), .skipped(.refused): return false
    case .restored, .located: return progress[index].isUnadopted
    case .skipped, .later, .failed, .notAdopted, .notUpgraded, .notDecoded(.otherType), .quarantined, nil: return true
    }
  }

  /// Whether the application state is kept beside the delegate, which did not take it in.
  var keepsApplicationState: Bool {
    guard holdsState, tree.applicationError == nil else { return false }
    return progress[0].outcome?.isFailure == true || progress[0].outcome == .quarantined
  }

  /// Whether no application state waits for a delegate.
  var hasNoApplicationState: Bool { progress[0].isConsumed || progress[0].outcome == .placeholder || refusal != nil }

  // MARK: The report

  func makeReport(excessCompletions: Int) -> RestorationReport {
    let tree = tree
    var notes = tree.unreadable.map { unreadable in
      let error = tree.error(of: unreadable)
      return RestorationReport.Note(kind: .unreadable, path: error.path, message: "a node below it cannot be read: \(error)")
    }
    notes += self.notes + notesOfReadKeys
    if excessCompletions > 0 {
      notes.append(
        RestorationReport.Note(
          kind: .excessCompletion, path: nil, message: "completions of restoring without an extension: \(excessCompletions)"))
    }
    let outcomes = outcomes
    return RestorationReport(
      decision: refusal?.decision ?? .restore, refusal: refusal?.reason,
      application: progress[0].outcome ?? .skipped(.noFactory),
      applicationError: errors[0], applicationUpgrade: tree.upgrades[0], notes: notes,
      nodeList: RestorationReport.NodeList(hasLosses: outcomes.hasLosses, hasKeptStates: outcomes.hasKeptStates) { outcomes.nodes },
      isApplicationKept: keepsApplicationState && !isReplaced(0))
  }

  /// The outcomes of the nodes, up to now.
  private var outcomes: Outcomes {
    Outcomes(
      build: options.build, tree: restoredTree ?? tree, progress: progress, types: types.map(\.tag), rules: resolver.rules, errors: errors,
      traces: traces,
      carriedOver: Set(pendingContents.keys.filter { isPending($0) && !isReplaced($0) }), kept: Set(kept.keys),
      keepsApplicationState: keepsApplicationState && !isReplaced(0))
  }

  /// A snapshot of the session's results; it shares the session's arrays, so it is cheap to take.
  struct Outcomes: Sendable {
    /// The build that restores; nil if unknown.
    let build: String?
    let tree: SavedTree
    let progress: [Progress]
    /// The type tags, by number.
    let types: [String?]
    /// The rule of each factory, by number.
    let rules: [ResolutionRule]
    let errors: [Int: String]
    let traces: [Int: [String]]
    let carriedOver: Set<Int>
    /// The entries at whose path an object stands that did not take their state in.
    let kept: Set<Int>
    let keepsApplicationState: Bool

    /// The reported entries: all except placeholders required by an alias, which are in no archive.
    private var reported: some Sequence<Int> {
      tree.order.dropFirst().lazy.filter { tree.entries[$0].facts.isSaved }
    }

    private func outcome(of index: Int) -> RestorationOutcome { progress[index].outcome ?? .skipped(.noFactory) }

    /// Whether the state of a node was neither restored to a live object nor carried over.
    var hasLosses: Bool {
      reported.contains { index in
        switch outcome(of: index) {
        case .failed, .notDecoded(.otherType), .notAdopted, .notUpgraded: !carriedOver.contains(index)
        case .skipped(.expired): true
        default: false
        }
      }
    }

    /// Whether a state is kept that nothing took in by mistake, or that is quarantined.
    var hasKeptStates: Bool {
      keepsApplicationState || carriedOver.contains { outcome(of: $0).isMistake || outcome(of: $0) == .quarantined }
    }

    /// The reported nodes.
    var nodes: [RestorationReport.NodeResult] { reported.map { node($0) } }

    private func node(_ index: Int) -> RestorationReport.NodeResult {
      RestorationReport.NodeResult(
        path: tree.path(of: index), archivedPath: tree.archivedPaths[index],
        type: types[tree.entries[index].facts.type],
        provider: outcome(of: index) == .skipped(.noFactory) ? tree.provider(of: index)?.name : nil,
        outcome: outcome(of: index), rule: rule(of: index), upgrade: tree.upgrades[index], isCarriedOver: carriedOver.contains(index),
        isKept: carriedOver.contains(index) && kept.contains(index),
        isAdded: tree.added.contains(index),
        error: errors[index], trace: traces[index] ?? [],
        newerBuild: [.skipped(.noFactory), .notDecoded(.otherType)].contains(outcome(of: index)) ? newerBuild(of: index) : nil)
    }

    /// Returns the build that saved a node, if its number is greater than that of this build.
    private func newerBuild(of index: Int) -> String? {
      guard let build, let node = tree.node(of: index), let saved = node.origin.map(\.bundleVersion) ?? node.header.bundleVersion
      else { return nil }
      func numbers(_ version: String) -> [Int]? {
        let parts = version.split(separator: ".").map { Int($0) }
        // 1.0 and 1.0.0 are the same build.
        return parts.contains(nil) ? nil : Array(parts.compactMap(\.self).reversed().drop { $0 == 0 }.reversed())
      }
      guard let own = numbers(build), let other = numbers(saved), own.lexicographicallyPrecedes(other) else { return nil }
      return saved
    }

    private func rule(of index: Int) -> ResolutionRule? {
      switch progress[index].rule {
      case noRule: nil
      case delegateRule: .delegate
      case liveRule: .liveObject
      case let number: rules[Int(number)]
      }
    }
  }
}
