import StateRestoration

/// Accounts for the saved values of an app, by what happened and not by the engine's rules.
///
/// Every value is a number that occurs once. One that was saved is saved again, wherever it is, unless the user changed
/// it, the app said that it is gone, or a report says that it is not saved any more.
struct StateAccount {
  /// The values that the user replaced, of objects that had taken them in, or closed with their objects.
  var replaced: Set<Int> = []
  /// The paths at which the user changed an object, or to which an object came.
  var touched: Set<RestorationPath> = []
  /// The paths at which, with all below, the user closed something.
  var closed: Set<RestorationPath> = []
  /// The paths at which, with all below, the app discarded state.
  var gone: Set<RestorationPath> = []
  /// The paths at which another object stands than the registered one, or one that is referred to, which with all below it is not saved any more.
  var displaced: Set<RestorationPath> = []
  /// The paths whose state a limit ended when it was restored.
  var expired: Set<RestorationPath> = []
  /// The paths at which values were set aside since they were saved.
  var aside: [Int: RestorationPath] = [:]
  /// The values of the objects whose references the user changed, or whose targets were moved while the state of the objects waited.
  var redirected: Set<Int> = []
  /// The move of this build's alias.
  var alias: (old: RestorationPath, new: RestorationPath)?
  /// The paths to which an upgrade has moved a value in vain, as the launch has reported.
  var dropped: Set<RestorationPath> = []
  /// The child to which an upgrade of this build moves a value of a note.
  var receiver: String?
  /// The objects that the user renamed or moved, in this order: state that waits below one goes with it.
  var renames: [(old: RestorationPath, new: RestorationPath)] = []

  /// A saved node.
  struct Node: CustomStringConvertible {
    let path: RestorationPath
    let values: [Int]
    var target: RestorationPath?
    var isCarriedOver = false
    var isPlaceholder = false
    /// Whether it was set aside, or lies below such a node or a placeholder.
    var isOutOfReach = false
    var type: String?
    var schemaVersion = 0

    var description: String {
      let parts = [
        target.map { "to \($0)" }, isCarriedOver ? "carried over" : nil, isPlaceholder ? "placeholder" : nil, isOutOfReach ? "aside" : nil,
      ]
      return "\(path): \(values) \(type ?? "-").\(schemaVersion) \(parts.compactMap { $0 }.joined(separator: ", "))"
    }
  }

  /// Returns the nodes of an archive, parents first; the application state is the first.
  static func nodes(of archive: ArchiveReader) throws -> [Node] {
    let tree = try ArchiveTree(decoding: archive)
    var nodes = [Node(path: .application, values: values(tree.applicationState))]
    func visit(_ below: [ArchiveNode], _ above: RestorationPath, _ isOutOfReach: Bool) {
      for node in below {
        let path = above.appending(node.identifier)
        let isAside = isOutOfReach || node.attributes["restoration.setAside"] != nil
        let isPlaceholder = node.attributes["restoration.placeholder"] != nil
        nodes.append(
          Node(
            path: path, values: values(node.state), target: target(node.state), isCarriedOver: node.origin != nil,
            isPlaceholder: isPlaceholder, isOutOfReach: isAside, type: node.type, schemaVersion: node.schemaVersion))
        visit(node.children, path, isAside || isPlaceholder)
      }
    }
    visit(tree.nodes, .application, false)
    return nodes
  }

  private static func values(_ state: ArchiveDictionary) -> [Int] {
    state.compactMap { if case .integer(let value) = $0.value { Int(value.description) } else { nil } }.filter { $0 > 0 }
  }

  private static func target(_ state: ArchiveDictionary) -> RestorationPath? {
    if case .reference(let path) = state["target"] { path } else { nil }
  }

  /// Returns a path as this build's alias moves it.
  func moved(_ path: RestorationPath) -> RestorationPath {
    alias.map { Self.renamed(path, $0) } ?? path
  }

  private static func renamed(_ path: RestorationPath, _ rename: (old: RestorationPath, new: RestorationPath)) -> RestorationPath {
    guard rename.old.contains(path) else { return path }
    return path.components.dropFirst(rename.old.count).reduce(rename.new) { $0.appending($1) }
  }

  /// The paths to which this build's upgrade may move a value of a node.
  private func receivers(of node: Node) -> Set<RestorationPath> {
    guard let receiver, node.type == "Note", node.schemaVersion == 1 else { return [] }
    let children = [node.path, moved(node.path)].map { $0.appending(receiver) }
    return Set(children + children.map(moved))
  }

  /// Notes that an object has another path now, and with it the nodes that may wait below it.
  mutating func follow(_ nodes: [Node], from old: RestorationPath, to new: RestorationPath) {
    renames.append((old, new))
    for node in nodes {
      for path in followed([node.path, moved(node.path)]) where new.contains(path) { touched.insert(path) }
    }
  }

  /// Returns paths with those to which the user's renames lead from them.
  private func followed(_ paths: Set<RestorationPath>) -> Set<RestorationPath> {
    renames.reduce(paths) { paths, rename in paths.union(paths.map { Self.renamed($0, rename) }) }
  }

  private static func isBelow(_ path: RestorationPath, _ tops: Set<RestorationPath>) -> Bool { tops.contains { $0.contains(path) } }

  /// Returns the first value or reference of an archive that the next one lacks for no reason.
  func loss(from before: [Node], to after: [Node], _ report: PreservationReport, _ counts: inout [String: Int]) -> String? {
    let saved = Set(after.flatMap(\.values))
    for node in before {
      for value in node.values where !saved.contains(value) {
        guard let reason = reason(for: value, node, among: before, report) else { return "\(value) at \(node.path)" }
        counts[reason, default: 0] += 1
      }
    }
    return lostReference(from: before, to: after, saved) { reason(for: $0, $1, among: before, report) != nil }
  }

  private func reason(for value: Int, _ node: Node, among before: [Node], _ report: PreservationReport) -> String? {
    // A node stays where it was if the alias leads to another one.
    let path = moved(node.path)
    let paths = followed(receivers(of: node).union([path, node.path] + [aside[value]].compactMap(\.self)))
    if replaced.contains(value) { return "replaced" }
    if paths.contains(where: { Self.isBelow($0, closed) }) { return "closed" }
    if paths.contains(where: { Self.isBelow($0, gone) }) { return "gone" }
    let kinds = paths.flatMap { report.notes(at: $0) }.map(\.kind)
    if !paths.isDisjoint(with: dropped) { return "dropped" }
    if kinds.contains(.expired) || !paths.isDisjoint(with: expired) { return "expired" }
    let isPinned = kinds.contains(.superseded) && report.isDegraded || kinds.contains(.quarantineEnded)
    if isPinned, !paths.isDisjoint(with: touched) { return "pinned" }
    if displaced.contains(where: { $0.contains(path) && report.notes(at: $0).contains { $0.kind == .superseded } }) { return "displaced" }
    let others = before.lazy.filter { $0.path != node.path }
    if isPinned, others.contains(where: { moved($0.path) == path || receivers(of: $0).contains(path) }) { return "alias" }
    return nil
  }

  private func lostReference(
    from before: [Node], to after: [Node], _ saved: Set<Int>, _ hasReason: (Int, Node) -> Bool
  ) -> String? {
    // Of two nodes for one path, a reference leads to one.
    if let alias, before.contains(where: { $0.path == alias.new }) { return nil }
    var places: [Int: [Node]] = [:]
    for node in after { for value in node.values { places[value, default: []].append(node) } }
    var values: [RestorationPath: Int] = [:]
    for node in before { values[node.path] = node.values.first }
    // A value that is moved to a child does not show where the object is that refers.
    for node in before where receivers(of: node).isEmpty {
      guard let target = node.target, let value = node.values.first, let now = places[value], !redirected.contains(value) else { continue }
      guard let wanted = values[target], saved.contains(wanted), !Self.isBelow(moved(target), gone),
        expired.isDisjoint(with: [target, moved(target)])
      else { continue }
      if now.allSatisfy({ $0.target == nil }), !hasReason(value, node) { return "the reference of \(value) at \(node.path) to \(target)" }
    }
    return nil
  }
}
