/// The place of a value in the coding path.
///
/// It becomes a ``CodingPathNode`` when something lies below it or when somebody asks: most places are never looked at.
struct CodingPlace {
  /// What tells a value from the others of its container.
  enum Key {
    /// The outermost value, or one in the place of another.
    case none
    case index(Int)
    case name(String)
    case key(any CodingKey)
  }

  /// The place of the container; nil for the outermost one.
  let container: CodingPathNode?
  let key: Key

  /// The place as a part of the path of what lies below.
  var node: CodingPathNode? {
    switch key {
    case .none: container
    case .index(let index): CodingPathNode(PlainCodingKey.index(index), below: container)
    case .name(let name): CodingPathNode(PlainCodingKey.name(name), below: container)
    case .key(let key): CodingPathNode(key, below: container)
    }
  }

  /// The keys from the outermost one.
  var path: [any CodingKey] { CodingPathNode.keys(of: node) }
}
