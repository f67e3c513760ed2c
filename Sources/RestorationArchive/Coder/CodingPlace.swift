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

    var codingKey: (any CodingKey)? {
      switch self {
      case .none: nil
      case .index(let index): PlainCodingKey.index(index)
      case .name(let name): PlainCodingKey.name(name)
      case .key(let key): key
      }
    }

    /// The name of a field; nil for the place of an element.
    var fieldName: String? {
      switch self {
      case .none, .index: nil
      case .name(let name): name
      case .key(let key): if case .index? = key as? PlainCodingKey { nil } else { key.stringValue }
      }
    }
  }

  /// The path of the container; nil for the outermost one.
  let container: CodingPathNode?
  let key: Key

  /// The path node of this place, as the parent of values below it.
  var node: CodingPathNode? {
    key.codingKey.map { CodingPathNode($0, below: container) } ?? container
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

/// A coding key that is only a name or an index.
enum PlainCodingKey: CodingKey {
  case name(String)
  case index(Int)

  /// The default key under which a superclass encodes itself.
  static let `super` = PlainCodingKey.name("super")

  init?(stringValue: String) {
    self = .name(stringValue)
  }

  init?(intValue: Int) {
    self = .index(intValue)
  }

  // Created on demand, because most indices are never printed.
  var stringValue: String {
    switch self {
    case .name(let name): name
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch self {
    case .name: nil
    case .index(let index): index
    }
  }
}

extension CodingKey {
  /// Whether keys of the type have a ``byte``, like those of simple enumerations.
  ///
  /// Nothing is cached for other key types. (A type such as `String` may conform to `CodingKey` in more than one
  /// module.)
  @inline(__always)
  static var hasByte: Bool { MemoryLayout<Self>.size <= 1 }

  /// A byte that identifies the key within its type, for types of at most one byte, such as key enumerations; nil for
  /// others.
  @inline(__always)
  var byte: UInt8? {
    switch MemoryLayout<Self>.size {
    case 0: 0
    // A one-byte type cannot hold a reference, so the byte is the whole key.
    case 1: unsafe unsafeBitCast(self, to: UInt8.self)
    default: nil
    }
  }
}
