import Foundation
import RestorationArchive
import Testing

/// An app can wrap archives in its own cryptography (Spec 11).
@Suite struct ArchiveSealTests {
  /// A stand-in for a message authentication code.
  private struct Seal: ArchiveSeal {
    struct Broken: Error {}

    private func tag(_ bytes: Data) -> UInt8 { bytes.reduce(0x5A) { ($0 &* 31) ^ $1 } }

    func seal(_ archive: Data) throws -> Data { Data(archive.map { $0 ^ 0xA5 } + [tag(archive)]) }

    func open(_ sealed: Data) throws -> Data {
      let archive = Data(sealed.dropLast().map { $0 ^ 0xA5 })
      guard sealed.last == tag(archive) else { throw Broken() }
      return archive
    }
  }

  @Test("a sealed archive opens; if modified, the seal rejects it before any byte is parsed (R-11-9)")
  func sealsAndOpens() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("root", state: ["row": 7])])
    var sealed = try Seal().seal(tree.encoded())
    #expect(throws: ArchiveError.self) { try ArchiveReader(sealed) }
    #expect(try ArchiveTree(decoding: ArchiveReader(sealed: sealed, by: Seal())) == tree)
    sealed[sealed.count / 2] ^= 1
    #expect(throws: Seal.Broken.self) { try ArchiveReader(sealed: sealed, by: Seal()) }
  }
}
