/// Decryption with AES-128 in CBC mode (FIPS 197, SP 800-38A), for the records of AppKit's saved state.
///
/// It protects nothing: the key lies beside the records, and nothing is authenticated. No care is taken against timing
/// attacks.
struct AES128 {
  static let blockByteCount = 16

  /// Eleven round keys of 16 bytes.
  private let roundKeys: [UInt8]

  /// Expands a key.
  ///
  /// - Precondition: The key has 16 bytes.
  init(key: [UInt8]) {
    precondition(key.count == Self.blockByteCount, "a key has 16 bytes")
    var words = key
    var constant: UInt8 = 1
    for start in stride(from: 16, to: 176, by: 4) {
      var word = Array(words[(start - 4)..<start])
      if start % 16 == 0 {
        word = [word[1], word[2], word[3], word[0]].map { Self.substitutions[Int($0)] }
        word[0] ^= constant
        constant = Self.doubled(constant)
      }
      for index in 0..<4 { words.append(words[start - 16 + index] ^ word[index]) }
    }
    roundKeys = words
  }

  /// Decrypts whole blocks; the bytes after the last whole block are left out.
  func decrypted(_ bytes: ArraySlice<UInt8>, initializationVector: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var previous = initializationVector
    var start = bytes.startIndex
    while bytes.endIndex - start >= Self.blockByteCount {
      let block = Array(bytes[start..<(start + Self.blockByteCount)])
      let decrypted = decryptedBlock(block)
      for index in 0..<Self.blockByteCount { plain.append(decrypted[index] ^ previous[index]) }
      previous = block
      start += Self.blockByteCount
    }
    return plain
  }

  private func decryptedBlock(_ block: [UInt8]) -> [UInt8] {
    var state = block
    addRoundKey(10, to: &state)
    for round in (0..<10).reversed() {
      var shifted = state
      // Row r moves right by r; column c is bytes 4c to 4c + 3.
      for index in 0..<16 { shifted[(index + 4 * (index % 4)) % 16] = Self.inverseSubstitutions[Int(state[index])] }
      state = shifted
      addRoundKey(round, to: &state)
      if round > 0 { Self.unmixColumns(of: &state) }
    }
    return state
  }

  private func addRoundKey(_ round: Int, to state: inout [UInt8]) {
    for index in 0..<16 { state[index] ^= roundKeys[16 * round + index] }
  }

  private static func unmixColumns(of state: inout [UInt8]) {
    for column in stride(from: 0, to: 16, by: 4) {
      let old = Array(state[column..<(column + 4)])
      for row in 0..<4 {
        state[column + row] = (0..<4).reduce(0) { $0 ^ products[$1][Int(old[(row + $1) % 4])] }
      }
    }
  }

  // MARK: Tables

  /// Doubles an element of the field GF(2^8) of AES.
  private static func doubled(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B) }

  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (sum, power, rest) = (UInt8(0), left, right)
    while rest != 0 {
      if rest & 1 != 0 { sum ^= power }
      power = doubled(power)
      rest >>= 1
    }
    return sum
  }

  /// The S-box: the inverse of each element, through an affine map.
  private static let substitutions: [UInt8] = (0...255).map { (value: UInt8) in
    let inverse = (0...255).first { product(value, $0) == 1 } ?? 0
    func rotated(_ count: UInt8) -> UInt8 { inverse << count | inverse >> (8 - count) }
    return inverse ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63
  }

  /// The products of all bytes with each coefficient of the inverse mixing of columns.
  private static let products: [[UInt8]] = [14, 11, 13, 9].map { factor in (0...255).map { product($0, factor) } }

  private static let inverseSubstitutions: [UInt8] = {
    var inverse = [UInt8](repeating: 0, count: 256)
    for (value, substitute) in substitutions.enumerated() { inverse[Int(substitute)] = UInt8(value) }
    return inverse
  }()
}
