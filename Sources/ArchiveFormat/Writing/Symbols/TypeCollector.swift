/// Numbers the types of nodes in order of first use, and sorts them at the end (Spec §4.3.4).
final class TypeCollector {
  // One thread at a time uses an assembler, for each node that is added.
  @safe @exclusivity(unchecked) private var types: [TypeRecord] = []
  /// The schema version and tag of each type.
  @safe @exclusivity(unchecked) private var names = ByteInterner(capacity: 16)
  private let name = OutputBuffer(capacity: 64)

  /// Returns the number of a type, from 1; a new type is added.
  func number(of tag: String, schemaVersion: UInt32) throws(FormatError) -> UInt32 {
    try FormatError.checkLength(tag.utf8.count, FormatLimits.typeTag, "type tag length")
    name.truncate(to: 0)
    name.append(schemaVersion)
    tag.withUTF8Bytes { name.append(contentsOf: $0) }
    var place = 0
    name.withSpan { place = names.intern($0) }
    if place >= types.count {
      // A type that was refused has a place too.
      guard types.count < FormatLimits.typeTable else {
        throw FormatError(.tableSize, at: nil, "types", expected: "at most \(FormatLimits.typeTable)", rule: "R-4.3-12")
      }
      types.append(TypeRecord(tag: tag, schemaVersion: schemaVersion))
    }
    return UInt32(place + 1)
  }

  /// Removes all types.
  func reset() {
    types.removeAll(keepingCapacity: true)
    names = ByteInterner(capacity: 16)
  }

  /// Returns the types in table order, and the table position of each number, from 1; 0 stays 0.
  func sorted() -> (types: [TypeRecord], places: [UInt16]) {
    types.tabulated { left, right in
      let order = left.tag.compareText(with: right.tag)
      return order == 0 ? left.schemaVersion < right.schemaVersion : order < 0
    }
  }
}

/// Numbers the origins of nodes in order of first use, and sorts them at the end (Spec §4.3.3).
final class OriginCollector {
  private var origins: [OriginRecord] = []
  private var numbers: [OriginRecord: UInt16] = [:]

  /// Returns the number of an origin, from 1; a new origin is added.
  func number(of origin: OriginRecord) throws(FormatError) -> UInt16 {
    if let known = numbers[origin] { return known }
    try FormatError.checkLength(origin.bundleVersion?.utf8.count ?? 0, FormatLimits.originBundleVersion, "bundle version length")
    guard origins.count < FormatLimits.typeTable else {
      throw FormatError(.tableSize, at: nil, "origins", expected: "at most \(FormatLimits.typeTable)", rule: "R-4.3-11")
    }
    origins.append(origin)
    let number = UInt16(origins.count)
    numbers[origin] = number
    return number
  }

  /// Removes all origins.
  func reset() {
    origins = []
    numbers = [:]
  }

  /// Returns the origins in table order, and the table position of each number, from 1; 0 stays 0.
  func sorted() -> (origins: [OriginRecord], places: [UInt16]) {
    let (table, places) = origins.map { (origin: $0, bytes: $0.encoded) }.tabulated { left, right in
      left.bytes.span.precedes(right.bytes.span)
    }
    return (table.map(\.origin), places)
  }
}

extension Array {
  /// Returns the elements in ascending order, and the place of each among them, from 1, after a 0.
  fileprivate func tabulated(by precedes: (Element, Element) -> Bool) -> ([Element], [UInt16]) {
    let order = indices.sorted { precedes(self[$0], self[$1]) }
    var places = [UInt16](repeating: 0, count: count + 1)
    for (place, index) in order.enumerated() { places[index + 1] = UInt16(truncatingIfNeeded: place + 1) }
    return (order.map { self[$0] }, places)
  }
}
