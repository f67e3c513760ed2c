/// Converts values and entries of a draft to pieces (Spec 6.1 and 6.2).
struct ValueWriter {
  let keys: KeyTable

  /// Returns the entries of a state record or a dictionary, in ascending order of their keys.
  func pieces(_ entries: DraftEntries, label: String, depth: Int) throws -> [Piece] {
    try entries.sorted.enumerated().flatMap { index, entry in
      let name = "\(label).entry[\(index)]"
      let key = keys.reference(to: entry.key, label: name, depth: depth)
      return [key] + (try pieces(entry.value, label: name + ".value", depth: depth + 1))
    }
  }

  /// Returns the pieces of a value: a single piece for a scalar; for a container, one for tag and length and then its
  /// content.
  func pieces(_ value: DraftValue, label: String, depth: Int) throws -> [Piece] {
    switch value {
    case .sensitive(let inner):
      let mark = Piece(label + ".mark", [0x03], "the value is sensitive", depth: depth)
      return [mark] + (try pieces(inner, label: label, depth: depth))
    case .array(let elements):
      let content = try elements.enumerated().flatMap { try pieces($1, label: "\(label)[\($0)]", depth: depth + 1) }
      return container(0x04, "array of \(elements.count)", content, label: label, depth: depth)
    case .dictionary(let entries):
      let content = try pieces(entries, label: label, depth: depth + 1)
      return container(0x05, "dictionary of \(entries.sorted.count)", content, label: label, depth: depth)
    case .reference(let components):
      let content = components.enumerated().map { Piece.string("\(label)[\($0)]", $1, "component", depth: depth + 1) }
      return container(0x0a, "reference of \(components.count)", content, label: label, depth: depth)
    case .raw(let parts):
      return try Part.pieces(parts, label: label, depth: depth)
    default:
      return [scalar(value, label: label, depth: depth)]
    }
  }

  private func container(_ tag: UInt8, _ meaning: String, _ content: [Piece], label: String, depth: Int) -> [Piece] {
    let length = content.reduce(0) { $0 + $1.bytes.count }
    return [Piece(label, [tag] + Bytes.varint(length), "\(meaning), \(Comment.count(length, "byte"))", depth: depth)] + content
  }

  private func scalar(_ value: DraftValue, label: String, depth: Int) -> Piece {
    switch value {
    case .bool(let value): return Piece(label, [value ? 0x02 : 0x01], "\(value)", depth: depth)
    case .integer(let value): return Piece(label, Self.integer(value), "integer \(value)", depth: depth)
    case .float(let bits, let json): return Piece(label, Self.float(0x20, bits), "float64 \(json)", depth: depth)
    case .date(let bits, let json): return Piece(label, Self.float(0x30, bits), "date \(json)", depth: depth)
    case .string(let text):
      let head = text.utf8.count < 64 ? [0x80 + UInt8(text.utf8.count)] : [0x06] + Bytes.varint(text.utf8.count)
      return Piece(
        label, head + Array(text.utf8), "string of \(Comment.count(text.utf8.count, "byte"))", textStart: head.count, depth: depth)
    case .data(let bytes, _):
      return Piece(label, [0x07] + Bytes.varint(bytes.count) + bytes, "data of \(Comment.count(bytes.count, "byte"))", depth: depth)
    case .url(let text):
      let bytes = [0x08] + Bytes.string(text)
      return Piece(label, bytes, "url of \(Comment.count(text.utf8.count, "byte"))", textStart: bytes.count - text.utf8.count, depth: depth)
    case .uuid(let text): return Piece(label, [0x09] + Self.uuid(text), "uuid \(text)", depth: depth)
    default: return Piece(label, [0x00], "null", depth: depth)
    }
  }

  /// Returns an integer in its minimal form (R-6.1-2).
  static func integer(_ value: Int128) -> [UInt8] {
    if (0..<64).contains(value) { return [0x40 + UInt8(value)] }
    let payload = UInt64(truncatingIfNeeded: value < 0 ? -1 - value : value)
    let size = max(1, (64 - payload.leadingZeroBitCount + 7) / 8)
    return [(value < 0 ? 0x17 : 0x0f) + UInt8(size)] + Bytes.little(payload, size: size)
  }

  /// Returns a float64 or date in its minimal form (R-6.1-4): only its most significant bytes, in little-endian order.
  static func float(_ tag: UInt8, _ bits: UInt64) -> [UInt8] {
    let size = (64 - (bits == 0 ? 64 : bits.trailingZeroBitCount) + 7) / 8
    return [tag + UInt8(size)] + Bytes.u64(bits).suffix(size)
  }

  private static func uuid(_ text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0 }
  }
}
