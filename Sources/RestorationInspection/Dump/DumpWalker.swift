import ArchiveFormat
import RestorationArchive

/// Walks over a file from the first byte to the last, and explains each.
///
/// `position` is the end of the explained bytes. Every function below continues from there, so no byte is omitted or
/// explained twice, whatever the file claims about its structure.
struct DumpWalker {
  let bytes: [UInt8]
  let sensitive: SensitiveValues
  private var body: (ArchiveDump.Piece) -> Void
  /// The end of the explained bytes.
  private(set) var position = 0
  /// The keys of the key table that are seen outside of sensitive values; any other one may be a part of such a value.
  var seenKeys: Set<Int> = []
  /// The end of the current structure.
  private(set) var limit: Int
  private var depth = 0

  init(bytes: [UInt8], sensitive: SensitiveValues, body: @escaping (ArchiveDump.Piece) -> Void) {
    self.bytes = bytes
    self.sensitive = sensitive
    self.body = body
    limit = bytes.count
  }

  mutating func walk() {
    do throws(FormatError) {
      let records = try ArchiveRecords(.memory(bytes), toleratesLength: true)
      walk(records)
    } catch {
      if bytes.count >= ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span.extracting(0..<ArchivePrefix.byteCount)) {
        walkPrefix("prefix")
      }
      explainRest(until: bytes.count, "not readable as an archive: \(error.code.rawValue)")
    }
    explainRest(until: bytes.count, "after the end of the archive")
  }

  private mutating func walk(_ records: ArchiveRecords) {
    let layout = records.layout
    if sensitive == .redact { seenKeys = keysInSight(records) }
    walkPrefix("prefix")
    for copy in 0..<2 {
      let name = copy == 0 ? "first copy" : "second copy"
      walkMetadata(records, in: layout.metadataCopies[copy], name)
      walkTree(records, in: layout.treeCopies[copy], name)
      if copy == 0 { walkBody(records) }
    }
    explainRest(until: min(bytes.count, layout.secondPrefix.lowerBound), "not read")
    walkPrefix("copy of the prefix")
  }

  /// Returns the keys that the body shows, which comes after the table and is walked in advance.
  private func keysInSight(_ records: ArchiveRecords) -> Set<Int> {
    var scout = self
    scout.body = { _ in }
    scout.position = records.layout.body.lowerBound
    scout.walkBody(records)
    return scout.seenKeys
  }

  // MARK: Pieces

  /// Writes a heading, and indents the pieces of `contents`.
  mutating func structure(_ name: String, _ contents: (inout DumpWalker) -> Void) {
    body(ArchiveDump.Piece(range: position..<position, depth: depth, meaning: name, isMasked: false))
    depth += 1
    contents(&self)
    depth -= 1
  }

  /// Writes a heading, and indents the pieces of `contents`, which ends at `end`.
  ///
  /// Remaining bytes are explained as not read.
  mutating func structure(_ name: String, until end: Int, _ contents: (inout DumpWalker) -> Void) {
    let outerLimit = limit
    limit = min(limit, end)
    structure(name) { walker in
      contents(&walker)
      walker.explainRest(until: walker.limit, "not read")
    }
    limit = outerLimit
  }

  /// Explains the bytes up to `end`, except those already explained.
  mutating func explain(until end: Int, _ meaning: String, isMasked: Bool = false) {
    let end = min(end, limit)
    guard end > position else { return }
    body(ArchiveDump.Piece(range: position..<end, depth: depth, meaning: meaning, isMasked: sensitive.hides(isMasked)))
    position = end
  }

  /// Explains the next `count` bytes.
  mutating func explain(_ count: Int, _ meaning: String, isMasked: Bool = false) {
    explain(until: position + count, meaning, isMasked: isMasked)
  }

  /// Explains bytes that were not read or have no valid checksum.
  ///
  /// They are masked, since they may contain sensitive values.
  mutating func explainRest(until end: Int, _ reason: String) { explain(until: end, reason, isMasked: true) }
}

extension DumpWalker {
  /// Explains a copy of the prefix at `position` (Spec §4.2).
  mutating func walkPrefix(_ name: String) {
    let end = min(position + ArchivePrefix.byteCount, bytes.count)
    guard end - position == ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span.extracting(position..<end)) else {
      explainRest(until: end, "\(name): damaged")
      return
    }
    let prefix = ArchivePrefix(reading: bytes.span.extracting(position..<end))
    structure(name) { walker in
      walker.explain(8, "magic")
      walker.explain(2, "majorVersion: \(prefix.majorVersion)")
      walker.explain(2, "minorVersion: \(prefix.minorVersion)")
      walker.explain(4, "features: \(prefix.features == 0 ? "none" : "0x\(String(prefix.features, radix: 16))")")
      walker.explain(8, "fileLength: \(prefix.fileLength)")
      walker.explain(4, "metadataLength: \(prefix.metadataLength)")
      walker.explain(4, "treeLength: \(prefix.treeLength)")
      walker.explain(8, "volatileDigest")
      walker.explain(8, "treeRoot")
      walker.explain(8, "contentDigest")
      walker.explain(8, "prefixDigest")
    }
  }

  /// Explains a copy of the checksum tree at `position`, from the top level down (Spec §4.4).
  mutating func walkTree(_ records: ArchiveRecords, in range: Range<Int>, _ copy: String) {
    guard range.lowerBound == position else { return }
    let tree = records.layout.tree
    structure("checksum tree, \(copy)") { walker in
      for level in stride(from: tree.topLevel, through: 1, by: -1) {
        for node in 0..<tree.nodeCount(level: level) { walker.walkTreeNode(node, level: level, records) }
      }
    }
  }

  private mutating func walkTreeNode(_ node: Int, level: Int, _ records: ArchiveRecords) {
    let layout = records.layout
    let end = position + layout.tree.byteRange(level: level, node: node).count
    guard end <= bytes.count, records.blocks.isIntact(bytes.span.extracting(position..<end), asNode: node, level: level) else {
      explainRest(until: end, "node \(node) of level \(level): damaged")
      return
    }
    var entry = node * ChecksumTree.fanOut
    while position < end {
      explain(8, Self.meaning(ofEntry: entry, level: level, layout))
      entry += 1
    }
  }

  private static func meaning(ofEntry entry: Int, level: Int, _ layout: FileLayout) -> String {
    guard level == 1 else { return "checksum of node \(entry) of level \(level - 1)" }
    let block = layout.blocks.lowerBound + entry
    return layout.blocks.contains(block) ? "checksum of block \(block)" : "unused"
  }
}

extension DumpWalker {
  /// Explains a copy of the metadata at `position` (Spec §4.3).
  ///
  /// The metadata was read from an intact copy, so this copy can be trusted if it is intact too.
  mutating func walkMetadata(_ records: ArchiveRecords, in range: Range<Int>, _ copy: String) {
    guard range.lowerBound == position else { return }
    guard range.upperBound <= bytes.count,
      records.prefix.findDamage(inMetadata: bytes.span.extracting(range), at: range.lowerBound) == nil
    else {
      // If bytes were removed or inserted, other data lies in its place.
      explainRest(until: range.upperBound, "metadata, \(copy): damaged")
      return
    }
    let metadata = records.metadata
    structure("metadata, \(copy)", until: range.upperBound) { walker in
      let directory = range.lowerBound + ArchiveMetadata.volatileByteCount
      walker.walkHeader("volatile header", metadata.volatileHeader.map { ($0.key, ArchiveValue($0.value)) }, zerosUntil: directory)
      walker.walkTable("directory", metadata.sections) { walker, _, section in
        walker.explain(4, "code: \(section.code.text)")
        walker.explainVarint("length")
      }
      walker.walkHeader("header", metadata.header.map { ($0.key, ArchiveValue($0.value)) })
      walker.walkTable("origins", metadata.origins) { walker, index, origin in
        walker.structure("origin \(index + 1)") { $0.walkOrigin(origin) }
      }
      walker.walkTable("types", metadata.types) { walker, index, type in
        walker.explainText("type \(index + 1): \(type.tag.escapedForDisplay)")
        walker.explainVarint("schemaVersion")
      }
      walker.walkTable("keys", metadata.keys.texts) { walker, index, key in
        let isMasked = walker.sensitive.hides(!walker.seenKeys.contains(index))
        walker.explainText(isMasked ? "key \(index), masked" : "key \(index): \(key.escapedForDisplay)", isMasked: isMasked)
      }
    }
  }

  private mutating func walkHeader(_ name: String, _ entries: [(key: String, value: ArchiveValue)], zerosUntil end: Int = 0) {
    structure(name) { walker in
      walker.explainVarint("count")
      for entry in entries {
        walker.explainText("key: \(entry.key.escapedForDisplay)")
        walker.explainValue(entry.value.displayText)
      }
      walker.explain(until: end, "zeros up to \(ArchiveMetadata.volatileByteCount) bytes")
    }
  }

  /// Explains a table of the metadata: the number of its entries, and each of them.
  private mutating func walkTable<Entries: Sequence>(
    _ name: String, _ entries: Entries, _ body: (inout DumpWalker, Int, Entries.Element) -> Void
  ) {
    structure(name) { walker in
      walker.explainVarint("count")
      for (index, entry) in entries.enumerated() { body(&walker, index, entry) }
    }
  }

  private mutating func walkOrigin(_ origin: OriginRecord) {
    explain(1, "present")
    if let version = origin.bundleVersion { explainText("bundleVersion: \(version.escapedForDisplay)") }
    if let bits = origin.timestampBits { explain(8, "timestamp: \(ArchiveValue(HeaderScalar.date(bits)).displayText)") }
    explainVarint("sessionsCarried")
  }

  // MARK: Primitives

  /// Explains the varint at `position`, if there is one.
  mutating func explainVarint(_ name: String) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard let value = try? cursor.readVarint(in: bytes.span, "number") else { return }
    explain(until: cursor.position, "\(name): \(value)")
  }

  /// Explains the string at `position` with its length, if there is one.
  mutating func explainText(_ meaning: String, isMasked: Bool = false) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard let range = try? cursor.readString(in: bytes.span, bounds: 0...Int.max, "string") else { return }
    explain(until: range.lowerBound, "length: \(range.count)")
    explain(until: range.upperBound, meaning, isMasked: isMasked)
  }

  /// Explains the scalar value at `position`, if there is one.
  private mutating func explainValue(_ meaning: String) {
    var cursor = ByteCursor(position..<limit, fileOffset: 0)
    guard (try? cursor.readValue(in: bytes.span)) != nil else { return }
    explain(until: cursor.position, "value: \(meaning)")
  }
}
