/// Replaces the provisional numbers of keys by their indexes in the key table, once all keys are known (Spec §4.3.5).
///
/// If all keys have one-byte references, which is the usual case, bytes are replaced in place. Otherwise the lengths of
/// references and of the containers around them change, and the records are rewritten. If the numbers already equal the
/// indexes, nothing is replaced.
struct KeyRenumbering {
  /// The numbers of the table's keys, in table order; nil if all numbers are final.
  private let table: ArraySlice<Int>?
  /// For each provisional number, the index in the table, or -1 for a key that is inline or unused.
  private let places: [Int]
  private let writer: StateWriter

  /// Creates the renumbering of a writer whose numbers are final.
  init(final writer: StateWriter) {
    self.writer = writer
    places = []
    table = nil
  }

  /// Sorts and numbers the keys in use.
  init(_ writer: StateWriter, isUsed: (Int) -> Bool) {
    self.writer = writer
    let table = writer.sortedKeys(isUsed).prefix(FormatLimits.keyTable)
    self.table = table
    var places = [Int](repeating: -1, count: writer.keyCount)
    for (place, number) in table.enumerated() { places[number] = place }
    self.places = places
  }

  /// Whether references can be replaced in place.
  var isInPlace: Bool { places.count <= ProvisionalKey.oneByteCount }

  /// For each lead byte of a provisional reference, the lead byte of the final one.
  ///
  /// Valid only if ``isInPlace`` is true. An inline key keeps its lead byte.
  var leads: [UInt8] {
    var leads = [UInt8](repeating: KeyReference.inlineLead, count: 256)
    for (number, place) in places.enumerated() { leads[number + 1] = UInt8(truncatingIfNeeded: place + 1) }
    return leads
  }

  /// Appends the final reference of the key with this provisional number.
  func appendReference(_ number: Int, to buffer: borrowing OutputBuffer) {
    if places[number] >= 0 {
      buffer.appendKeyReference(places[number])
    } else {
      writer.withKey(number) { buffer.appendInlineKey($0) }
    }
  }

  /// Appends the keys of the table in the form of the metadata.
  func appendTable(to buffer: borrowing OutputBuffer) {
    writer.appendKeyTable(table, to: buffer)
  }
}
