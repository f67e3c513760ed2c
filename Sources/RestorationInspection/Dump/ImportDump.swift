import KeyedArchive
import RestorationArchive

/// Explains the bytes of a property list or of a log of AppKit, as pieces of an ``ArchiveDump``.
///
/// Objects that overlap are cut where the next one begins, so that no byte is explained twice. What is wrong is said
/// where it is, and the rest is explained nevertheless. If the file marks values as sensitive, the bytes and values of all
/// objects are masked: which object such a value refers to can only be told if everything is readable.
struct ImportDump {
  private let bytes: [UInt8]
  private let body: (ArchiveDump.Piece) -> Void
  private let masksValues: Bool

  init(_ bytes: [UInt8], _ sensitive: SensitiveValues, body: @escaping (ArchiveDump.Piece) -> Void) {
    self.bytes = bytes
    self.body = body
    masksValues = sensitive != .reveal && ImportedArchive.marksSensitiveValues(bytes)
  }

  func walk() {
    if bytes.starts(with: SavedStateRecord.magic) { return walkLog() }
    switch PropertyList.form(of: bytes) {
    case .binary: walkBinary()
    case .xml: walkLines("xml")
    case .oldStyle, nil: walkLines("text")
    }
  }

  /// Explains bytes; those that have a value, or may have one, are masked without it if values are.
  private func piece(_ range: Range<Int>, _ name: String, value: String? = nil, mayHaveValue: Bool = false, depth: Int = 0) {
    let isMasked = masksValues && (mayHaveValue || value != nil)
    let meaning = isMasked ? name : value.map { "\(name): \($0)" } ?? name
    body(ArchiveDump.Piece(range: range, depth: depth, meaning: meaning, isMasked: isMasked))
  }

  private func heading(_ place: Int, _ meaning: String) { piece(place..<place, meaning) }

  // MARK: Binary property lists

  private func walkBinary() {
    let list = BinaryPropertyListParts(bytes)
    guard let first = list.objects.first?.offset else {
      return piece(0..<bytes.count, "not readable as a property list\(list.trailerError.map { ": \($0)" } ?? "")", mayHaveValue: true)
    }
    piece(0..<8, "header: \(String(decoding: bytes[..<8], as: UTF8.self).escapedForDisplay)")
    heading(8, list.trailerError == nil ? "objects" : "objects, as they follow each other: the offset table is not readable")
    if first > 8 { piece(8..<first, "in no object", mayHaveValue: true, depth: 1) }
    for (index, object) in list.objects.enumerated() {
      let end = index + 1 < list.objects.count ? list.objects[index + 1].offset : list.end
      let name = "object \(object.number)"
      switch object.content {
      case .success(let content): piece(object.offset..<end, name, value: meaning(of: content), depth: 1)
      case .failure(let error): piece(object.offset..<end, name, value: "not readable: \(error)", depth: 1)
      }
    }
    if list.trailerError == nil { walkTable(list) } else { walkRest(from: list.end, list) }
  }

  private func walkTable(_ list: BinaryPropertyListParts) {
    heading(list.end, "offset table: \(list.objectCount) of \(list.offsetSize) bytes")
    for number in 0..<list.objectCount {
      let start = list.end + number * list.offsetSize
      piece(start..<(start + list.offsetSize), "object \(number): 0x\(String(self.number(start, list.offsetSize), radix: 16))", depth: 1)
    }
    walkTrailer(from: list.end + list.objectCount * list.offsetSize)
  }

  private func walkTrailer(from start: Int) {
    heading(start, "trailer")
    piece(start..<(start + 6), "unused", depth: 1)
    piece((start + 6)..<(start + 7), "size of an offset: \(bytes[start + 6])", depth: 1)
    piece((start + 7)..<(start + 8), "size of a reference: \(bytes[start + 7])", depth: 1)
    piece((start + 8)..<(start + 16), "objects: \(number(start + 8, 8))", depth: 1)
    piece((start + 16)..<(start + 24), "top object: \(number(start + 16, 8))", depth: 1)
    piece((start + 24)..<bytes.count, "offset of the offset table: \(number(start + 24, 8))", depth: 1)
  }

  /// Explains what follows the objects of a list whose trailer is wrong: a part of an object, or the table and the trailer.
  private func walkRest(from end: Int, _ list: BinaryPropertyListParts) {
    let error = list.trailerError.map { "\($0)" } ?? ""
    // The last bytes are the trailer if they begin as most do.
    let start = bytes.count - 32
    guard start >= end, bytes[start..<(start + 5)].allSatisfy({ $0 == 0 }) else {
      if end < bytes.count { piece(end..<bytes.count, "no whole object: \(error)", mayHaveValue: true) }
      return
    }
    if end < start { piece(end..<start, "no whole object; perhaps the offset table", mayHaveValue: true) }
    heading(start, "perhaps the trailer: \(error)")
    walkTrailer(from: start)
  }

  private func number(_ start: Int, _ count: Int) -> UInt64 {
    bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func meaning(of object: PropertyList.Object) -> String {
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
      piece(start..<end, kind, value: line.split(whereSeparator: \.isNewline).first.map(String.init)?.escapedForDisplay ?? "")
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
