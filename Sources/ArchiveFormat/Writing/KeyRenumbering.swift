/// Replaces the provisional numbers of keys by their places in the key table, once all keys are known (Spec §4.3.5).
///
/// Where all keys have references of one byte, which is the usual case, bytes are replaced in place. Otherwise references change their
/// length, and so do the lengths of the containers around them: then the records are written anew.
struct KeyRenumbering {
  /// The keys of the table, sorted.
  let table: [String]
  /// By provisional number: the place in the table, or -1 for a key that is written in line or not used.
  private let places: [Int]
  private let keys: ByteInterner

  /// Sorts the keys that are used and numbers them.
  ///
  /// - Parameters:
  ///   - keys: The provisional numbers.
  ///   - isUsed: By provisional number, whether the key occurs.
  init(_ keys: ByteInterner, isUsed: [Bool]) {
    var order = (0..<keys.count).filter { isUsed[$0] }
    order.sort { keys.compare($0, $1) < 0 }
    let inTable = order.prefix(FormatLimits.keyTable)
    var places = [Int](repeating: -1, count: keys.count)
    for (place, number) in inTable.enumerated() { places[number] = place }
    table = inTable.map { number in keys.withBytes(of: number) { $0.makeString() ?? "" } }
    self.places = places
    self.keys = keys
  }

  /// Whether the references can be replaced in place.
  var isInPlace: Bool { places.count <= ProvisionalKey.oneByteCount }

  /// Replaces the references of records in place; ``isInPlace`` holds.
  func replaceReferences(in buffer: OutputBuffer, records: some Sequence<(range: Range<Int>, flags: UInt8)>) {
    // By lead byte, so that the loop below is one load and one store a key. An inline key keeps its lead.
    var leads = [UInt8](repeating: KeyReference.inlineLead, count: 256)
    for (number, place) in places.enumerated() { leads[number + 1] = UInt8(truncatingIfNeeded: place + 1) }
    var walker = RecordWalker(buffer: buffer)
    for record in records {
      walker.walkRecord(record.range, flags: record.flags) { position in
        buffer.replaceByte(at: position, with: leads[Int(buffer.byte(at: position))])
      }
    }
  }

  /// Appends the key with this provisional number as its final reference.
  func appendReference(_ number: Int, to buffer: OutputBuffer) {
    if places[number] >= 0 {
      buffer.appendKeyReference(places[number])
    } else {
      keys.withBytes(of: number) { buffer.appendInlineKey($0) }
    }
  }
}
