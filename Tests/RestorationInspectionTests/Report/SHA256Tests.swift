import Foundation
import ReportPage
import Testing

@testable import RestorationInspection

/// The digests of the page's files, and their hash against the published test values of FIPS 180-4.
@Suite struct SHA256Tests {
  @Test("the page names its own style and script")
  func pageDigests() {
    func digest(_ text: String) -> String { "sha256-\(Data(SHA256.hash(Array(text.utf8))).base64EncodedString())" }
    #expect(ReportPage.styleDigest == digest(ReportPage.style))
    #expect(ReportPage.scriptDigest == digest(ReportPage.script))
  }

  @Test(
    "published values",
    arguments: [
      ("", "e3 b0 c4 42 98 fc 1c 14 9a fb f4 c8 99 6f b9 24 27 ae 41 e4 64 9b 93 4c a4 95 99 1b 78 52 b8 55"),
      ("abc", "ba 78 16 bf 8f 01 cf ea 41 41 40 de 5d ae 22 23 b0 03 61 a3 96 17 7a 9c b4 10 ff 61 f2 00 15 ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "24 8d 6a 61 d2 06 38 b8 e5 c0 26 93 0c 3e 60 39 a3 3c e4 59 64 ff 21 67 f6 ec ed d4 19 db 06 c1"
      ),
    ])
  func published(_ text: String, _ hash: String) {
    #expect(HexText.text(of: SHA256.hash(Array(text.utf8))) == hash)
  }

  @Test("the padding is right at every length around a block")
  func padding() {
    // The lengths around the end of a block give different paddings; the hash of all hashes was computed with another implementation.
    let hashes = (0...130).map { SHA256.hash([UInt8](repeating: 0x61, count: $0)) }
    #expect(Set(hashes).count == 131)
    #expect(
      HexText.text(of: SHA256.hash(hashes.flatMap { $0 }))
        == "f9 08 a4 3f c8 45 6c 58 3a ac de 0f b2 62 79 59 f8 51 3d c7 6d 0c 03 97 9b 7f 94 5a 7d d7 8f 22")
  }
}
