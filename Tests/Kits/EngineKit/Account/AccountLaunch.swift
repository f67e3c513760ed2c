import Foundation
import PropertyKit
import StateRestoration

/// A build of the app: what it can make of saved state, and its mistakes.
struct AccountBuild {
  /// The last one of a history: everything is restored.
  var isGood = false
  var salt: UInt64 = 0
  /// The classes of the type `Note`: the version that the build has.
  var isNew = true
  var hasUpgrade = true
  /// Whether the upgrade changes the type too.
  var changesType = false
  /// The types without a factory, as if a plug-in were missing.
  var missing: Set<String> = []
  var hasTypeAlias = false
  var alias: (old: RestorationPath, new: RestorationPath)?
  var tombstone: RestorationPath?
  var hasDelegate = true
  /// Whether an upgrade that changes no type moves a value to a child, or fails, instead of renaming a key.
  var hasOtherUpgrades = false

  static let good = AccountBuild(isGood: true)

  init(isGood: Bool) { self.isGood = isGood }

  init(_ random: inout SeededGenerator, _ paths: [RestorationPath]) {
    salt = random.next()
    isNew = random.oneIn(2)
    hasUpgrade = random.oneIn(2)
    changesType = hasUpgrade && random.oneIn(3)
    if random.oneIn(3) { missing = [random.pick(["Note", "Draft"])] }
    hasTypeAlias = random.oneIn(6)
    hasDelegate = !random.oneIn(8)
    if paths.isEmpty { return }
    if random.oneIn(4) {
      let old = random.pick(paths)
      let new = (old.parent ?? .application).appending(random.pick(LaunchAccount.names))
      if new != old { alias = (old, new) }
    }
    if random.oneIn(8) { tombstone = random.pick(paths) }
  }

  /// Returns a number that depends on the build and the path alone (FNV-1a).
  func fate(of path: RestorationPath) -> UInt64 {
    var hash = salt
    for byte in path.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash >> 32) % 40
  }

  /// The child to which the upgrade of a note moves a value, if it does.
  var receiver: String? { hasOtherUpgrades && salt % 4 < 2 && !changesType ? LaunchAccount.names[Int(salt / 4 % 3)] : nil }

  private struct Mistake: Error {}

  /// Returns the class for nodes of a type.
  func kind(of type: String?) -> AccountItem.Type {
    switch type {
    case "Note": isNew || isGood ? AccountNewNote.self : AccountNote.self
    case "Draft": AccountDraft.self
    default: AccountItem.self
    }
  }

  /// Makes an object, perhaps of another class than the saved one, and with a mistake.
  func item(_ identifier: String, _ type: String?, at path: RestorationPath) -> AccountItem {
    if isGood { return kind(of: type).init(identifier) }
    let fate = fate(of: path)
    let item = (fate == 4 ? kind(of: type == "Draft" ? "Note" : "Draft") : kind(of: type)).init(identifier)
    // Fates 5 to 14.
    if (5..<15).contains(fate) { item.fault = AccountFault.allCases[1 + Int(fate) % 5] }
    return item
  }

  /// Whether a class has a later version than the node of a value, and no upgrade leads to it.
  func isOutdated(_ item: AccountItem, _ node: StateAccount.Node) -> Bool {
    let saved = node.type == nil ? 0 : node.schemaVersion
    if saved >= type(of: item).restorationSchemaVersion { return false }
    return node.type == nil || !(hasUpgrade || isGood)
  }

  func resolver(_ make: @escaping (FactoryRequest) throws -> FactoryResult) throws -> Resolver {
    try Resolver {
      // What is registered for a type that an alias renames could never run, which is a mistake.
      let isRenamed = hasTypeAlias && !isGood
      for tag in isRenamed ? ["Draft"] : ["Note", "Draft"] where isGood || !missing.contains(tag) { Factory(type: tag, deciding: make) }
      if isGood || hasUpgrade && isNew && !isRenamed {
        if changesType {
          Upgrade(type: "Note", from: 1, to: 2) { $0.changeType(to: "Draft", schemaVersion: 1) }
        } else if let receiver {
          Upgrade(type: "Note", from: 1, to: 2) { $0.move("v", toChild: receiver, as: "m") }
        } else if hasOtherUpgrades, salt % 4 == 2 {
          Upgrade(type: "Note", from: 1, to: 2) { _ in throw Mistake() }
        } else {
          Upgrade(type: "Note", from: 1, to: 2) { if $0["w"] == nil { $0.rename("v", to: "w") } }
        }
      }
      if isRenamed { Alias(type: "Note", to: "Draft") }
      if let alias { Alias(alias.old.description, to: alias.new.description) }
      if let tombstone { Tombstone(tombstone.description) }
    }
  }
}

/// One launch of a build, from the saved state to its last save.
final class AccountLaunch {
  private let build: AccountBuild
  private let application: RestorableTree
  /// The parent of the roots.
  private let root = AccountItem(nil)
  private let settings = AccountSettings()
  private var account = StateAccount()
  private var random: SeededGenerator
  private var nextValue: Int
  /// The nodes of the last archive.
  private(set) var saved: [StateAccount.Node]
  /// The registered objects, with their paths, and whether they stood there without being in the tree.
  private var registered: [(item: AccountItem, path: RestorationPath, stands: Bool)] = []
  /// The paths of objects in no place that were referred to.
  private var lostRoots: Set<RestorationPath> = []
  /// All objects, to break cycles at the end.
  private var all: [AccountItem] = []
  /// The events so far, for diagnosing failures.
  private(set) var log: [String] = []
  private(set) var counts: [String: Int] = [:]

  private struct Mistake: Error {}

  init(_ build: AccountBuild, seed: UInt64, values: Int, saved: [StateAccount.Node]) {
    (self.build, nextValue, self.saved) = (build, values, saved)
    random = SeededGenerator(seed: seed)
    application = RestorableTree(roots: { [root] in root.children }, delegate: build.hasDelegate ? settings : nil)
    account.alias = build.alias
    account.receiver = build.receiver
    account.gone = build.tombstone.map { [$0] } ?? []
    settings.fails = !build.isGood && build.fate(of: .application) < 12
    // The delegate leaves live objects to the resolver.
    settings.make = { [unowned self] node in try self.items.contains { $0.path == node.path } ? nil : self.make(node) }
  }

  /// The number after the last value.
  var values: Int { nextValue }

  func end() {
    for item in all { (item.target, item.children) = (nil, []) }
  }

  // MARK: Launching

  func startFresh() throws {
    for _ in 0..<(4 + random.below(8)) { open() }
    for _ in 0..<3 { refer() }
    settings.theme = newValue()
    try application.startFresh()
    account = StateAccount()
  }

  func restore(_ archive: ArchiveReader) throws {
    if !build.isGood { addLive() }
    var options = RestorationOptions()
    options.carryLimits = limits
    if !build.isGood, random.oneIn(6), let node = saved.randomElement(using: &random) {
      options.quarantined = [node.path]
      note("quarantined \(node.path)")
    }
    let report = try application.restore(from: archive, with: build.resolver { [unowned self] in try self.make($0) }, options: options)
    for node in report.nodes { counts[node.outcome.name, default: 0] += 1 }
    account.dropped = Set(report.notes.filter { $0.kind == .lost }.compactMap(\.path))
    // In the same turn, the app adds objects of its own.
    if !build.isGood, random.oneIn(4), let place = waitingPlace() {
      note("in the first turn \(place.path)")
      let item = create(place.path.identifier ?? "", build.kind(of: place.node.type))
      place.parent.children.append(item)
    }
    application.endFirstTurn()
    noteRestored()
    notePaths()
  }

  /// The objects that exist at the launch, with their defaults.
  private func addLive() {
    for node in saved where node.path.count == 1 && random.oneIn(3) {
      let item = self.item(node)
      root.children.append(item)
      for child in saved where child.path.parent == node.path && random.oneIn(2) { item.children.append(self.item(child)) }
      if random.oneIn(4), !saved.contains(where: { $0.path == node.path.appending("blank") }) {
        item.children.append(create("blank", AccountItem.self))
      }
    }
  }

  private func item(_ node: StateAccount.Node) -> AccountItem {
    let item = build.item(node.path.identifier ?? "", node.type, at: node.path)
    all.append(item)
    return item
  }

  private func create(_ identifier: String, _ kind: AccountItem.Type) -> AccountItem {
    let item = kind.init(identifier)
    all.append(item)
    return item
  }

  private func make(_ node: FactoryRequest) throws -> FactoryResult {
    if !build.isGood {
      switch build.fate(of: node.path) {
      case 0: return .declined
      case 1: return .later
      case 2:
        account.gone.insert(node.path)
        return .gone
      case 3: throw Mistake()
      default: break
      }
    }
    let item = build.item(node.identifier, node.type, at: node.path)
    all.append(item)
    // Some are forgotten.
    if node.path.count == 1, build.isGood || build.fate(of: node.path) != 15 { root.children.append(item) }
    return .object(item)
  }

  /// What an object of a later version has read without an upgrade is not taken in; what a limit has ended is reported.
  private func noteRestored() {
    for node in application.report?.nodes ?? [] where node.outcome == .skipped(.expired) { account.expired.insert(node.path) }
    for node in saved {
      for value in node.values {
        // What was saved since is its own.
        for item in all where !item.wasSaved && item.source == account.moved(node.path) && build.isOutdated(item, node) {
          item.own.remove(value)
        }
      }
    }
  }

  private var limits: CarryLimits { build.isGood || build.salt % 6 != 0 ? CarryLimits(age: nil) : CarryLimits(sessions: 1, age: nil) }

  // MARK: Saving

  func save() throws -> ArchiveReader {
    noteLostTargets()
    noteRegistered()
    let live = items
    let preservation = try application.preserve(header: .at(build: "\(build.salt % 3)", seconds: 1), options: .init(carryLimits: limits))
    guard let data = try preservation.archive else { throw NothingSaved() }
    let archive = try ArchiveReader(data)
    let nodes = try StateAccount.nodes(of: archive)
    note("save")
    if let loss = account.loss(from: saved, to: nodes, preservation.report, &counts) {
      let parts: [Any] = [
        "lost \(loss)", "build \(build)", application.report ?? "", log, preservation.report, "before", saved, "after", nodes,
      ]
      throw LaunchAccount.Failure(description: parts.flatMap { ($0 as? [Any] ?? [$0]).map { "\($0)" } }.joined(separator: "\n"))
    }
    // From now on they are the object's own, also those of state that it took in only in part.
    for place in live {
      for node in nodes where node.path == place.path && !node.isCarriedOver {
        place.item.own.formUnion(node.values)
        place.item.wasSaved = true
      }
    }
    saved = nodes
    account = StateAccount(gone: account.gone, expired: account.expired, dropped: account.dropped, receiver: account.receiver)
    return archive
  }

  /// Checks that a good build has everything.
  func checkAll() throws {
    var held = Set(items.flatMap { $0.item.values.values })
    held.insert(settings.theme)
    for node in saved where !node.isOutOfReach {
      for value in node.values where !held.contains(value) {
        let why = application.report?.why(node.path) ?? ""
        throw LaunchAccount.Failure(description: "\(value) at \(node.path) does not come back: \(why)")
      }
    }
  }

  // MARK: What the user and the app do

  private func note(_ event: String) { log.append(event) }

  private func newValue() -> Int {
    nextValue += 1
    return nextValue
  }

  private struct Place {
    let item: AccountItem
    let path: RestorationPath
    let parent: AccountItem
  }

  /// The objects in the tree, in preorder.
  private var items: [Place] { places(below: root, at: .application) }

  private func places(below parent: AccountItem, at above: RestorationPath) -> [Place] {
    parent.children.flatMap { item in
      let path = above.appending(item.restorationIdentifier ?? "")
      return [Place(item: item, path: path, parent: parent)] + places(below: item, at: path)
    }
  }

  private func notePaths() { for place in items { place.item.paths.insert(place.path) } }

  private func pickParent() -> (item: AccountItem, path: RestorationPath) {
    let place = random.oneIn(3) ? nil : items.randomElement(using: &random)
    return (place?.item ?? root, place?.path ?? .application)
  }

  private func remove(_ place: Place) { place.parent.children.removeAll { $0 === place.item } }

  private func isFree(_ name: String, _ parent: AccountItem) -> Bool {
    !parent.children.contains { $0.restorationIdentifier == name }
  }

  private func subtree(of item: AccountItem) -> [AccountItem] { [item] + item.children.flatMap { subtree(of: $0) } }

  func act() throws {
    switch random.below(20) {
    case 0...4: edit()
    case 5...7: open()
    case 8, 9: close()
    case 10: move()
    case 11: rename()
    case 12: if random.oneIn(2) { root.children.shuffle(using: &random) }
    case 13, 14: refer()
    case 15: try setAside()
    case 16, 17: claim()
    case 18: discard()
    default: setTheme()
    }
    notePaths()
  }

  /// Notes that objects at these places, and those that refer to them, encode something else now.
  private func touch(_ moved: [AccountItem]) {
    for place in items where moved.contains(where: { $0 === place.item || $0 === place.item.target }) { account.touched.insert(place.path) }
  }

  /// Notes the registered objects that have come to their own paths, and those in whose place another one stands.
  private func noteRegistered() {
    let live = items
    for (index, (item, path, stood)) in registered.enumerated() {
      let isInTree = live.contains { $0.item === item }, isTaken = live.contains { $0.path == path }
      registered[index].stands = !isInTree && !isTaken
      if registered[index].stands, !stood { account.touched.formUnion([path] + places(below: item, at: path).map(\.path)) }
      if !isInTree, isTaken { account.displaced.insert(path) }
    }
  }

  /// Notes that references to objects at these places lead nowhere if what has them waits.
  private func leave(_ moved: [AccountItem]) {
    let live = items
    let paths = Set(live.filter { place in moved.contains { $0 === place.item } }.map(\.path))
    for node in saved where node.isCarriedOver && node.target.map(paths.contains) ?? false { account.redirected.formUnion(node.values) }
    for item in all where moved.contains(where: { $0 === item.target }) && !live.contains(where: { $0.item === item }) {
      account.redirected.formUnion(item.values.values)
    }
  }

  /// Removes the references to objects that leave.
  private func unlink(_ leaving: [AccountItem]) {
    for place in items where leaving.contains(where: { $0 === place.item.target }) {
      place.item.target = nil
      account.redirected.formUnion(place.item.values.values)
    }
  }

  /// Notes references to objects that are in no place.
  private func noteLostTargets() {
    let live = items.map(\.item)
    for item in live + registered.map(\.item) {
      guard let target = item.target, !live.contains(where: { $0 === target }) else { continue }
      account.redirected.formUnion(item.values.values)
      // Without a parent, it is saved as a root, as long as anything refers to it and no other object stands there.
      let root = RestorationPath.application.appending(target.restorationIdentifier ?? "")
      lostRoots.insert(root)
      if items.contains(where: { $0.path == root }) { account.displaced.insert(root) }
    }
    account.touched.formUnion(lostRoots.flatMap { root in saved.map(\.path).filter { root.contains($0) } + [root] })
  }

  private func edit() {
    guard let place = items.randomElement(using: &random) else { return }
    let key = random.pick(["v", "v", "k"]), item = place.item
    if let old = item.values[key], item.own.contains(old) { account.replaced.insert(old) }
    item.values[key] = newValue()
    item.own.insert(nextValue)
    note("edit \(place.path): \(key) is \(nextValue)")
    account.touched.insert(place.path)
  }

  private func open() {
    let parent = pickParent()
    let name = random.pick(LaunchAccount.names)
    guard isFree(name, parent.item), parent.path.count < 4 else { return }
    let item = create(name, build.kind(of: random.pick(["", "Note", "Draft"])))
    item.values["v"] = newValue()
    if random.oneIn(3) { item.values["k"] = newValue() }
    item.own = Set(item.values.values)
    parent.item.children.append(item)
    note("open \(parent.path.appending(name)): \(item.values)")
    touch([item])
  }

  private func close() {
    guard let place = items.randomElement(using: &random) else { return }
    note("close \(place.path)")
    let closed = subtree(of: place.item)
    touch(closed)
    for item in closed {
      account.replaced.formUnion(item.own)
      account.closed.formUnion(item.paths)
    }
    unlink(closed)
    remove(place)
  }

  private func move() {
    guard let place = items.randomElement(using: &random) else { return }
    let below = subtree(of: place.item)
    let parent = pickParent()
    guard isFree(place.item.restorationIdentifier ?? "", parent.item), !below.contains(where: { $0 === parent.item }) else { return }
    leave(below)
    touch(below)
    note("move \(place.path) below \(parent.path)")
    remove(place)
    parent.item.children.append(place.item)
    account.follow(saved, from: place.path, to: parent.path.appending(place.item.restorationIdentifier ?? ""))
    touch(below)
  }

  private func rename() {
    guard let place = items.randomElement(using: &random) else { return }
    let name = random.pick(LaunchAccount.names)
    guard isFree(name, place.parent) else { return }
    leave(subtree(of: place.item))
    touch(subtree(of: place.item))
    note("rename \(place.path) to \(name)")
    place.item.restorationIdentifier = name
    account.follow(saved, from: place.path, to: (place.path.parent ?? .application).appending(name))
    touch(subtree(of: place.item))
  }

  private func refer() {
    guard let place = items.randomElement(using: &random) else { return }
    place.item.target = random.oneIn(4) ? nil : items.randomElement(using: &random)?.item
    note("refer from \(place.path)")
    account.redirected.formUnion(place.item.values.values)
    account.touched.insert(place.path)
  }

  /// Something leaves that may come back.
  private func setAside() throws {
    noteLostTargets()
    noteRegistered()
    guard let place = items.randomElement(using: &random), try application.setAside(place.item) else { return }
    note("set aside \(place.path)")
    let leaving = subtree(of: place.item)
    for below in items where leaving.contains(where: { $0 === below.item }) {
      for value in below.item.values.values { account.aside[value] = below.path }
    }
    touch(leaving)
    unlink(leaving)
    remove(place)
  }

  /// Returns a saved node without an object, below one that has an object.
  private func waitingPlace() -> (path: RestorationPath, node: StateAccount.Node, parent: AccountItem)? {
    let live = items
    let nodes = saved.filter { node in
      !node.path.isEmpty && !live.contains { $0.path == node.path }
        && (node.path.count == 1 || live.contains { $0.path == node.path.parent })
    }
    guard let node = nodes.randomElement(using: &random) else { return nil }
    return (node.path, node, live.first { $0.path == node.path.parent }?.item ?? root)
  }

  /// An object joins late, at the path of saved state.
  private func claim() {
    guard let place = waitingPlace() else { return }
    let item = self.item(place.node)
    place.parent.children.append(item)
    switch random.below(3) {
    case 0:
      note("join \(place.path)")
      touch([item])
    case 1:
      let result = application.restoreState(of: item)
      note("restore \(place.path) late: \(result)")
      // Where another node has claimed the path, nothing is found, and the object stands in the way of both.
      if result == .none { touch([item]) }
    default:
      registered.append((item, place.path, false))
      let result = application.register(item, at: place.path)
      note("register \(place.path): \(result)")
      if result == .none { touch([item]) }
    }
    noteRestored()
  }

  private func discard() {
    guard random.oneIn(3), let path = saved.randomElement(using: &random)?.path, !path.isEmpty else { return }
    note("discard \(path)")
    if application.discardState(at: path) { account.gone.formUnion([path, StateAccount(alias: build.alias).moved(path)]) }
  }

  private func setTheme() {
    if settings.isOwn { account.replaced.insert(settings.theme) }
    settings.theme = newValue()
    account.touched.insert(.application)
  }

  /// The app quits, and the framework closes windows before it saves for the last time.
  func quit() {
    application.beginEnding()
    note("quit")
    // An object that is registered and in the tree does not go away with those above it.
    for place in items where registered.isEmpty && random.oneIn(3) { remove(place) }
  }
}

/// Launches of different builds of an app, one after the other, with an account of every saved value after each save.
public enum LaunchAccount {
  /// The reason why a history failed.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason, and what happened before.
    public let description: String
  }

  /// The outcomes of nodes, and the reasons for which values are not saved again, that some hundred histories have.
  public static let expectedSomewhere = [
    "restored", "located", "failed", "later", "quarantined", "not-adopted", "not-upgraded", "not-decoded-other-type", "skipped-declined",
    "skipped-gone", "skipped-no-factory", "skipped-tombstone", "replaced", "pinned", "closed", "gone", "expired",
  ]

  static let names = ["a", "b", "c", "d", "e", "f"]

  /// Checks the history of a seed, and counts the outcomes of nodes and the reasons for which values are not saved again.
  ///
  /// With `otherUpgrades`, the same history has builds whose upgrades move values to children, or fail.
  public static func check(seed: UInt64, otherUpgrades: Bool = false, _ counts: inout [String: Int]) throws {
    var random = SeededGenerator(seed: seed ^ 0xACC0_0000)
    var archive: ArchiveReader?
    var (values, saved): (Int, [StateAccount.Node]) = (0, [])
    let count = 2 + random.below(4)
    for number in 0..<(count + 1) {
      var build = number == 0 || number == count ? AccountBuild.good : AccountBuild(&random, saved.map(\.path).filter { !$0.isEmpty })
      build.hasOtherUpgrades = otherUpgrades && !build.isGood
      let launch = AccountLaunch(build, seed: random.next(), values: values, saved: saved)
      defer { launch.end() }
      if let archive { try launch.restore(archive) } else { try launch.startFresh() }
      if number == count { try launch.checkAll() }
      for _ in 0..<(1 + random.below(3)) {
        for _ in 0..<random.below(4) { try launch.act() }
        archive = try launch.save()
      }
      if random.oneIn(4) {
        launch.quit()
        archive = try launch.save()
      }
      (values, saved) = (launch.values, launch.saved)
      counts.merge(launch.counts) { $0 + $1 }
    }
  }
}
