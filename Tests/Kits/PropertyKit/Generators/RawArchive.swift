import ArchiveFormat

/// An archive assembled from parts that may break any rule; only its checksums are correct.
struct RawArchive {
  /// The records of `NODE`, beginning with the application's.
  var records: [[UInt8]] = []
  /// The section `STRS`.
  var strings: [UInt8] = []
  /// The section `STAT`.
  var states: [UInt8] = []
  /// The parts of the metadata, each with its count.
  ///
  /// The padding after the volatile header is added later.
  var volatileHeader: [UInt8] = [0]
  var header: [UInt8] = [0]
  var origins: [UInt8] = [0]
  var types: [UInt8] = [0]
  var keys: [UInt8] = [0]
  /// The codes of additional, empty sections.
  var sections: [[UInt8]] = []

  /// Adds a node record.
  ///
  /// The identifier is given by its offset and length in `strings`, or is the number of the record.
  mutating func addRecord(
    parent: Int, order: Int = 0, children: Range<Int>, state: Range<Int> = 0..<0, flags: UInt8 = 0,
    identifier: (offset: Int, length: Int)? = nil
  ) {
    let record = NodeRecord(
      parent: UInt32(parent), savedOrder: UInt32(order), firstChild: UInt32(children.lowerBound), childCount: UInt32(children.count),
      stateOffset: UInt32(state.lowerBound), stateLength: UInt32(state.count), type: 0, origin: 0, flags: flags)
    let buffer = OutputBuffer(capacity: NodeRecord.byteCount)
    record.write(to: buffer)
    var bytes = buffer.makeArray()
    if let identifier {
      bytes.append(0xFF)
      bytes += strings[identifier.offset..<(identifier.offset + IdentifierField.prefixLength)]
      bytes += [UInt8(identifier.length & 0xFF), UInt8(identifier.length >> 8)]
      bytes += (0..<4).map { UInt8(identifier.offset >> (8 * $0) & 0xFF) }
    } else if !records.isEmpty {
      // Ten digits, so that text order is numeric order.
      let digits = String(records.count)
      bytes.append(10)
      bytes += Array((String(repeating: "0", count: 10 - digits.count) + digits).utf8)
    }
    bytes += [UInt8](repeating: 0, count: NodeRecord.byteCount - bytes.count)
    records.append(bytes)
  }

  /// Returns a number in the format's encoding.
  static func varint(_ number: Int) -> [UInt8] {
    let buffer = OutputBuffer(capacity: 5)
    buffer.appendVarint(number)
    return buffer.makeArray()
  }

  /// Returns a volatile header padded to its full length.
  static func padded(_ volatileHeader: [UInt8]) -> [UInt8] {
    volatileHeader + [UInt8](repeating: 0, count: max(ArchiveMetadata.volatileByteCount - volatileHeader.count, 0))
  }

  /// Returns the bytes of the file.
  func assembled() -> [UInt8] {
    var directory = Self.varint(3 + sections.count)
    for (code, length) in [("NODE", records.count * NodeRecord.byteCount), ("STRS", strings.count), ("STAT", states.count)] {
      directory += Array(code.utf8) + Self.varint(length)
    }
    for code in sections { directory += code + [0] }
    let prefix = ArchivePrefix(fileLength: 0, metadataLength: 0, treeLength: 0, volatileDigest: 0, treeRoot: 0, contentDigest: 0)
    return MendableArchive(
      prefix: prefix, metadata: Self.padded(volatileHeader) + directory + header + origins + types + keys,
      body: records.flatMap(\.self) + strings + states
    ).assembled()
  }
}
