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
