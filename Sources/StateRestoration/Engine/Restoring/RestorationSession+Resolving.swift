import FoundationValues
import RestorationArchive
import Storage

extension RestorationSession {
  /// Decides the outcome of each entry at positions in preorder, and creates or finds the objects of those to restore.
  func resolveObjects(at positions: Range<Int>) {
    guard let first = positions.first else { return }
    if resolver.registered.tree.isEmpty {
      for position in positions {
        resolveUndecided(tree.order[position], [])
      }
      return
    }
    var cursor = PatternTree.Cursor(resolver.registered.tree, at: path(of: tree.entries[tree.order[first]].parent))
    for position in positions {
      let index = tree.order[position]
      resolveUndecided(index, cursor.move(to: tree.entries[index].identifier, depth: tree.entries[index].depth))
    }
  }

  private func resolveUndecided(_ index: Int, _ places: [PatternTree.Place]) {
    if progress[index].outcome == nil, objects[index] == nil { resolve(index, places) }
    if progress[index].outcome == .placeholder { bindPlaceholder(index) }
  }

  /// Notes the live object at the path of a placeholder: what is below may belong to it.
  private func bindPlaceholder(_ index: Int) {
    if objects[index] == nil, !tree.superseded.contains(index) { objects[index] = liveObject(at: index) }
  }

  private func resolve(_ index: Int, _ places: [PatternTree.Place]) {
    let facts = tree.entries[index].facts
    if let outcome = inherited(index, from: tree.entries[index].parent) ?? excluded(index, facts) {
      if outcome == .later, isSetAside(index), let live = liveObject(at: index) {
        // No factory is asked for what was set aside, but the object is there.
        progress[index].rule = Self.liveRule
        return bind(live, to: index, isLocated: true)
      }
      progress[index].outcome = outcome
      return
    }
    switch resolver.match(places, typeFactory: types[facts.type].factory) {
    case .tombstone(let place):
      trace(index, "a tombstone at \(place)")
      progress[index].outcome = .skipped(.tombstone)
    case .factory(let number): create(index, byFactory: number)
    case .nothing: createUnregistered(index)
    }
  }

  /// Returns the outcome that an entry inherits from its parent.
  private func inherited(_ index: Int, from parent: Int) -> RestorationOutcome? {
    if parent == 0 || objects[parent] != nil { return nil }
    switch progress[parent].outcome {
    case .placeholder, nil: return nil
    case .skipped(.tombstone): return .skipped(.tombstone)
    case .skipped(.gone): return .skipped(.gone)
    case .skipped(.superseded): return .skipped(.superseded)
    case .quarantined:
      errors[index] = errors[parent]
      return .quarantined
    case .later: return .later
    default: return .skipped(.ancestor)
    }
  }

  /// Returns the outcome of an entry that is decided before any factory is asked.
  private func excluded(_ index: Int, _ facts: SavedTree.Facts) -> RestorationOutcome? {
    if !facts.isSaved { return .placeholder }
    if !options.quarantined.isEmpty, isQuarantined(index) { return .quarantined }
    if !resolver.registered.moves.isEmpty, tree.superseded.contains(index) {
      return tree.isPlaceholder(index) ? .placeholder : .skipped(.superseded)
    }
    guard facts.hasOrigin || facts.hasAttributes, let node = tree.node(of: index) else { return nil }
    if let origin = node.origin, options.carryLimits.end(node, origin, now: options.launch.now) {
      return .skipped(.expired)
    }
    if node.isPlaceholder { return .placeholder }
    return isSetAside(index) ? .later : nil
  }

  /// Whether the object of an entry has left the app, and may come back.
  func isSetAside(_ index: Int) -> Bool {
    tree.entries[index].facts.hasAttributes && tree.node(of: index)?.has(EngineAttribute.setAside) == true
  }

  private func trace(_ index: Int, _ text: @autoclosure () -> String) {
    if options.tracesDecisions { traces[index, default: []].append(text()) }
  }

  // MARK: Factories

  private func create(_ index: Int, byFactory number: Int) {
    progress[index].rule = Int32(number)
    // Looked up before asking the factory, which may add the created object to the tree.
    let live = liveObject(at: index)
    if let live, resolver.registered.factories[number].reusesLiveObject {
      trace(index, "\(resolver.rules[number]): there is an object already")
      return bind(live, to: index, isLocated: true)
    }
    ask(index, live, by: "\(resolver.rules[number])") { try resolver.registered.factories[number].make($0) }
  }

  private func ask(
    _ index: Int, _ live: (any Restorable)?, by rule: @autoclosure () -> String, _ make: (FactoryRequest) throws -> FactoryResult
  ) {
    announce(.creating, index)
    do {
      switch try make(request(for: index)) {
      case .object(let object):
        trace(index, "\(rule()): an object")
        bind(object, to: index, isLocated: live === object)
        if let live, live !== object, entryNumbers[live] == nil { noteRival(object, of: live) }
      case .declined:
        trace(index, "\(rule()): declined")
        progress[index].outcome = .skipped(.declined)
      case .later:
        trace(index, "\(rule()): later")
        progress[index].outcome = .later
      case .gone:
        trace(index, "\(rule()): gone")
        progress[index].outcome = .skipped(.gone)
      }
    } catch {
      trace(index, "\(rule()): threw")
      fail(index, error)
    }
  }

  /// Applies rules 4 to 6: the delegate, a live object, a provider.
  private func createUnregistered(_ index: Int) {
    trace(index, "no factory for the path or the type")
    if let delegate = application?.delegate {
      var isAsked = true
      progress[index].rule = Self.delegateRule
      ask(index, liveObject(at: index), by: "the delegate") { request in
        if let answer = try delegate.restorableObject(for: request) { return answer }
        isAsked = false
        return .declined
      }
      if isAsked || objects[index] != nil { return }
      progress[index].outcome = nil
      progress[index].rule = Self.noRule
    }
    if let object = liveObject(at: index) {
      trace(index, "there is an object already")
      progress[index].rule = Self.liveRule
      bind(object, to: index, isLocated: true)
      return
    }
    if let number = resolver.providerFactory(for: tree.node(of: index)) {
      progress[index].rule = Int32(number)
      // No live object: that was checked above.
      ask(index, nil, by: "\(resolver.rules[number])") { try resolver.registered.factories[number].make($0) }
      return
    }
    trace(index, "no object, no provider")
    progress[index].outcome = .skipped(.noFactory)
  }

  // MARK: Binding

  /// Binds an object to an entry.
  func bind(_ object: any Restorable, to index: Int, isLocated: Bool) {
    if let other = entryNumbers.insert(index, for: object), other != index {
      let place = path(of: other).textForDisplay
      return fail(index, "the object that was made for it is restored from \(place) already; make one for each path")
    }
    // An object that is replaced is released when everything is consistent: its `deinit` may run other code.
    if let replaced = objects[index] { replacedObjects.append(replaced) }
    objects[index] = object
    progress[index].bind(isLocated: isLocated)
    if let identifier = object.restorationIdentifier {
      if !identifier.isSameText(as: tree.entries[index].identifier) {
        note(
          .identifier, path(of: index), "its object has another identifier, \(identifier.quotedForDisplay), and will be saved under that")
      }
    } else {
      note(.identifier, path(of: index), "its object has no identifier and will not be saved")
    }
  }

  /// Records the error of an app callback.
  func fail(_ index: Int, _ error: any Error) {
    // The engine's own errors name the failed step.
    let isOfUpgrade = tree.upgradeErrors[index] != nil && !(error is RestorationError)
    let place = isOfUpgrade ? "upgrading it from version \(savedType(of: index).schemaVersion) threw " : ""
    fail(index, place + ErrorText.text(of: error) + (remedy(for: error, of: index) ?? ""))
    application?.delegate?.didCatch(error, at: path(of: index))
  }

  /// What to write if an object failed because of a value that its build saved otherwise, or not at all.
  private func remedy(for error: any Error, of index: Int) -> String? {
    if case DecodingError.keyNotFound = error {
      return "; if an older build has saved the value without it, give the type an init(from:) that uses decodeIfPresent"
    }
    guard let error = error as? ArchiveError, let key = error.key else { return nil }
    if error.code == .absentKey {
      return "; if an older build did not save it, use decode(…, forKey: \(key.quotedForDisplay), default: …)"
    }
    guard error.code == .wrongType, index > 0 else { return nil }
    let saved = savedType(of: index)
    guard let tag = saved.tag else { return nil }
    let upgrade = "Upgrade(type: \(tag.quotedForDisplay), from: \(saved.schemaVersion), to: \(saved.schemaVersion + 1))"
    return "; if its type has changed, add \(upgrade) { state in state.transform(\(key.quotedForDisplay)) { … } }"
  }

  func fail(_ index: Int, _ message: String) {
    progress[index].outcome = .failed
    errors[index] = message
  }
}

extension RestorationSession: FactoryRequestSource {
  var launch: LaunchContext { options.launch }
  func identifier(of index: Int) -> String { tree.entries[index].identifier }
  func schemaVersion(of index: Int) -> Int { savedType(of: index).schemaVersion }
}
