import Storage

/// The order of an archive's first keys by their bytes.
///
/// A record's entries are written in any order and must be stored sorted by key (rule R-6.2-3). An archive has few
/// different keys and many records. Keys are therefore compared once, when a record has introduced new ones. Each
/// record then sorts its entries by the ranks of their keys, with a bit set:
///
///     number   0 zoom | 1 list | 2 alpha        in the order of first use
///     rank     2      | 1      | 0              among the keys known so far
struct KeyRanks: ~Copyable {
  /// The maximum number of keys with ranks, which must fit into a byte; other keys are sorted by comparison.
  static let maximumKeys = 256

  /// For each key number, its rank.
  private var ranks = ScratchArray<UInt8>(capacity: 64)
  /// For each rank, the key number.
  private var numbers = ScratchArray<UInt8>(capacity: 64)

  init() {}

  /// The number of keys with ranks.
  var count: Int {
    @inline(__always) get { ranks.count }
  }

  /// Returns the rank of a key, or nil for an inline key, whose number is negative, and for a key beyond ``maximumKeys``.
  @inline(__always)
  func rank(of number: Int) -> UInt8? {
    guard UInt(bitPattern: number) < UInt(bitPattern: ranks.count) else { return nil }
    return ranks[number]
  }

  /// Returns the number of the key with a rank.
  func number(atRank rank: Int) -> Int {
    Int(numbers[rank])
  }

  /// Whether some of the first `keyCount` keys have no rank yet.
  @inline(__always)
  func needsUpdate(_ keyCount: Int) -> Bool {
    ranks.count < min(keyCount, Self.maximumKeys)
  }

  /// Assigns ranks to the new keys.
  ///
  /// - Complexity: O(``maximumKeys``) for each.
  mutating func rankNew(_ keys: borrowing ByteInterner) {
    for number in ranks.count..<min(keys.count, Self.maximumKeys) {
      let place = (0..<numbers.count).first(past: { keys.compare(number, Int(numbers[$0])) < 0 })
      numbers.insert(UInt8(truncatingIfNeeded: number), at: place)
      ranks.append(0)
    }
    for rank in 0..<numbers.count { ranks[Int(numbers[rank])] = UInt8(truncatingIfNeeded: rank) }
  }
}

/// The provisional form of a key reference while records are being written: a number, in order of first use.
///
/// A writer that is reused numbers the keys of the previous archive in the order of their bytes, so that their
/// references can be final.
///
///     one byte            number + 1, for the first 239: as long as the final reference, which replaces it in place
///     ff and four bytes   any other number
@usableFromInline
enum ProvisionalKey {
  /// The number of keys with a one-byte reference.
  @usableFromInline static let oneByteCount = KeyReference.oneByteCount
  /// The lead byte of a longer reference.
  @usableFromInline static let longLead: UInt8 = 0xFF
  /// The number of bytes of a longer reference.
  static let longLength = 5
}

extension OutputBuffer {
  /// Appends the provisional reference to key `number`.
  @inlinable @inline(__always)
  func appendProvisionalKey(_ number: Int) {
    if number < ProvisionalKey.oneByteCount {
      append(UInt8(truncatingIfNeeded: number &+ 1))
    } else {
      append(ProvisionalKey.longLead)
      append(UInt32(truncatingIfNeeded: number))
    }
  }
}
