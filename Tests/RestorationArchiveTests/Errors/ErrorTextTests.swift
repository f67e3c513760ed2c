import ArchiveFormat
import Testing

@testable import RestorationArchive

/// The text of an error names the fault of a file in words.
@Suite struct ErrorTextTests {
  /// A valid archive.
  private static func archive() throws -> [UInt8] {
    let state = ArchiveDictionary((0..<400).map { ("key \($0)", .integer($0)) })
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  /// Returns the text of the first finding in an archive after a change.
  private static func text(_ change: (inout [UInt8]) -> Void) throws -> String {
    var bytes = try archive()
    change(&bytes)
    return try #require(ArchiveCheck(bytes).findings.first).description
  }

  @Test("damaged bytes are called damaged, with both checksums")
  func namesDamage() throws {
    let block = try Self.text { $0[$0.count / 2] ^= 1 }
    let number = /0x[0-9a-f]+/
    #expect(
      block.replacing(number, with: "N") == "block 1 is damaged: its checksum is N, and should be N (at offset N) [R-4.4-2]", "\(block)")
    let prefix = try Self.text { $0[0x18] ^= 1 }
    #expect(prefix == "first copy of the prefix is damaged: expected the same as the second (at offset 0x0) [R-4.2-2]")
    let metadata = try Self.text { $0[0x100] ^= 1 }
    #expect(metadata.hasPrefix("metadata is damaged: its checksum is 0x"), "\(metadata)")
    let tree = FormatError(.treeDamaged, at: 5, "checksums", expected: .hexadecimal(1), found: .hexadecimal(2))
    #expect(ArchiveError(tree).description == "checksums are damaged: their checksum is 0x2, and should be 0x1 (at offset 0x5) [R-4.4-1]")
    #expect(ArchiveError(FormatError(.metadataDamaged, at: 64)).description == "the metadata is damaged (at offset 0x40) [R-4.3-1]")
    #expect(ArchiveError(FormatError(.blockDamaged, at: nil)).description == "a block is damaged [R-4.4-2]")
    let node = FormatError(.blockDamaged, at: nil, "node", found: .text("nothing"))
    #expect(ArchiveError(node).description == "node: found nothing [R-4.4-2]")
  }

  @Test("a file of another length is truncated, or has bytes too many, and the text says how many")
  func namesTheLength() throws {
    let count = try Self.archive().count
    let cut = try Self.text { $0.removeLast(1000) }
    #expect(cut.hasPrefix("the file is truncated: it lacks 1000 of its \(count) bytes (at offset "), "\(cut)")
    let grown = try Self.text { $0.append(0) }
    #expect(grown.hasPrefix("the file has 1 byte too many: \(count + 1) instead of \(count) (at offset "), "\(grown)")
    let stub = try Self.text { $0.removeLast($0.count - 20) }
    #expect(stub == "the file is truncated: it has 20 bytes, and an archive has at least 64 bytes (at offset 0x14) [R-4.1-2]")
    #expect(ArchiveError(FormatError(.truncated, at: nil)).description == "truncated [R-4.1-2]")
  }

  @Test("another kind of file is called so")
  func namesOtherFiles() throws {
    #expect(try Self.text { $0 = [] } == "the file is empty (at offset 0x0) [R-4.2-1]")
    #expect(try Self.text { $0 = [0x89] } == "the file has 1 byte, too few for an archive (at offset 0x0) [R-4.2-1]")
    let letter = try Self.text { $0 = Array("Dear diary,".utf8) }
    let magic = "its first bytes are 44 65 61 72 20 64 69 61, and should be 89 52 53 54 0d 0a 1a 0a"
    #expect(letter == "the file is not an archive: \(magic) (at offset 0x0) [R-4.2-1]")
    let link = ArchiveError(FormatError(.unresolvedLink, at: nil, "archive", expected: .text("one"), found: .text("a link")))
    #expect(link.description == "the file is a link: it has only the changes since the file before it [R-15.1-3]")
  }

  @Test("other errors compare the expected with the actual content")
  func comparesTheRest() {
    let length = ArchiveError(
      FormatError(.lengthPastEnd, at: 31, "string length", expected: .text("at most 9 bytes left"), found: .number(4096)))
    #expect(length.description == "string length: expected at most 9 bytes left, found 4096 (at offset 0x1f) [R-5.3-1]")
    let version = ArchiveError(FormatError(.wrongBase, at: nil, "minor version", expected: .number(0), found: .number(1)))
    #expect(version.description == "minor version: expected 0, found 1 [R-15.3-1]")
    let base = ArchiveError(FormatError(.wrongBase, at: nil, "file", expected: .hexadecimal(1), found: .hexadecimal(2)))
    #expect(base.description == "the link follows a file with the content digest 0x1, and the file before it has 0x2 [R-15.3-1]")
  }
}
