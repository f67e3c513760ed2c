/// XXH64, implemented only for the blueprint, so that a mistake in another implementation shows up as a difference.
enum XXHash64 {
  static let primes: [UInt64] = [
    0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5,
  ]

  /// Returns the 64-bit hash of bytes with a seed (Spec 5.4).
  static func hash(_ bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
    let input = Array(bytes)
    var position = 0
    var state = input.count < 32 ? seed &+ primes[4] : hashStripes(input, seed: seed, position: &position)
    state &+= UInt64(input.count)
    while input.count - position >= 8 {
      state ^= mixed(0, word(input, position, size: 8))
      state = rotated(state, 27) &* primes[0] &+ primes[3]
      position += 8
    }
    if input.count - position >= 4 {
      state ^= word(input, position, size: 4) &* primes[0]
      state = rotated(state, 23) &* primes[1] &+ primes[2]
      position += 4
    }
    for byte in input[position...] {
      state ^= UInt64(byte) &* primes[4]
      state = rotated(state, 11) &* primes[0]
    }
    return avalanched(state)
  }

  /// Processes all whole stripes of 32 bytes in four lanes, and merges them.
  static func hashStripes(_ input: [UInt8], seed: UInt64, position: inout Int) -> UInt64 {
    var lanes = [seed &+ primes[0] &+ primes[1], seed &+ primes[1], seed, seed &- primes[0]]
    while input.count - position >= 32 {
      for lane in 0..<4 {
        lanes[lane] = mixed(lanes[lane], word(input, position + 8 * lane, size: 8))
      }
      position += 32
    }
    var state = rotated(lanes[0], 1) &+ rotated(lanes[1], 7) &+ rotated(lanes[2], 12) &+ rotated(lanes[3], 18)
    for lane in lanes {
      state = (state ^ mixed(0, lane)) &* primes[0] &+ primes[3]
    }
    return state
  }

  static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes[1], 31) &* primes[0]
  }

  static func avalanched(_ state: UInt64) -> UInt64 {
    var state = state
    state = (state ^ state >> 33) &* primes[1]
    state = (state ^ state >> 29) &* primes[2]
    return state ^ state >> 32
  }

  static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }

  static func word(_ input: [UInt8], _ position: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<size {
      value |= UInt64(input[position + index]) << UInt64(8 * index)
    }
    return value
  }
}
