import Foundation
import PropertyKit
package import StateRestoration

/// An app that changes at random: two of the same seed make the same changes.
///
/// Objects are edited, added, removed, moved and renamed; they refer to each other and to objects outside the tree, are
/// registered by themselves, throw, and take in saved state late or not at all.
package final class HistoryApp {
  /// The app as the engine sees it.
  package let application: RestorableTree
  private var random: SeededGenerator
  /// The parent of the roots.
  private let root: any HistoryItem = UntypedItem("the roots")
  private let delegate = Settings()
  /// The kinds of new objects; those that occur twice are more frequent.
  private let kinds: [HistoryKind]
  /// Decides how the objects of a node are made.
  private let salt: UInt64
  /// Objects that were removed and may return.
  private var removed: [any HistoryItem] = []
  /// Objects that are registered, or in no list but referred to; the app owns them.
  private var loose: [any HistoryItem] = []
  /// All objects of this app, to break cycles at its end.
  private var all: [Weak] = []
  /// The objects in the tree that the last capture has encoded, and that have kept their place since.
  private var settled: Set<ObjectIdentifier> = []
  /// Whether other objects may throw too.
  private let throwsAnywhere: Bool
  /// The saved nodes, with their types.
  private var saved: [(path: RestorationPath, type: String?)] = []
  private var names = 0
  /// The changes so far, for diagnosing failures.
  package private(set) var log: [String] = []

  private struct Weak {
    weak var item: (any HistoryItem)?
  }

  /// The delegate: it throws, refers to an object, and may want nothing to be saved.
  private final class Settings: RestorationDelegate {
    @Restored var theme = 0
    var decision = SaveDecision.save
    var fails = false
    var front: (any HistoryItem)?
    /// Makes the objects of nodes without a type.
    var make: ((FactoryRequest) throws -> FactoryResult?)?

    func shouldSaveState(to coder: StateEncoder) -> SaveDecision { decision }

    func willEncodeRestorableState(with coder: StateEncoder) throws {
      try coder.encodeRestoredProperties(of: self)
      if fails { throw HistoryError() }
      try coder.encode(reference: front, forKey: "front")
    }

    func restorableObject(for node: FactoryRequest) throws -> FactoryResult? {
      node.type == nil ? try make?(node) : nil
    }
  }

  /// Creates an app.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - throwsAnywhere: Whether objects may throw that have moved, or whose last capture was refused by the delegate.
  package init(seed: UInt64, throwsAnywhere: Bool) {
    self.throwsAnywhere = throwsAnywhere
    random = SeededGenerator(seed: seed)
    salt = random.next()
    switch random.below(4) {
    case 0: kinds = HistoryKind.allCases
    // Most objects report their changes.
    case 1: kinds = Array(repeating: .promising, count: 6) + [.promisingObserved, .plain, .referring]
    case 2: kinds = [.promising, .promisingObserved]
    // Most objects leave their encoding to the library.
    default: kinds = Array(repeating: .plain, count: 6) + [.referring, .boxed, .coded, .promising]
    }
    application = RestorableTree(roots: { [root] in root.children }, delegate: delegate)
    delegate.make = { [unowned self] in try self.make(HistoryKind.untyped, $0) }
  }

  /// Breaks the cycles among the objects, at the end of the app.
  package func end() {
    for weak in all {
      weak.item?.target = nil
      weak.item?.owner = nil
      weak.item?.children = []
    }
  }

  // MARK: Launching

  /// Starts without saved state, with a few objects.
  package func startFresh() throws {
    for _ in 0..<(2 + random.below(10)) { add() }
    try application.startFresh()
  }

  /// Returns the options for a launch from saved state.
  ///
  /// - Parameter tree: The saved state.
  /// - Returns: The options.
  package func prepareLaunch(of tree: ArchiveTree) -> RestorationOptions {
    func add(_ nodes: [ArchiveNode], _ parent: RestorationPath) {
      for node in nodes {
        let path = parent.appending(node.identifier)
        saved.append((path, node.type))
        add(node.children, path)
      }
    }
    add(tree.nodes, .application)
    // Objects that exist at the launch, some of them of another class than the saved one.
    if random.oneIn(3) { root.children = [create(random.pick(kinds), newName())] }
    var options = RestorationOptions()
    if random.oneIn(5), !saved.isEmpty { options.quarantined = [random.pick(saved).path] }
    if random.oneIn(8) { options.carryLimits.sessions = random.below(3) }
    return options
  }

  /// Returns the factories.
  package func resolver() throws -> Resolver {
    try Resolver {
      for kind in HistoryKind.allCases where kind != .untyped {
        // Weak, since the application keeps the resolver.
        Factory(type: kind.type.restorationType, deciding: { [unowned self] in try self.make(kind, $0) })
      }
    }
  }

  private func make(_ kind: HistoryKind, _ node: FactoryRequest) throws -> FactoryResult {
    switch fate(of: node.path) {
    case 0: return .declined
    case 1: return .later
    case 2: return .gone
    case 3: throw HistoryError()
    case let fate:
      let item = create(kind, node.identifier)
      item.faults.decoding = fate == 4
      if node.path.count == 1 { root.children.append(item) }
      return .object(item)
    }
  }

  /// Returns a number that depends on the seed and the path alone (FNV-1a).
  private func fate(of path: RestorationPath) -> UInt64 {
    var hash = salt
    for byte in path.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash >> 32) % 30
  }

  // MARK: Saving

  /// Captures the state, or its changes.
  package func capture(onlyChanges: Bool, build: String, at seconds: Int) throws -> Preservation {
    let captured = try application.preserve(
      header: .at(build: build, seconds: Double(seconds)), options: PreservationOptions(encodesOnlyChanges: onlyChanges))
    switch captured.decision {
    case .save: settled = Set(items.map { ObjectIdentifier($0) })
    case .forget, .keepPrevious: for item in items { unsettle(item) }
    }
    return captured
  }

  // MARK: Changing

  /// Makes a few changes.
  package func change() {
    (delegate.decision, delegate.fails) = (.save, false)
    note("|")
    for _ in 0..<(1 + random.below(3)) { changeOnce() }
  }

  private func changeOnce() {
    switch random.below(26) {
    case 0...6: edit()
    case 7...9: add()
    case 10, 11: remove()
    case 12, 13: move()
    case 14: shuffle()
    case 15: giveBack()
    case 16, 17: rename()
    case 18, 19: refer()
    case 20: referOutside()
    case 21: register()
    case 22: unregister()
    case 23: fail()
    case 24: decide()
    default: note("nothing")
    }
  }

  private func note(_ change: String) { log.append(change) }

  /// The objects of the tree, in preorder.
  private var items: [any HistoryItem] {
    var items: [any HistoryItem] = []
    func visit(_ objects: [any Restorable]) {
      for case let item as any HistoryItem in objects {
        items.append(item)
        visit(item.children)
      }
    }
    visit(root.children)
    return items
  }

  private func create(_ kind: HistoryKind, _ identifier: String?) -> any HistoryItem {
    let item = kind.type.init(identifier)
    all.append(Weak(item: item))
    return item
  }

  private func newName() -> String {
    names += 1
    // Few names, so that objects come back under the names of others.
    return random.oneIn(3) ? "n\(names)" : "n\(random.below(6))"
  }

  private func pickParent() -> any HistoryItem {
    let items = items
    return items.isEmpty || random.oneIn(6) ? root : random.pick(items)
  }

  /// Whether a name is free; sometimes one that is taken is used all the same.
  private func canTake(_ name: String?, _ parent: any HistoryItem) -> Bool {
    random.oneIn(40) || !parent.children.contains { $0.restorationIdentifier == name }
  }

  private func pickItem() -> (any HistoryItem)? {
    let items = items + loose
    return items.isEmpty ? nil : random.pick(items)
  }

  private func edit() {
    guard let item = pickItem() else { return }
    // Often the same number as before.
    let number = random.below(12)
    note("edit \(item.restorationIdentifier ?? "-") to \(number)")
    item.edit(number)
  }

  private func add() {
    let parent = pickParent()
    let name: String? = random.oneIn(20) ? nil : newName()
    guard canTake(name, parent) else { return }
    let kind = random.pick(kinds)
    let item = create(kind, name)
    item.edit(random.below(12))
    note("add \(kind) \(name ?? "-") to \(parent.restorationIdentifier ?? "-")")
    insert(item, below: parent)
  }

  /// Notes that an object has another place, or was not captured: it and all below it no longer throw.
  private func unsettle(_ item: any HistoryItem) {
    if throwsAnywhere { return }
    settled.remove(ObjectIdentifier(item))
    if item.faults.encoding { item.faults.encoding = false }
    for case let child as any HistoryItem in item.children { unsettle(child) }
  }

  private func insert(_ item: any HistoryItem, below parent: any HistoryItem) {
    parent.children.insert(item, at: random.below(parent.children.count + 1))
  }

  private func take() -> (any HistoryItem)? {
    let parent = pickParent()
    guard !parent.children.isEmpty, let item = parent.children.remove(at: random.below(parent.children.count)) as? any HistoryItem else {
      return nil
    }
    unsettle(item)
    return item
  }

  private func remove() {
    guard let item = take() else { return }
    note("remove \(item.restorationIdentifier ?? "-")")
    removed.append(item)
    if removed.count > 3 { removed.removeFirst() }
  }

  private func move() {
    guard let item = take() else { return }
    note("move \(item.restorationIdentifier ?? "-")")
    put(item)
  }

  private func giveBack() {
    guard !removed.isEmpty else { return }
    let item = removed.remove(at: random.below(removed.count))
    note("return \(item.restorationIdentifier ?? "-")")
    put(item)
  }

  private func put(_ item: any HistoryItem) {
    let parent = pickParent()
    guard canTake(item.restorationIdentifier, parent) else { return removed.append(item) }
    insert(item, below: parent)
  }

  private func shuffle() {
    let parent = pickParent()
    note("shuffle below \(parent.restorationIdentifier ?? "-")")
    parent.children.shuffle(using: &random)
  }

  private func rename() {
    let parent = pickParent()
    guard !parent.children.isEmpty, let item = random.pick(parent.children) as? any HistoryItem else { return }
    let name: String? = random.oneIn(12) ? nil : newName()
    guard canTake(name, parent) else { return }
    note("rename \(item.restorationIdentifier ?? "-") to \(name ?? "-")")
    item.restorationIdentifier = name
    unsettle(item)
  }

  private func refer() {
    guard let source = pickItem() else { return }
    let target = random.oneIn(3) ? nil : pickItem()
    note("refer from \(source.restorationIdentifier ?? "-") to \(target?.restorationIdentifier ?? "-")")
    if random.oneIn(6) { delegate.front = target } else { source.target = target }
  }

  /// Refers to a new object that is in no list of children.
  private func referOutside() {
    guard let source = pickItem() else { return }
    let item = create(random.pick(kinds), newName())
    item.owner = random.oneIn(4) ? nil : pickItem()
    note("refer from \(source.restorationIdentifier ?? "-") to \(item.restorationIdentifier ?? "-") outside")
    loose.append(item)
    source.target = item
  }

  /// Registers an object: at the path of saved state, or below another object.
  private func register() {
    if !saved.isEmpty, random.oneIn(2) {
      let (path, type) = random.pick(saved)
      let kind = HistoryKind.allCases.first { $0.type.restorationType == type ?? "" } ?? .untyped
      let item = create(kind, path.identifier)
      note("register \(path)")
      loose.append(item)
      application.register(item, at: path)
      return
    }
    let item = create(random.pick(kinds), newName())
    item.owner = pickItem()
    note("register \(item.restorationIdentifier ?? "-")")
    loose.append(item)
    application.register(item)
  }

  /// Unregisters an object, or releases it, or discards saved state.
  private func unregister() {
    if !saved.isEmpty, random.oneIn(3) {
      let path = random.pick(saved).path
      note("discard \(path)")
      application.discardState(at: path)
      return
    }
    guard !loose.isEmpty else { return }
    let item = loose.remove(at: random.below(loose.count))
    note("release \(item.restorationIdentifier ?? "-")")
    if random.oneIn(2) { application.unregister(item) }
  }

  /// Makes an object or the delegate throw when it is encoded, or no longer.
  private func fail() {
    let candidates = throwsAnywhere ? items : items.filter { settled.contains(ObjectIdentifier($0)) }
    guard !candidates.isEmpty else { return }
    if random.oneIn(5) {
      note("the delegate throws")
      delegate.fails = true
      return
    }
    let item = random.pick(candidates)
    note("\(item.restorationIdentifier ?? "-") throws, or no longer")
    item.faults.encoding.toggle()
  }

  private func decide() {
    switch random.below(6) {
    case 0: delegate.decision = .forget
    case 1, 2: delegate.decision = .keepPrevious
    default: delegate.theme = random.below(3)
    }
    note("the delegate: \(delegate.decision), theme \(delegate.theme)")
  }
}
