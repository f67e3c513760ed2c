/// The place of a value in the coding path.
///
/// The ``CodingPathNode`` is created on demand, because most places are never needed.
struct CodingPlace {
  /// The value's position within its container.
  enum Key {
    /// The outermost value, or a value in place of another.
    case none
    case index(Int)
    case name(String)
    case key(any CodingKey)
  }

  /// The place of a whole state.
  static var root: CodingPlace { CodingPlace(container: nil, key: .none) }

  /// The path of the container; nil for the outermost one.
  let container: CodingPathNode?
  let key: Key

  /// The path node of this place, as the parent of values below it.
  var node: CodingPathNode? {
    switch key {
    case .none: container
    case .index(let index): CodingPathNode(PlainCodingKey.index(index), below: container)
    case .name(let name): CodingPathNode(PlainCodingKey.name(name), below: container)
    case .key(let key): CodingPathNode(key, below: container)
    }
  }

  /// The keys, from the outermost one.
  var path: [any CodingKey] { CodingPathNode.keys(of: node) }
}

/// A coding path as a linked list from the innermost key outwards, so that appending a key copies nothing.
final class CodingPathNode {
  private let key: any CodingKey
  private let parent: CodingPathNode?

  init(_ key: any CodingKey, below parent: CodingPathNode?) {
    self.key = key
    self.parent = parent
  }

  /// Returns the keys from the outermost one to `node`.
  static func keys(of node: CodingPathNode?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var next = node
    while let current = next {
      keys.append(current.key)
      next = current.parent
    }
    return keys.reversed()
  }
}
