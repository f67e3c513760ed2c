import KeyedArchive
import RestorationArchive

/// Explains the bytes of a property list or of a log of AppKit, as pieces of an ``ArchiveDump``.
///
/// Objects that overlap are cut where the next one begins, so that no byte is explained twice.
struct ImportDump {
  private let bytes: [UInt8]
  private let body: (ArchiveDump.Piece) -> Void

  init(_ bytes: [UInt8], body: @escaping (ArchiveDump.Piece) -> Void) {
    self.bytes = bytes
    self.body = body
  }

  /// Explains the whole file.
  func walk() {
    if bytes.starts(with: SavedStateRecord.magic) { return walkLog() }
    switch PropertyList.form(of: bytes) {
    case .binary: walkBinary()
    case .xml: walkLines("xml")
    case .oldStyle, nil: walkLines("text")
    }
  }

  private func piece(_ range: Range<Int>, _ meaning: String, depth: Int = 0) {
    body(ArchiveDump.Piece(range: range, depth: depth, meaning: meaning, isMasked: false))
  }

  private func heading(_ place: Int, _ meaning: String) {
    piece(place..<place, meaning)
  }

  // MARK: Binary property lists

  private func walkBinary() {
    let list: PropertyList
    do throws(KeyedArchiveError) {
      list = try PropertyList(decoding: bytes)
    } catch {
      return piece(0..<bytes.count, "not readable as a property list: \(error)")
    }
    // The trailer is known to be right.
    let start = bytes.count - 32
    let (offsetSize, table) = (Int(bytes[start + 6]), number(start + 24, 8))
    let starts = list.objects.indices.map { (offset: number(table + $0 * offsetSize, offsetSize), number: $0) }.sorted { $0 < $1 }
    piece(0..<8, "header: \(String(decoding: bytes[..<8], as: UTF8.self).escapedForDisplay)")
    heading(8, "objects")
    if let first = starts.first, first.offset > 8 { piece(8..<first.offset, "in no object", depth: 1) }
    for (index, object) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].offset : table
      piece(object.offset..<end, "object \(object.number): \(meaning(of: list[object.number], in: list))", depth: 1)
    }
    piece(table..<start, "offset table: \(list.objects.count) of \(offsetSize) bytes")
    heading(start, "trailer")
    piece(start..<(start + 6), "unused", depth: 1)
    piece((start + 6)..<(start + 7), "size of an offset: \(offsetSize)", depth: 1)
    piece((start + 7)..<(start + 8), "size of a reference: \(bytes[start + 7])", depth: 1)
    piece((start + 8)..<(start + 16), "objects: \(list.objects.count)", depth: 1)
    piece((start + 16)..<(start + 24), "top object: \(list.top)", depth: 1)
    piece((start + 24)..<bytes.count, "offset of the offset table: \(table)", depth: 1)
  }

  private func number(_ start: Int, _ count: Int) -> Int {
    bytes[start..<(start + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func meaning(of object: PropertyList.Object, in list: PropertyList) -> String {
    switch object {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .integer(let value): return "integer: \(value)"
    case .real(let value): return "real: \(value)"
    case .date(let seconds): return "date, in seconds: \(seconds)"
    case .data(let data): return "data, \(ArchiveOverview.counted(data.count, "byte"))"
    case .string(let text): return "string: \"\(Self.shortened(text).escapedForDisplay)\""
    case .uid(let uid): return "uid \(uid)"
    case .array(let numbers): return "array of \(numbers.count)\(Self.text(numbers))"
    case .set(let numbers): return "set of \(numbers.count)\(Self.text(numbers))"
    case .dictionary(let entries):
      let shown = entries.prefix(8).map { "\($0.key) → \($0.value)" }.joined(separator: ", ")
      return "dictionary of \(entries.count)\(shown.isEmpty ? "" : ": \(shown)")\(entries.count > 8 ? ", …" : "")"
    }
  }

  private static func shortened(_ text: String) -> String {
    text.utf8.count <= 60 ? text : String(text.prefix(40)) + "…"
  }

  private static func text(_ numbers: [Int]) -> String {
    numbers.isEmpty ? "" : ": \(numbers.prefix(12).map { "\($0)" }.joined(separator: ", "))\(numbers.count > 12 ? ", …" : "")"
  }

  // MARK: Other files

  private func walkLines(_ kind: String) {
    var start = 0
    while start < bytes.count {
      let end = (bytes[start...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
      let line = String(decoding: bytes[start..<min(end, start + 120)], as: UTF8.self)
      piece(start..<end, "\(kind): \(line.split(whereSeparator: \.isNewline).first.map(String.init)?.escapedForDisplay ?? "")")
      start = end
    }
  }

  private func walkLog() {
    let log = SavedState.records(of: bytes)
    for record in log.records {
      let start = record.range.lowerBound
      heading(start, "record")
      piece(start..<(start + 4), "magic", depth: 1)
      piece((start + 4)..<(start + 8), "version: \(record.version)", depth: 1)
      piece((start + 8)..<(start + 12), "NSWindowID: \(record.window)", depth: 1)
      piece((start + 12)..<(start + 16), "length: \(record.range.count)", depth: 1)
      if !record.content.isEmpty { piece(record.content, "encrypted with the NSDataKey of the window", depth: 1) }
    }
    if let fault = log.fault { piece((log.records.last?.range.upperBound ?? 0)..<bytes.count, "not readable as a record: \(fault)") }
  }
}
