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
