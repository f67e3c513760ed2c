/// Drafts with a chosen content digest.
///
/// XXH64 is no protection against intent (Spec chapter 11): eight free bytes near the end of its input decide the result.
/// They are the value of a header key here.
enum ForgedDigest {
  /// Returns a draft with one more header entry, which gives its file the digest `target`.
  ///
  /// - Throws: A mistake in the draft; ``BlueprintError`` if no length of the key puts the free bytes into a whole word.
  static func forged(_ draft: Draft, digest target: UInt64) throws -> Draft {
    for length in 0..<40 {
      var draft = draft
      let key = "x." + String(repeating: "n", count: length)
      draft.header = DraftEntries(draft.header.entries.map { ($0.key, $0.value) } + [(key, .data([UInt8](repeating: 0xa5, count: 8)))])
      let bytes = try Blueprint(draft).assemble().bytes
      let metadata = Int(bytes[24]) | Int(bytes[25]) << 8
      let input = Array(bytes[(64 + 192)..<(64 + metadata)])
      let root = bytes[40..<48].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let place = place(of: [UInt8](repeating: 0xa5, count: 8), in: input) else { continue }
      guard place % 8 == 0, place >= input.count / 32 * 32 else { continue }
      let word = XXHash64.word(at: place, of: input, seed: root, for: target)
      let last = draft.header.entries.count - 1
      draft.header = DraftEntries(
        draft.header.entries.enumerated().map { ($1.key, $0 == last ? .data(Bytes.u64(word)) : $1.value) })
      return draft
    }
    throw BlueprintError("no place for a forged digest")
  }

  private static func place(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: part) }
  }
}

extension XXHash64 {
  /// Returns the word that must stand at a place of the input, after all stripes, to make its hash `target`.
  static func word(at place: Int, of input: [UInt8], seed: UInt64, for target: UInt64) -> UInt64 {
    var position = 0
    var before = input.count < 32 ? seed &+ primes[4] : hashStripes(input, seed: seed, position: &position)
    before &+= UInt64(input.count)
    while position < place {
      before = rotated(before ^ mixed(0, word(input, position, size: 8)), 27) &* primes[0] &+ primes[3]
      position += 8
    }
    // From the end back to the state after the word: the inverse of each step of `hash`.
    var after = target
    after ^= after >> 32
    after = unshifted(after &* inverse(primes[2]), 29) &* inverse(primes[1])
    after ^= after >> 33
    let rest = (input.count - place - 8) % 8
    let words = (input.count - place - 8) / 8
    var end = input.count
    for _ in 0..<rest % 4 {
      end -= 1
      after = rotated(after &* inverse(primes[0]), 64 - 11) ^ UInt64(input[end]) &* primes[4]
    }
    if rest >= 4 {
      end -= 4
      after = rotated((after &- primes[2]) &* inverse(primes[1]), 64 - 23) ^ word(input, end, size: 4) &* primes[0]
    }
    for _ in 0..<words {
      end -= 8
      after = rotated((after &- primes[3]) &* inverse(primes[0]), 64 - 27) ^ mixed(0, word(input, end, size: 8))
    }
    let mixed = rotated((after &- primes[3]) &* inverse(primes[0]), 64 - 27) ^ before
    return rotated(mixed &* inverse(primes[0]), 64 - 31) &* inverse(primes[1])
  }

  /// Returns the number whose product with an odd number is 1.
  private static func inverse(_ number: UInt64) -> UInt64 {
    // Each step doubles the number of correct bits.
    (0..<6).reduce(number) { result, _ in result &* (2 &- number &* result) }
  }

  /// Returns the number that gives `value` if it is combined with itself shifted to the right.
  private static func unshifted(_ value: UInt64, _ count: UInt64) -> UInt64 {
    var result = value
    for _ in 0..<(64 / count + 1) { result = value ^ result >> count }
    return result
  }
}
