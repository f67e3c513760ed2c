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
