import ArchiveFormat
import RestorationArchive

/// Walks over a file from the first byte to the last, and explains each.
///
/// `position` is the end of the explained bytes. Every function below continues from there, so no byte is omitted or
/// explained twice, whatever the file claims about its structure.
struct DumpWalker {
  let bytes: [UInt8]
  let sensitive: SensitiveValues
  let body: (ArchiveDump.Piece) -> Void
  /// The end of the explained bytes.
  private(set) var position = 0
  /// The end of the current structure.
  private(set) var limit: Int
  private var depth = 0

  init(bytes: [UInt8], sensitive: SensitiveValues, body: @escaping (ArchiveDump.Piece) -> Void) {
    self.bytes = bytes
    self.sensitive = sensitive
    self.body = body
    limit = bytes.count
  }

  /// Explains the whole file.
  mutating func walk() {
    do throws(FormatError) {
      let records = try ArchiveRecords(.memory(bytes), toleratesLength: true)
      walk(records)
    } catch {
      walkUnreadable(error)
    }
    explainRest(until: bytes.count, "after the end of the archive")
  }

  private mutating func walk(_ records: ArchiveRecords) {
    let layout = records.layout
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

  private mutating func walkUnreadable(_ error: FormatError) {
    if bytes.count >= ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span.extracting(0..<ArchivePrefix.byteCount)) {
      walkPrefix("prefix")
    }
    explainRest(until: bytes.count, "not readable as an archive: \(error.code.rawValue)")
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
    body(ArchiveDump.Piece(range: position..<end, depth: depth, meaning: meaning, isMasked: isMasked && sensitive == .redact))
    position = end
  }

  /// Explains the next `count` bytes.
  mutating func explain(_ count: Int, _ meaning: String, isMasked: Bool = false) {
    explain(until: position + count, meaning, isMasked: isMasked)
  }

  /// Explains bytes that were not read or have no valid checksum.
  ///
  /// They are masked, since they may contain sensitive values.
  mutating func explainRest(until end: Int, _ reason: String) {
    explain(until: end, reason, isMasked: true)
  }
}
