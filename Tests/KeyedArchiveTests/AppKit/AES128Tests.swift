@testable import KeyedArchive
import KeyedArchiveKit
import Testing

/// Decryption gives the published plaintexts.
@Suite struct AES128Tests {
  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.filter { $0 != " " })
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
  }

  @Test("FIPS 197, appendix C.1")
  func decryptsOneBlock() {
    let cipher = AES128(key: Self.bytes("000102030405060708090a0b0c0d0e0f"))
    let zeros = [UInt8](repeating: 0, count: 16)
    let plain = cipher.decrypted(Self.bytes("69c4e0d86a7b0430d8cdb78070b4c55a")[...], initializationVector: zeros)
    #expect(plain == Self.bytes("00112233445566778899aabbccddeeff"))
  }

  /// SP 800-38A, F.2: CBC-AES128.
  private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
  private static let vector = bytes("000102030405060708090a0b0c0d0e0f")
  private static let plain = bytes(
    "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710")
  private static let cipher = bytes(
    "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2 73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7")

  @Test("SP 800-38A, F.2.2")
  func decryptsChainedBlocks() {
    #expect(AES128(key: Self.key).decrypted(Self.cipher[...], initializationVector: Self.vector) == Self.plain)
    // Bytes behind the last whole block are left out.
    #expect(AES128(key: Self.key).decrypted(Self.cipher[..<40], initializationVector: Self.vector) == Array(Self.plain[..<32]))
  }

  @Test("SP 800-38A, F.2.1, for the encryption of the tests")
  func encryptsChainedBlocks() {
    #expect(AESEncryption.encrypted(Self.plain, key: Self.key, initializationVector: Self.vector) == Self.cipher)
  }
}
