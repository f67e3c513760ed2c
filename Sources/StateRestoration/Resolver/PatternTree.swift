import RestorationArchive

/// A tree of paths and patterns that is traversed in parallel with the node tree, so that matching costs nothing below
/// unregistered paths.
final class PatternTree {
  /// A place in the tree: its registrations and its continuations.
  final class Place {
    var children: [TextKey: Place] = [:]
    var any: Place?
    /// The place for `**`, which remains the current place for all further components.
    var rest: Place?
    var isRest = false
    /// The number of the factory registered here.
    var factory: Int?
    var tombstone: SourcePlace?
  }

  private let root = Place()
  private(set) var isEmpty = true

  /// Returns the place of a pattern, and adds it if it is missing.
  func place(of pattern: RestorationPattern) -> Place {
    isEmpty = false
    var place = root
    for component in pattern.components {
      let next: Place
      switch component {
      case .identifier(let identifier):
        next = place.children[TextKey(identifier)] ?? Place()
        place.children[TextKey(identifier)] = next
      case .any:
        next = place.any ?? Place()
        place.any = next
      case .rest:
        next = place.rest ?? Place()
        next.isRest = true
        place.rest = next
      }
      place = next
    }
    return place
  }

  /// The places for the empty path.
  var start: [Place] {
    isEmpty ? [] : root.rest.map { [root, $0] } ?? [root]
  }

  /// Returns the places for a child, from those of its parent.
  func advance(_ places: [Place], by identifier: String) -> [Place] {
    if places.isEmpty { return [] }
    var next: [Place] = []
    let key = TextKey(identifier)
    for place in places {
      if place.isRest { next.append(place) }
      for found in [place.children.isEmpty ? nil : place.children[key], place.any] {
        guard let found else { continue }
        next.append(found)
        if let rest = found.rest { next.append(rest) }
      }
    }
    return next
  }

  /// The places of the current node and its ancestors while a node tree is visited in preorder.
  struct Cursor {
    private let tree: PatternTree
    /// The places by depth, as far down as there are any.
    private var places: [[Place]]

    /// Starts at the node at `path`.
    init(_ tree: PatternTree, at path: RestorationPath = .application) {
      self.tree = tree
      places = [tree.start]
      for identifier in path.components { places.append(tree.advance(places[places.count - 1], by: identifier)) }
    }

    /// Moves to a node at a depth, whose parent is the last visited node above that depth, and returns its places.
    mutating func move(to identifier: String, depth: Int) -> [Place] {
      if places.count > depth { places.removeLast(places.count - depth) }
      guard places.count == depth else { return [] }
      let found = tree.advance(places[depth - 1], by: identifier)
      if !found.isEmpty { places.append(found) }
      return found
    }
  }
}
