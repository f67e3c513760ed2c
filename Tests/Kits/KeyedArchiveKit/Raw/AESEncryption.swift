/// Encryption with AES-128 in CBC mode, written from FIPS 197, for saved states that the tests make.
public enum AESEncryption {
  /// Encrypts whole blocks.
  public static func encrypted(_ bytes: [UInt8], key: [UInt8], initializationVector: [UInt8]) -> [UInt8] {
    let words = expanded(key)
    let keys = (0...10).map { Array(words[(4 * $0)..<(4 * $0 + 4)].joined()) }
    var result: [UInt8] = []
    var previous = initializationVector
    for start in stride(from: 0, to: bytes.count - 15, by: 16) {
      previous = block((0..<16).map { bytes[start + $0] ^ previous[$0] }, keys)
      result += previous
    }
    return result
  }

  private static let box: [UInt8] = (0...255).map { (value: UInt8) in
    // The inverse is the 254th power.
    var power: UInt8 = 1
    for _ in 0..<254 { power = times(power, value) }
    var result: UInt8 = 0
    for bit in 0..<8 {
      let sum = [0, 4, 5, 6, 7].reduce(UInt8(0)) { $0 ^ power >> UInt8((bit + $1) % 8) & 1 }
      result |= (sum ^ 0x63 >> UInt8(bit) & 1) << UInt8(bit)
    }
    return result
  }

  private static func times(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt16 = 0
    for bit in 0..<8 where right >> UInt8(bit) & 1 == 1 { product ^= UInt16(left) << UInt16(bit) }
    for bit in (8..<16).reversed() where product >> UInt16(bit) & 1 == 1 { product ^= 0x11B << UInt16(bit - 8) }
    return UInt8(product)
  }

  private static func expanded(_ key: [UInt8]) -> [[UInt8]] {
    var words = (0..<4).map { Array(key[(4 * $0)..<(4 * $0 + 4)]) }
    var constant: UInt8 = 1
    for index in 4..<44 {
      var word = words[index - 1]
      if index % 4 == 0 {
        word = (0..<4).map { box[Int(word[($0 + 1) % 4])] }
        word[0] ^= constant
        constant = times(constant, 2)
      }
      words.append((0..<4).map { words[index - 4][$0] ^ word[$0] })
    }
    return words
  }

  // Tables, because fuzzing encrypts a few records for each input.
  private static let doubled = (0...255).map { times($0, 2) }
  private static let tripled = (0...255).map { times($0, 3) }

  private static func block(_ input: [UInt8], _ keys: [[UInt8]]) -> [UInt8] {
    func added(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { (0..<16).map { left[$0] ^ right[$0] } }
    var state = added(input, keys[0])
    for round in 1...10 {
      state = state.map { box[Int($0)] }
      state = (0..<16).map { state[($0 + 4 * ($0 % 4)) % 16] }
      if round < 10 {
        state = (0..<16).map { index in
          let (column, row) = (index / 4 * 4, index % 4)
          func byte(_ offset: Int) -> UInt8 { state[column + (row + offset) % 4] }
          return doubled[Int(byte(0))] ^ tripled[Int(byte(1))] ^ byte(2) ^ byte(3)
        }
      }
      state = added(state, keys[round])
    }
    return state
  }
}
