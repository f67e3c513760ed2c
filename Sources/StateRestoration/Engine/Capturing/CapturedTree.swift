import RestorationArchive
import Storage

/// The nodes of a capture: the identifiers of the objects and their places in the tree, parents first.
///
/// Kept until the next capture, which compares the objects with it. It then holds no object: one that is released is
/// saved no more. No function calls the app.
final class CapturedTree {
  /// A node, with the facts about its object for the next capture.
  struct Node {
    /// The object during the capture; nil for a placeholder that only holds descendants.
    var object: (any Restorable)?
    let identifier: String
    /// The number of the parent; -1 for the top level.
    let parent: Int32
    let depth: Int32
    /// The numbers of the first child and of the next sibling, in saved order; -1 for none.
    ///
    /// Known after the capture.
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
    /// The node written to the archive by this capture, if any.
    var written: ArchiveWriter.Node?
    /// The address of the object.
    fileprivate(set) var address: UInt = 0
    /// Keeps the memory of the object, and not the object, so that no other object gets its address.
    ///
    /// It is never read: that traps once the object is gone.
    fileprivate unowned var pin: AnyObject?
    /// The restored properties of an object that is skipped while they are unchanged, and the number of their changes.
    fileprivate(set) var properties: RestoredProperties?
    fileprivate(set) var changeCount = 0
    fileprivate(set) var facts = Facts()

    /// Whether the object is in the `restorationChildren` of its parent or among the roots, which define the order of
    /// siblings.
    var isListed = true
    /// Whether an empty node must be written too, because it is the target of a reference or preserves previous state.
    var isNeeded = false
    /// Whether the node could not be written; its descendants cannot be written either.
    var isRefused = false
    /// Whether saved state that the object did not take in is carried over in its place.
    var isReplaced = false
    /// Whether the node has a type; it is then written even if it is empty.
    var hasTag = false
    /// Whether the node is no longer saved.
    fileprivate(set) var isRemoved = false
  }

  /// What is known of the object of a node between captures.
  struct Facts: BitwiseCopyable {
    /// Whether the object's class promises to report its changes.
    var isTracked = false
    /// Whether the object is skipped while its restored properties, if any, are unchanged.
    var isPlain = false
    /// The class of such an object.
    var kind: UInt = 0
  }

  private struct State: ~Copyable {
    var nodes: [Node] = []
    /// The node number of each object.
    var numbers = IdentityTable()
    /// The node number by parent and identifier; built on the first lookup by path.
    var places: [ChildKey: Int]?
  }

  /// A child of a node.
  private struct ChildKey: Hashable {
    let parent: Int
    let identifier: TextKey
  }

  private let state = UncheckedBox(State())
  /// The number of the first node at the top level; -1 for none.
  private var firstRoot = -1
  /// The number of nodes that are saved.
  private(set) var count = 0
  /// The objects that report their changes, and those that do not while their parents do, by number.
  private var watched: [Int: WeakObject] = [:]
  /// The objects that do not report their changes, and whose parents do.
  private(set) var unwatchedTops: Set<Int> = []
  /// The references from object to object, by number.
  private var references: [(from: Int, to: Int)] = []
  /// The number of nodes when a capture ended last, and those that were removed since.
  private var sealedCount = 0
  private var removedSince: [Int] = []
  /// The numbers of the nodes of then by the addresses of their objects; built on demand.
  private var sealedNumbers: [UInt: Int]?
  /// The referrers of each object, collected on demand; may include former ones.
  private var referrers: [Int: Set<Int>]?

  /// Creates an empty tree with room for `capacity` nodes.
  init(capacity: Int = 0) {
    state.value.nodes.reserveCapacity(capacity)
    state.value.numbers = IdentityTable(capacity: capacity)
  }

  /// Forgets everything.
  func removeAll() {
    state.value = State()
    (firstRoot, count, watched, unwatchedTops, references, referrers) = (-1, 0, [:], [], [], nil)
  }

  /// The numbers of all nodes ever added, parents first.
  var numbers: Range<Int> { 0..<state.value.nodes.count }

  /// A node, by its number.
  subscript(number: Int) -> Node {
    @inline(__always) _read { yield state.value.nodes[number] }
    @inline(__always) _modify { yield &state.value.nodes[number] }
  }

  /// Whether so many nodes were removed that everything should be captured again, to release their memory.
  var isWorn: Bool { state.value.nodes.count > 2 * count + 4096 }

  // MARK: Looking up

  /// Returns the number of an object; nil if it is not in the tree.
  @inline(__always)
  func number(of object: AnyObject) -> Int? { number(at: ObjectIdentifier(object)) }

  /// Returns the number of the object at an address; it may have been released.
  @inline(__always)
  func number(at address: ObjectIdentifier) -> Int? {
    state.value.numbers[address].flatMap { state.value.nodes[$0].isRemoved ? nil : $0 }
  }

  /// Returns the number of the node with an identifier below a parent.
  func number(of identifier: String, under parent: Int) -> Int? {
    if state.value.places == nil {
      var made: [ChildKey: Int] = [:]
      made.reserveCapacity(state.value.nodes.count)
      for (number, node) in state.value.nodes.enumerated() where !node.isRemoved {
        made[ChildKey(parent: Int(node.parent), identifier: TextKey(node.identifier))] = number
      }
      state.value.places = made
    }
    return state.value.places?[ChildKey(parent: parent, identifier: TextKey(identifier))]
  }

  /// Returns the number of the object at a path; nil if there is none, or only a placeholder.
  func number(at path: RestorationPath) -> Int? {
    var number = -1
    for identifier in path.components {
      guard let next = self.number(of: identifier, under: number) else { return nil }
      number = next
    }
    return number >= 0 && state.value.nodes[number].object != nil ? number : nil
  }

  /// Returns the path of a node; that of -1 is empty.
  func path(of number: Int) -> RestorationPath {
    if number < 0 { return .application }
    var next = number
    // Filled from the end, in an array allocated once.
    let depth = Int(state.value.nodes[number].depth)
    var identifiers = [String](repeating: "", count: depth)
    for place in (0..<depth).reversed() {
      identifiers[place] = state.value.nodes[next].identifier
      next = Int(state.value.nodes[next].parent)
    }
    return RestorationPath(validated: identifiers)
  }

  /// Whether a number belongs to an object or one of its descendants.
  func isNode(_ number: Int, below object: any Restorable) -> Bool {
    guard let top = self.number(of: object) else { return false }
    var next = number
    while next > top { next = Int(state.value.nodes[next].parent) }
    return next == top
  }

  // MARK: Adding

  /// Adds an object as the last node; nil if it already has a node.
  @inline(__always)
  func add(_ object: any Restorable, _ identifier: String, under parent: Int) -> Int? {
    let number = state.value.nodes.count
    if state.value.numbers.insert(number, for: object) != nil {
      guard self.number(of: object) == nil else { return nil }
      // The number of a node that was removed.
      state.value.numbers.update(number, at: ObjectIdentifier(object))
    }
    append(Node(object: object, identifier: identifier, parent: Int32(truncatingIfNeeded: parent), depth: depth(below: parent)))
    return number
  }

  /// Adds a placeholder.
  func addPlace(_ identifier: String, under parent: Int) -> Int {
    append(
      Node(object: nil, identifier: identifier, parent: Int32(truncatingIfNeeded: parent), depth: depth(below: parent), isListed: false))
    return state.value.nodes.count - 1
  }

  @inline(__always)
  private func append(_ node: Node) {
    if state.value.places != nil {
      state.value.places?[ChildKey(parent: Int(node.parent), identifier: TextKey(node.identifier))] = state.value.nodes.count
    }
    state.value.nodes.append(node)
    count += 1
  }

  /// Returns the depth of the children of a node.
  func depth(below parent: Int) -> Int32 { parent < 0 ? 1 : state.value.nodes[parent].depth &+ 1 }

  /// Turns a placeholder into the node of an object.
  func setObject(_ object: any Restorable, of number: Int) {
    state.value.nodes[number].object = object
    _ = state.value.numbers.insert(number, for: object)
  }

  /// Returns the number of the node at a path of identifiers, and adds placeholders where nodes are missing.
  func ensurePlaceholder(at identifiers: some Sequence<String>) -> Int {
    var parent = -1
    for identifier in identifiers { parent = number(of: identifier, under: parent) ?? addPlace(identifier, under: parent) }
    return parent
  }

  /// Records that one object refers to another.
  func addReference(from source: Int, to target: Int) {
    // In a list while everything is captured; captures of changes would add the same ones again and again.
    if sealedCount == 0 { return references.append((source, target)) }
    _ = referrers(of: target)
    referrers?[target, default: []].insert(source)
  }

  // MARK: Between captures

  /// Records that an object's encoding is skipped while its restored properties are unchanged.
  func setPlain(_ number: Int, _ kind: ObjectIdentifier, _ properties: RestoredProperties?) {
    state.value.nodes[number].facts.isPlain = true
    state.value.nodes[number].facts.kind = UInt(bitPattern: kind)
    state.value.nodes[number].properties = properties
    state.value.nodes[number].changeCount = properties?.changeCount ?? 0
  }

  /// Whether the encoding of an object of a class is still that of the node.
  @inline(__always)
  func isUnchanged(_ number: Int, _ kind: ObjectIdentifier) -> Bool {
    guard state.value.nodes[number].facts.isPlain, state.value.nodes[number].facts.kind == UInt(bitPattern: kind) else { return false }
    guard let properties = state.value.nodes[number].properties else { return true }
    return properties.changeCount == state.value.nodes[number].changeCount && !properties.areOutdated
  }

  /// Records that an object is encoded each time.
  func setEncodedEachTime(_ number: Int) {
    state.value.nodes[number].facts.isPlain = false
    state.value.nodes[number].properties = nil
  }

  /// Releases the objects after a capture of everything, and returns whether the next capture can compare them: if not
  /// all nodes are those of objects in the tree, or if most objects have to be encoded again.
  ///
  /// `tracksChanges` tells whether the class of an object reports its changes.
  func seal(tracksChanges: (any Restorable) -> Bool) -> Bool {
    var skipped = 0
    for number in numbers {
      let node = state.value.nodes[number]
      guard let object = node.object, node.isListed, node.written != nil, !node.isReplaced else { return false }
      let isTracked = tracksChanges(object)
      state.value.nodes[number].facts.isTracked = isTracked
      if isTracked || node.facts.isPlain { skipped += 1 }
    }
    // Otherwise most of the work would be done twice.
    guard 2 * skipped >= count else { return false }
    // From the end, so that each node becomes the first child.
    for number in numbers.reversed() {
      linkFirst(number)
      release(number)
    }
    noteSealed()
    return true
  }

  /// Releases the objects of nodes that a capture of changes has visited.
  func seal(_ numbers: some Sequence<Int>) {
    for number in numbers {
      state.value.nodes[number].written = nil
      release(number)
    }
    for number in removedSince { (state.value.nodes[number].address, state.value.nodes[number].pin) = (0, nil) }
    noteSealed()
  }

  /// Releases the objects after a capture of everything that no capture of changes follows.
  func releaseObjects() {
    for number in numbers { pin(number) }
    noteSealed()
  }

  /// Releases the objects of a capture of changes that gave no result.
  func dropObjects() {
    for number in numbers where state.value.nodes[number].object != nil { state.value.nodes[number].object = nil }
  }

  private func noteSealed() { (sealedCount, removedSince, sealedNumbers) = (state.value.nodes.count, [], nil) }

  /// Returns the path of an object when a capture ended last; nil if it was not there.
  func sealedPath(of object: AnyObject) -> RestorationPath? { sealedNumber(of: object).map { path(of: $0) } }

  /// Returns the number of an object when a capture ended last; nil if it was not there.
  func sealedNumber(of object: AnyObject) -> Int? {
    if sealedNumbers == nil {
      var made: [UInt: Int] = [:]
      for number in 0..<sealedCount where state.value.nodes[number].address != 0 { made[state.value.nodes[number].address] = number }
      sealedNumbers = made
    }
    return sealedNumbers?[UInt(bitPattern: ObjectIdentifier(object))]
  }

  private func linkFirst(_ number: Int) {
    let parent = Int(state.value.nodes[number].parent)
    if parent < 0 {
      state.value.nodes[number].nextSibling = Int32(truncatingIfNeeded: firstRoot)
      firstRoot = number
    } else {
      state.value.nodes[number].nextSibling = state.value.nodes[parent].firstChild
      state.value.nodes[parent].firstChild = Int32(truncatingIfNeeded: number)
    }
  }

  @discardableResult
  private func pin(_ number: Int) -> (any Restorable)? {
    guard let object = state.value.nodes[number].object.take() else { return nil }
    state.value.nodes[number].address = UInt(bitPattern: ObjectIdentifier(object))
    state.value.nodes[number].pin = object
    state.value.nodes[number].written = nil
    return object
  }

  private func release(_ number: Int) {
    guard let object = pin(number) else { return }
    let (isTracked, parent) = (state.value.nodes[number].facts.isTracked, Int(state.value.nodes[number].parent))
    let isTop = !isTracked && parent >= 0 && state.value.nodes[parent].facts.isTracked
    if isTop { unwatchedTops.insert(number) }
    if isTracked || isTop { watched[number] = WeakObject(object: object) }
  }

  /// Returns the object of a watched node; nil if it was released.
  func watchedObject(_ number: Int) -> (any Restorable)? { watched[number]?.object }

  /// Records whether the class of an object reports its changes.
  func setTracked(_ isTracked: Bool, _ number: Int) { state.value.nodes[number].facts.isTracked = isTracked }

  /// Whether an object is that of a node; another one may have the address of a released object.
  @inline(__always)
  func isObject(_ object: AnyObject, of number: Int) -> Bool {
    guard state.value.nodes[number].address == UInt(bitPattern: ObjectIdentifier(object)) else { return false }
    return watched.isEmpty || !isWatched(number) || watched[number]?.object === object
  }

  /// Whether walks skip the object of a node: it reports its changes, or lies directly below one that does.
  @inline(__always)
  private func isWatched(_ number: Int) -> Bool {
    if state.value.nodes[number].facts.isTracked { return true }
    let parent = Int(state.value.nodes[number].parent)
    return parent >= 0 && state.value.nodes[parent].facts.isTracked
  }

  /// Returns the number of the first child of a node, or of the first root for -1; -1 for none.
  @inline(__always)
  func firstChild(of parent: Int) -> Int { parent < 0 ? firstRoot : Int(state.value.nodes[parent].firstChild) }

  /// Returns the number of the sibling after a node; -1 for none.
  @inline(__always)
  func nextSibling(of number: Int) -> Int { Int(state.value.nodes[number].nextSibling) }

  /// Calls `body` with the number of each child, in saved order; a parent of -1 stands for the top level.
  func visitChildren(of parent: Int, _ body: (Int) -> Void) {
    var next = firstChild(of: parent)
    while next >= 0 {
      body(next)
      next = nextSibling(of: next)
    }
  }

  /// Returns the identifiers of the children, in saved order.
  func childIdentifiers(of parent: Int) -> [String] {
    var identifiers: [String] = []
    visitChildren(of: parent) { identifiers.append(state.value.nodes[$0].identifier) }
    return identifiers
  }

  /// Replaces the children of a node, in saved order.
  func setChildren(_ children: [Int], of parent: Int) {
    if parent < 0 { firstRoot = children.first ?? -1 } else { state.value.nodes[parent].firstChild = Int32(children.first ?? -1) }
    for (index, child) in children.enumerated() {
      state.value.nodes[child].nextSibling = Int32(index + 1 < children.count ? children[index + 1] : -1)
    }
  }

  /// Removes a node and all below it; `body` is called with the number of each, parents first.
  ///
  /// Their links to each other stay, so that the removed nodes can still be read.
  func remove(_ top: Int, _ body: (Int) -> Void) {
    var stack = [top]
    while let number = stack.popLast() {
      guard !state.value.nodes[number].isRemoved else { continue }
      state.value.nodes[number].isRemoved = true
      removedSince.append(number)
      state.value.nodes[number].properties = nil
      state.value.nodes[number].object = nil
      watched[number] = nil
      unwatchedTops.remove(number)
      state.value.places = nil
      count -= 1
      body(number)
      visitChildren(of: number) { stack.append($0) }
    }
  }

  /// Returns the objects that refer to an object.
  func referrers(of number: Int) -> Set<Int> {
    if referrers == nil {
      var made: [Int: Set<Int>] = [:]
      for reference in references { made[reference.to, default: []].insert(reference.from) }
      (referrers, references) = (made, [])
    }
    return referrers?[number] ?? []
  }

  /// Forgets who refers to removed nodes.
  func forgetReferences(to numbers: [Int]) {
    for number in numbers { referrers?[number] = nil }
  }
}
