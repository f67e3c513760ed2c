import ArchiveFormat
import CorpusKit
import Testing

/// The arithmetic of the layout and the checksum tree.
@Suite struct StructureTests {
  @Test("the tree has a leaf for each block plus a spare, in levels of at most 512 entries (R-4.4-1)")
  func countsEntries() {
    let expected = [
      48: [2], 4096: [2], 4097: [3], 511 * 4096: [512], 511 * 4096 + 1: [513, 2], 512 * 511 * 4096: [261_633, 512],
      512 * 512 * 4096: [262_145, 513, 2],
      0xFFFF_0000: [1_048_561, 2048, 4],
    ]
    for (bodyLength, counts) in expected {
      let tree = ChecksumTree(bodyLength: bodyLength)
      #expect((1...tree.topLevel).map { tree.entryCount(level: $0) } == counts)
      #expect(tree.byteCount == counts.reduce(0, +) * 8)
    }
    let tree = ChecksumTree(bodyLength: 600 * 4096)
    #expect(tree.byteCount == (601 + 2) * 8)
    #expect(tree.byteRange(level: 2, node: 0) == 0..<16)
    #expect(tree.byteRange(level: 1, node: 1) == (16 + 512 * 8)..<(16 + 601 * 8))
  }

  @Test("every body length has a layout: the size of the tree never shifts the body so far that the tree must change")
  func laysOutEveryLength() throws {
    for bodyLength in Array(48...9000) + Array(stride(from: 2_080_000, through: 2_100_000, by: 7)) {
      let tree = ChecksumTree(bodyLength: bodyLength)
      let layout = FileLayout(bodyLength: bodyLength, metadataLength: 213, tree: tree)
      #expect(layout.blocks.count == tree.leafCount || layout.blocks.count == tree.leafCount - 1)
      let prefix = ArchivePrefix(
        fileLength: UInt64(layout.fileLength), metadataLength: 213, treeLength: UInt32(tree.byteCount), volatileDigest: 0, treeRoot: 0,
        contentDigest: 0)
      #expect(try FileLayout(prefix) == layout)
    }
  }

  @Test("a prefix that declares more than 2^32-1 bytes is rejected, whatever the length of the file (R-4.2-5)")
  func refusesLargeFiles() {
    for length in [UInt64(1) << 32, .max] {
      let prefix = ArchivePrefix(
        fileLength: length, metadataLength: 213, treeLength: 16, volatileDigest: 0, treeRoot: 0, contentDigest: 0)
      let checker = ArchiveChecker(prefix.encoded + [UInt8](repeating: 0, count: 200))
      #expect(checker.findings.map(\.error.code) == [.fileTooLarge])
    }
  }

  @Test("a truncated copy of the metadata is not intact, whatever its hash (R-4.3-1)")
  func refusesShortMetadata() throws {
    let file = try #require(try Corpus.files(in: "valid/apps").first).bytes
    var prefix = ArchivePrefix(reading: file.span)
    let length = ArchivePrefix.byteCount + Int(prefix.metadataLength) - 1
    prefix.contentDigest = ArchivePrefix.contentDigest(
      metadata: file.span.extracting(ArchivePrefix.byteCount..<length), treeRoot: prefix.treeRoot)
    let cut = prefix.encoded + file[ArchivePrefix.byteCount..<length]
    let error = #expect(throws: FormatError.self) { try ArchiveRecords(.memory(cut), toleratesLength: true) }
    #expect(error?.code == .metadataDamaged)
  }

  @Test("section codes are parsed and validated")
  func readsSectionCodes() throws {
    let code = try #require(SectionCode(text: "teSt"))
    #expect(!code.isCritical && code.isPrivate && code.isSafeToCopy)
    #expect(SectionCode.nodes.isCritical && !SectionCode.nodes.isPrivate && !SectionCode.nodes.isSafeToCopy)
    #expect(SectionCode(text: "test") == nil)
    #expect(SectionCode(text: "te5T") == nil)
  }

  @Test("a key table finds its keys, and claims the keys that belong in it (R-6.2-2, R-4.3-13)")
  func findsKeys() {
    let keys = (0..<1024).map { "prefix-\(10_000 + $0)" } + []
    let full = KeyTable(sorted: keys)
    #expect(full.isFull)
    for (index, key) in keys.enumerated() { #expect(key.withUTF8Bytes { full.index(of: $0) } == index) }
    for key in ["", "prefix-", "prefix-1000", "prefix-100000", "z"] { #expect(key.withUTF8Bytes { full.index(of: $0) } == nil) }
    func claims(_ table: KeyTable, _ key: String) -> Bool { key.withUTF8Bytes { table.claims($0) } }
    #expect(claims(full, "a"))
    #expect(!claims(full, "z"))
    #expect(claims(KeyTable(sorted: ["a"]), "z"))
    #expect(!claims(KeyTable(sorted: []), String(repeating: "k", count: 64)))
  }
}
