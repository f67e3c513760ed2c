import ArchiveFormat
import SlowReader
import PropertyKit
import Testing

/// The checksum, compared with published values and an independent implementation.
@Suite struct XXH64Tests {
  @Test("hashes match the published values")
  func hashesPublishedInputs() {
    let values: [(String, UInt64, UInt64)] = [
      ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B), ("abc", 0, 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1), ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
    ]
    for (text, seed, expected) in values { #expect(XXH64.hash(Array(text.utf8).span, seed: seed) == expected, "\(text)") }
    // The longer value of Spec 5.4.
    #expect(XXH64.hash(([UInt8](0...100)).span, seed: 1) == 0x4364_9992_8C06_F890)
  }

  @Test("every length up to 300 matches the slow reader")
  func agreesWithSlowReader() {
    var random = SeededGenerator(seed: 1)
    let bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for count in 0...300 {
      let part = Array(bytes.prefix(count))
      let seed = random.next()
      #expect(XXH64.hash(part.span, seed: seed) == SlowXXH64.hash(part, seed: seed))
    }
  }
}
