/// The first keys of an archive in the order of their bytes.
///
/// A record's entries come in any order and leave sorted by key (rule R-6.2-3). An archive has few different keys and many records, so
/// keys are compared once, when a record has brought new ones; a record then sorts its entries by their ranks, in a set of bits:
///
///     number   0 zoom | 1 list | 2 alpha        in the order of first use
///     rank     2      | 1      | 0              among the keys known so far
struct KeyOrder: ~Copyable {
  /// How many keys have ranks, which fit a byte; others are sorted by comparing them.
  static let mostKeys = 256

  /// By number: the place of the key among all.
  private var ranks = ScratchArray<UInt8>(capacity: 64)
  /// By rank: the number of the key.
  private var numbers = ScratchArray<UInt8>(capacity: 64)

  init() {}

  /// How many keys have ranks.
  var count: Int {
    @inline(__always) get { ranks.count }
  }

  /// The place of a key among those that have one; nil for a key in line, whose number is negative, and for one too many.
  @inline(__always)
  func rank(of number: Int) -> UInt8? {
    guard UInt(bitPattern: number) < UInt(bitPattern: ranks.count) else { return nil }
    return ranks[number]
  }

  /// The number of the key at a place.
  func number(atRank rank: Int) -> Int {
    Int(numbers[rank])
  }

  /// Whether keys are new to it, of so many.
  @inline(__always)
  func isBehind(_ keyCount: Int) -> Bool {
    ranks.count < min(keyCount, Self.mostKeys)
  }

  /// Takes in the keys that are new.
  ///
  /// - Complexity: O(``mostKeys``) for each.
  mutating func takeIn(_ keys: borrowing ByteInterner) {
    for number in ranks.count..<min(keys.count, Self.mostKeys) {
      var low = 0
      var high = numbers.count
      while low < high {
        let middle = (low &+ high) &>> 1
        if keys.compare(number, Int(numbers[middle])) < 0 { high = middle } else { low = middle &+ 1 }
      }
      numbers.insert(UInt8(truncatingIfNeeded: number), at: low)
      ranks.append(0)
    }
    for rank in 0..<numbers.count { ranks[Int(numbers[rank])] = UInt8(truncatingIfNeeded: rank) }
  }
}
