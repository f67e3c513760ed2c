import Foundation
import StateRestoration

/// A simple model of the engine's rules over plain values; the engine must behave in the same way.
///
/// It shares only names with the engine.
struct ModelEngine {
  /// A node of the archive, after the build's upgrades and aliases.
  final class ModelNode {
    var identifier: String
    /// The path in the archive; empty if an upgrade or alias added the node.
    var archived: [String]
    var type: String?
    /// The type tag when saved, or after an upgrade.
    var savedType: String?
    var schema: Int
    var state: [String: Int]
    var origin: ArchiveOrigin?
    var provider: String?
    var isPlaceholder: Bool
    /// Whether the node exists only as the parent of an alias's target.
    var isPlace = false
    var isSuperseded = false
    var upgradeFailed = false
    /// The type, version and state before upgrades; nil if there was no node.
    var before: (savedType: String?, schema: Int, state: [String: Int])?
    /// The nodes to or from which an upgrade has moved values.
    var related: [ModelNode] = []
    var children: [ModelNode] = []
    weak var parent: ModelNode?
    var outcome: RestorationOutcome?
    var object: Object?
    var isLocated = false
    /// Whether an object has taken the state in.
    var isTaken = false
    /// The object that stands at the node's path and did not take its state in, and its first encoding.
    var kept: (object: Object, encoding: String)?
    /// Whether that object has changed since.
    var isReplaced = false
    /// Whether the node is itself quarantined, and not only one above it.
    var isQuarantined = false
    /// Whether the node's object, or that of an ancestor, was created but is in no list of children.
    var isUnadopted = false
    /// The last object seen at the node's path.
    var resident: Object?

    init(
      _ identifier: String, archived: [String] = [], type: String? = nil, schema: Int = 0, state: [String: Int] = [:],
      isPlaceholder: Bool = false
    ) {
      self.identifier = identifier
      self.archived = archived
      self.type = type
      savedType = type
      self.schema = schema
      self.state = state
      self.isPlaceholder = isPlaceholder
    }

    var path: [String] { (parent?.path ?? []) + (parent == nil ? [] : [identifier]) }

    func child(_ identifier: String) -> ModelNode? {
      let found = children.filter { same($0.identifier, identifier) }
      return found.first { !$0.isSuperseded } ?? found.max { $1.wasSavedLater(than: $0) }
    }

    /// Whether a live object has saved the node later than another one.
    func wasSavedLater(than other: ModelNode) -> Bool {
      guard let theirs = other.origin else { return false }
      guard let ours = origin else { return !isPlace }
      return (ours.timestamp ?? .distantPast) > (theirs.timestamp ?? .distantPast)
    }

    /// Whether the node has nothing of its own.
    var isEmpty: Bool { isPlace || isPlaceholder && type == nil }

    /// Takes over the children of an empty node with the same path.
    func takeChildren(of placeholder: ModelNode) {
      for child in placeholder.children {
        let known = self.child(child.identifier)
        adopt(child)
        guard let known else { continue }
        let wins = !child.isEmpty && (known.isEmpty || child.wasSavedLater(than: known))
        let (winner, loser) = wins ? (child, known) : (known, child)
        if loser.isEmpty { winner.takeChildren(of: loser) }
        loser.isSuperseded = true
      }
      placeholder.children = []
    }

    /// Returns the node at a path; below a node whose path another one has, there are paths that only it has.
    func find(_ path: [String]) -> ModelNode? {
      guard let first = path.first, let preferred = child(first) else { return path.isEmpty ? self : nil }
      let others = children.filter { $0 !== preferred && same($0.identifier, first) }
      return ([preferred] + others).lazy.compactMap { $0.find(Array(path.dropFirst())) }.first
    }

    func adopt(_ node: ModelNode) {
      node.parent = self
      children.append(node)
    }

    /// The node and its ancestors, without the root.
    var wayUp: [ModelNode] { parent.map { [self] + $0.wayUp } ?? [] }

    /// The node's descendants, parents first.
    var all: [ModelNode] { children.flatMap { [$0] + $0.all } }
  }

  /// A live object.
  final class Object {
    let identifier: String?
    let type: String?
    var values: [String: Int]
    var children: [Object]

    init(_ identifier: String?, _ type: String?, _ values: [String: Int] = [:], _ children: [Object] = []) {
      self.identifier = identifier
      // Other types have no class.
      self.type = ["Editor", "List", "Archivist"].contains(type ?? "") ? type : nil
      self.values = values
      self.children = children
    }

    var all: [Object] { [self] + children.flatMap(\.all) }
  }

  let app: RandomApp
  let root = ModelNode("")
  var roots: [Object]
  var outcome = EngineOutcome()
  /// The children of each object when its first child node was processed.
  private var firstChildren: [ObjectIdentifier: [Object]] = [:]
  private var firstRoots: [Object]?
  private var lastSaved: [[String]: Saved]?
  /// The objects of the last save, and those of this one so far, with their paths.
  private var lastPlaces: [ObjectIdentifier: (object: Object, path: [String])] = [:]
  private var places: [ObjectIdentifier: (object: Object, path: [String])] = [:]
  /// The first encodings of the objects without state of their own below those that did not take theirs in.
  private var blanks: [ObjectIdentifier: String] = [:]
  /// The objects that were made for paths although there were live ones, by the live ones.
  private var rivals: [ObjectIdentifier: Object] = [:]
  /// The quarantined paths, as given and as moved by this build's aliases.
  private lazy var quarantinedPaths: [(given: [String], moved: [String])] = app.quarantined.map { ($0.components, $0.components) }
  /// The paths of the objects in whose place this save writes state that they did not take in, or nothing.
  private var replaced: Set<[String]> = []

  init(_ app: RandomApp) {
    self.app = app
    roots = app.live.map(Self.object)
    for node in app.tree.nodes { root.adopt(Self.node(node, [])) }
  }

  private static func object(_ live: RandomApp.Live) -> Object {
    Object(live.identifier, live.type, live.values, live.children.map(object))
  }

  private static func node(_ node: ArchiveNode, _ above: [String]) -> ModelNode {
    var state: [String: Int] = [:]
    for entry in node.state { if case .integer(let value) = entry.value { state[entry.key] = Int(value.description) } }
    let result = ModelNode(
      node.identifier, archived: above + [node.identifier], type: node.type, schema: node.schemaVersion, state: state,
      isPlaceholder: !node.attributes.isEmpty)
    result.origin = node.origin
    result.provider = node.provider?.name
    for child in node.children { result.adopt(self.node(child, result.archived)) }
    return result
  }

  // MARK: Text

  static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
  static func same(_ left: [String], _ right: [String]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { same($0, $1) }
  }

  static func text(_ path: [String]) -> String { PlainText.text(path) }

  /// Returns the components of a path or pattern; `**` and `*` stay as they are, and a literal `*` becomes `\u{1}`.
  static func parse(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/")).map { part in
      switch String(decoding: part, as: UTF8.self) {
      case "~2": "\u{1}"
      case "a~1b": "a/b"
      case let other: other
      }
    }
  }

  static func literal(_ text: String) -> [String] { parse(text).map { $0 == "\u{1}" ? "*" : $0 } }

  static func matches(_ pattern: [String], _ path: [String]) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    if first == "**" { return true }
    guard let head = path.first, first == "*" || same(first == "\u{1}" ? "*" : first, head) else { return false }
    return matches(Array(pattern.dropFirst()), Array(path.dropFirst()))
  }

  /// Returns a sort key: identifiers before `*` before `**`, and a pattern before its continuation with `**`.
  static func rank(_ pattern: [String]) -> [Int] { pattern.map { $0 == "**" ? 2 : $0 == "*" ? 1 : 0 } }

  // MARK: Running

  static func run(_ app: RandomApp) -> EngineOutcome {
    var model = ModelEngine(app)
    model.alias()
    model.upgrade()
    model.restore()
    model.outcome.discarded = app.discarded.map { model.discard($0.components) }
    model.change(app.changes[0])
    model.outcome.saved = model.save()
    model.change(app.changes[1])
    model.outcome.savedAgain = model.save()
    model.outcome.nodesAgain = model.lines()
    return model.outcome
  }

  private mutating func alias() {
    var moves = app.registrations.compactMap { registration -> (from: [String], to: [String])? in
      if case .alias(let old, let new) = registration { (Self.literal(old), Self.literal(new)) } else { nil }
    }
    func find(_ path: [String]) -> ModelNode? { path.reduce(Optional(root)) { $0?.child($1) } }
    func contains(_ path: [String], _ other: [String]) -> Bool { Self.same(path, Array(other.prefix(path.count))) }
    func feeds(_ first: (from: [String], to: [String]), _ second: (from: [String], to: [String])) -> Bool {
      contains(first.to, second.from) || contains(second.from, first.to)
    }
    func next() -> Int? {
      // What is below a node and has an alias of its own goes before the node.
      func takesPart(_ first: [String], of second: [String]) -> Bool { first.count > second.count && contains(second, first) }
      let free = moves.indices.filter { index in
        !moves.contains { feeds($0, moves[index]) || takesPart($0.from, of: moves[index].from) }
      }
      return free.min { moves[$0].to.count < moves[$1].to.count }
    }
    while let next = next() {
      let move = moves.remove(at: next)
      // A path is moved as its node is: by one alias after the other, each from the result of the one before.
      for (index, path) in quarantinedPaths.enumerated() where contains(move.from, path.moved) {
        quarantinedPaths[index].moved = move.to + path.moved.dropFirst(move.from.count)
      }
      guard let node = find(move.from) else { continue }
      let other = find(move.to)
      if let other, !node.isEmpty, !other.isEmpty {
        let isLater = node.wasSavedLater(than: other)
        (isLater ? other : node).isSuperseded = true
        if !isLater { continue }
      }
      var parent = root
      for identifier in move.to.dropLast() {
        if let child = parent.child(identifier) {
          parent = child
        } else {
          let place = ModelNode(identifier)
          place.isPlace = true
          parent.adopt(place)
          parent = place
        }
      }
      node.identifier = move.to.last ?? ""
      if node.parent !== parent {
        node.parent?.children.removeAll { $0 === node }
        parent.adopt(node)
      }
      guard let other, node.isEmpty || other.isEmpty else { continue }
      let (placeholder, stays) = other.isEmpty ? (other, node) : (node, other)
      placeholder.isSuperseded = true
      stays.takeChildren(of: placeholder)
    }
  }

  /// Whether the node itself killed the app, and not only one above it.
  private mutating func isQuarantined(_ node: ModelNode) -> Bool {
    let path = node.path
    return quarantinedPaths.contains {
      let given = $0.given
      // Another node that is still there under the old path is meant.
      return Self.same(given, path) || Self.same(given, node.archived)
        || Self.same($0.moved, path) && !root.all.contains { Self.same($0.archived, given) }
    }
  }

  private mutating func upgrade() {
    var gifts: [(giver: ModelNode, child: ModelNode, value: Int)] = []
    var before: [ObjectIdentifier: (String?, Int, [String: Int])] = [:]
    for node in root.all where !node.isPlace && !(node.isPlaceholder && node.type == nil) {
      node.before = (node.savedType, node.schema, node.state)
    }
    for node in root.all {
      for case .typeAlias(let old, let new) in app.registrations where node.type == old { node.type = new }
      // A node that killed the app is not upgraded.
      guard let type = node.type, !isQuarantined(node) else { continue }
      guard let (schema, state, given) = upgraded(type, node.schema, node.state) else {
        node.upgradeFailed = true
        continue
      }
      before[ObjectIdentifier(node)] = (node.savedType, node.schema, node.state)
      if schema != node.schema { node.savedType = type }
      (node.schema, node.state) = (schema, state)
      for (identifier, value) in given {
        let child = node.child(identifier) ?? ModelNode(identifier)
        let isNew = child.parent == nil
        if isNew {
          child.origin = node.origin
          node.adopt(child)
        }
        gifts.append((node, child, value))
        guard isQuarantined(child) else { continue }
        child.upgradeFailed = true
        if isNew { node.children.removeAll { $0 === child } }
      }
    }
    // A value that cannot be given stays, and so does what the giver was.
    for (giver, child, _) in gifts.reversed() where child.upgradeFailed && !giver.upgradeFailed {
      giver.upgradeFailed = true
      if let old = before[ObjectIdentifier(giver)] { (giver.savedType, giver.schema, giver.state) = old }
    }
    for (giver, child, value) in gifts where !child.upgradeFailed {
      giver.related.append(child)
      child.related.append(giver)
      if child.state["v"] == nil || !child.archived.isEmpty && giver.wasSavedLater(than: child) { child.state["v"] = value }
      (child.isPlace, child.isPlaceholder) = (false, false)
    }
  }

  /// Applies all upgrades of a type that follow each other; nil if one throws.
  ///
  /// - Returns: The last version, the state, and the values for children.
  private func upgraded(_ type: String, _ first: Int, _ values: [String: Int]) -> (Int, [String: Int], [(String, Int)])? {
    var schema = first, state = values, given: [(String, Int)] = [], isGoingOn = true
    while isGoingOn {
      isGoingOn = false
      for registration in app.registrations where !isGoingOn {
        switch registration {
        case .rename(type, from: schema, let to):
          if let value = state.removeValue(forKey: "v") { state["w"] = value }
          (schema, isGoingOn) = (to, true)
        case .move(type, let child, from: schema, let to):
          if let value = state.removeValue(forKey: "w") { given.append((child, value)) }
          (schema, isGoingOn) = (to, true)
        case .failUpgrade(type, from: schema, _): return nil
        default: break
        }
      }
    }
    return (schema, state, given)
  }

  // MARK: Restoring

  private mutating func restore() {
    if app.hasDelegate {
      call("should restore")
      if app.decision != .restore {
        for node in root.all where !node.isPlace { node.outcome = .skipped(.refused) }
        call("fresh refused")
        for object in roots.flatMap(\.all) { call("finish \(PlainText.text(object.identifier ?? "-")) none") }
        outcome.nodes = lines()
        return
      }
    }
    for node in root.all { create(node) }
    for node in root.all where node.object != nil && node.outcome == nil { decode(node) }
    if app.hasDelegate { call("did decode") }
    var told: Set<ObjectIdentifier> = []
    for node in root.all where node.outcome != .placeholder {
      guard let object = node.object else { continue }
      told.insert(ObjectIdentifier(object))
      call("finish \(PlainText.text(object.identifier ?? "-")) \(node.outcome?.isSuccess == true ? "data" : "failed")")
    }
    for object in roots.flatMap(\.all) where !told.contains(ObjectIdentifier(object)) {
      call("finish \(PlainText.text(object.identifier ?? "-")) none")
    }
    noteRivals(roots, below: nil)
    judge()
    noteKept()
    outcome.nodes = lines()
  }

  /// Records the restored objects beside others with their identifiers.
  private mutating func noteRivals(_ objects: [Object], below parent: Object?) {
    let bound = root.all.filter { $0.object != nil && $0.outcome != .placeholder }
    for live in objects {
      noteRivals(live.children, below: live)
      if bound.contains(where: { $0.object === live }) { continue }
      rivals[ObjectIdentifier(live)] =
        objects.first { made in
          Self.same(made.identifier ?? "", live.identifier ?? "")
            && bound.contains { $0.object === made && ($0.parent === root) == (parent == nil) && $0.parent?.object === parent }
        } ?? rivals[ObjectIdentifier(live)]
    }
  }

  /// Records the encodings of the objects that did not take in the state at their paths, before the user can change them.
  private mutating func noteKept() {
    let waiting = root.all.filter { isPending($0) }
    for node in waiting {
      guard root.find(node.path) === node, let object = object(at: node.path) else { continue }
      call("encode \(PlainText.text(node.path))")
      node.kept = (object, Self.picture(object))
    }
    noteBlanks(roots, [], isBelowKept: false)
  }

  private mutating func noteBlanks(_ objects: [Object], _ above: [String], isBelowKept: Bool) {
    for object in admitted(objects) {
      let path = above + [object.identifier ?? ""]
      let node = root.find(path)
      let isBlank = isBelowKept && node == nil
      if isBlank {
        call("encode \(PlainText.text(path))")
        blanks[ObjectIdentifier(object)] = Self.picture(object)
      }
      noteBlanks(object.children, path, isBelowKept: isBlank || node?.kept != nil)
    }
  }

  /// Returns the encoding of a single object; the same text for every object that fails to encode.
  private static func picture(_ object: Object) -> String {
    object.identifier == "g" ? "throws" : "\(object.type ?? "-") \(object.values.sorted { $0.key < $1.key })"
  }

  /// Determines the live objects in whose place the state that they did not take in is saved.
  private mutating func judgeKept() {
    replaced = []
    for node in root.all where isPending(node) && !node.isReplaced && (node.kept != nil || node.isQuarantined) && isWithinLimits(node) {
      guard let object = object(at: node.path) else { continue }
      if let kept = node.kept, kept.object === object, kept.encoding == Self.picture(object) {
        replaced.insert(Self.key(node.path))
      } else {
        node.isReplaced = true
      }
    }
    omitBlanks(roots, [], isBelowKept: false)
  }

  private mutating func omitBlanks(_ objects: [Object], _ above: [String], isBelowKept: Bool) {
    for object in admitted(objects) {
      let path = above + [object.identifier ?? ""]
      let isOmitted = isBelowKept && isUntouched(object)
      if isOmitted { replaced.insert(Self.key(path)) }
      omitBlanks(object.children, path, isBelowKept: replaced.contains(Self.key(path)))
    }
  }

  private func isUntouched(_ object: Object) -> Bool {
    blanks[ObjectIdentifier(object)] == Self.picture(object) && admitted(object.children).allSatisfy { isUntouched($0) }
  }

  private func isWithinLimits(_ node: ModelNode) -> Bool {
    guard let limit = app.sessionLimit else { return true }
    return Int((node.origin?.sessionsCarried ?? 0) + 1) <= limit
  }

  private func isOffered(_ node: ModelNode) -> Bool { node.isQuarantined && node.isReplaced }

  /// Finds the objects that were not adopted, and records the live objects at the paths of pending state.
  private mutating func judge() {
    let live = Set(roots.flatMap(\.all).map { ObjectIdentifier($0) })
    for node in root.all {
      guard let object = node.object, !live.contains(ObjectIdentifier(object)) else { continue }
      let isMade = !node.isLocated && node.outcome != .placeholder
      guard isMade || node.parent?.isUnadopted == true else { continue }
      node.isUnadopted = true
      node.isTaken = node.outcome == .notDecoded(.reason)
      if node.outcome == .restored || node.outcome == .located { node.outcome = .notAdopted }
    }
    for node in root.all where isPending(node) {
      for above in node.wayUp {
        // An object that was never in the tree cannot be closed, but another object at its path can.
        let own = above.object.flatMap { live.contains(ObjectIdentifier($0)) ? $0 : nil }
        if let object = own ?? object(at: above.path) { above.resident = object }
      }
    }
  }

  private mutating func call(_ line: String) { outcome.calls.append(line) }

  private mutating func create(_ node: ModelNode) {
    guard let parent = node.parent else { return }
    if parent !== root, parent.object == nil {
      switch parent.outcome {
      case .placeholder: break
      case .skipped(.tombstone): return node.outcome = .skipped(.tombstone)
      case .skipped(.gone): return node.outcome = .skipped(.gone)
      case .skipped(.superseded): return node.outcome = .skipped(.superseded)
      case .quarantined: return node.outcome = .quarantined
      case .later: return node.outcome = .later
      default: return node.outcome = .skipped(.ancestor)
      }
    }
    if node.isPlace { return keepPlace(node) }
    let path = node.path
    if isQuarantined(node) {
      node.isQuarantined = true
      return node.outcome = .quarantined
    }
    if node.isSuperseded { return node.outcome = node.isEmpty ? .placeholder : .skipped(.superseded) }
    if let limit = app.sessionLimit, let origin = node.origin, Int(origin.sessionsCarried) > limit {
      return node.outcome = .skipped(.expired)
    }
    if node.isPlaceholder, node.type == nil { return keepPlace(node) }
    for case .tombstone(let text) in app.registrations where Self.matches(Self.parse(text), path) {
      return node.outcome = .skipped(.tombstone)
    }
    if let (behaviour, reuses) = factory(for: node, path) {
      if reuses, let live = live(node) { return bind(node, live, isLocated: true) }
      return make(node, behaviour)
    }
    if app.hasDelegate {
      _ = live(node)
      call("delegate \(Self.text(path))")
      switch node.identifier {
      case "d": return bind(node, Object("d", node.type), isLocated: false)
      case "l": return node.outcome = .later
      case "n": return node.outcome = .skipped(.declined)
      case "o": return node.outcome = .skipped(.gone)
      case "x": return node.outcome = .failed
      default: break
      }
    }
    if let live = live(node) { return bind(node, live, isLocated: true) }
    for case .provider(let name, let behaviour) in app.registrations where node.provider == name {
      return make(node, behaviour)
    }
    node.outcome = .skipped(.noFactory)
  }

  private mutating func keepPlace(_ node: ModelNode) {
    node.outcome = .placeholder
    node.object = live(node)
  }

  private func factory(for node: ModelNode, _ path: [String]) -> (RandomApp.Behaviour, Bool)? {
    var best: (pattern: [String], behaviour: RandomApp.Behaviour, reuses: Bool)?
    for case .path(let text, let behaviour, let reuses) in app.registrations {
      let pattern = Self.parse(text)
      guard Self.matches(pattern, path) else { continue }
      if !pattern.contains("*"), !pattern.contains("**") { return (behaviour, reuses) }
      if let found = best, !Self.rank(pattern).lexicographicallyPrecedes(Self.rank(found.pattern)) { continue }
      best = (pattern, behaviour, reuses)
    }
    for case .type(let tag, let behaviour, let reuses) in app.registrations where node.type == tag { return (behaviour, reuses) }
    return best.map { ($0.behaviour, $0.reuses) }
  }

  private mutating func make(_ node: ModelNode, _ behaviour: RandomApp.Behaviour) {
    let other = live(node)
    call("make \(Self.text(node.path))")
    switch behaviour {
    case .decline: return node.outcome = .skipped(.declined)
    case .later: return node.outcome = .later
    case .gone: return node.outcome = .skipped(.gone)
    case .fail: return node.outcome = .failed
    case .make, .makeOther, .makeWithChild, .makeUnadopted: break
    }
    let object = Object(node.identifier, behaviour == .makeOther ? (node.type == "List" ? "Editor" : "List") : node.type)
    if behaviour == .makeWithChild || behaviour == .makeUnadopted { object.children = [Object("b", nil)] }
    if behaviour != .makeUnadopted {
      var above = node.parent
      while let next = above, next !== root, next.object == nil { above = next.parent }
      if let parent = above?.object { parent.children.append(object) } else { roots.append(object) }
    }
    if let other, !root.all.contains(where: { $0.object === other }) { rivals[ObjectIdentifier(other)] = object }
    bind(node, object, isLocated: false)
  }

  private mutating func live(_ node: ModelNode) -> Object? {
    guard let parent = node.parent else { return nil }
    let objects: [Object]
    if parent === root {
      if firstRoots == nil { firstRoots = roots }
      objects = firstRoots ?? []
    } else if let above = parent.object {
      if firstChildren[ObjectIdentifier(parent)] == nil { firstChildren[ObjectIdentifier(parent)] = above.children }
      objects = firstChildren[ObjectIdentifier(parent)] ?? []
    } else {
      return nil
    }
    return objects.first { $0.identifier.map { Self.same($0, node.identifier) } == true }
  }

  private func bind(_ node: ModelNode, _ object: Object, isLocated: Bool) {
    node.object = object
    node.isLocated = isLocated
  }

  private mutating func decode(_ node: ModelNode) {
    guard let object = node.object else { return }
    if let type = node.type, type != object.type { return node.outcome = .notDecoded(.otherType) }
    if object.identifier == "s", app.reason != .restore {
      node.isTaken = true
      return node.outcome = .notDecoded(.reason)
    }
    if node.upgradeFailed { return node.outcome = .failed }
    // What an upgrade has made is as the build has it.
    let isMade = node.before == nil
    if !isMade, node.type == nil, object.type == "Editor", !upgradeUntyped(node) { return node.outcome = .failed }
    call("decode \(Self.text(node.path))")
    if object.identifier == "f" { return node.outcome = .failed }
    for (key, value) in node.state { object.values[key] = value }
    if !isMade, object.type == "Editor", node.schema < 2 { return node.outcome = .notUpgraded }
    node.isTaken = true
    node.outcome = node.isLocated ? .located : .restored
  }

  /// Gives a type to a node that was saved without one: it counts as version 0.
  ///
  /// - Returns: Whether that is possible.
  private func upgradeUntyped(_ node: ModelNode) -> Bool {
    guard let (schema, state, given) = upgraded("Editor", 0, node.state), given.isEmpty else { return false }
    (node.type, node.savedType, node.schema, node.state) = ("Editor", "Editor", schema, state)
    return true
  }

  private func isPending(_ node: ModelNode) -> Bool {
    if node.isPlace || node.isTaken { return false }
    switch node.outcome {
    case .skipped(.noFactory), .skipped(.declined), .skipped(.ancestor), .skipped(.superseded), .later, .quarantined, .failed, .notAdopted,
      .notUpgraded, .notDecoded(.otherType):
      return true
    default: return false
    }
  }

  private func lines() -> [String] {
    root.all.filter { !$0.isPlace }.map { node in
      "\(Self.text(node.path)) \(node.outcome?.name ?? "?")\(isPending(node) && !node.isReplaced ? " carried" : "")"
    }
  }

  // MARK: User actions

  /// Discards the node at a path of the archive or of this build; true if it had pending state.
  private func discard(_ path: [String]) -> Bool {
    guard let node = root.find(path) ?? root.all.first(where: { Self.same($0.archived, path) }) else { return false }
    let waiting = ([node] + node.all).filter { isPending($0) }
    for node in waiting { node.outcome = .skipped(.gone) }
    return !waiting.isEmpty
  }

  private mutating func change(_ changes: [RandomApp.Change]) {
    for change in changes {
      let all = roots.flatMap(\.all)
      switch change {
      case .close(let number) where number < all.count:
        roots.removeAll { $0 === all[number] }
        for object in all { object.children.removeAll { $0 === all[number] } }
      case .close: break
      case .open(let identifier, let number):
        let object = Object(identifier, nil, ["v": 7])
        if number < all.count { all[number].children.append(object) } else { roots.append(object) }
      case .reverse(let number):
        if number < all.count { all[number].children.reverse() } else { roots.reverse() }
      }
    }
  }

  // MARK: Saving

  /// A node of the next save.
  private struct Saved {
    var type = "-"
    var values: [String: Int] = [:]
    var isPlace = false
    var origin = ""
  }

  /// Discards the pending state below closed objects.
  ///
  /// The nearest object ever seen at or above a node decides.
  private func discardClosed() {
    let present = Set(places(below: roots).map { ObjectIdentifier($0.object) })
    for node in root.all where isPending(node) {
      for above in node.wayUp { if let object = object(at: above.path) { above.resident = object } }
      guard let nearest = node.wayUp.first(where: { $0.resident != nil }), let resident = nearest.resident else { continue }
      if !present.contains(ObjectIdentifier(resident)) { node.outcome = .skipped(.closed) }
    }
  }

  /// Returns the objects that are saved, with their paths, parents first.
  private func places(below objects: [Object], _ above: [String] = []) -> [(object: Object, path: [String])] {
    admitted(objects).flatMap { object in
      let path = above + [object.identifier ?? ""]
      return [(object, path)] + places(below: object.children, path)
    }
  }

  /// Returns the live object at a path.
  private func object(at path: [String]) -> Object? {
    var found: Object?
    for identifier in path {
      found = admitted(found?.children ?? roots).first { Self.same($0.identifier ?? "", identifier) }
      if found == nil { return nil }
    }
    return found
  }

  /// Returns the order of siblings: live ones in their own order, each other one after its nearest preceding sibling in
  /// the archive that is present.
  private func orders(_ saved: [[String]: Saved], below path: [String]) -> [String] {
    let objects = path.isEmpty ? roots : object(at: path)?.children ?? []
    var order = admitted(objects).compactMap(\.identifier).filter { saved[Self.key(path + [$0])] != nil }
    let parent = root.find(path)
    let before = parent?.children.filter { parent?.child($0.identifier) === $0 }.map(\.identifier) ?? []
    for (place, identifier) in before.enumerated() where saved[Self.key(path + [identifier])] != nil {
      if order.contains(where: { Self.same($0, identifier) }) { continue }
      let nearest = before[..<place].reversed().compactMap { other in order.firstIndex { Self.same($0, other) } }.first
      order.insert(identifier, at: nearest.map { $0 + 1 } ?? 0)
    }
    // Those of another node for the same path.
    for node in root.all where saved[Self.key(node.path)] != nil && node.parent.map({ Self.same($0.path, path) }) == true {
      if root.find(node.path) === node, !order.contains(where: { Self.same($0, node.identifier) }) { order.append(node.identifier) }
    }
    let line = order.count < 2 ? [] : ["order \(Self.text(path)): \(order.map(PlainText.text).joined(separator: " "))"]
    return line + order.flatMap { orders(saved, below: path + [$0]) }
  }

  private mutating func save() -> [String] {
    if app.decision == .restore || !app.hasDelegate { discardClosed() }
    judgeKept()
    var saved: [[String]: Saved] = [:]
    for object in admitted(roots) { save(object, [], &saved) }
    let live = Set(places(below: roots).map { Self.key($0.path) }).subtracting(replaced)
    // Of two nodes for one path, the one that was saved later.
    var carried: Set<[String]> = []
    let outdone = root.all.filter { root.find($0.path) !== $0 }
    for node in root.all.filter({ node in !outdone.contains { $0 === node } }) + outdone where isPending(node) && !isOffered(node) {
      let key = Self.key(node.path)
      var origin = node.origin ?? ArchiveOrigin(bundleVersion: "7")
      origin.sessionsCarried += 1
      if let limit = app.sessionLimit, Int(origin.sessionsCarried) > limit { continue }
      let isTaken = live.contains(key) || carried.contains(key) || saved[key] != nil && root.find(node.path) !== node
      if isTaken || isWithinAnother(node) {
        node.isReplaced = true
        continue
      }
      let isAsSaved = isAsSaved(node)
      if isAsSaved, node.before == nil, !node.related.isEmpty { continue }
      carried.insert(key)
      for count in 1..<max(1, node.path.count) {
        let above = Self.key(Array(node.path.prefix(count)))
        if saved[above] == nil { saved[above] = Saved(isPlace: !live.contains(above)) }
      }
      let from = " from \(origin.bundleVersion ?? "-").\(origin.sessionsCarried)"
      let now = (savedType: node.savedType, schema: node.schema, state: node.state)
      let written = isAsSaved ? node.before ?? now : now
      saved[key] = Saved(
        type: written.savedType.map { "\($0).\(written.schema)" } ?? "-", values: written.state, isPlace: node.isPlaceholder, origin: from)
    }
    lastSaved = saved
    (lastPlaces, places) = (places, [:])
    let lines = saved.map { path, node in
      let values = node.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      return "\(Self.text(path)) \(node.type) \(values)\(node.isPlace ? " place" : "")\(node.origin)"
    }
    return (lines + orders(saved, below: [])).sorted()
  }

  /// Whether no object has taken in, or stands for, what an upgrade has moved to or from a node, and all of that is saved.
  private func isAsSaved(_ node: ModelNode) -> Bool {
    var family = [node]
    var next = 0
    while next < family.count {
      let member = family[next]
      if !isPending(member) || isGivingWay(member) { return false }
      for other in member.related where !family.contains(where: { $0 === other }) { family.append(other) }
      next += 1
    }
    return true
  }

  /// Whether an object, or another node that waits, is saved at the path of a node, and not the node itself.
  private func isGivingWay(_ node: ModelNode) -> Bool {
    if let object = object(at: node.path) {
      guard node.before != nil, !node.isReplaced, let kept = node.kept, kept.object === object else { return true }
      return kept.encoding != Self.picture(object)
    }
    return root.find(node.path).map { $0 !== node && isPending($0) } ?? false
  }

  /// Whether another node has the path of a node, and is saved as a part of the one whose upgrade has made it.
  private func isWithinAnother(_ node: ModelNode) -> Bool {
    guard let other = root.find(node.path), other !== node, isPending(other) else { return false }
    return other.before == nil && !other.related.isEmpty && isAsSaved(other)
  }

  private static func key(_ path: [String]) -> [String] { path.map(PlainText.text) }

  /// Returns the objects without those whose identifiers are taken: by the first one, or by one that was made for saved state.
  private func admitted(_ objects: [Object]) -> [Object] {
    var result: [Object] = []
    for object in objects {
      guard let identifier = object.identifier else { continue }
      if let made = rivals[ObjectIdentifier(object)], objects.contains(where: { $0 === made }) { continue }
      if !result.contains(where: { Self.same($0.identifier ?? "", identifier) }) { result.append(object) }
    }
    return result
  }

  /// Saves an object and its descendants; returns whether that created a node.
  @discardableResult
  private mutating func save(_ object: Object, _ above: [String], _ saved: inout [[String]: Saved]) -> Bool {
    let path = above + [object.identifier ?? ""]
    if replaced.contains(Self.key(path)) {
      for child in admitted(object.children) { save(child, path, &saved) }
      return false
    }
    places[ObjectIdentifier(object)] = (object, Self.key(path))
    var node = Saved(type: object.type.map { "\($0).\($0 == "Editor" ? 2 : 0)" } ?? "-", values: object.values)
    var isThere = object.type != nil || !node.values.isEmpty
    if object.identifier == "g" {
      // The object fails to encode, so its previous state is kept, wherever it was saved.
      node.values = [:]
      isThere = object.type != nil
      if lastSaved != nil {
        if let before = lastPlaces[ObjectIdentifier(object)].flatMap({ lastSaved?[$0.path] }) {
          node = before
          isThere = true
        }
      } else if let before = root.all.first(where: { $0.object === object && $0.isTaken && !$0.isPlace }),
        app.decision == .restore || !app.hasDelegate
      {
        node.type = before.savedType.map { "\($0).\(before.schema)" } ?? "-"
        node.values = before.state
        node.isPlace = before.isPlaceholder
        if let origin = before.origin { node.origin = " from \(origin.bundleVersion ?? "-").\(origin.sessionsCarried)" }
        isThere = true
      }
    }
    var hasChildren = false
    for child in admitted(object.children) where save(child, path, &saved) { hasChildren = true }
    guard isThere || hasChildren else { return false }
    saved[Self.key(path)] = node
    return true
  }
}
