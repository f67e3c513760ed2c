import SlowReader
import TestStage
import Testing

private func utf8(_ text: String) -> [UInt8] { HandMadeFile.utf8(text) }

/// The same file with all checksums corrected after a change to its metadata or body.
private func mended(_ bytes: [UInt8], like file: HandMadeFile) -> [UInt8] {
  let metadata = Array(bytes[64..<64 + file.metadata.count])
  let body = Array(bytes[file.bodyOffset..<file.bodyOffset + file.body.count])
  return HandMadeFile.assemble(metadata: metadata, body: body, versions: Array(bytes[8..<12]))
}

/// A reproducible random number generator, SplitMix64.
private struct Repeatable: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var result = state
    result = (result ^ (result >> 30)) &* 0xbf58_476d_1ce4_e5b9
    result = (result ^ (result >> 27)) &* 0x94d0_49bb_1331_11eb
    return result ^ (result >> 31)
  }
}

/// Checks and reads; both must return, and must agree.
private func checkAndRead(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
  let refusal = slowCheck(bytes).first { $0.code != "unknown-value-type" }
  do {
    _ = try slowRead(bytes)
    #expect(refusal == nil, sourceLocation: sourceLocation)
  } catch {
    // Only the reader checks bytes after a value of an unknown type.
    #expect(refusal == error || refusal == nil, sourceLocation: sourceLocation)
  }
}

@Suite struct SlowReaderChecksumTests {
  @Test(
    arguments: [
      ("", 0, 0xef46_db37_51d8_e999),  // Spec 5.4
      ("abc", 0, 0x44bc_2cf5_ad77_0999),  // Spec 5.4
      ("a", 0, 0xd24e_c4f1_a98c_6e5b),
      ("Nobody inspects the spammish repetition", 0, 0xfbce_a83c_8a37_8bf1),
      ("xxhash", 0, 0x32dd_38952c4bc720),
      ("xxhash", 20_141_025, 0xb559_b98d_844e_0635),
      ("I want an unsigned 64-bit seed!", 0, 0xd4cb_0a70_a2b8_c7c1),
      ("I want an unsigned 64-bit seed!", 1, 0xce50_87f1_2470_d961),
    ] as [(String, UInt64, UInt64)])
  func publishedValues(text: String, seed: UInt64, hash: UInt64) {
    #expect(SlowXXH64.hash(utf8(text), seed: seed) == hash)
    // The position of a slice in its array does not affect the hash.
    #expect(SlowXXH64.hash((utf8("..") + utf8(text) + utf8("."))[2..<2 + text.utf8.count], seed: seed) == hash)
  }

  /// The sanity values of xxHash's own test program: prefixes of one pseudo-random buffer.
  @Test(
    arguments: [
      (0, 0, 0xef46_db37_51d8_e999), (0, 2_654_435_761, 0xac75_fda2_929b_17ef),
      (1, 0, 0xe934_a84a_db05_2768), (1, 2_654_435_761, 0x5014_607643a9b4c3),
      (4, 0, 0x9136_a0dc_a574_57ee), (14, 0, 0x8282_dcc4_994e_35c8), (14, 2_654_435_761, 0xc3bd_6bf6_3deb_6df0),
      (222, 0, 0xb641_ae8c_b691_c174), (222, 2_654_435_761, 0x20cb_8ab7_ae10_c14a),
    ] as [(Int, UInt64, UInt64)])
  func sanityBuffer(length: Int, seed: UInt64, hash: UInt64) {
    var state: UInt64 = 2_654_435_761
    let buffer = (0..<length).map { _ in
      defer { state &*= 0x9e37_79b1_85eb_ca8d }
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    #expect(SlowXXH64.hash(buffer, seed: seed) == hash)
  }
}

@Suite struct SlowReaderTests {
  /// The archives in which every byte is changed, cut off or repeated; named, so that failures name them.
  enum Sample: String, CaseIterable {
    case smallest
    case nested

    var file: HandMadeFile {
      switch self {
      case .smallest: .smallest
      case .nested: .nested
      }
    }
  }

  // MARK: Valid files

  @Test func smallestArchive() throws {
    let bytes = HandMadeFile.smallest.bytes
    #expect(bytes.count == 632)
    #expect(slowCheck(bytes) == [])
    let archive = try slowRead(bytes)
    #expect(archive == SlowArchive(contentDigest: archive.contentDigest))
  }

  @Test func nestedArchive() throws {
    let bytes = HandMadeFile.nested.bytes
    #expect(slowCheck(bytes) == [])
    let archive = try slowRead(bytes)
    let treeRoot = bytes[40..<48].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let digest = SlowXXH64.hash(HandMadeFile.nested.stableMetadata, seed: treeRoot)
    #expect(archive.contentDigest == digest)
    #expect(archive.origins == [SlowOrigin(bundleVersion: utf8("41"), timestamp: 0x3ff8_0000_0000_0000, sessionsCarried: 2)])
    #expect(archive.nodes.map(\.identifier) == [utf8("root"), utf8("a-long-long-identifier")])
    #expect(archive.nodes[0].children.map(\.identifier) == [utf8("list"), utf8("zz-überaus-langer-name"), utf8("a-long-long-identifier")])
    let expected = """
      archive 1.0
      content digest \(String(digest, radix: 16))
      volatile header
        "timestamp" = date 3ff8000000000000
        "writer" = string "hand"
      header
        "bundleVersion" = string "42"
        "com.example.channel" = string "beta"
      application state
        "theme" = string "dark"
      nodes
        "root"
          type "Window" 2
          state
            "deep" = array
              integer 1
              dictionary
                "" = null
                "row" = integer -1
            "token" sensitive = string "abc"
            "zoom" = float64 3ff8000000000000
          children
            "list"
              type "List" 1
              provider "Main" "list"
              state
                "row" = integer 7
            "zz-\\xc3\\xbcberaus-langer-name"
              attributes
                "com.example.note" = string "x"
              state
                "title" = string "\(String(repeating: "x", count: 70))"
            "a-long-long-identifier"
              origin "41" 3ff8000000000000 2
        "a-long-long-identifier"
      section "abCd" 010203

      """
    #expect(archive.description == expected)
  }

  // MARK: Changes

  @Test func everyChangeOfOneByteIsFound() {
    var bytes = HandMadeFile.smallest.bytes
    for index in bytes.indices {
      let byte = bytes[index]
      for other in TestStage.every(51, of: UInt8.min...UInt8.max) where other != byte {
        bytes[index] = other
        #expect(!slowCheck(bytes).isEmpty, "byte \(index) changed to \(other)")
      }
      bytes[index] = byte
    }
  }

  @Test func everyBitOfTheNestedArchiveIsCovered() {
    var bytes = HandMadeFile.nested.bytes
    for index in bytes.indices {
      for bit in TestStage.isExhaustive ? Array(0..<8) : [index % 8] {
        bytes[index] ^= 1 << bit
        #expect(!slowCheck(bytes).isEmpty, "bit \(bit) of byte \(index) changed")
        bytes[index] ^= 1 << bit
      }
    }
  }

  @Test(arguments: Sample.allCases)
  func everyOtherLengthIsFound(sample: Sample) {
    let bytes = sample.file.bytes
    for length in 0..<bytes.count {
      let code = length == 0 ? "empty-file" : length < 8 ? "too-short" : "truncated"
      #expect(slowCheck(Array(bytes.prefix(length))) == [SlowFinding(code: code, offset: length < 8 ? 0 : length)])
    }
    for more in [1, 2, 63, 64, bytes.count] {
      let longer = bytes + bytes.prefix(more)
      #expect(slowCheck(longer) == [SlowFinding(code: "trailing-bytes", offset: bytes.count)])
    }
  }

  @Test func randomBytesDoNotTrap() {
    var random = Repeatable(state: 1)
    for _ in 0..<TestStage.count(400, exhaustive: 2_000) {
      let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      checkAndRead(bytes)
      // Some of them follow the magic, with a prefix whose digest is correct.
      guard bytes.count >= 128 else { continue }
      var prefix: [UInt8] = [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0, 0, 0, 0, 0]
      prefix += HandMadeFile.littleEndian(UInt64(bytes.count))
      prefix += bytes[24..<26]
      prefix += [0, 0]
      prefix += bytes[28..<30]
      prefix += [0, 0]
      prefix += bytes[32..<56]
      prefix += HandMadeFile.littleEndian(SlowXXH64.hash(prefix))
      checkAndRead(prefix + bytes.dropFirst(64))
    }
  }

  @Test func randomContentDoesNotTrap() {
    var random = Repeatable(state: 2)
    // Bytes with a meaning in metadata, node records and values are more frequent than others.
    let frequent: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 0x10, 0x18, 0x30, 0x41, 0x80, 0x81, 0xc1, 0xf0, 0xff]
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in
        Bool.random(using: &random)
          ? frequent[Int.random(in: 0..<frequent.count, using: &random)] : UInt8.random(in: 0...255, using: &random)
      }
    }
    for _ in 0..<TestStage.count(150, exhaustive: 500) {
      checkAndRead(
        HandMadeFile.assemble(
          metadata: HandMadeFile.padded(bytes(Int.random(in: 0...8, using: &random))) + bytes(Int.random(in: 0...60, using: &random)),
          body: bytes(144), versions: [1, 0, 0, 0]))
      var file = HandMadeFile.holding(bytes(Int.random(in: 0...40, using: &random)))
      file.keys = [3] + ["", "k", "l"].flatMap(HandMadeFile.string)
      file.records[0].childCount = 3
      for index in 0..<3 {
        var record = HandMadeFile.Record(savedOrder: UInt32(index), firstChild: 4, identifier: HandMadeFile.short("\(index)"))
        if Bool.random(using: &random) { record.identifier = bytes(19) }
        record.stateOffset = UInt32(Int.random(in: 0..<4, using: &random))
        record.stateLength = UInt32(Int.random(in: 0..<12, using: &random))
        record.flags = UInt8(Int.random(in: 0...3, using: &random))
        file.records.append(record)
      }
      checkAndRead(file.bytes)
    }
  }

  @Test(arguments: Sample.allCases)
  func mutationsDoNotTrap(sample: Sample) {
    let file = sample.file
    var random = Repeatable(state: 3)
    let original = file.bytes
    for round in 0..<TestStage.count(400, exhaustive: 3_000) {
      var bytes = original
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes[index] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
        default: bytes[index] &+= Bool.random(using: &random) ? 1 : 255
        }
      }
      checkAndRead(round % 4 == 0 ? bytes : mended(bytes, like: file))
    }
  }

  // MARK: Hostile files

  /// Large counts and lengths, and many records that refer to the same bytes, cost no more than the bytes in the file.
  @Test func hostileFiles() {
    var records = HandMadeFile()
    records.records = Array(repeating: HandMadeFile.Record(firstChild: .max, childCount: .max, stateLength: .max), count: 5_000)
    #expect(slowCheck(records.bytes).count == 5_000)

    // 2,500 nodes that share one state of 100,000 values and one identifier of 1,024 bytes.
    var sharing = HandMadeFile.holding([0x04] + HandMadeFile.varint(100_000) + [UInt8](repeating: 0x40, count: 100_000))
    sharing.strings = [UInt8](repeating: 0x6e, count: 1024)
    let (count, state) = (2_500, UInt32(sharing.states.count))
    let identifier = HandMadeFile.long(String(repeating: "n", count: 1024), at: 0)
    sharing.records[0].childCount = UInt32(count)
    sharing.records += (0..<count).map { place in
      HandMadeFile.Record(savedOrder: UInt32(place), firstChild: UInt32(count + 1), stateLength: state, identifier: identifier)
    }
    let duplicates = Array(repeating: "duplicate-identifier", count: count - 1)
    #expect(slowCheck(sharing.bytes).map(\.code) == duplicates + ["state-order"])

    var metadata = HandMadeFile()
    for count in [[0xff, 0xff, 0xff, 0xff, 0x0f], HandMadeFile.varint(65_535)] as [[UInt8]] {
      metadata.origins = count
      #expect(slowCheck(metadata.bytes).count == 1)
      metadata.volatileHeader = count
      #expect(slowCheck(metadata.bytes).count == 1)
    }
  }
}
