/// The checksum of the format: XXH64, all 64 bits.
///
/// Implements Spec §5.4. It detects accidental damage and is not a signature.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the hash of `bytes`.
  ///
  /// - Complexity: O(n).
  package static func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    let count = bytes.count
    WorkMeter.count(count)
    var position = 0
    var hash: UInt64
    if count >= 32 {
      hash = hashStripes(of: bytes, seed: seed, position: &position)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(truncatingIfNeeded: count)
    while position &+ 8 <= count {
      hash ^= round(0, bytes.uint64(at: position))
      hash = rotate(hash, 27) &* prime1 &+ prime4
      position &+= 8
    }
    if position &+ 4 <= count {
      hash ^= UInt64(bytes.uint32(at: position)) &* prime1
      hash = rotate(hash, 23) &* prime2 &+ prime3
      position &+= 4
    }
    while position < count {
      hash ^= UInt64(bytes[position]) &* prime5
      hash = rotate(hash, 11) &* prime1
      position &+= 1
    }
    return avalanche(hash)
  }

  /// Consumes the 32-byte stripes, in four parallel lanes, and leaves `position` after the last one.
  @inline(__always)
  private static func hashStripes(of bytes: Span<UInt8>, seed: UInt64, position: inout Int) -> UInt64 {
    var lane1 = seed &+ prime1 &+ prime2
    var lane2 = seed &+ prime2
    var lane3 = seed
    var lane4 = seed &- prime1
    // The loop condition guarantees 32 remaining bytes, so the loads need no checks of their own.
    var rest = bytes
    while rest.count >= 32 {
      lane1 = round(lane1, rest.uint64(at: 0))
      lane2 = round(lane2, rest.uint64(at: 8))
      lane3 = round(lane3, rest.uint64(at: 16))
      lane4 = round(lane4, rest.uint64(at: 24))
      rest = rest.extracting(droppingFirst: 32)
    }
    position = bytes.count &- rest.count
    var hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
    hash = merge(hash, lane1)
    hash = merge(hash, lane2)
    hash = merge(hash, lane3)
    return merge(hash, lane4)
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value &<< count) | (value &>> (64 &- count))
  }

  @inline(__always)
  private static func round(_ accumulator: UInt64, _ lane: UInt64) -> UInt64 {
    rotate(accumulator &+ lane &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ accumulator: UInt64, _ lane: UInt64) -> UInt64 {
    (accumulator ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func avalanche(_ value: UInt64) -> UInt64 {
    var hash = value
    hash ^= hash &>> 33
    hash = hash &* prime2
    hash ^= hash &>> 29
    hash = hash &* prime3
    hash ^= hash &>> 32
    return hash
  }
}
