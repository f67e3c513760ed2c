import RestorationArchive

/// Saves the live objects once: fixes all paths, then encodes each object, then adds what is carried over.
///
/// Coders find it through their user information, to turn objects into paths.
final class PreservationRun {
  let application: RestorableApplication
  let options: PreservationOptions
  let header: ArchiveHeader
  private(set) lazy var userInfo: [CodingUserInfoKey: Any] = [.preservationRun: WeakRun(self)]
  private(set) lazy var writer = ArchiveWriter(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo)
  /// The objects, parents first.
  var nodes: [LiveNode] = []
  /// By object: its number.
  private(set) var numbers: [ObjectIdentifier: Int] = [:]
  /// By parent and identifier: the number; made when something has to be found by path.
  private var places: [RestorationSession.ChildKey: Int]?
  var findings: [PreservationReport.Finding] = []
  private var isWalked = false

  init(_ application: RestorableApplication, header: ArchiveHeader, options: PreservationOptions) {
    self.application = application
    self.header = header
    self.options = options
  }

  func report(_ kind: PreservationReport.Finding.Kind, _ path: RestorationPath?, _ message: String) {
    findings.append(PreservationReport.Finding(kind: kind, path: path, message: message))
  }

  func path(of number: Int) -> RestorationPath {
    var identifiers: [String] = []
    var next = number
    while next >= 0 {
      identifiers.append(nodes[next].identifier)
      next = nodes[next].parent
    }
    return RestorationPath(validated: identifiers.reversed())
  }

  /// As many as there are, if that is known, or as there were.
  private var expectedNodeCount: Int {
    max(nodes.count, application.lastSaved?.nodeCount ?? application.session?.archive.nodeCount ?? 64)
  }

  // MARK: First pass

  /// Fixes the paths of all objects, if that is not done yet.
  func walk() throws {
    if isWalked { return }
    isWalked = true
    let count = min(expectedNodeCount, 1 << 20)
    nodes.reserveCapacity(count)
    numbers.reserveCapacity(count)
    try walk(application.roots, under: -1)
    for (object, path) in application.registered.alive where numbers[ObjectIdentifier(object)] == nil {
      if let path { _ = try place(object, at: path) } else { _ = try place(object) }
    }
  }

  /// Fixes the paths of all objects, again if it was done while the application state was encoded: objects may have come and gone since.
  func walkAgain() throws {
    let referred = nodes.filter(\.isNeeded).compactMap(\.object)
    if isWalked {
      findings.removeAll { $0.kind != .reference && $0.kind != .keptPrevious }
      isWalked = false
      nodes = []
      numbers = [:]
      places = nil
    }
    try walk()
    for object in referred { _ = try path(of: object) }
  }

  /// Takes in objects and all below them, in preorder.
  private func walk(_ objects: [any Restorable], under parent: Int) throws {
    var stack = [(objects: try admitted(objects, under: parent), next: 0, parent: parent)]
    while let top = stack.last {
      guard top.next < top.objects.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let (object, identifier) = top.objects[top.next]
      guard let number = add(object, identifier, under: top.parent) else { continue }
      let children = object.restorationChildren
      if !children.isEmpty { stack.append((try admitted(children, under: number), 0, number)) }
    }
  }

  /// Takes in one object; nil if it was taken in before, or lies too deep.
  private func add(_ object: any Restorable, _ identifier: String, under parent: Int) -> Int? {
    let depth = parent < 0 ? 1 : nodes[parent].depth + 1
    guard depth <= 256 else {
      report(.tooDeep, path(of: parent), "objects below it lie too deep to be saved")
      return nil
    }
    let identity = ObjectIdentifier(object)
    if let other = numbers[identity] {
      report(.twice, path(of: other), "the object is also below \(parentText(parent)), and is saved here only")
      return nil
    }
    let number = nodes.count
    nodes.append(LiveNode(object: object, identifier: identifier, parent: parent, depth: depth))
    numbers[identity] = number
    if places != nil { places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))] = number }
    return number
  }

  func parentText(_ parent: Int) -> String { parent < 0 ? "the top" : path(of: parent).textForDisplay }

  /// The objects that have an identifier that none before them has.
  private func admitted(_ objects: [any Restorable], under parent: Int) throws -> [(any Restorable, String)] {
    var result: [(any Restorable, String)] = []
    result.reserveCapacity(objects.count)
    var firsts: [IdentifierKey: any Restorable] = [:]
    for object in objects {
      guard let identifier = object.restorationIdentifier else {
        report(
          .withoutIdentifier, parent < 0 ? nil : path(of: parent),
          "a \(type(of: object)) below \(parentText(parent)) has no identifier, and is left out")
        continue
      }
      guard (1...1024).contains(identifier.utf8.count) else {
        report(
          .withoutIdentifier, parent < 0 ? nil : path(of: parent),
          "a \(type(of: object)) below \(parentText(parent)) has an identifier of \(identifier.utf8.count) bytes, and is left out")
        continue
      }
      // A few are compared one by one, which is cheaper than hashing.
      let first: (any Restorable)? =
        objects.count <= 8
        ? result.first { $0.1.isSameText(as: identifier) }?.0
        : firsts.updateValue(object, forKey: IdentifierKey(identifier))
      if let first {
        if objects.count > 8 { firsts[IdentifierKey(identifier)] = first }
        // The same object twice is not two owners.
        if first !== object { try reportDuplicate(first, object, identifier, under: parent) }
        continue
      }
      result.append((object, identifier))
    }
    return result
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

  // MARK: Placing

  /// The number of an object that is in nobody's children: under its parent, wherever that is.
  func place(_ object: any Restorable, depth: Int = 0) throws -> Int? {
    if let number = numbers[ObjectIdentifier(object)] { return number }
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    if let path = application.registered[object]?.path { return try place(object, at: path) }
    guard let parent = object.restorationParent else { return try place(object, identifier, under: -1) }
    guard let number = try numbers[ObjectIdentifier(parent)] ?? holdPlace(of: parent, depth: depth + 1) else { return nil }
    return try place(object, identifier, under: number)
  }

  private func place(_ object: any Restorable, at path: RestorationPath) throws -> Int? {
    guard let identifier = path.identifier else { return nil }
    return try place(object, identifier, under: holdPlace(at: path.components.dropLast()))
  }

  private func place(_ object: any Restorable, _ identifier: String, under parent: Int) throws -> Int? {
    if let other = number(of: identifier, under: parent) {
      if let first = nodes[other].object {
        try reportDuplicate(first, object, identifier, under: parent)
        return nil
      }
      // Only the place was kept so far.
      if nodes[other].written == nil {
        nodes[other].object = object
        numbers[ObjectIdentifier(object)] = other
        try walk(object.restorationChildren, under: other)
        return other
      }
      report(.duplicate, path(of: other), "\(owner(object)) came too late: only its place is saved")
      return nil
    }
    guard let number = add(object, identifier, under: parent) else { return nil }
    try walk(object.restorationChildren, under: number)
    return number
  }

  /// Keeps the place of an object that is not saved itself, for one below it.
  private func holdPlace(of object: any Restorable, depth: Int) throws -> Int? {
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    var parent = -1
    if let above = object.restorationParent {
      guard let number = try numbers[ObjectIdentifier(above)] ?? holdPlace(of: above, depth: depth + 1) else { return nil }
      parent = number
    }
    return number(of: identifier, under: parent) ?? addPlace(identifier, under: parent)
  }

  /// The number of the place that identifiers lead to, made if it is not there.
  func holdPlace(at identifiers: some Sequence<String>) -> Int {
    var parent = -1
    for identifier in identifiers { parent = number(of: identifier, under: parent) ?? addPlace(identifier, under: parent) }
    return parent
  }

  /// Notes the node that was written for a carried one, so that others can lie below it.
  func adopt(_ identifier: String, under parent: Int, written: ArchiveWriter.Node) {
    let place = number(of: identifier, under: parent) ?? addPlace(identifier, under: parent)
    nodes[place].written = written
  }

  func numbersContain(_ object: any Restorable) -> Bool { numbers[ObjectIdentifier(object)] != nil }

  private func addPlace(_ identifier: String, under parent: Int) -> Int {
    let number = nodes.count
    nodes.append(LiveNode(object: nil, identifier: identifier, parent: parent, depth: parent < 0 ? 1 : nodes[parent].depth + 1))
    places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))] = number
    return number
  }

  /// The number of what has an identifier below a parent.
  func number(of identifier: String, under parent: Int) -> Int? {
    if places == nil {
      var made: [RestorationSession.ChildKey: Int] = [:]
      made.reserveCapacity(nodes.count)
      for (number, node) in nodes.enumerated() {
        made[RestorationSession.ChildKey(parent: node.parent, identifier: IdentifierKey(node.identifier))] = number
      }
      places = made
    }
    return places?[RestorationSession.ChildKey(parent: parent, identifier: IdentifierKey(identifier))]
  }

  // MARK: References

  /// The path of an object, for a reference to it; nil if it has none.
  func path(of object: any Restorable) throws -> RestorationPath? {
    try walk()
    guard let number = try numbers[ObjectIdentifier(object)] ?? place(object) else { return nil }
    nodes[number].isNeeded = true
    return path(of: number)
  }

  /// The path of an object of which is not known that it is restorable; nil if it has none.
  func path(ofAny object: Any) -> RestorationPath? {
    let known = numbers[ObjectIdentifier(object as AnyObject)]
    if let known {
      nodes[known].isNeeded = true
      return path(of: known)
    }
    guard let object = object as? any Restorable, let path = try? path(of: object) else {
      report(.reference, nil, "a reference to a \(type(of: object)), which has no path, is stored as null")
      return nil
    }
    return path
  }
}

/// A run, for coders: they may outlive it.
final class WeakRun {
  weak var run: PreservationRun?
  init(_ run: PreservationRun) { self.run = run }
}
