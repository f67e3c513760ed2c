/// A coding key that is just a name or an index.
struct PlainCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  /// The key under which a superclass encodes itself where none is given.
  static let `super` = PlainCodingKey(name: "super")

  init(name: String) {
    stringValue = name
    intValue = nil
  }

  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init?(stringValue: String) {
    self.init(name: stringValue)
  }

  init?(intValue: Int) {
    self.init(index: intValue)
  }
}
