/// Replaces the provisional numbers of keys by their places in the key table, once all keys are known (Spec §4.3.5).
///
/// Where all keys have references of one byte, which is the usual case, bytes are replaced in place. Otherwise references change their
/// length, and so do the lengths of the containers around them: then the records are written anew. Where the numbers are the places already,
/// nothing is replaced.
struct KeyRenumbering {
  /// The numbers of the keys of the table, in its order; nil if all numbers are final.
  private let table: ArraySlice<Int>?
  /// By provisional number: the place in the table, or -1 for a key that is written in line or not used.
  private let places: [Int]
  private let writer: StateWriter

  /// Takes the keys of a writer whose numbers are final.
  init(final writer: StateWriter) {
    self.writer = writer
    places = []
    table = nil
  }

  /// Sorts the keys that are used and numbers them.
  init(_ writer: StateWriter, isUsed: (Int) -> Bool) {
    self.writer = writer
    let table = writer.sortedKeys(isUsed).prefix(FormatLimits.keyTable)
    self.table = table
    var places = [Int](repeating: -1, count: writer.keyCount)
    for (place, number) in table.enumerated() { places[number] = place }
    self.places = places
  }

  /// Whether the references can be replaced in place.
  var isInPlace: Bool { places.count <= ProvisionalKey.oneByteCount }

  /// By lead byte of a provisional reference, that of the final one.
  ///
  /// It is meant for renumberings for which ``isInPlace`` holds. An inline key keeps its lead.
  var leads: [UInt8] {
    var leads = [UInt8](repeating: KeyReference.inlineLead, count: 256)
    for (number, place) in places.enumerated() { leads[number + 1] = UInt8(truncatingIfNeeded: place + 1) }
    return leads
  }

  /// Appends the key with this provisional number as its final reference.
  func appendReference(_ number: Int, to buffer: borrowing OutputBuffer) {
    if places[number] >= 0 {
      buffer.appendKeyReference(places[number])
    } else {
      writer.withKey(number) { buffer.appendInlineKey($0) }
    }
  }

  /// Appends the keys of the table as the metadata holds them.
  func appendTable(to buffer: borrowing OutputBuffer) {
    writer.appendKeyTable(table, to: buffer)
  }
}
