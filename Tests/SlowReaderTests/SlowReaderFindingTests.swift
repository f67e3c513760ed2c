import SlowReader
import Testing

// Files with one or a few errors, and the findings that Spec 7.2 requires.

private func string(_ text: String) -> [UInt8] { HandMadeFile.string(text) }
private func varint(_ number: Int) -> [UInt8] { HandMadeFile.varint(number) }
private func short(_ text: String) -> [UInt8] { HandMadeFile.short(text) }
private func long(_ text: String, at offset: UInt32) -> [UInt8] { HandMadeFile.long(text, at: offset) }
private func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
private func repeating(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

/// Code and offset of one finding, for use in tables.
private func at(_ offset: Int, _ code: String) -> SlowFinding { SlowFinding(code: code, offset: offset) }

private func expect(_ bytes: [UInt8], _ findings: SlowFinding..., sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(slowCheck(bytes) == findings, sourceLocation: sourceLocation)
}

/// Changes a part of a file and expects findings.
private func expect(
  _ file: HandMadeFile, _ findings: SlowFinding..., sourceLocation: SourceLocation = #_sourceLocation, change: (inout HandMadeFile) -> Void
) {
  var changed = file
  change(&changed)
  #expect(slowCheck(changed.bytes) == findings, sourceLocation: sourceLocation)
}

private func flipped(_ bytes: [UInt8], _ offsets: Int...) -> [UInt8] {
  var result = bytes
  for offset in offsets { result[offset] ^= 0x80 }
  return result
}

/// The bytes with another field in one or both copies of the prefix, and correct digests.
private func withPrefix(_ bytes: [UInt8], _ offset: Int, _ field: [UInt8], first: Bool = true, last: Bool = true) -> [UInt8] {
  var result = bytes
  for (start, isChanged) in [(0, first), (bytes.count - 64, last)] where isChanged {
    result.replaceSubrange(start + offset..<start + offset + field.count, with: field)
    let digest = SlowXXH64.hash(result[start..<start + 56])
    result.replaceSubrange(start + 56..<start + 64, with: HandMadeFile.littleEndian(digest))
  }
  return result
}

@Suite struct SlowReaderFindingTests {
  private let smallest = HandMadeFile.smallest
  private let nested = HandMadeFile.nested

  // MARK: A

  @Test func prefix() {
    let bytes = smallest.bytes
    let end = bytes.count
    expect([], at(0, "empty-file"))
    expect([0x89], at(0, "too-short"))
    expect(Array(bytes.prefix(8)), at(8, "truncated"))
    expect(repeating(0, 8), at(0, "bad-magic"))
    expect(repeating(0, 200), at(0, "bad-magic"))

    // Either copy is sufficient.
    expect(flipped(bytes, 0), at(0, "prefix-damaged"))
    expect(flipped(bytes, 9), at(0, "prefix-damaged"))
    expect(flipped(bytes, 63), at(0, "prefix-damaged"))
    expect(flipped(bytes, end - 64), at(end - 64, "prefix-damaged"))
    expect(flipped(bytes, end - 1), at(end - 64, "prefix-damaged"))
    expect(flipped(bytes, 1, end - 1), at(0, "bad-magic"))
    expect(flipped(bytes, 0, end - 1), at(0, "text-mode-damage"))
    expect(flipped(bytes, 9, end - 1), at(0, "prefix-damaged"))
    // A copy with a different length is not used.
    expect(flipped(withPrefix(bytes, 16, HandMadeFile.littleEndian(UInt64(end - 1))), 9), at(0, "prefix-damaged"))
    // Both copies are intact but different.
    expect(withPrefix(bytes, 10, [1], first: false), at(end - 64, "prefix-copies-differ"))

    expect(withPrefix(bytes, 8, [2]), at(8, "unsupported-version"))
    expect(flipped(withPrefix(bytes, 8, [2]), 0), at(0, "prefix-damaged"), at(8, "unsupported-version"))
    expect(withPrefix(bytes, 15, [128]), at(12, "unsupported-feature"))
    expect(withPrefix(bytes, 16, HandMadeFile.littleEndian(UInt64(end + 1))), at(end, "truncated"))
    expect(withPrefix(bytes, 16, repeating(0xff, 8)), at(16, "file-too-large"))
    expect(withPrefix(bytes, 16, HandMadeFile.littleEndian(UInt64(end - 1))), at(end - 1, "trailing-bytes"))
    expect(withPrefix(bytes, 24, [1, 0, 0, 1]), at(24, "metadata-length"))
    expect(withPrefix(bytes, 24, [191]), at(24, "metadata-length"))
    expect(withPrefix(bytes, 24, HandMadeFile.littleEndian(UInt32(smallest.metadata.count + 1))), at(24, "metadata-length"))
    expect(withPrefix(bytes, 24, repeating(0xff, 8)), at(24, "metadata-length"))
    expect(withPrefix(bytes, 28, repeating(0xff, 4)), at(24, "metadata-length"))
    expect(withPrefix(bytes, 28, [8]), at(28, "tree-length"))
  }

  @Test func magicOfTextTransfers() {
    let rest = smallest.bytes.dropFirst(8).dropLast(64)
    expect([0x89, 0x52, 0x53, 0x54, 0x0a, 0x1a, 0x0a] + rest, at(4, "text-mode-damage"))
    expect([0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0d, 0x0a] + rest, at(7, "text-mode-damage"))
    expect([0x89, 0x52, 0x53, 0x54, 0x0d, 0x0d, 0x0a, 0x1a, 0x0d, 0x0a] + rest, at(5, "text-mode-damage"))
    expect([0x89, 0x52, 0x53, 0x54, 0x0d, 0x1a, 0x0d] + rest, at(5, "text-mode-damage"))
    expect([0x09, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a] + rest, at(0, "text-mode-damage"))
    expect([0xef, 0xbb, 0xbf] + smallest.bytes.dropLast(64), at(0, "text-mode-damage"))
    // The file ends within the damaged form.
    expect([0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0d], at(0, "bad-magic"))
  }

  // MARK: B

  @Test func integrity() {
    let bytes = nested.bytes
    let (metadata, end, body) = (nested.metadata.count, bytes.count, nested.bodyOffset)
    expect(flipped(bytes, 70), at(64, "metadata-damaged"))
    expect(flipped(bytes, end - 64 - 16 - 1), at(end - 64 - 16 - metadata, "metadata-damaged"))
    // Each part has its own digest.
    expect(flipped(bytes, 255), at(64, "metadata-damaged"))
    expect(flipped(bytes, 256), at(64, "metadata-damaged"))
    expect(nested, at(64, "metadata-damaged"), at(end - 64 - 16 - metadata, "metadata-damaged")) { $0.contentDigestError = 1 }
    // Both copies are damaged: nothing after them is checked, including the body.
    expect(
      flipped(bytes, 70, end - 64 - 16 - 1, body), at(64, "metadata-damaged"), at(end - 64 - 16 - metadata, "metadata-damaged"))

    expect(flipped(bytes, 64 + metadata), at(64 + metadata, "tree-damaged"))
    expect(flipped(bytes, end - 65), at(end - 64 - 16, "tree-damaged"))
    expect(
      flipped(bytes, 64 + metadata, end - 65, body), at(64 + metadata, "tree-damaged"), at(end - 80, "tree-damaged"),
      at(body, "blocks-unverifiable"))

    expect(flipped(bytes, body), at(body, "block-damaged"))
    expect(flipped(bytes, body + nested.body.count - 1), at(body, "block-damaged"))
    expect(smallest, at(64 + smallest.metadata.count + 8, "tree-padding")) { $0.unusedLeaf = 1 }
  }

  /// Two levels, with two nodes on the lower level; three levels would need a gigabyte.
  @Test func treeOfTwoLevels() {
    // The body ends at the end of a block, so the last of 514 leaves is unused.
    let start = 64 + smallest.metadata.count + 8 + 8 * (514 + 2)
    var file = smallest
    file.sections = [("dATA", repeating(7, (1 + 513) * 4096 - start - 48))]
    #expect(file.bodyOffset == start)
    let (tree, bytes) = (64 + file.metadata.count, file.bytes)
    let second = bytes.count - 64 - 8 * (514 + 2)
    #expect(slowCheck(bytes) == [])

    // The second node of leaves follows the top and the first node. Everything below it counts as damaged, without its
    // own findings.
    let node = 8 * (2 + 512)
    let lastBlock = 4096 * (1 + 512)
    expect(flipped(bytes, tree + node, lastBlock), at(tree + node, "tree-damaged"), at(lastBlock, "block-damaged"))
    expect(
      flipped(bytes, tree + node, second + node, lastBlock), at(tree + node, "tree-damaged"), at(second + node, "tree-damaged"),
      at(lastBlock, "blocks-unverifiable"))
    // Everything is below the top.
    expect(flipped(bytes, tree, second, start), at(tree, "tree-damaged"), at(second, "tree-damaged"), at(start, "blocks-unverifiable"))
  }

  /// A node that holds only the unused leaf has no body below it, so nothing is unverifiable.
  @Test func treeNodeOfTheUnusedLeaf() {
    let start = 64 + smallest.metadata.count + 7 + 8 * (513 + 2)
    var file = smallest
    file.sections = [("dATA", repeating(7, (1 + 512) * 4096 - start - 48))]
    #expect(file.bodyOffset == start)
    let bytes = file.bytes
    let nodes = [64 + file.metadata.count, bytes.count - 64 - 8 * (513 + 2)].map { $0 + 8 * (2 + 512) }
    expect(
      flipped(bytes, nodes[0], nodes[1]), at(nodes[0], "tree-damaged"), at(nodes[1], "tree-damaged"))
  }

  // MARK: C

  @Test func volatileHeader() {
    expect(smallest, at(64, "varint-not-minimal")) { $0.volatileHeader = [0x80, 0] }
    expect(smallest, at(64, "varint-too-large")) { $0.volatileHeader = [0xff, 0xff, 0xff, 0xff, 0x1f] }
    // If the count is too large, the zeros after the entries are read as a key.
    expect(smallest, at(66, "string-length")) { $0.volatileHeader = [0x80, 0x08] }
    expect(smallest, at(64, "table-size")) { $0.volatileHeader = [0x81, 0x08] }
    expect(smallest, at(65, "string-length")) { $0.volatileHeader = [1, 0] }
    expect(smallest, at(65, "string-length")) { $0.volatileHeader = [1] + varint(256) }
    expect(smallest, at(66, "invalid-utf8")) { $0.volatileHeader = [1, 1, 0xff, 0] }
    expect(smallest, at(65 + 8, "header-order")) { $0.volatileHeader = [2] + string("writer") + [0x80] + string("writer") + [0x80] }
    expect(smallest, at(65, "header-group")) { $0.volatileHeader = [1] + string("bundleVersion") + [0x80] }
    expect(smallest, at(65, "header-group")) { $0.volatileHeader = [1] + string("later") + [0x80] }
    expect(smallest, at(65, "header-group")) { $0.volatileHeader = [1] + string("a.b") + [0x80] }
    expect(smallest, at(72, "header-type")) { $0.volatileHeader = [1] + string("writer") + [0x00] }
    expect(smallest, at(75, "header-type")) { $0.volatileHeader = [1] + string("timestamp") + [0x20] }
    expect(smallest, at(75, "float-not-minimal")) { $0.volatileHeader = [1] + string("timestamp") + [0x31, 0] }
    expect(smallest, at(72, "string-not-minimal")) { $0.volatileHeader = [1] + string("writer") + [0x06, 1, 0x41] }
    // The volatile header has 192 bytes, whatever follows them.
    let text = [1] + string("writer") + [0x06, 0xb7, 0x01] + repeating(0x61, 183)
    expect(smallest, at(73, "length-past-end")) { $0.volatileHeader = text }
    expect(smallest, at(255, "header-padding")) { $0.volatileHeader = [0] + repeating(0, 190) + [1] }
    expect(smallest, at(256, "section-order")) { $0.volatileHeader = repeating(0, 193) }
    // A later minor version registers no volatile keys.
    for key in ["later", "a.b"] {
      expect(smallest, at(65, "header-group")) {
        $0.minorVersion = 1
        $0.volatileHeader = [1] + string(key) + [0x01]
      }
    }
  }

  @Test func directory() {
    let offset = smallest.directoryOffset
    let entries = smallest.directoryOfSections.dropFirst()
    expect(smallest, at(offset + 1, "section-code")) { $0.directory = [3] + utf8("NO1E") + [48] }
    expect(smallest, at(offset + 1, "section-code")) { $0.directory = [3] + utf8("NOdE") + [48] }
    expect(smallest, at(offset + 1, "section-order")) { $0.directory = [3] + utf8("STRS") + [48] }
    expect(smallest, at(offset + 1, "section-order")) { $0.directory = [3] + utf8("ABCD") + [48] }
    expect(smallest, at(offset + 16, "section-order")) { $0.directory = [4] + entries + utf8("STAT") + [0] }
    expect(smallest, at(offset + 16, "unknown-critical-section")) { $0.directory = [4] + entries + utf8("STAU") + [0] }
    expect(smallest, at(offset + 21, "section-order")) { $0.directory = [5] + entries + utf8("abCd") + [0] + utf8("abCd") + [0] }
    expect(smallest, at(offset + 1, "node-table-length")) { $0.directory = [3] + utf8("NODE") + [0] + entries.dropFirst(5) }
    expect(smallest, at(offset + 1, "node-table-length")) { $0.directory = [3] + utf8("NODE") + [47] + entries.dropFirst(5) }
    expect(smallest, at(offset, "section-order")) { $0.directory = [2] + entries.prefix(10) }
    expect(smallest, at(offset, "section-lengths")) { $0.directory = [3] + utf8("NODE") + [96] + entries.dropFirst(5) }
    expect(smallest, at(offset, "section-lengths")) { $0.directory = [3] + entries.dropLast() + varint(0xffff_ffff) }
    expect(smallest, at(offset + 1 + 4 + 5, "section-order")) {
      $0.directory = [3] + utf8("NODE") + varint(48 * 89_478_485) + utf8("STAT") + varint(0xffff_ffff)
    }
    // The code precedes the length, so the error in the code is found first.
    expect(smallest, at(offset + 1, "section-code")) { $0.directory = [3] + utf8("nope") + repeating(0xff, 5) }
  }

  @Test func header() {
    let key = smallest.headerOffset + 1
    expect(smallest, at(key + 4, "header-order")) { $0.header = [2] + string("b.") + [0x01] + string("a.") + [0x01] }
    expect(smallest, at(key, "header-group")) { $0.header = [1] + string("writer") + [0x80] }
    expect(smallest, at(key, "unknown-header-key")) { $0.header = [1] + string("later") + [0x80] }
    expect(smallest, at(key, "link-header")) { $0.header = [1] + string("baseContentDigest") + [0x80] }
    expect(smallest) {
      $0.minorVersion = 1
      $0.header = [1] + string("later") + [0x80]
    }
    for tag: UInt8 in [0x00, 0x03, 0x04, 0x05, 0x0a, 0x0b, 0xc0, 0xff] {
      expect(smallest, at(key + 3, "header-type")) { $0.header = [1] + string("a.") + [tag, 0] }
    }
    expect(smallest, at(key + 3, "integer-not-minimal")) { $0.header = [1] + string("a.") + [0x10, 0x3f] }
    expect(smallest, at(key + 4, "string-length")) { $0.header = [1] + string("a.") + [0x08, 0] }
    let values: [[UInt8]] = [
      [0x01], [0x02], [0x06, 64] + repeating(0x41, 64), [0x07, 1, 0xff], [0x08, 1, 0x41], [0x09] + repeating(0xff, 16), [0x10, 0x40],
      [0x18, 0], [0x20], [0x30], [0x40], [0x80],
    ]
    for value in values {
      expect(smallest) { $0.header = [1] + string("a.") + value }
    }
  }

  @Test func tables() {
    let (origins, types, keys) = (smallest.originsOffset, smallest.typesOffset, smallest.keysOffset)
    expect(smallest, at(origins + 1, "origin-flags")) { $0.origins = [1, 4] }
    expect(smallest, at(origins + 2, "string-length")) { $0.origins = [1, 1] + varint(1025) }
    expect(smallest, at(origins + 2, "unexpected-end")) { $0.origins = [1, 2, 0] }
    expect(smallest, at(origins + 3, "origin-order")) { $0.origins = [2, 0, 1, 0, 1] + [0] }
    expect(smallest, at(origins, "table-size")) { $0.origins = varint(65_536) }
    expect(smallest, at(origins + 1, "unused-origin")) { $0.origins = [1, 0, 0] }

    expect(smallest, at(types + 1, "string-length")) { $0.types = [1, 0] }
    expect(smallest, at(types + 4, "type-order")) { $0.types = [2] + string("A") + [2] + string("A") + [2] }
    expect(smallest, at(types + 4, "type-order")) { $0.types = [2] + string("B") + [2] + string("A") + [3] }
    expect(smallest, at(types, "table-size")) { $0.types = varint(65_536) }
    expect(smallest, at(types + 1, "unused-type")) { $0.types = [2] + string("A") + [2] + string("A") + [3] }

    expect(smallest, at(keys + 1, "string-length")) { $0.keys = [1, 64] }
    expect(smallest, at(keys + 2, "key-table-order")) { $0.keys = [2, 0, 0] }
    expect(smallest, at(keys, "table-size")) { $0.keys = varint(1025) }
    expect(smallest, at(keys + 1, "unused-key")) { $0.keys = [1, 0] }
    expect(smallest, at(keys + 1, "metadata-trailing-bytes")) { $0.metadataEnd = [0] }
    expect(smallest, at(keys + 1, "unexpected-end")) { $0.keys = [1] }
  }

  // MARK: D

  @Test func nodeRecords() {
    func record(_ index: Int, _ field: Int) -> Int { nested.bodyOffset + 48 * index + field }
    expect(nested, at(record(0, 0), "root-record")) { $0.records[0].parent = 1 }
    expect(nested, at(record(0, 28), "root-record")) { $0.records[0].flags = 1 }
    expect(nested, at(record(0, 29), "root-record")) { $0.records[0].identifier[18] = 1 }
    // A wrong link is found in every record that it involves.
    expect(nested, at(record(0, 8), "child-range"), at(record(1, 8), "child-range")) { $0.records[0].firstChild = 2 }
    expect(nested, at(record(1, 8), "child-range"), at(record(2, 8), "child-range")) { $0.records[1].firstChild = 4 }
    expect(nested, at(record(5, 12), "child-range")) { $0.records[5].childCount = 1 }
    expect(nested, at(record(4, 12), "child-range"), at(record(5, 8), "child-range")) { $0.records[4].childCount = .max }
    expect(nested, at(record(4, 0), "parent-mismatch")) { $0.records[4].parent = 1 }
    expect(nested, at(record(4, 0), "parent-mismatch")) { $0.records[4].parent = 4 }
    expect(nested, at(record(4, 0), "parent-mismatch")) { $0.records[4].parent = .max }
    expect(nested, at(record(4, 4), "saved-order")) { $0.records[4].savedOrder = 2 }
    expect(nested, at(record(4, 4), "saved-order")) { $0.records[4].savedOrder = 3 }
    expect(nested, at(record(4, 24), "type-index")) { $0.records[4].type = 3 }
    expect(nested, at(record(4, 26), "origin-index")) { $0.records[4].origin = 2 }
    expect(nested, at(record(4, 28), "node-flags")) { $0.records[4].flags = 4 }
    expect(nested, at(record(4, 16), "state-range")) { $0.records[4].stateOffset = .max }
    expect(nested, at(record(4, 16), "state-range")) { $0.records[4].stateLength = .max }
  }

  @Test func identifiers() {
    let file = HandMadeFile.holding(nodes: [short("a"), short("b"), short("c")])
    let field = file.bodyOffset + 48 * 2 + 29
    expect(file) { _ in }
    expect(file, at(field, "identifier-form")) { $0.records[2].identifier[0] = 0 }
    expect(file, at(field, "identifier-form")) { $0.records[2].identifier[0] = 19 }
    expect(file, at(field, "identifier-form")) { $0.records[2].identifier[0] = 0xfe }
    expect(file, at(field + 1, "identifier-form")) { $0.records[2].identifier[18] = 1 }
    expect(file, at(field + 2, "invalid-utf8")) { $0.records[2].identifier = [3, 0x62, 0xc3, 0x28] + repeating(0, 15) }
    expect(file, at(field, "duplicate-identifier")) { $0.records[2].identifier = short("a") }
    expect(file, at(field + 48, "sibling-order")) { $0.records[2].identifier = short("d") }

    var other = HandMadeFile.holding(nodes: [short("a"), long("long identifier of a node", at: 0), short("m")])
    other.strings = utf8("long identifier of a node")
    let string = other.stringsOffset
    expect(other) { _ in }
    expect(other, at(field + 13, "identifier-form")) { $0.records[2].identifier[13] = 18 }
    expect(other, at(field + 13, "identifier-form")) { $0.records[2].identifier[14] = 5 }
    expect(other, at(field + 15, "identifier-range")) { $0.records[2].identifier[15] = 1 }
    expect(other, at(field + 15, "identifier-range")) { $0.records[2].identifier[18] = 255 }
    expect(other, at(string + 5, "invalid-utf8")) { $0.strings[5] = 0xff }
    expect(other, at(field + 1, "identifier-form")) { $0.records[2].identifier[1] = 0x6d }
    expect(other, at(field + 1, "identifier-form")) { $0.records[2].identifier[12] = 0x6d }
  }

  @Test func depth() {
    // A chain of nodes, each the only child of the previous one.
    func chain(_ count: Int) -> HandMadeFile {
      var file = HandMadeFile()
      file.records[0].childCount = 1
      for index in 1...count {
        file.records.append(
          HandMadeFile.Record(
            parent: UInt32(index - 1), firstChild: UInt32(index + 1), childCount: index < count ? 1 : 0, identifier: short("n")))
      }
      return file
    }
    expect(chain(256)) { _ in }
    let deeper = chain(258)
    expect(deeper, at(deeper.bodyOffset + 48 * 257, "path-depth"), at(deeper.bodyOffset + 48 * 258, "path-depth")) { _ in }
  }

  /// Damage loses the contents of the block; everything after it is still checked.
  @Test func damagedRecords() {
    let file = HandMadeFile.holding(nodes: (100..<400).map { short("\($0)") })
    let bytes = file.bytes
    #expect(slowCheck(bytes) == [])
    expect(flipped(bytes, 4096 + 20), at(4096, "block-damaged"))
    // The record that spans both blocks is skipped, so the order of the next record cannot be checked.
    let first = (2 * 4096 - file.bodyOffset) / 48 + 1
    var changed = file
    changed.records[first].identifier = short("000")
    expect(flipped(changed.bytes, 4096 + 20), at(4096, "block-damaged"))
    changed = file
    changed.records[first + 1].identifier = short("000")
    expect(
      flipped(changed.bytes, 4096 + 20), at(4096, "block-damaged"), at(file.bodyOffset + 48 * (first + 1) + 29, "sibling-order"))
  }

  // MARK: E

  @Test func values() {
    func accept(_ value: [UInt8], _ expected: SlowValue, sourceLocation: SourceLocation = #_sourceLocation) {
      let bytes = HandMadeFile.holding(value).bytes
      #expect(slowCheck(bytes) == [], sourceLocation: sourceLocation)
      let entry = SlowEntry(key: utf8("k"), value: expected)
      #expect((try? slowRead(bytes))?.applicationState == [entry], sourceLocation: sourceLocation)
    }
    accept([0x00], .null)
    accept([0x01], .bool(false))
    accept([0x02], .bool(true))
    accept([0x04, 0x02, 0x41, 0x42], .array([.integer(isNegative: false, magnitude: 1), .integer(isNegative: false, magnitude: 2)]))
    accept([0x05, 0x00], .dictionary([]))
    accept([0x06, 64] + repeating(0x41, 64), .string(repeating(0x41, 64)))
    accept([0x07, 2, 0xff, 0x00], .data([0xff, 0x00]))
    accept([0x07, 0], .data([]))
    accept([0x08, 1, 0x2f], .url([0x2f]))
    accept([0x09] + Array(0..<16), .uuid(Array(0..<16)))
    accept([0x0a, 0x05, 0x04, 0x72, 0x6f, 0x6f, 0x74], .reference([utf8("root")]))
    accept([0x10, 0x40], .integer(isNegative: false, magnitude: 64))
    accept([0x11, 0x00, 0x01], .integer(isNegative: false, magnitude: 256))
    accept([0x17] + repeating(0xff, 8), .integer(isNegative: false, magnitude: .max))
    accept([0x18, 0x00], .integer(isNegative: true, magnitude: 1))
    accept([0x18, 0xff], .integer(isNegative: true, magnitude: 256))
    accept([0x1f] + repeating(0xff, 7) + [0x7f], .integer(isNegative: true, magnitude: 1 << 63))
    accept([0x20], .float64(bits: 0))
    accept([0x22, 0xf8, 0x3f], .float64(bits: 0x3ff8_0000_0000_0000))
    accept([0x28, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f], .float64(bits: 0x7ff8_0000_0000_0001))
    accept([0x31, 0x80], .date(bits: 0x8000_0000_0000_0000))
    accept([0x40], .integer(isNegative: false, magnitude: 0))
    accept([0x7f], .integer(isNegative: false, magnitude: 63))
    accept([0x80], .string([]))
    accept([0x84, 0xf0, 0x9f, 0x92, 0xa9], .string([0xf0, 0x9f, 0x92, 0xa9]))
    #expect((try? slowRead(HandMadeFile.holding([0x03, 0x00]).bytes))?.applicationState.map(\.isSensitive) == [true])
  }

  @Test func valueFindings() {
    func refuse(_ value: [UInt8], _ place: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation) {
      let file = HandMadeFile.holding(value)
      #expect(slowCheck(file.bytes) == [at(file.statesOffset + 1 + place, code)], sourceLocation: sourceLocation)
    }
    refuse([], 0, "unexpected-end")
    refuse([0x03], 1, "unexpected-end")
    refuse([0x03, 0x03, 0x00], 1, "sensitive-misplaced")
    refuse([0x04, 2, 0x03, 0x00], 2, "sensitive-misplaced")
    for byte: UInt8 in [0x0b, 0x0f, 0x29, 0x2f, 0x39, 0x3f, 0xe0, 0xff] { refuse([byte], 0, "invalid-tag") }
    refuse([0xc0], 1, "unexpected-end")
    refuse([0xc0, 1], 1, "length-past-end")
    refuse([0xdf, 0], 0, "unknown-value-type")
    refuse([0x10], 1, "unexpected-end")
    refuse([0x17, 0, 0, 0, 0, 0, 0, 0], 1, "unexpected-end")
    refuse([0x10, 0x3f], 0, "integer-not-minimal")
    refuse([0x11, 0x40, 0x00], 0, "integer-not-minimal")
    refuse([0x19, 0x40, 0x00], 0, "integer-not-minimal")
    refuse([0x1f] + repeating(0, 7) + [0x80], 0, "integer-range")
    refuse([0x1f] + repeating(0xff, 8), 0, "integer-range")
    refuse([0x21, 0x00], 0, "float-not-minimal")
    refuse([0x38] + repeating(0, 8), 0, "float-not-minimal")
    refuse([0x22, 0x01], 1, "unexpected-end")
    refuse([0x09] + repeating(0, 15), 1, "unexpected-end")
    refuse([0x06, 63] + repeating(0x41, 63), 0, "string-not-minimal")
    refuse([0x06, 63], 1, "length-past-end")
    refuse([0x06, 64] + repeating(0x41, 62) + [0xc3, 0x28], 64, "invalid-utf8")
    refuse([0x83, 0x41, 0x42], 0, "length-past-end")
    refuse([0x83, 0xed, 0xa0, 0x80], 1, "invalid-utf8")
    refuse([0x82, 0xc1, 0x81], 1, "invalid-utf8")
    refuse([0x84, 0xf4, 0x90, 0x80, 0x80], 1, "invalid-utf8")
    refuse([0x83, 0x41, 0xe2, 0x82], 2, "invalid-utf8")
    refuse([0x07, 2, 0], 1, "length-past-end")
    refuse([0x07, 0x80], 1, "unexpected-end")
    refuse([0x07, 0x80, 0x00], 1, "varint-not-minimal")
    refuse([0x07, 0x80, 0x80, 0x80, 0x80, 0x10], 1, "varint-too-large")
    refuse([0x07, 0xff, 0xff, 0xff, 0xff, 0x0f], 1, "length-past-end")
    refuse([0x08, 0], 1, "string-length")
    refuse([0x0a, 0], 0, "empty-reference")
    refuse([0x0a, 1, 0], 2, "string-length")
    refuse([0x0a, 1, 1], 2, "length-past-end")
    refuse([0x0a] + varint(514) + (0..<257).flatMap { _ in [1, 0x41] as [UInt8] }, 0, "path-depth")
    refuse([0x04, 2, 0x80], 1, "length-past-end")
    refuse([0x04, 1, 0x81, 0x41], 2, "length-past-end")
    refuse([0x05, 1, 2], 2, "key-index")
    refuse([0x05, 1, 0xf0, 0x00], 2, "unexpected-end")
    refuse([0x05, 2, 0xf0, 0x00], 2, "key-index")
    refuse([0x05, 4, 0x01, 0x00, 0x01, 0x00], 4, "duplicate-key")
    refuse([0x05, 2, 0x00, 0x00], 2, "key-inline")
    refuse([0x05, 6, 0x00, 3] + utf8("lll") + [0x00], 2, "key-inline")

    // 128 levels of nesting, and one more.
    func arrays(_ depth: Int) -> [UInt8] {
      (1..<depth).reduce([0x04, 0]) { inner, _ in [0x04] + varint(inner.count) + inner }
    }
    #expect(slowCheck(HandMadeFile.holding(arrays(128)).bytes) == [])
    let tooDeep = HandMadeFile.holding(arrays(129))
    #expect(slowCheck(tooDeep.bytes) == [at(tooDeep.statesOffset + tooDeep.states.count - 2, "nesting-depth")])
  }

  @Test func stateRecords() {
    // The states of "list" and of "zz-überaus-langer-name" start after those of the app and of "root".
    let (list, last) = (nested.statesOffset + 27, nested.statesOffset + 39)
    let beforeLast = nested.states.prefix(39)
    let filling = repeating(0x78, 70)
    func replace(_ states: [UInt8], _ findings: SlowFinding..., sourceLocation: SourceLocation = #_sourceLocation) {
      var file = nested
      file.states = beforeLast + states
      file.records[5].stateLength = UInt32(states.count)
      #expect(slowCheck(file.bytes) == findings, sourceLocation: sourceLocation)
    }
    replace([3, 2, 0x81, 0x78] + [6, 0x06, 70] + filling)
    replace([], at(last, "unexpected-end"))
    replace([0], at(last, "empty-attributes"))
    replace([4, 2, 0x81, 0x78], at(last, "length-past-end"))
    replace([2, 1, 0x00], at(last + 1, "empty-key"))
    replace([2, 6, 0x00], at(last + 1, "unknown-attribute"))
    replace([3, 2, 0x03, 0x00], at(last + 2, "sensitive-misplaced"))
    replace([2, 2, 0x00] + [1, 0x00], at(last + 3, "empty-key"))
    replace([2, 2, 0x00] + [6, 0x00, 4, 0x00], at(last + 5, "key-order"))
    replace([2, 2, 0x00] + [6, 0x00, 6, 0x00], at(last + 5, "duplicate-key"))
    // The key order of the state starts again after the attributes.
    replace([2, 2, 0x00] + [2, 0x00] + [6, 0x00])
    // A long key is inline.
    replace([2, 2, 0x00] + [6, 0x00] + [0x00, 70] + filling + [0x00])
    replace([2, 2, 0x00] + [6, 0x00] + [0x00] + varint(65_536), at(last + 6, "string-length"))

    expect(nested, at(list, "string-length")) { $0.states[27] = 0 }
    expect(nested, at(list, "length-past-end")) { $0.states[27] = 100 }
    expect(nested, at(list + 1, "invalid-utf8")) { $0.states[28] = 0xff }
    // Each record has its own finding.
    expect(nested, at(nested.statesOffset, "key-index"), at(list, "string-length")) {
      $0.states[0] = 9
      $0.states[27] = 0
    }
    // A later minor version may have registered more attributes.
    expect(nested, at(nested.keysOffset + 2, "unused-key")) {
      $0.minorVersion = 1
      $0.states.replaceSubrange(39..<43, with: [3, 6, 0x81, 0x78])
    }
  }

  /// R-4.3-13 with more than 1,024 different keys.
  @Test func fullKeyTable() {
    let names = (1000..<2100).map(String.init)
    func file(inline: ArraySlice<String>, missing: Int? = nil) -> HandMadeFile {
      var file = HandMadeFile()
      file.keys = varint(1024) + names.prefix(1024).flatMap(string)
      file.states = (0..<1024).flatMap { index -> [UInt8] in
        if index == missing { return [] }
        return index < 239 ? [UInt8(index) + 1, 0] : [0xf0 + UInt8((index - 239) / 256), UInt8((index - 239) % 256), 0]
      }
      file.states += inline.flatMap { [0] + string($0) + [0] }
      file.records[0].stateLength = UInt32(file.states.count)
      return file
    }
    expect(file(inline: names.dropFirst(1024))) { _ in }
    let afterTable = file(inline: []).states.count + file(inline: []).statesOffset
    // A key that is in the table, and a key that would be if the table held the first keys.
    expect(file(inline: ["2023"]), at(afterTable, "key-inline")) { _ in }
    expect(file(inline: ["2022a"]), at(afterTable, "key-inline")) { _ in }
    let unused = file(inline: names.dropFirst(1024), missing: 1)
    expect(unused, at(unused.keysOffset + 2 + 5, "unused-key")) { _ in }
  }

  // MARK: F

  @Test func whole() {
    // Two adjacent long identifiers of the same length in STRS.
    var file = HandMadeFile.holding(nodes: [long("identifier number 1", at: 0), long("identifier number 2", at: 19)])
    file.strings = utf8("identifier number 1identifier number 2")
    let (first, strings) = (file.bodyOffset + 48, file.stringsOffset)
    expect(file) { _ in }
    expect(file, at(first + 44, "string-order")) {
      $0.strings = utf8("identifier number 2identifier number 1")
      $0.records[1].identifier = long("identifier number 1", at: 19)
      $0.records[2].identifier = long("identifier number 2", at: 0)
    }
    expect(file, at(strings + 38, "unused-bytes")) { $0.strings += [0, 0] }
    expect(file, at(first + 44, "string-order"), at(strings + 39, "unused-bytes")) {
      $0.strings = [0] + $0.strings + [0]
      $0.records[1].identifier = long("identifier number 1", at: 1)
      $0.records[2].identifier = long("identifier number 2", at: 20)
    }
    // A child that could use the string of its parent but has its own.
    expect(file, at(first + 96 + 44, "duplicate-string")) {
      $0.records[1].childCount = 1
      $0.records[2].firstChild = 4
      $0.records.append(HandMadeFile.Record(parent: 1, firstChild: 4, identifier: long("identifier number 1", at: 38)))
      $0.strings += utf8("identifier number 1")
    }

    let records = nested.bodyOffset
    // The place of a missing state record, at the end of the existing ones.
    expect(nested, at(records + 48 + 16, "state-order")) { $0.records[1].stateOffset = UInt32($0.states.count) }
    // The states of "list" and "zz-überaus-langer-name" in identifier order, which differs from their saved order.
    expect(nested, at(records + 48 * 5 + 16, "state-order")) {
      $0.records[4].savedOrder = 1
      $0.records[5].savedOrder = 0
    }
    expect(nested, at(nested.statesOffset + nested.states.count, "unused-bytes")) { $0.states += [0] }
    // Tables with unused entries.
    expect(nested, at(nested.originsOffset + 1, "unused-origin")) { $0.records[3].origin = 0 }
    expect(nested, at(nested.typesOffset + 1, "unused-type")) { $0.records[4].type = 0 }
    expect(nested, at(nested.originsOffset + 1, "unused-origin")) {
      $0.records[3].origin = 0
      $0.records[4].type = 0
    }
  }

  /// R-6.1-1: the rest can be read, and everything is checked except the keys, some of which the unknown value may use.
  @Test func unknownValueType() throws {
    var file = HandMadeFile.holding([0xc5, 2, 1, 1])
    file.keys = [2] + string("k") + string("l")
    file.states += [2, 0x41]
    file.records[0].stateLength = UInt32(file.states.count)
    let finding = at(file.statesOffset + 1, "unknown-value-type")
    expect(file, finding) { _ in }
    #expect(
      try slowRead(file.bytes).applicationState == [
        SlowEntry(key: utf8("k"), value: .unknown(tag: 0xc5, bytes: [1, 1])),
        SlowEntry(key: utf8("l"), value: .integer(isNegative: false, magnitude: 1)),
      ])
    // Only the reader checks bytes after it.
    file.states[5] = 1
    #expect(throws: at(file.statesOffset + 5, "duplicate-key")) { try slowRead(file.bytes) }
  }
}
