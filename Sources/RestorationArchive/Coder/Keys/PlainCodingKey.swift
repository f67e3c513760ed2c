/// A coding key that is just a name or an index.
enum PlainCodingKey: CodingKey {
  case name(String)
  case index(Int)

  /// The key under which a superclass encodes itself where none is given.
  static let `super` = PlainCodingKey.name("super")

  init?(stringValue: String) {
    self = .name(stringValue)
  }

  init?(intValue: Int) {
    self = .index(intValue)
  }

  // Made only when somebody asks, since most indices are never looked at.
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
