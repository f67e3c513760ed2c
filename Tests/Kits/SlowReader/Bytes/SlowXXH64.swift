/// XXH64, the checksum of the format (Spec 5.4), implemented from its public description.
public enum SlowXXH64 {
  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  /// Returns the hash of bytes.
  public static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    hash(bytes[...], seed: seed)
  }

  /// Returns the hash of a slice of bytes.
  public static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
    var position = bytes.startIndex
    let end = bytes.endIndex
    var result: UInt64

    if bytes.count >= 32 {
      // Four lanes, each of which processes every fourth word of eight bytes.
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      while end - position >= 32 {
        lane1 = round(lane1, word(bytes, at: position, count: 8))
        lane2 = round(lane2, word(bytes, at: position + 8, count: 8))
        lane3 = round(lane3, word(bytes, at: position + 16, count: 8))
        lane4 = round(lane4, word(bytes, at: position + 24, count: 8))
        position += 32
      }
      result = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        result = (result ^ round(0, lane)) &* prime1 &+ prime4
      }
    } else {
      result = seed &+ prime5
    }

    result = result &+ UInt64(bytes.count)

    // The remaining bytes: words of eight bytes, at most one of four, single bytes.
    while end - position >= 8 {
      result = rotate(result ^ round(0, word(bytes, at: position, count: 8)), 27) &* prime1 &+ prime4
      position += 8
    }
    if end - position >= 4 {
      result = rotate(result ^ (word(bytes, at: position, count: 4) &* prime1), 23) &* prime2 &+ prime3
      position += 4
    }
    while position < end {
      result = rotate(result ^ (UInt64(bytes[position]) &* prime5), 11) &* prime1
      position += 1
    }

    // Avalanche: every input bit can affect every output bit.
    result = (result ^ (result >> 33)) &* prime2
    result = (result ^ (result >> 29)) &* prime3
    return result ^ (result >> 32)
  }

  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ (input &* prime2), 31) &* prime1
  }

  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    (value &<< bits) | (value &>> (64 &- bits))
  }

  /// Returns a little-endian word; the caller has checked that the bytes exist.
  private static func word(_ bytes: ArraySlice<UInt8>, at position: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    var index = position + count
    while index > position {
      index -= 1
      value = value &<< 8 | UInt64(bytes[index])
    }
    return value
  }
}
