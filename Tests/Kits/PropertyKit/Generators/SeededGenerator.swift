/// A random number generator that depends only on its seed, so that a failing case can be reproduced.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number (SplitMix64).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns a number from 0 to `limit` - 1.
  public mutating func below(_ limit: Int) -> Int {
    Int(next() % UInt64(max(limit, 1)))
  }

  /// Returns true once in `odds` times on average.
  public mutating func oneIn(_ odds: Int) -> Bool {
    below(odds) == 0
  }

  /// Returns one of the elements.
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
