import ArchiveFormat
import RestorationArchive

/// Saves the live objects once: fixes all paths, then encodes each object, then adds what is carried over.
///
/// Coders find it through their user information, to turn objects into paths.
final class PreservationRun {
  let application: RestorableApplication
  let options: PreservationOptions
  let header: ArchiveHeader
  private(set) lazy var userInfo: [CodingUserInfoKey: Any] = [.preservationRun: WeakRun(self)]
  private(set) lazy var writer = makeWriter()
  /// The archive that was restored, if there is one; it stays the same while state is preserved.
  let session: RestorationSession?
  let state = UncheckedBox(State())
  var findings: [PreservationReport.Finding] = []
  /// What is to be carried over, once it was looked for.
  var candidates: Candidates?
  /// The quarantined paths, as they were given, whose objects the user has changed.
  var quarantineChanges: Set<RestorationPath> = []
  /// The numbers of parents whose children may have been written in another order than they belong in.
  var disordered: Set<Int> = []
  private var isWalked = false
  /// How many had registered when the registered objects were taken in.
  private var registrationCount = 0

  /// What is touched for every object.
  struct State: ~Copyable {
    /// The objects, parents first.
    var nodes: [LiveNode] = []
    /// By object: its number.
    var numbers = IdentityTable()
    /// By parent and identifier: the number; made when something has to be found by path.
    var places: [RestorationSession.ChildKey: Int]?
  }

  /// The number of an object that was taken in.
  func number(of object: any Restorable) -> Int? { state.value.numbers[object] }

  init(_ application: RestorableApplication, header: ArchiveHeader, options: PreservationOptions) {
    self.application = application
    self.header = header
    self.options = options
    session = application.session
  }

  func report(_ kind: PreservationReport.Finding.Kind, _ path: RestorationPath?, _ message: String) {
    findings.append(PreservationReport.Finding(kind: kind, path: path, message: message))
  }

  func path(of number: Int) -> RestorationPath {
    if number < 0 { return .application }
    var next = number
    // From the last one up, into an array that is made at once.
    let depth = state.value.nodes[number].depth
    var identifiers = [String](repeating: "", count: depth)
    for place in (0..<depth).reversed() {
      identifiers[place] = state.value.nodes[next].identifier
      next = state.value.nodes[next].parent
    }
    return RestorationPath(validated: identifiers)
  }

  /// The writer of the last save, made ready for this one, or a new one.
  private func makeWriter() -> ArchiveWriter {
    // Taken for as long as this run lasts: it is given back when the archive is finished.
    if let last = application.writer.take(),
      (try? last.reset(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo)) != nil
    {
      return last
    }
    return ArchiveWriter(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo)
  }

  /// As many as there are, if that is known, or as there were.
  private var expectedNodeCount: Int {
    max(state.value.nodes.count, application.lastSaved?.nodeCount ?? session?.archive.nodeCount ?? 64)
  }

  // MARK: First pass

  /// Fixes the paths of all objects, if that is not done yet.
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

  /// Takes in the objects that have registered since this was done last; returns whether there are any.
  func takeInRegistered() throws -> Bool {
    guard application.registered.registrationCount > registrationCount else { return false }
    registrationCount = application.registered.registrationCount
    for (object, path) in application.registered.alive where number(of: object) == nil {
      if let path { _ = try place(object, at: path) } else { _ = try place(object) }
    }
    return true
  }

  /// Fixes the paths of all objects, again if it was done while the application state was encoded: objects may have come and gone since.
  func walkAgain() throws {
    let referred = state.value.nodes.filter(\.isNeeded).compactMap(\.object)
    if isWalked {
      // What walking reported is met again, all else is not.
      findings.removeAll { [.withoutIdentifier, .tooDeep, .twice, .duplicate].contains($0.kind) }
      isWalked = false
      state.value.nodes = []
      state.value.numbers = IdentityTable()
      state.value.places = nil
      disordered = []
    }
    try walk()
    for object in referred { _ = try path(of: object) }
  }

  /// Takes in objects and all below them, in preorder.
  private func walk(_ objects: [any Restorable], under parent: Int) throws {
    // What is still to be taken in, the next one last.
    var pending: [Admitted] = []
    try admit(objects, under: parent, to: &pending)
    while let next = pending.popLast() {
      guard let number = add(next.object, next.identifier, under: next.parent) else { continue }
      let children = Self.children(of: next.object)
      if !children.isEmpty { try admit(children, under: number, to: &pending) }
    }
  }

  /// What lies below an object.
  ///
  /// (It is called, and not in line: its caller holds the object, which in line would be counted once more.)
  @inline(never)
  private static func children(of object: any Restorable) -> [any Restorable] { object.restorationChildren }

  /// An object that has an identifier that none of its siblings before it has.
  private struct Admitted {
    let object: any Restorable
    let identifier: String
    let fingerprint: UInt64
    let parent: Int
  }

  /// Takes in one object; nil if it was taken in before, or lies too deep.
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

  /// Puts the objects that have an identifier that none before them has behind the others that are pending, the first one last.
  private func admit(_ objects: [any Restorable], under parent: Int, to pending: inout [Admitted]) throws {
    let start = pending.count
    var places: [IdentifierKey: Int] = [:]
    for object in objects {
      guard let identifier = identifier(of: object, under: parent) else { continue }
      let fingerprint = identifier.fingerprint
      // A few are compared one by one, which is cheaper than hashing.
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

  /// The place of the first object that has an identifier.
  private static func first(of identifier: String, _ fingerprint: UInt64, in pending: [Admitted], from start: Int) -> Int? {
    (start..<pending.count).first { pending[$0].fingerprint == fingerprint && pending[$0].identifier.isSameText(as: identifier) }
  }

  /// Reports an object whose identifier another one has, unless it is the same one.
  @inline(never)
  private func reportTaken(_ object: any Restorable, _ identifier: String, by first: Admitted) throws {
    // The same object twice is not two owners.
    if first.object !== object { try reportDuplicate(first.object, object, identifier, under: first.parent) }
  }

  /// The identifier of an object; nil if it has none that can be saved, which is reported.
  private func identifier(of object: any Restorable, under parent: Int) -> String? {
    let identifier = object.restorationIdentifier
    if let identifier, (1...1024).contains(identifier.utf8.count) { return identifier }
    let fault = identifier.map { "an identifier of \($0.utf8.count) bytes" } ?? "no identifier"
    report(
      .withoutIdentifier, parent < 0 ? nil : path(of: parent),
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

  // MARK: Placing

  /// The number of an object that is in nobody's children: under its parent, wherever that is.
  func place(_ object: any Restorable, depth: Int = 0) throws -> Int? {
    if let number = number(of: object) { return number }
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    if let path = application.registered[object]?.path { return try place(object, at: path) }
    guard let parent = object.restorationParent else { return try place(object, identifier, under: -1) }
    guard let number = try number(of: parent) ?? holdPlace(of: parent, depth: depth + 1) else { return nil }
    return try place(object, identifier, under: number)
  }

  private func place(_ object: any Restorable, at path: RestorationPath) throws -> Int? {
    guard let identifier = path.identifier else { return nil }
    return try place(object, identifier, under: holdPlace(at: path.components.dropLast()))
  }

  private func place(_ object: any Restorable, _ identifier: String, under parent: Int) throws -> Int? {
    if let other = number(of: identifier, under: parent) {
      if let first = state.value.nodes[other].object {
        try reportDuplicate(first, object, identifier, under: parent)
        return nil
      }
      // Only the place was kept so far.
      if state.value.nodes[other].written == nil {
        state.value.nodes[other].object = object
        _ = state.value.numbers.insert(other, for: object)
        try walk(object.restorationChildren, under: other)
        return other
      }
      report(.duplicate, path(of: other), "\(owner(object)) came too late: only its place is saved")
      return nil
    }
    guard let number = add(object, identifier, under: parent) else { return nil }
    state.value.nodes[number].isListed = false
    disordered.insert(parent)
    try walk(object.restorationChildren, under: number)
    return number
  }

  /// Keeps the place of an object that is not saved itself, for one below it.
  private func holdPlace(of object: any Restorable, depth: Int) throws -> Int? {
    guard depth < 256, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count) else { return nil }
    var parent = -1
    if let above = object.restorationParent {
      guard let number = try number(of: above) ?? holdPlace(of: above, depth: depth + 1) else { return nil }
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

  /// The number of what has an identifier below a parent.
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

  // MARK: References

  /// The path of an object, for a reference to it; nil if it has none.
  func path(of object: any Restorable) throws -> RestorationPath? {
    try walk()
    guard let number = try number(of: object) ?? place(object) else { return nil }
    state.value.nodes[number].isNeeded = true
    return path(of: number)
  }

  /// The path of an object of which is not known that it is restorable; nil if it has none.
  func path(ofAny object: Any) -> RestorationPath? {
    if let known = state.value.numbers[object as AnyObject] {
      state.value.nodes[known].isNeeded = true
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
final class WeakRun: CoderContext {
  weak var run: PreservationRun?
  init(_ run: PreservationRun) { self.run = run }
  var changes: ChangeTracking? { run?.application.changes }
  func path(ofAny object: Any) -> RestorationPath? { run?.path(ofAny: object) }
  func object(at target: RestorationPath, forKey key: String?) -> (any Restorable)? { nil }
}
