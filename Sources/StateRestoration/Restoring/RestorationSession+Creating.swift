#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

extension RestorationSession {
  /// Makes or finds the objects of the entries at positions in preorder.
  func createObjects(at positions: Range<Int>) {
    guard let first = positions.first else { return }
    // The places in the resolver's tree of the entries above the one at hand, by depth.
    var places: [[PatternTree.Place]] = []
    if !resolver.tree.isEmpty {
      let path = path(of: tree.entries[tree.order[first]].parent)
      places = [resolver.tree.start]
      for identifier in path.components { places.append(resolver.tree.advance(places[places.count - 1], by: identifier)) }
    }
    for position in positions {
      let index = tree.order[position]
      var found: [PatternTree.Place] = []
      if !places.isEmpty {
        let depth = Int(progress[index].depth)
        places.removeLast(places.count - depth)
        found = resolver.tree.advance(places[depth - 1], by: tree.entries[index].identifier)
        places.append(found)
      }
      if progress[index].outcome == nil, objects[index] == nil { create(index, found) }
    }
  }

  private func create(_ index: Int, _ places: [PatternTree.Place]) {
    if let outcome = inherited(index) ?? excluded(index) {
      progress[index].outcome = outcome
      // What lies below finds objects that are there already.
      if outcome == .placeholder { objects[index] = liveObject(at: index) }
      return
    }
    switch resolver.match(places, type: type(of: index)) {
    case .tombstone(let place):
      trace(index, "a tombstone at \(place)")
      progress[index].outcome = .skipped(.tombstone)
    case .factory(let number): create(index, byFactory: number)
    case .nothing: createUnregistered(index)
    }
  }

  /// What follows from what became of the entry above.
  private func inherited(_ index: Int) -> RestorationOutcome? {
    let parent = tree.entries[index].parent
    if parent == 0 || objects[parent] != nil { return nil }
    switch progress[parent].outcome {
    case .placeholder, nil: return nil
    case .skipped(.tombstone): return .skipped(.tombstone)
    case .skipped(.superseded): return .skipped(.superseded)
    case .quarantined: return .quarantined
    case .later: return .later
    default: return .skipped(.ancestor)
    }
  }

  /// What is decided before any factory is asked.
  private func excluded(_ index: Int) -> RestorationOutcome? {
    guard let node = tree.entries[index].node else { return .placeholder }
    if !options.quarantined.isEmpty,
      options.quarantined.contains(node.path) || tree.archivedPaths[index].map({ options.quarantined.contains($0) }) == true
    {
      return .quarantined
    }
    if tree.superseded.contains(index) { return .skipped(.superseded) }
    if let origin = node.origin, !options.carryLimits.allows(origin, now: options.launch.now?.timeIntervalSinceReferenceDate) {
      return .skipped(.expired)
    }
    return node.isPlaceholder ? .placeholder : nil
  }

  private func trace(_ index: Int, _ text: @autoclosure () -> String) {
    if options.tracesDecisions { traces[index, default: []].append(text()) }
  }

  // MARK: Factories

  private func create(_ index: Int, byFactory number: Int) {
    progress[index].rule = Int32(number)
    let factory = resolver.factories[number]
    if factory.reusesLiveObject, let object = liveObject(at: index) {
      trace(index, "\(resolver.rule(of: number)): there is an object already")
      bind(object, to: index, isLocated: true)
      return
    }
    ask(index, by: "\(resolver.rule(of: number))") { try factory.make($0) }
  }

  private func ask(_ index: Int, by rule: @autoclosure () -> String, _ make: (FactoryRequest) throws -> FactoryAnswer) {
    // Before the call, which may put the object that it makes into the tree.
    let live = liveObject(at: index)
    announce(.creating, index)
    do {
      switch try make(FactoryRequest(session: self, index: index)) {
      case .object(let object):
        trace(index, "\(rule()): an object")
        bind(object, to: index, isLocated: live === object)
      case .declined:
        trace(index, "\(rule()): declined")
        progress[index].outcome = .skipped(.declined)
      case .later:
        trace(index, "\(rule()): later")
        progress[index].outcome = .later
      }
    } catch {
      trace(index, "\(rule()): threw")
      fail(index, ErrorText.text(of: error))
    }
  }

  /// Steps 4 to 6: the delegate, an object that is there, a declarative provider.
  private func createUnregistered(_ index: Int) {
    trace(index, "no factory for the path or the type")
    if let delegate = application?.delegate {
      var isAsked = true
      progress[index].rule = Self.delegateRule
      ask(index, by: "the delegate") { request in
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
    if !resolver.providerFactories.isEmpty, let provider = provider(of: index),
      let number = resolver.providerFactories[IdentifierKey(provider.name)]
    {
      progress[index].rule = Int32(number)
      ask(index, by: "\(resolver.rule(of: number))") { try resolver.factories[number].make($0) }
      return
    }
    trace(index, "no object, no provider")
    progress[index].outcome = .skipped(.noFactory)
  }

  // MARK: Binding

  /// Gives an entry its object.
  func bind(_ object: any Restorable, to index: Int, isLocated: Bool) {
    let identity = ObjectIdentifier(object)
    if let other = boundEntries[identity], other != index {
      return fail(index, "the object that was made for it is restored from \(path(of: other).textForDisplay) already")
    }
    boundEntries[identity] = index
    objects[index] = object
    progress[index].outcome = nil
    progress[index].isLocated = isLocated
    progress[index].isMade = !isLocated
    if let identifier = object.restorationIdentifier {
      if !identifier.isSameText(as: tree.entries[index].identifier) {
        note(
          .identifier, path(of: index), "its object has another identifier, \(identifier.quotedForDisplay), and will be saved under that")
      }
    } else {
      note(.identifier, path(of: index), "its object has no identifier and will not be saved")
    }
  }

  func fail(_ index: Int, _ message: String) {
    progress[index].outcome = .failed
    errors[index] = message
  }
}
