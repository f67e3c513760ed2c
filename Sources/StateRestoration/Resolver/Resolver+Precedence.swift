import RestorationArchive

/// The order in which rules apply to a node (``Resolver``), for restoring and for the dry run (``ArchiveResolution``).
///
/// Rules 4 and 5 need a delegate and objects, so only restoring applies them.
extension Resolver {
  /// The registration that applies to a node.
  enum Match {
    case tombstone(SourcePlace)
    case factory(Int)
    case nothing
  }

  /// Applies rules 1 to 3: returns the registration for a node that matches `places` in the pattern tree.
  func match(_ places: [PatternTree.Place], typeFactory: Int?) -> Match {
    if places.isEmpty { return typeFactory.map { .factory($0) } ?? .nothing }
    var exact: Int?
    var best: Int?
    for place in places {
      if let tombstone = place.tombstone { return .tombstone(tombstone) }
      guard let number = place.factory, let pattern = patterns[number] else { continue }
      if pattern.exactPath != nil {
        exact = number
      } else if let current = best, let other = patterns[current], !pattern.isMoreSpecific(than: other) {
        continue
      } else {
        best = number
      }
    }
    if let exact { return .factory(exact) }
    return (typeFactory ?? best).map { .factory($0) } ?? .nothing
  }

  /// Returns the number of the factory for a type.
  func factory(ofType type: String?) -> Int? { type.flatMap { typeFactories[IdentifierKey($0)] } }

  /// Applies rule 6: returns the number of the factory for a node's provider.
  func providerFactory(for node: NodeReader?) -> Int? {
    guard !providerFactories.isEmpty, let node, node.hasProvider, let provider = try? node.provider() else { return nil }
    return providerFactories[IdentifierKey(provider.name)]
  }
}
