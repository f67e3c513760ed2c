/// Decisions read from bytes, such as a fuzzer's input; zeros once the bytes are used up.
struct ByteStream {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func next() -> UInt8 {
    defer { position += 1 }
    return position < bytes.count ? bytes[position] : 0
  }

  mutating func below(_ limit: Int) -> Int {
    limit <= 1 ? 0 : (Int(next()) << 8 | Int(next())) % limit
  }

  mutating func oneIn(_ odds: Int) -> Bool { below(odds) == 0 && odds > 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  mutating func number() -> UInt64 {
    (0..<8).reduce(0) { value, _ in value << 8 | UInt64(next()) }
  }

  /// Returns a few bytes as text; they need not be valid UTF-8.
  mutating func text() -> String {
    String(decoding: (0..<below(12)).map { _ in next() }, as: UTF8.self)
  }
}
