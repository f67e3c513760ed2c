/// Writes bytes in the notation of `Corpus/README.md`.
enum HexText {
  /// Returns pieces of bytes, each with a comment before it.
  static func text(_ pieces: [(comment: String, bytes: ArraySlice<UInt8>)]) -> String {
    var text = ""
    var offset = 0
    for piece in pieces {
      text += "# 0x\(String(offset, radix: 16)): \(piece.comment)\n"
      offset += piece.bytes.count
      var rest = piece.bytes
      while !rest.isEmpty {
        // A long run of one byte takes one line.
        let run = rest.prefix { $0 == rest.first }
        if run.count > 64 {
          text += hex(run[run.startIndex]) + "*\(run.count)\n"
          rest = rest[run.endIndex...]
        } else {
          text += rest.prefix(16).map(hex).joined(separator: " ") + "\n"
          rest = rest.dropFirst(16)
        }
      }
    }
    return text
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Returns a file as pieces: those of a binary property list or of a log, or one.
  static func text(of bytes: [UInt8]) -> String {
    if bytes.starts(with: "NSCR".utf8) { return text(log(bytes)) }
    guard let list = PropertyListMutator.parsed(bytes), list.bytes == bytes else { return text([("the file", bytes[...])]) }
    var pieces: [(String, ArraySlice<UInt8>)] = [("header", bytes[..<8])]
    for (number, object) in list.objects.enumerated() { pieces.append(("object \(number), \(kind(object))", object[...])) }
    let table = list.objects.reduce(8) { $0 + $1.count }
    pieces.append(("offset table", bytes[table..<(bytes.count - 32)]))
    pieces.append(("trailer", bytes.suffix(32)))
    return text(pieces)
  }

  private static func log(_ bytes: [UInt8]) -> [(String, ArraySlice<UInt8>)] {
    var pieces: [(String, ArraySlice<UInt8>)] = []
    var rest = bytes[...]
    while rest.count >= 16, rest.starts(with: "NSCR".utf8) {
      let length = Int(rest[rest.startIndex + 14]) << 8 | Int(rest[rest.startIndex + 15])
      pieces.append(("record: magic, version, window, length", rest.prefix(16)))
      pieces.append(("ciphertext", rest.dropFirst(16).prefix(max(length - 16, 0))))
      rest = rest.dropFirst(max(length, 16))
    }
    if !rest.isEmpty { pieces.append(("the rest", rest)) }
    return pieces
  }

  private static func kind(_ object: [UInt8]) -> String {
    switch (object.first ?? 0) >> 4 {
    case 0: "null or bool"
    case 1: "integer"
    case 2: "real"
    case 3: "date"
    case 4: "data"
    case 5: "ASCII"
    case 6: "UTF-16"
    case 7: "UTF-8"
    case 8: "uid"
    case 0xA: "array"
    case 0xC: "set"
    case 0xD: "dictionary"
    default: "unassigned"
    }
  }
}
