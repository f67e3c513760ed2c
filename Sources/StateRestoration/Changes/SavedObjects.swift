import RestorationArchive

/// The objects of the last capture and their places, against which the next capture finds what has changed.
///
/// The objects are held weakly: one that is released is saved no more.
final class SavedObjects {
  /// A saved object.
  struct SavedObject {
    weak var object: (any Restorable)?
    let identifier: String
    /// The number of the parent; -1 for the top level.
    let parent: Int
    let depth: Int
    /// The numbers of the first child and of the next sibling, in saved order; -1 for none.
    var firstChild = -1
    var nextSibling = -1
    /// Whether the object reports its changes.
    let isTracked: Bool
    /// Whether the node is no longer saved.
    var isRemoved = false
    /// The capture that holds its contents; nil for the capture of everything.
    var captured: PreservedChanges?
  }

  /// All nodes ever saved since the capture of everything, parents first.
  private(set) var nodes: [SavedObject]
  /// The number of the first node at the top level; -1 for none.
  private(set) var firstRoot = -1
  private var numbers: IdentityTable
  /// The objects that do not report their changes.
  private(set) var untracked: Set<Int> = []
  /// By object, those that refer to it; may include some that no longer do.
  private var referrers: [Int: Set<Int>]
  private(set) var count: Int
  /// The place of the last capture.
  private(set) var place: CapturePlace
  /// The header and the schema of the application state of the last capture.
  private(set) var header: ArchiveHeader
  private(set) var applicationSchemaVersion: Int
  /// The last capture of everything.
  let everything: PreservedArchive
  /// The last capture; nil if that is the one of everything.
  private(set) var last: PreservedChanges?

  /// Takes the objects of a capture of everything, in an order that has parents first and siblings in saved order.
  init(
    _ nodes: [SavedObject], _ numbers: consuming IdentityTable, references: [(from: Int, to: Int)], everything: PreservedArchive,
    at place: CapturePlace, header: ArchiveHeader, applicationSchemaVersion: Int
  ) {
    self.nodes = nodes
    self.numbers = numbers
    self.header = header
    self.applicationSchemaVersion = applicationSchemaVersion
    self.everything = everything
    self.place = place
    count = nodes.count
    referrers = [:]
    for reference in references { referrers[reference.to, default: []].insert(reference.from) }
    // From the end, so that each node becomes the first child.
    for number in nodes.indices.reversed() {
      if !nodes[number].isTracked { untracked.insert(number) }
      prepend(number)
    }
  }

  private func prepend(_ number: Int) {
    let parent = nodes[number].parent
    if parent < 0 {
      nodes[number].nextSibling = firstRoot
      firstRoot = number
    } else {
      nodes[number].nextSibling = nodes[parent].firstChild
      nodes[parent].firstChild = number
    }
  }

  /// Whether so many nodes were removed that everything should be captured again, to release their memory.
  var isWorn: Bool { nodes.count > 2 * count + 4096 }

  // MARK: Looking up

  /// Returns the number of a live object; nil if it is not saved.
  func number(of object: any Restorable) -> Int? {
    numbers[object].flatMap { nodes[$0].object === object && !nodes[$0].isRemoved ? $0 : nil }
  }

  /// Returns the number of a saved object by its address; it may have been released.
  func number(at address: ObjectIdentifier) -> Int? {
    numbers[address].flatMap { nodes[$0].isRemoved ? nil : $0 }
  }

  /// Calls `body` with the number of each child, in saved order; a parent of -1 stands for the top level.
  func visitChildren(of parent: Int, _ body: (Int) -> Void) {
    var next = parent < 0 ? firstRoot : nodes[parent].firstChild
    while next >= 0 {
      body(next)
      next = nodes[next].nextSibling
    }
  }

  /// Returns the identifiers of the children, in saved order.
  func childIdentifiers(of parent: Int) -> [String] {
    var identifiers: [String] = []
    visitChildren(of: parent) { identifiers.append(nodes[$0].identifier) }
    return identifiers
  }

  /// Whether objects are exactly the children of a node, in saved order.
  func areChildren(_ objects: [any Restorable], of parent: Int) -> Bool {
    var next = parent < 0 ? firstRoot : nodes[parent].firstChild
    for object in objects {
      guard next >= 0, nodes[next].object === object else { return false }
      next = nodes[next].nextSibling
    }
    return next < 0
  }

  func path(of number: Int) -> RestorationPath {
    if number < 0 { return .application }
    var identifiers = [String](repeating: "", count: nodes[number].depth)
    var next = number
    for place in identifiers.indices.reversed() {
      identifiers[place] = nodes[next].identifier
      next = nodes[next].parent
    }
    return RestorationPath(validated: identifiers)
  }

  /// The objects that refer to an object.
  func referrers(of number: Int) -> Set<Int> { referrers[number] ?? [] }

  // MARK: Changing

  /// Records a reference.
  func addReference(from source: Int, to target: Int) { referrers[target, default: []].insert(source) }

  /// Records a capture of changes.
  func note(_ changes: PreservedChanges, header: ArchiveHeader, applicationSchemaVersion: Int) {
    last = changes
    place = changes.place
    self.header = header
    self.applicationSchemaVersion = applicationSchemaVersion
  }

  /// Records the capture that holds the contents of a node.
  func setCaptured(_ number: Int, _ changes: PreservedChanges?) { nodes[number].captured = changes }

  /// Adds a node that is not yet among the children of its parent; the object must not have a number.
  func add(_ object: any Restorable, _ identifier: String, under parent: Int) -> Int {
    let number = nodes.count
    let isTracked = type(of: object).tracksChanges
    nodes.append(
      SavedObject(
        object: object, identifier: identifier, parent: parent, depth: parent < 0 ? 1 : nodes[parent].depth + 1, isTracked: isTracked))
    numbers.update(number, for: object)
    if !isTracked { untracked.insert(number) }
    count += 1
    return number
  }

  /// Replaces the children of a node, in saved order.
  func setChildren(_ children: [Int], of parent: Int) {
    if parent < 0 { firstRoot = children.first ?? -1 } else { nodes[parent].firstChild = children.first ?? -1 }
    for (index, child) in children.enumerated() {
      nodes[child].nextSibling = index + 1 < children.count ? children[index + 1] : -1
    }
  }

  /// Removes a node and all below it; `body` is called with the number of each, parents first.
  ///
  /// Their links to each other stay, so that the removed tree can still be read.
  func remove(_ top: Int, _ body: (Int) -> Void) {
    var stack = [top]
    while let number = stack.popLast() {
      guard !nodes[number].isRemoved else { continue }
      nodes[number].isRemoved = true
      nodes[number].captured = nil
      untracked.remove(number)
      count -= 1
      body(number)
      visitChildren(of: number) { stack.append($0) }
    }
  }

  /// Forgets who refers to removed nodes.
  func forgetReferences(to numbers: [Int]) {
    for number in numbers { referrers[number] = nil }
  }
}
