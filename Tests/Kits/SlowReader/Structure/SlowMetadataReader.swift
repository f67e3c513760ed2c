/// Reads the metadata with the checks of Spec 7.2 C.
///
/// The metadata is one unit, so the first finding is thrown.
struct SlowMetadataReader {
  private var cursor: SlowCursor
  private let minorVersion: UInt16
  private let body: Range<Int>
  private var metadata = SlowMetadata()

  /// Creates a reader for the copy of the metadata at an offset of the file.
  init(_ bytes: [UInt8], at offset: Int, _ layout: SlowLayout, minorVersion: UInt16) {
    cursor = SlowCursor(bytes, from: offset, count: layout.metadataLength)
    body = layout.body
    self.minorVersion = minorVersion
  }

  /// Reads the six parts in order (Spec 4.3).
  ///
  /// C1 is in `SlowCursor`.
  mutating func read() throws(SlowFinding) -> SlowMetadata {
    try readVolatileHeader()
    try readDirectory()
    metadata.header = try readHeader(isVolatile: false)
    try readOrigins()
    try readTypes()
    try readKeys()
    // C19, R-4.3-2
    guard cursor.isAtEnd else { throw SlowFinding("metadata-trailing-bytes", at: cursor.position) }
    return metadata
  }

  /// Reads the 192 bytes of the volatile header: C2 to C5.
  private mutating func readVolatileHeader() throws(SlowFinding) {
    let metadataCursor = cursor
    cursor = SlowCursor(metadataCursor.bytes, from: metadataCursor.position, count: 192)
    metadata.volatileHeader = try readHeader(isVolatile: true)
    while !cursor.isAtEnd {
      let offset = cursor.position
      // C5, R-4.3-15
      guard try cursor.readByte() == 0 else { throw SlowFinding("header-padding", at: offset) }
    }
    cursor = metadataCursor
    _ = try cursor.readBytes(192)
  }

  /// Reads the volatile header or the header (Spec 4.3.2): C2 to C4, C11 to C14.
  private mutating func readHeader(isVolatile: Bool) throws(SlowFinding) -> [SlowHeaderEntry] {
    var entries: [SlowHeaderEntry] = []
    // C2, C11, R-4.3-14
    let countOffset = cursor.position
    for _ in 0..<(try readTableSize(atMost: 1024)) {
      let keyOffset = cursor.position
      let key = try cursor.readString(1...255)
      // C2, C11, R-4.3-8
      if let previous = entries.last, !SlowBytes.areAscending(previous.key, key) {
        throw SlowFinding("header-order", at: keyOffset)
      }
      let registered = SlowRegistry.headerKey(key)
      // R-3.3-1: a key registered in a later minor version; allowed if the file has one.
      let isOfLaterVersion = registered == nil && !SlowRegistry.hasFullStop(key)
      if isVolatile {
        // C3, R-4.3-9
        guard registered?.isVolatile == true else { throw SlowFinding("header-group", at: keyOffset) }
      } else {
        // C12, R-4.3-9
        guard registered?.isVolatile != true else { throw SlowFinding("header-group", at: keyOffset) }
        // C13, R-3.3-1
        guard !isOfLaterVersion || minorVersion > 0 else { throw SlowFinding("unknown-header-key", at: keyOffset) }
        // C13, R-15.1-1
        guard metadata.linkSection != nil || !SlowRegistry.isBaseDigest(key) else { throw SlowFinding("link-header", at: keyOffset) }
      }
      // C4, C14, R-3.3-2: the tag first, then the value.
      let tagOffset = cursor.position
      let tag = SlowTag(try cursor.peekByte())
      guard (registered?.type ?? .anyScalar).allows(tag) else { throw SlowFinding("header-type", at: cursor.position) }
      // The allowed types contain neither keys nor values, so this reader's other findings cannot occur here.
      var reader = SlowValueReader(keys: [], minorVersion: minorVersion)
      let value = try reader.readValue(&cursor, depth: 0)
      // C14, R-15.1-2
      if SlowRegistry.isBaseDigest(key), SlowLink.digest(value) == nil { throw SlowFinding("link-header", at: tagOffset) }
      entries.append(SlowHeaderEntry(key: key, value: value))
    }
    // C14, R-15.1-1
    if !isVolatile, metadata.linkSection != nil, !entries.contains(where: { SlowRegistry.isBaseDigest($0.key) }) {
      throw SlowFinding("link-header", at: countOffset)
    }
    return entries
  }

  /// Reads the directory (Spec 4.3.1): C6 to C10.
  private mutating func readDirectory() throws(SlowFinding) {
    let required = ["NODE", "STRS", "STAT"].map { Array($0.utf8) }
    let directoryOffset = cursor.position
    var position = UInt64(body.lowerBound)
    // C6, R-4.3-14
    for index in 0..<(try readTableSize(atMost: 1024)) {
      let entryOffset = cursor.position
      let code = Array(try cursor.readBytes(4))
      // C6, R-4.3-3
      guard code.allSatisfy({ isCapital($0) || isSmall($0) }), isCapital(code[2]) else {
        throw SlowFinding("section-code", at: entryOffset)
      }
      // C7, R-4.3-4
      if index < 3 {
        guard code == required[Int(index)] else { throw SlowFinding("section-order", at: entryOffset) }
      } else {
        guard !required.contains(code) else { throw SlowFinding("section-order", at: entryOffset) }
        if index > 3, let previous = metadata.sections.last, !SlowBytes.areAscending(previous.code, code) {
          throw SlowFinding("section-order", at: entryOffset)
        }
        // C8, R-4.3-7, 9.3: a critical section begins with a capital letter.
        guard isSmall(code[0]) || code == Array("LINK".utf8) else { throw SlowFinding("unknown-critical-section", at: entryOffset) }
      }
      let length = try cursor.readVarint()
      // C9, R-4.3-6
      if index == 0, length % 48 != 0 || length < 48 { throw SlowFinding("node-table-length", at: entryOffset) }
      // C10 finds sections that exceed the body; until then they count as empty.
      let end = position + UInt64(length)
      let fits = end <= UInt64(body.upperBound)
      metadata.sections.append((code, fits ? Int(clamping: position)..<Int(clamping: end) : body.upperBound..<body.upperBound))
      position = end
    }
    // C10, R-4.3-4, R-4.3-5
    guard metadata.sections.count >= 3 else { throw SlowFinding("section-order", at: directoryOffset) }
    guard position == UInt64(body.upperBound) else { throw SlowFinding("section-lengths", at: directoryOffset) }
  }

  /// Reads the origins (Spec 4.3.3): C15, C16.
  private mutating func readOrigins() throws(SlowFinding) {
    var previousBytes: [UInt8]?
    for _ in 0..<(try readTableSize(atMost: 65_535)) {
      let entryOffset = cursor.position
      let present = try cursor.readByte()
      // C15, R-4.3-10
      guard present & 0b1111_1100 == 0 else { throw SlowFinding("origin-flags", at: entryOffset) }
      let bundleVersion = present & 1 != 0 ? try cursor.readString(0...1024) : nil
      let timestamp = present & 2 != 0 ? SlowBytes.integer(try cursor.readBytes(8)) : nil
      let sessionsCarried = try cursor.readVarint()
      // C16, R-4.3-11: the order is that of the encoded bytes, so it is known only after the entry has been read.
      let entryBytes = Array(SlowBytes.part(of: cursor.bytes, at: entryOffset, count: cursor.position - entryOffset))
      if let previousBytes, !SlowBytes.areAscending(previousBytes, entryBytes) {
        throw SlowFinding("origin-order", at: entryOffset)
      }
      previousBytes = entryBytes
      let origin = SlowOrigin(bundleVersion: bundleVersion, timestamp: timestamp, sessionsCarried: sessionsCarried)
      metadata.origins.append(SlowPlaced(offset: entryOffset, content: origin))
    }
  }

  /// Reads the types (Spec 4.3.4): C17.
  private mutating func readTypes() throws(SlowFinding) {
    for _ in 0..<(try readTableSize(atMost: 65_535)) {
      let entryOffset = cursor.position
      let type = SlowType(tag: try cursor.readString(1...1024), schemaVersion: try cursor.readVarint())
      // C17, R-4.3-12: by tag, then by schema version.
      if let previous = metadata.types.last?.content {
        let isAscending =
          previous.tag == type.tag ? previous.schemaVersion < type.schemaVersion : SlowBytes.areAscending(previous.tag, type.tag)
        guard isAscending else { throw SlowFinding("type-order", at: entryOffset) }
      }
      metadata.types.append(SlowPlaced(offset: entryOffset, content: type))
    }
  }

  /// Reads the key table (Spec 4.3.5): C18.
  private mutating func readKeys() throws(SlowFinding) {
    for _ in 0..<(try readTableSize(atMost: 1024)) {
      let entryOffset = cursor.position
      let key = try cursor.readString(0...63)
      // C18, R-4.3-13
      if let previous = metadata.keys.last?.content, !SlowBytes.areAscending(previous, key) {
        throw SlowFinding("key-table-order", at: entryOffset)
      }
      metadata.keys.append(SlowPlaced(offset: entryOffset, content: key))
    }
  }

  /// Reads the count of a table with a maximum size, which is checked at once: C2, C6, C11, C16 to C18.
  private mutating func readTableSize(atMost limit: UInt32) throws(SlowFinding) -> UInt32 {
    let countOffset = cursor.position
    let count = try cursor.readVarint()
    guard count <= limit else { throw SlowFinding("table-size", at: countOffset) }
    return count
  }

  private func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private func isSmall(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
