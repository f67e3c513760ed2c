import RestorationArchive

/// Paths and patterns as a tree that is walked beside the tree of nodes, so that matching costs nothing where nothing is registered.
final class PatternTree {
  /// A place in the tree: what may follow, and what is registered here.
  final class Place {
    var children: [IdentifierKey: Place] = [:]
    var any: Place?
    /// A place that stays the same whatever follows: behind `**`.
    var rest: Place?
    var isRest = false
    /// The number of the factory that is registered here.
    var factory: Int?
    var tombstone: SourcePlace?
  }

  private let root = Place()
  private(set) var isEmpty = true

  /// The place of a pattern, made if it is not there.
  func place(of pattern: RestorationPattern) -> Place {
    isEmpty = false
    var place = root
    for component in pattern.components {
      let next: Place
      switch component {
      case .identifier(let identifier): next = place.children[IdentifierKey(identifier)] ?? Place()
      case .any: next = place.any ?? Place()
      case .rest: next = place.rest ?? Place()
      }
      switch component {
      case .identifier(let identifier): place.children[IdentifierKey(identifier)] = next
      case .any: place.any = next
      case .rest:
        next.isRest = true
        place.rest = next
      }
      place = next
    }
    return place
  }

  /// The places of the empty path.
  var start: [Place] {
    isEmpty ? [] : root.rest.map { [root, $0] } ?? [root]
  }

  /// The places of a child, from those of its parent.
  func advance(_ places: [Place], by identifier: String) -> [Place] {
    if places.isEmpty { return [] }
    var next: [Place] = []
    let key = IdentifierKey(identifier)
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

  /// The places of a path.
  func places(of path: RestorationPath) -> [Place] {
    path.components.reduce(start) { advance($0, by: $1) }
  }
}
