import SlowReader

/// The parts of an archive as bytes, assembled in the simplest way.
///
/// It knows nothing about values.
struct HandMadeFile {
  /// A node record of 48 bytes (Spec 6.4).
  struct Record {
    var parent: UInt32 = 0
    var savedOrder: UInt32 = 0
    var firstChild: UInt32 = 1
    var childCount: UInt32 = 0
    var stateOffset: UInt32 = 0
    var stateLength: UInt32 = 0
    var type: UInt16 = 0
    var origin: UInt16 = 0
    var flags: UInt8 = 0
    /// 19 bytes.
    var identifier = [UInt8](repeating: 0, count: 19)

    var bytes: [UInt8] {
      [parent, savedOrder, firstChild, childCount, stateOffset, stateLength].flatMap(HandMadeFile.littleEndian)
        + HandMadeFile.littleEndian(type)
        + HandMadeFile.littleEndian(origin) + [flags] + identifier
    }
  }

  var majorVersion: UInt16 = 1
  var minorVersion: UInt16 = 0
  var features: UInt32 = 0
  /// The parts of the metadata, each with its count.
  ///
  /// The zeros after the volatile header are added.
  var volatileHeader: [UInt8] = [0]
  /// The directory, if it differs from the one of the sections below.
  var directory: [UInt8]?
  var header: [UInt8] = [0]
  var origins: [UInt8] = [0]
  var types: [UInt8] = [0]
  var keys: [UInt8] = [0]
  /// Bytes after the keys; the format allows none.
  var metadataEnd: [UInt8] = []
  var records = [Record()]
  var strings: [UInt8] = []
  var states: [UInt8] = []
  var sections: [(code: String, bytes: [UInt8])] = []
  /// The value of the unused leaf, if there is one.
  var unusedLeaf: UInt64 = 0
  /// A number added to the correct content digest.
  var contentDigestError: UInt64 = 0

  init() {}

  var stableMetadata: [UInt8] {
    (directory ?? directoryOfSections) + header + origins + types + keys + metadataEnd
  }

  var metadata: [UInt8] { Self.padded(volatileHeader) + stableMetadata }

  var body: [UInt8] { records.flatMap(\.bytes) + strings + states + sections.flatMap(\.bytes) }

  var directoryOfSections: [UInt8] {
    let lengths =
      [("NODE", 48 * records.count), ("STRS", strings.count), ("STAT", states.count)] + sections.map { ($0.code, $0.bytes.count) }
    return Self.varint(lengths.count) + lengths.flatMap { Array($0.0.utf8) + Self.varint($0.1) }
  }

  // Offsets in the file.
  var directoryOffset: Int { 64 + Self.padded(volatileHeader).count }
  var headerOffset: Int { directoryOffset + (directory ?? directoryOfSections).count }
  var originsOffset: Int { headerOffset + header.count }
  var typesOffset: Int { originsOffset + origins.count }
  var keysOffset: Int { typesOffset + types.count }
  var bodyOffset: Int { 64 + metadata.count + Self.treeLength(body.count) }
  var stringsOffset: Int { bodyOffset + 48 * records.count }
  var statesOffset: Int { stringsOffset + strings.count }

  /// The file, with all checksums correct.
  var bytes: [UInt8] {
    Self.assemble(
      metadata: metadata, body: body, contentDigestError: contentDigestError,
      versions: Self.littleEndian(majorVersion) + Self.littleEndian(minorVersion),
      features: features, unusedLeaf: unusedLeaf)
  }

  /// A volatile header of full length (Spec 4.3).
  static func padded(_ volatileHeader: [UInt8]) -> [UInt8] {
    volatileHeader + [UInt8](repeating: 0, count: max(192 - volatileHeader.count, 0))
  }

  /// Assembles a file (Spec 4.1, 4.2 and 4.4).
  static func assemble(
    metadata: [UInt8], body: [UInt8], contentDigestError: UInt64 = 0, versions: [UInt8], features: UInt32 = 0, unusedLeaf: UInt64 = 0
  ) -> [UInt8] {
    let treeLength = treeLength(body.count)
    let bodyOffset = 64 + metadata.count + treeLength
    let fileLength = 2 * bodyOffset + body.count

    // The leaves, then the levels above them.
    var level: [UInt64] = []
    var place = 0
    while place < body.count {
      let block = (bodyOffset + place) / 4096
      let end = min(body.count, 4096 * (block + 1) - bodyOffset)
      level.append(SlowXXH64.hash(body[place..<end], seed: UInt64(block)))
      place = end
    }
    if level.count < (body.count + 4095) / 4096 + 1 { level.append(unusedLeaf) }
    var tree: [UInt8] = []
    var number: UInt64 = 1
    while true {
      tree = level.flatMap(littleEndian) + tree
      let groups = stride(from: 0, to: level.count, by: 512).map { level[$0..<min($0 + 512, level.count)] }
      level = groups.enumerated().map { SlowXXH64.hash($0.element.flatMap(littleEndian), seed: number << 32 + UInt64($0.offset)) }
      number += 1
      if level.count == 1 { break }
    }

    var prefix: [UInt8] = [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a] + versions + littleEndian(features)
    prefix += littleEndian(UInt64(fileLength)) + littleEndian(UInt32(metadata.count)) + littleEndian(UInt32(treeLength))
    let contentDigest = SlowXXH64.hash(metadata.dropFirst(192), seed: level[0]) &+ contentDigestError
    prefix += littleEndian(SlowXXH64.hash(metadata.prefix(192))) + littleEndian(level[0]) + littleEndian(contentDigest)
    prefix += littleEndian(SlowXXH64.hash(prefix))
    return prefix + metadata + tree + body + metadata + tree + prefix
  }

  /// The tree length of Spec 4.4.
  static func treeLength(_ bodyLength: Int) -> Int {
    var count = (bodyLength + 4095) / 4096 + 1
    var sum = count
    while count > 512 {
      count = (count + 511) / 512
      sum += count
    }
    return 8 * sum
  }

  static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func varint(_ number: Int) -> [UInt8] {
    number < 128 ? [UInt8(number)] : [UInt8(number % 128) + 128] + varint(number / 128)
  }

  static func utf8(_ text: String) -> [UInt8] {
    Array(text.utf8)
  }

  /// A string: its length and its bytes (Spec 5.2).
  static func string(_ text: String) -> [UInt8] {
    varint(text.utf8.count) + Array(text.utf8)
  }

  /// The field `identifier` of a node record in its short form (Spec 6.5).
  static func short(_ text: String) -> [UInt8] {
    let bytes = string(text)
    return bytes + [UInt8](repeating: 0, count: 19 - bytes.count)
  }

  /// The same field in its long form.
  static func long(_ text: String, at offset: UInt32) -> [UInt8] {
    [0xff] + Array(text.utf8.prefix(12)) + littleEndian(UInt16(text.utf8.count)) + littleEndian(offset)
  }
}
