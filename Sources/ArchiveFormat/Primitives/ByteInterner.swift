import Storage

/// Numbers distinct byte sequences in order of first use: keys, long identifiers, type tags.
///
/// The hash is keyed with secrets drawn once per process, so that a file or user cannot choose texts that collide. No
/// output depends on it. Swift's own `Set` would cost several times as much for texts as short as keys.
package struct ByteInterner: ~Copyable {
  /// The hash function of this process.
  struct Hasher: BitwiseCopyable {
    static let shared = Hasher()

    private let secret1: UInt64
    private let secret2: UInt64

    private init() {
      var generator = SystemRandomNumberGenerator()
      (secret1, secret2) = (generator.next() | 1, generator.next() | 1)
    }

    /// Returns the hash of bytes, of which the first eight and, if there are more, the last eight are also given.
    @inline(__always)
    func hash(_ bytes: Span<UInt8>, prefix: UInt64, suffix: UInt64) -> UInt64 {
      let hash = Self.fold(prefix ^ secret1, suffix ^ secret2 ^ UInt64(truncatingIfNeeded: bytes.count))
      return bytes.count > 16 ? hashMiddle(of: bytes, hash) : hash
    }

    /// Mixes the bytes between the first eight and the last eight into the hash.
    private func hashMiddle(of bytes: Span<UInt8>, _ ends: UInt64) -> UInt64 {
      var hash = ends
      var position = 8
      while position &+ 8 < bytes.count {
        hash = Self.fold(hash ^ bytes.uint64(at: position), secret2)
        position &+= 8
      }
      return hash
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
      let product = left.multipliedFullWidth(by: right)
      return product.high ^ product.low
    }
  }

  /// The data of a byte sequence that suffices to compare it with one of at most 16 bytes.
  ///
  /// (Not private: the compiler loses private types of generic non-copyable members in debug builds.)
  struct Run: BitwiseCopyable {
    let hash: UInt64
    /// The first eight bytes, as a number with the same order.
    let prefix: UInt64
    /// The last eight bytes, if there are more than eight.
    let suffix: UInt64
    /// The offset of the bytes in the arena.
    let start: Int
    let count: Int
  }

  private let hasher = Hasher.shared
  /// For each slot, the number of its byte sequence plus one, or 0; the slot count is a power of two.
  private var slots: ScratchArray<UInt32>
  private var runs: ScratchArray<Run>
  /// The bytes of all sequences.
  private var arena: ScratchArray<UInt8>

  /// Creates an empty interner with room for `capacity` byte sequences.
  package init(capacity: Int = 64) {
    var slotCount = 16
    while slotCount < 2 * capacity { slotCount *= 2 }
    slots = ScratchArray(repeating: 0, count: slotCount)
    runs = ScratchArray(capacity: capacity)
    arena = ScratchArray(capacity: 16 * capacity)
  }

  /// The number of distinct byte sequences.
  package var count: Int { runs.count }

  /// Returns the number of `bytes`, which are added if they are new.
  ///
  /// - Complexity: O(n) in the bytes, amortized and expected.
  @inline(__always)
  package mutating func intern(_ bytes: Span<UInt8>) -> Int {
    let count = bytes.count
    let prefix = bytes.sortingPrefix
    let suffix = count > 8 ? bytes.uint64(at: count &- 8) : 0
    let hash = hasher.hash(bytes, prefix: prefix, suffix: suffix)
    let mask = slots.count &- 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = slots[place]
      if entry == 0 { return insert(bytes, hash: hash, prefix: prefix, suffix: suffix, place: place) }
      let number = Int(entry) &- 1
      let run = runs[number]
      if run.prefix == prefix, run.suffix == suffix, run.count == count, count <= 16 || isSame(run, bytes) { return number }
      place = (place &+ 1) & mask
    }
  }

  /// Returns the total length of all byte sequences before this one.
  package func start(of number: Int) -> Int {
    runs[number].start
  }

  /// Calls `body` with the bytes of a sequence.
  @inline(__always)
  package func withBytes<Result>(of number: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let run = runs[number]
    return arena.withSpan { body($0.extracting(run.start..<(run.start &+ run.count))) }
  }

  /// Calls `body` with the bytes of all sequences, concatenated.
  package func withAllBytes(_ body: (Span<UInt8>) -> Void) {
    arena.withSpan(body)
  }

  /// Compares the bytes of two sequences, given their numbers.
  ///
  /// Returns a number less than, equal to or greater than 0 if `left` sorts before, equals, or sorts after `right`.
  @inline(__always)
  package func compare(_ left: Int, _ right: Int) -> Int {
    let leftPrefix = runs[left].prefix
    let rightPrefix = runs[right].prefix
    if leftPrefix != rightPrefix { return leftPrefix < rightPrefix ? -1 : 1 }
    if left == right { return 0 }
    return withBytes(of: left) { left in withBytes(of: right) { right in left.compare(with: right) } }
  }

  @inline(__always)
  private func isSame(_ run: Run, _ bytes: Span<UInt8>) -> Bool {
    arena.withSpan { $0.extracting(run.start..<(run.start &+ run.count)).isEqual(to: bytes) }
  }

  @inline(never)
  private mutating func insert(_ bytes: Span<UInt8>, hash: UInt64, prefix: UInt64, suffix: UInt64, place: Int) -> Int {
    runs.append(Run(hash: hash, prefix: prefix, suffix: suffix, start: arena.count, count: bytes.count))
    arena.append(contentsOf: bytes)
    slots[place] = UInt32(truncatingIfNeeded: runs.count)
    if 2 * runs.count > slots.count { rehash() }
    return runs.count - 1
  }

  private mutating func rehash() {
    slots = ScratchArray(repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for number in 0..<runs.count {
      var place = Int(truncatingIfNeeded: runs[number].hash) & mask
      while slots[place] != 0 { place = (place + 1) & mask }
      slots[place] = UInt32(truncatingIfNeeded: number + 1)
    }
  }
}
