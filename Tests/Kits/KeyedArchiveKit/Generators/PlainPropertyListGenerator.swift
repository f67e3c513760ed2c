import PropertyKit

/// Generates property lists from a seed.
public struct PlainPropertyListGenerator {
  /// The kinds of objects to generate.
  public enum Kinds: Sendable {
    /// What every form of Foundation can hold.
    case foundation
    /// Everything that the binary form can hold.
    case all
  }

  private var random: SeededGenerator
  private let kinds: Kinds
  private let texts = [
    "", "a", "title", "row", "scroll offset", "<&>\"'", "é", "e\u{301}", "日本", "👩‍🚀", "line\nend", "tab\t", " leading", "$null",
    "fourteen bytes", "exactly 15 byte", "sixteen bytes ok", String(repeating: "long ", count: 60),
  ]

  /// Creates a generator.
  public init(seed: UInt64, kinds: Kinds = .foundation) {
    random = SeededGenerator(seed: seed)
    self.kinds = kinds
  }

  /// Returns a list of about `size` objects; its top is a dictionary.
  public mutating func list(size: Int = 40) -> PlainPropertyList {
    var left = random.below(size) + 1
    return dictionary(&left, depth: 0)
  }

  private mutating func value(_ left: inout Int, depth: Int) -> PlainPropertyList {
    left -= 1
    if left > 0, depth < 8, random.oneIn(3) {
      if random.oneIn(2) { return dictionary(&left, depth: depth + 1) }
      var elements: [PlainPropertyList] = []
      for _ in 0..<random.below(20) where left > 0 { elements.append(value(&left, depth: depth + 1)) }
      return kinds == .all && random.oneIn(4) ? .set(Array(Set(elements))) : .array(elements)
    }
    return scalar()
  }

  private mutating func dictionary(_ left: inout Int, depth: Int) -> PlainPropertyList {
    var entries: [(String, PlainPropertyList)] = []
    for text in texts.shuffled(using: &random).prefix(random.below(17)) where left > 0 && !Self.isEqualAsString(text, to: entries) {
      entries.append((text, value(&left, depth: depth)))
    }
    return .object(entries)
  }

  /// Foundation's dictionaries on this platform have one key for two normal forms of a text.
  private static func isEqualAsString(_ text: String, to entries: [(String, PlainPropertyList)]) -> Bool {
    entries.contains { $0.0 == text }
  }

  private mutating func scalar() -> PlainPropertyList {
    switch random.below(kinds == .all ? 9 : 7) {
    case 0: return .bool(random.oneIn(2))
    case 1: return .integer(integer())
    case 2: return .number(real())
    case 3: return .date(Double(Int(truncatingIfNeeded: random.next()) % 4_000_000_000).bitPattern)
    case 4: return .data((0..<random.pick([0, 1, 3, 14, 15, 16, 300])).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case 7: return .uid(random.pick([0, 1, 255, 256, 65_536, 0xFFFF_FFFF]))
    case 8: return .null
    default: return .string(random.pick(texts))
    }
  }

  private mutating func integer() -> Int128 {
    let number = Int128(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))
    switch random.below(kinds == .all ? 4 : 3) {
    case 0: return number & 0x7FFF_FFFF_FFFF_FFFF
    case 1: return -(number & 0x7FFF_FFFF_FFFF_FFFF)
    case 2: return random.pick([0, 1, 255, 256, 65_535, 65_536, 0xFFFF_FFFF, 0x1_0000_0000, -1, 0x7FFF_FFFF_FFFF_FFFF])
    default: return number << 64 | Int128(random.next())
    }
  }

  private mutating func real() -> Double {
    random.pick([0, 1.5, -2.25, 1e300, 2.5e-308, 0.1, 1 / 3, Double(random.next() >> 11)])
  }
}
