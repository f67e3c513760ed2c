import Storage

/// Reads the metadata part by part and applies checks C1 to C19 of Spec §7.2 in order.
package struct MetadataReader {
  private var cursor: ByteCursor
  private let bodyLength: Int
  /// Whether the file has the version that this code writes, in which all names without a full stop are registered.
  private let isStrict: Bool
  /// Whether the directory has the section of a link.
  private var isLink = false

  /// Creates a reader of `count` bytes that lie at `fileOffset` in the file.
  package init(count: Int, fileOffset: Int, bodyLength: Int, minorVersion: UInt16) {
    cursor = ByteCursor(0..<count, fileOffset: fileOffset)
    self.bodyLength = bodyLength
    isStrict = minorVersion <= ArchivePrefix.minorVersion
  }

  /// Reads a copy of the metadata that lies at `offset` in a file with this prefix and layout.
  static func read(
    _ copy: Span<UInt8>, at offset: Int, _ prefix: ArchivePrefix, _ layout: FileLayout
  ) throws(FormatError) -> ArchiveMetadata {
    var reader = MetadataReader(
      count: copy.count, fileOffset: offset, bodyLength: layout.body.count, minorVersion: prefix.minorVersion)
    return try reader.read(copy)
  }

  /// Reads the metadata.
  package mutating func read(_ bytes: Span<UInt8>) throws(FormatError) -> ArchiveMetadata {
    let volatileHeader = try readVolatileHeader(in: bytes)
    let sections = try readDirectory(in: bytes)
    isLink = sections.contains { $0.code == .link }
    let header = try readHeader(in: bytes, isVolatile: false)
    let origins = try readOrigins(in: bytes)
    let types = try readTypes(in: bytes)
    let keys = try readKeys(in: bytes)
    guard cursor.isAtEnd else {
      throw FormatError(.metadataTrailingBytes, at: cursor.offset, "metadata", expected: "its end", found: "\(cursor.remaining) more bytes")
    }
    return ArchiveMetadata(
      volatileHeader: volatileHeader, sections: sections, header: header, origins: origins, types: types, keys: keys)
  }

  // MARK: Header

  /// Reads the fixed-length volatile header at the front, including the zeros after its entries.
  private mutating func readVolatileHeader(in bytes: Span<UInt8>) throws(FormatError) -> [HeaderEntry] {
    let rest = min(ArchiveMetadata.volatileByteCount, cursor.end)..<cursor.end
    let fileOffset = cursor.fileOffset
    cursor = ByteCursor(0..<rest.lowerBound, fileOffset: fileOffset)
    let entries = try readHeader(in: bytes, isVolatile: true)
    if let position = bytes.firstNonZero(in: cursor.position..<cursor.end) {
      throw FormatError(
        .headerPadding, at: fileOffset + position, "volatile header", expected: "zeros after the entries", found: .number(bytes[position]))
    }
    cursor = ByteCursor(rest, fileOffset: fileOffset)
    return entries
  }

  private mutating func readHeader(in bytes: Span<UInt8>, isVolatile: Bool) throws(FormatError) -> [HeaderEntry] {
    let first = cursor.offset
    let count = try readCount(in: bytes, limit: FormatLimits.headerEntries, "number of header entries", rule: "R-4.3-14")
    var entries: [HeaderEntry] = []
    // An entry takes at least three bytes: two for its key, and a tag.
    entries.reserveCapacity(min(count, cursor.remaining / 3))
    for _ in 0..<count {
      let start = cursor.offset
      let range = try cursor.readText(in: bytes, bounds: FormatLimits.headerKey, "header key")
      let key = text(in: bytes, at: range)
      if let previous = entries.last, !previous.key.precedesAsText(key) {
        throw FormatError(.headerOrder, at: start, "header key", expected: "a key after the one before it")
      }
      let kind = try checkHeaderKey(key, isVolatile: isVolatile, at: start)
      let tag = cursor.offset
      let entry = HeaderEntry(key: key, value: try readHeaderValue(in: bytes, kind: kind))
      if entry.registeredKey == .baseContentDigest, entry.digest == nil { throw HeaderRules.digestError(at: tag) }
      entries.append(entry)
    }
    if isLink, !isVolatile, !entries.contains(where: { $0.registeredKey == .baseContentDigest }) {
      throw HeaderRules.linkError(isLink: true, at: first)
    }
    return entries
  }

  /// Checks that a key is allowed in this header, and returns the required type of its value, or nil for any scalar.
  private func checkHeaderKey(_ key: String, isVolatile: Bool, at start: Int) throws(FormatError) -> ValueKind? {
    if let registered = RegisteredHeaderKey(rawValue: key) {
      guard registered.isVolatile == isVolatile else {
        throw FormatError(
          .headerGroup, at: start, "header key", expected: isVolatile ? "a volatile key" : "a key that is not volatile", found: .text(key))
      }
      guard registered != .baseContentDigest || isLink else { throw HeaderRules.linkError(isLink: false, at: start) }
      return registered.kind
    }
    let isForeign = key.utf8.contains(UInt8(ascii: "."))
    if isVolatile {
      throw FormatError(.headerGroup, at: start, "header key", expected: "a volatile key")
    }
    if !isForeign && isStrict {
      throw FormatError(.unknownHeaderKey, at: start, "header key", expected: "a registered key, or one with a full stop")
    }
    return nil
  }

  private mutating func readHeaderValue(in bytes: Span<UInt8>, kind wanted: ValueKind?) throws(FormatError) -> HeaderScalar {
    let start = cursor.offset
    if !cursor.isAtEnd {
      let kind = ValueKind(tag: bytes[cursor.position])
      guard let kind, kind.isHeaderScalar, wanted == nil || wanted == kind else {
        throw FormatError(
          .headerType, at: start, "header value", expected: .text(wanted?.name ?? "a scalar"), found: .text(kind?.name ?? "no value"))
      }
    }
    let value = try cursor.readValue(in: bytes)
    if value.kind.isText { try cursor.validateText(in: bytes, at: value.payload, "header value") }
    return HeaderScalar(value, in: bytes)
  }

  // MARK: Directory

  private mutating func readDirectory(in bytes: Span<UInt8>) throws(FormatError) -> [SectionEntry] {
    let start = cursor.offset
    let count = try readCount(in: bytes, limit: FormatLimits.sections, "number of sections", rule: "R-4.3-14")
    var sections: [SectionEntry] = []
    // A section takes at least five bytes, for its code and its length.
    sections.reserveCapacity(min(count, cursor.remaining / 5))
    var place: UInt64 = 0
    for _ in 0..<count {
      let section = try readSection(in: bytes, after: sections, at: &place)
      sections.append(section)
    }
    guard sections.count >= SectionCode.required.count else {
      throw FormatError(.sectionOrder, at: start, "sections", expected: "at least 3", found: .number(sections.count))
    }
    guard place == UInt64(bodyLength) else {
      throw FormatError(
        .sectionLengths, at: start, "lengths of the sections", expected: "\(bodyLength) bytes together", found: .number(place))
    }
    return sections
  }

  private mutating func readSection(
    in bytes: Span<UInt8>, after sections: [SectionEntry], at place: inout UInt64
  ) throws(FormatError) -> SectionEntry {
    let start = cursor.offset
    let letters = try cursor.readRange(of: 4, "section code")
    guard let code = SectionCode(bytes, at: letters.lowerBound) else {
      throw FormatError(.sectionCode, at: start, "section code", expected: "four letters, the third a capital")
    }
    let required = SectionCode.required
    if sections.count < required.count {
      guard code == required[sections.count] else {
        throw FormatError(
          .sectionOrder, at: start, "section", expected: .text(required[sections.count].text), found: .text(code.text))
      }
    } else {
      let isRepeated = required.contains(code)
      let needsUpdate = sections.count == required.count || sections[sections.count - 1].code.rawValue < code.rawValue
      guard !isRepeated && needsUpdate else {
        throw FormatError(.sectionOrder, at: start, "section", expected: "a code after the one before it", found: .text(code.text))
      }
      if code.isCritical, code != .link {
        throw FormatError(
          .unknownCriticalSection, at: start, "section", expected: "no critical section beyond NODE, STRS, STAT and LINK",
          found: .text(code.text))
      }
    }
    let length = Int(clamping: try cursor.readVarint(in: bytes, "section length"))
    if code == .nodes, length == 0 || length % NodeRecord.byteCount != 0 {
      throw FormatError(
        .nodeTableLength, at: start, "length of the node table", expected: "a multiple of \(NodeRecord.byteCount)", found: .number(length))
    }
    let range = Int(clamping: place)..<Int(clamping: place + UInt64(length))
    place += UInt64(length)
    return SectionEntry(code: code, length: length, range: range)
  }

  // MARK: Tables

  private mutating func readCount(in bytes: Span<UInt8>, limit: Int, _ subject: StaticString, rule: StaticString) throws(FormatError) -> Int
  {
    let start = cursor.offset
    let count = Int(clamping: try cursor.readVarint(in: bytes, subject))
    guard count <= limit else {
      throw FormatError(.tableSize, at: start, "\(subject)", expected: "at most \(limit)", found: .number(count), rule: rule)
    }
    return count
  }

  private mutating func readOrigins(in bytes: Span<UInt8>) throws(FormatError) -> MetadataTable<OriginRecord> {
    let count = try readCount(in: bytes, limit: FormatLimits.typeTable, "number of origins", rule: "R-4.3-11")
    var previous: Range<Int>?
    return try readTable(count, in: bytes) { (cursor, bytes) throws(FormatError) in
      let start = cursor.position
      _ = try OriginRecord(&cursor, in: bytes)
      let entry = start..<cursor.position
      if let previous, !bytes.extracting(previous).precedes(bytes.extracting(entry)) {
        throw FormatError(.originOrder, at: cursor.fileOffset + start, "origin", expected: "an entry after the one before it")
      }
      previous = entry
    }
  }

  private mutating func readTypes(in bytes: Span<UInt8>) throws(FormatError) -> MetadataTable<TypeRecord> {
    let count = try readCount(in: bytes, limit: FormatLimits.typeTable, "number of types", rule: "R-4.3-12")
    var previous: (tag: Range<Int>, schemaVersion: UInt32)?
    return try readTable(count, in: bytes) { (cursor, bytes) throws(FormatError) in
      let start = cursor.offset
      let type = try TypeRecord.parts(&cursor, in: bytes)
      if let previous {
        let order = bytes.extracting(previous.tag).compare(with: bytes.extracting(type.tag))
        guard order < 0 || order == 0 && previous.schemaVersion < type.schemaVersion else {
          throw FormatError(.typeOrder, at: start, "type", expected: "an entry after the one before it")
        }
      }
      previous = type
    }
  }

  /// Reads the entries of a table with `readEntry`.
  private mutating func readTable<Entry>(
    _ count: Int, in bytes: Span<UInt8>, _ readEntry: (inout ByteCursor, Span<UInt8>) throws(FormatError) -> Void
  ) throws(FormatError) -> MetadataTable<Entry> {
    let first = cursor.position
    var starts: [UInt32] = []
    // Each entry takes at least two bytes.
    starts.reserveCapacity(min(count, cursor.remaining / 2))
    for _ in 0..<count {
      starts.append(UInt32(truncatingIfNeeded: cursor.position - first))
      try readEntry(&cursor, bytes)
    }
    return MetadataTable(bytes.extracting(first..<cursor.position).makeArray(), starts: starts)
  }

  private mutating func readKeys(in bytes: Span<UInt8>) throws(FormatError) -> KeyTable {
    let count = try readCount(in: bytes, limit: FormatLimits.keyTable, "number of keys", rule: "R-4.3-13")
    // The table is the last part of the metadata. Positions count from its start. A key takes at least one byte, for
    // its length.
    let table = bytes.extracting(cursor.position..<cursor.end)
    var keys = ByteCursor(0..<table.count, fileOffset: cursor.offset)
    var hasNonASCII = false
    var places = ScratchArray<KeyTable.Place>(capacity: min(count, table.count))
    while places.count < count {
      hasNonASCII = try Self.readKey(in: table, &keys, adding: &places) || hasNonASCII
    }
    cursor.position += keys.position
    return KeyTable(table.extracting(first: keys.position).makeArray(), places: places.makeArray(), hasNonASCII: hasNonASCII)
  }

  /// Reads a key, appends its place, and returns whether it is not ASCII.
  private static func readKey(
    in table: Span<UInt8>, _ cursor: inout ByteCursor, adding places: inout ScratchArray<KeyTable.Place>
  ) throws(FormatError) -> Bool {
    let start = cursor.offset
    let range = try cursor.readString(in: table, bounds: FormatLimits.tableKey, "key")
    let isASCII = table.isASCII(at: range)
    if !isASCII { try cursor.validateText(in: table, at: range, "key") }
    let place = KeyTable.Place(prefix: table.extracting(range).sortingPrefix, range)
    if let last = places.last, !last.precedes(place, in: table) {
      throw FormatError(.keyTableOrder, at: start, "key", expected: "a key after the one before it")
    }
    places.append(place)
    return !isASCII
  }

  /// Returns the text at a validated range.
  private func text(in bytes: Span<UInt8>, at range: Range<Int>) -> String {
    bytes.extracting(range).makeString() ?? ""
  }
}

extension ValueKind {
  /// Whether the header may contain a value of this kind (rule R-3.3-2).
  fileprivate var isHeaderScalar: Bool {
    switch self {
    case .bool, .integer, .negativeInteger, .float64, .string, .data, .date, .uuid, .url: true
    case .null, .reference, .array, .dictionary, .unknown: false
    }
  }
}

extension HeaderScalar {
  /// Creates a header value from a scalar whose text has been validated.
  fileprivate init(_ value: RawValue, in bytes: Span<UInt8>) {
    switch value.kind {
    case .bool: self = .bool(value.bits != 0)
    case .integer: self = .integer(value.bits)
    case .negativeInteger: self = .negativeInteger(complement: value.bits)
    case .float64: self = .float64(value.bits)
    case .date: self = .date(value.bits)
    case .uuid: self = .uuid(bytes.uint64(at: value.payload.lowerBound), bytes.uint64(at: value.payload.lowerBound + 8))
    case .url: self = .url(bytes.extracting(value.payload).makeString() ?? "")
    case .string: self = .string(bytes.extracting(value.payload).makeString() ?? "")
    default: self = .data(bytes.extracting(value.payload).makeArray())
    }
  }
}
