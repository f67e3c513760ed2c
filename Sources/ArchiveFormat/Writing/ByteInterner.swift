/// Numbers different runs of bytes in the order in which they are first seen: keys, long identifiers, type tags.
///
/// The hash is keyed with secrets drawn once a process, so that a file or user cannot choose texts that collide; nothing that is written
/// depends on it. Swift's own `Set` would do the same at several times the cost for the short texts that keys are.
package struct ByteInterner {
  private static let secrets: (UInt64, UInt64) = {
    var generator = SystemRandomNumberGenerator()
    return (generator.next() | 1, generator.next() | 1)
  }()

  private let secret1: UInt64
  private let secret2: UInt64
  /// One more than the number of what lies in a slot, or 0; the count of slots is a power of two.
  private var slots: [UInt32]
  private var hashes: [UInt64] = []
  private var starts: [Int] = [0]
  private var arena: [UInt8] = []
  /// The first eight bytes of each run, as a number that sorts as they do.
  package private(set) var prefixes: [UInt64] = []

  /// Makes an empty interner.
  package init() {
    (secret1, secret2) = Self.secrets
    slots = [UInt32](repeating: 0, count: 128)
    hashes.reserveCapacity(64)
    starts.reserveCapacity(64)
    prefixes.reserveCapacity(64)
    arena.reserveCapacity(1024)
  }

  /// How many different runs were seen.
  package var count: Int { hashes.count }

  /// The number of `bytes`, new or old.
  ///
  /// - Complexity: O(n) in the bytes, amortized and expected.
  @inline(__always)
  package mutating func intern(_ bytes: Span<UInt8>) -> Int {
    let hash = hash(of: bytes)
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 { return insert(bytes, hash: hash, slot: slot) }
      let number = Int(entry) &- 1
      if hashes[number] == hash, isSame(number, bytes) { return number }
      slot = (slot &+ 1) & mask
    }
  }

  /// Calls `body` with the bytes of a run.
  @inline(__always)
  package func withBytes<Result>(of number: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    body(arena.span.extracting(starts[number]..<starts[number &+ 1]))
  }

  /// Less than, equal to or greater than 0 as the bytes of `left` come before, are, or come after those of `right`.
  @inline(__always)
  package func compare(_ left: Int, _ right: Int) -> Int {
    let leftPrefix = prefixes[left]
    let rightPrefix = prefixes[right]
    if leftPrefix != rightPrefix { return leftPrefix < rightPrefix ? -1 : 1 }
    if left == right { return 0 }
    let bytes = arena.span
    return bytes.extracting(starts[left]..<starts[left + 1]).compare(with: bytes.extracting(starts[right]..<starts[right + 1]))
  }

  @inline(__always)
  private func isSame(_ number: Int, _ bytes: Span<UInt8>) -> Bool {
    let range = starts[number]..<starts[number &+ 1]
    guard range.count == bytes.count else { return false }
    if bytes.count <= 8 { return prefixes[number] == bytes.sortingPrefix }
    return arena.span.extracting(range).compare(with: bytes) == 0
  }

  @inline(never)
  private mutating func insert(_ bytes: Span<UInt8>, hash: UInt64, slot: Int) -> Int {
    let number = hashes.count
    hashes.append(hash)
    prefixes.append(bytes.sortingPrefix)
    for index in bytes.indices { arena.append(bytes[index]) }
    starts.append(arena.count)
    slots[slot] = UInt32(number + 1)
    if 2 * hashes.count > slots.count { rehash() }
    return number
  }

  private mutating func rehash() {
    slots = [UInt32](repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Multiplies and folds lanes of eight bytes, each under a secret.
  @inline(__always)
  private func hash(of bytes: Span<UInt8>) -> UInt64 {
    let count = bytes.count
    var hash = secret1 ^ UInt64(truncatingIfNeeded: count)
    if count <= 8 { return Self.fold(hash ^ bytes.sortingPrefix, secret2) }
    var position = 0
    while position &+ 8 < count {
      hash = Self.fold(hash ^ bytes.uint64(at: position), secret2)
      position &+= 8
    }
    return Self.fold(hash ^ bytes.uint64(at: count &- 8), secret2)
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
