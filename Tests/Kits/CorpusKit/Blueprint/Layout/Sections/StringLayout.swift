/// The `STRS` section of a draft (Spec 6.5): each distinct long identifier once, in the order of first use by the
/// records.
struct StringLayout {
  private(set) var pieces: [Piece] = []
  private var places: [[UInt8]: Int] = [:]

  init(_ records: [DraftRecord]) {
    var offset = 0
    for record in records {
      let bytes = Array(record.node.identifier.utf8)
      guard bytes.count > 18, places[bytes] == nil else { continue }
      places[bytes] = offset
      offset += bytes.count
      pieces.append(Piece("STRS[\(pieces.count)]", bytes, "identifier of \(bytes.count) bytes", textStart: 0))
    }
  }

  /// Returns the 19 bytes of the `identifier` field.
  func field(_ identifier: String) -> [UInt8] {
    let bytes = Array(identifier.utf8)
    guard bytes.count > 18 else { return [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 18 - bytes.count) }
    return [0xff] + bytes.prefix(12) + Bytes.u16(bytes.count) + Bytes.u32(places[bytes] ?? 0)
  }
}
