import RestorationArchive
import Storage

/// The first pass: the objects to save and their paths.
extension PreservationRun {
  /// Determines the paths of all objects, if not done yet.
  func walk() throws {
    if isWalked { return }
    isWalked = true
    let count = min(expectedNodeCount, 1 << 20)
    state.value.nodes.reserveCapacity(count)
    state.value.numbers = IdentityTable(capacity: count)
    try walk(application.roots, under: -1)
    registrationCount = 0
    _ = try takeInRegistered()
  }

  /// Adds the objects registered since the last call, and returns whether there were any.
  func takeInRegistered() throws -> Bool {
    guard application.registered.registrationCount > registrationCount else { return false }
    registrationCount = application.registered.registrationCount
    for (object, path) in application.registered.alive where number(of: object) == nil {
      if let path { _ = try place(object, at: path) } else { _ = try place(object) }
    }
    return true
  }

  /// Determines the paths of all objects, again if done while the application state was encoded: objects may have come
  /// and gone since.
  func walkAgain() throws {
    let referred = state.value.nodes.filter(\.isNeeded).compactMap(\.object)
    if isWalked {
      // Notes of the walk are reported again; all others are kept.
      notes.removeAll { [.withoutIdentifier, .unusableIdentifier, .tooDeep, .twice, .duplicate].contains($0.kind) }
      isWalked = false
      state.value.nodes = []
      state.value.numbers = IdentityTable()
      state.value.places = nil
      disordered = []
    }
    try walk()
    for object in referred { _ = try path(of: object) }
  }

  /// Adds objects and their descendants, in preorder.
  private func walk(_ objects: [any Restorable], under parent: Int) throws {
    // A stack: the next object to add is last.
    var pending: [Admitted] = []
    try admit(objects, under: parent, to: &pending)
    while let next = pending.popLast() {
      guard let number = add(next.object, next.identifier, under: next.parent) else { continue }
      let children = Self.children(of: next.object)
      if !children.isEmpty { try admit(children, under: number, to: &pending) }
    }
  }

  /// Returns the children of an object.
  ///
  /// (Not inlined: the caller already holds the object, and inlining would add another retain.)
  @inline(never)
  private static func children(of object: any Restorable) -> [any Restorable] { object.restorationChildren }

  /// An object whose identifier is unique among the preceding siblings.
  private struct Admitted {
    let object: any Restorable
    let identifier: String
    let fingerprint: UInt64
    let parent: Int
  }

  /// Adds an object; nil if it was already added, or is too deep.
  private func add(_ object: any Restorable, _ identifier: String, under parent: Int) -> Int? {
    let depth = parent < 0 ? 1 : state.value.nodes[parent].depth + 1
    guard depth <= 256 else {
      report(.tooDeep, path(of: parent), "objects below it lie too deep to be saved")
      return nil
    }
    let number = state.value.nodes.count
    if let other = state.value.numbers.insert(number, for: object) {
      report(.twice, path(of: other), "the object is also below \(parentText(parent)), and is saved here only")
      return nil
    }
    state.value.nodes.append(LiveNode(object: object, identifier: identifier, parent: parent, depth: depth))
    if state.value.places != nil {
      state.value.places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))] = number
    }
    return number
  }

  func parentText(_ parent: Int) -> String { parent < 0 ? "the top" : path(of: parent).textForDisplay }

  /// Pushes the objects with a unique identifier onto the pending stack, with the first one on top.
  private func admit(_ objects: [any Restorable], under parent: Int, to pending: inout [Admitted]) throws {
    let start = pending.count
    var places: [IdentifierKey: Int] = [:]
    for object in objects {
      guard let identifier = identifier(of: object, under: parent) else { continue }
      let fingerprint = identifier.fingerprint
      // Linear search is cheaper than hashing for a few objects.
      let first =
        objects.count <= 8
        ? Self.first(of: identifier, fingerprint, in: pending, from: start)
        : places.updateValue(pending.count, forKey: IdentifierKey(identifier))
      if let first {
        if objects.count > 8 { places[IdentifierKey(identifier)] = first }
        try reportTaken(object, identifier, by: pending[first])
        continue
      }
      pending.append(Admitted(object: object, identifier: identifier, fingerprint: fingerprint, parent: parent))
    }
    var (low, high) = (start, pending.count - 1)
    while low < high {
      pending.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Returns the position of the first object with an identifier.
  private static func first(of identifier: String, _ fingerprint: UInt64, in pending: [Admitted], from start: Int) -> Int? {
    (start..<pending.count).first { pending[$0].fingerprint == fingerprint && pending[$0].identifier.isSameText(as: identifier) }
  }

  /// Reports an object whose identifier is taken, unless it is the same object.
  @inline(never)
  private func reportTaken(_ object: any Restorable, _ identifier: String, by first: Admitted) throws {
    // The same object listed twice is not a conflict.
    if first.object !== object { try reportDuplicate(first.object, object, identifier, under: first.parent) }
  }

  /// Returns the identifier of an object; if it has none that can be saved, reports this and returns nil.
  private func identifier(of object: any Restorable, under parent: Int) -> String? {
    let identifier = object.restorationIdentifier
    if let identifier, (1...1024).contains(identifier.utf8.count) { return identifier }
    let fault = identifier.map { "an identifier of \($0.utf8.count) bytes" } ?? "no identifier"
    report(
      identifier == nil ? .withoutIdentifier : .unusableIdentifier, parent < 0 ? nil : path(of: parent),
      "a \(type(of: object)) below \(parentText(parent)) has \(fault), and is left out")
    return nil
  }

  /// Reports two objects with the same path.
  func reportDuplicate(_ first: any Restorable, _ second: any Restorable, _ identifier: String, under parent: Int) throws {
    let path = RestorationPath(validated: (parent < 0 ? [] : path(of: parent).components) + [identifier])
    let message = "\(owner(first)) and \(owner(second)) have the same path; the first one is saved"
    guard options.duplicates == .keepFirst else { throw RestorationError(.duplicatePath, path: path, message) }
    report(.duplicate, path, message)
  }

  private func owner(_ object: any Restorable) -> String {
    let place = application.registered[object]?.place
    return "\(type(of: object))\(place.map { " registered at \($0)" } ?? "")"
  }

  // MARK: Objects outside the tree

  /// Adds an object that is not in its parent's children, below that parent, and returns its number.
  func place(_ object: any Restorable, depth: Int = 0) throws -> Int? {
    if let number = number(of: object) { return number }
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    if let path = application.registered[object]?.path { return try place(object, at: path) }
    guard let parent = object.restorationParent else { return try place(object, identifier, under: -1) }
    guard let number = try number(of: parent) ?? ensurePlaceholder(of: parent, depth: depth + 1) else { return nil }
    return try place(object, identifier, under: number)
  }

  private func place(_ object: any Restorable, at path: RestorationPath) throws -> Int? {
    guard let identifier = path.identifier else { return nil }
    return try place(object, identifier, under: ensurePlaceholder(at: path.components.dropLast()))
  }

  private func place(_ object: any Restorable, _ identifier: String, under parent: Int) throws -> Int? {
    if let other = number(of: identifier, under: parent) {
      if let first = state.value.nodes[other].object {
        try reportDuplicate(first, object, identifier, under: parent)
        return nil
      }
      // So far only a placeholder.
      if state.value.nodes[other].written == nil {
        state.value.nodes[other].object = object
        _ = state.value.numbers.insert(other, for: object)
        try walk(object.restorationChildren, under: other)
        return other
      }
      report(.duplicate, path(of: other), "\(owner(object)) was added too late: only a placeholder is saved")
      return nil
    }
    guard let number = add(object, identifier, under: parent) else { return nil }
    state.value.nodes[number].isListed = false
    disordered.insert(parent)
    try walk(object.restorationChildren, under: number)
    return number
  }

  /// Adds a placeholder for an object that is not saved itself, but has a saved descendant.
  private func ensurePlaceholder(of object: any Restorable, depth: Int) throws -> Int? {
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    var parent = -1
    if let above = object.restorationParent {
      guard let number = try number(of: above) ?? ensurePlaceholder(of: above, depth: depth + 1) else { return nil }
      parent = number
    }
    return number(of: identifier, under: parent) ?? addPlace(identifier, under: parent)
  }

  /// Returns the number of the node at a path of identifiers, and adds placeholders where nodes are missing.
  func ensurePlaceholder(at identifiers: some Sequence<String>) -> Int {
    var parent = -1
    for identifier in identifiers { parent = number(of: identifier, under: parent) ?? addPlace(identifier, under: parent) }
    return parent
  }

  /// Records the node written for carried-over state, so that others can be below it.
  func adopt(_ identifier: String, under parent: Int, written: ArchiveWriter.Node) {
    let place = number(of: identifier, under: parent) ?? addPlace(identifier, under: parent)
    state.value.nodes[place].written = written
    disordered.insert(parent)
  }

  private func addPlace(_ identifier: String, under parent: Int) -> Int {
    let number = state.value.nodes.count
    state.value.nodes.append(
      LiveNode(
        object: nil, identifier: identifier, parent: parent, depth: parent < 0 ? 1 : state.value.nodes[parent].depth + 1, isListed: false))
    state.value.places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))] = number
    return number
  }

  /// Returns the number of the node with an identifier below a parent.
  func number(of identifier: String, under parent: Int) -> Int? {
    if state.value.places == nil {
      var made: [RestorationSession.ChildKey: Int] = [:]
      made.reserveCapacity(state.value.nodes.count)
      for (number, node) in state.value.nodes.enumerated() {
        made[RestorationSession.ChildKey(parent: node.parent, identifier: IdentifierKey(node.identifier))] = number
      }
      state.value.places = made
    }
    return state.value.places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))]
  }
}
