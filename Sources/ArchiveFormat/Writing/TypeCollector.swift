/// Numbers the types of nodes in order of first use, and sorts them at the end (Spec §4.3.4).
final class TypeCollector {
  private let tags = UncheckedBox(ByteInterner())
  private var types: [TypeRecord] = []
  /// By tag: the schema versions seen with it, each with its number.
  private var versions: [[(version: UInt32, number: UInt16)]] = []

  /// The number of a type, from 1.
  func number(of type: TypeRecord) throws(FormatError) -> UInt16 {
    let tag = type.tag.withUTF8Bytes { tags.value.intern($0) }
    if tag == versions.count { versions.append([]) }
    if let known = versions[tag].first(where: { $0.version == type.schemaVersion }) { return known.number }
    guard FormatLimits.typeTag.contains(type.tag.utf8.count) else {
      throw FormatError(
        .stringLength, at: nil, "type tag length", expected: .text("1 to \(FormatLimits.typeTag.upperBound) bytes"),
        found: .number(UInt64(type.tag.utf8.count)))
    }
    guard types.count < FormatLimits.typeTable else {
      throw FormatError(.tableSize, at: nil, "types", expected: .text("at most \(FormatLimits.typeTable)"), rule: "R-4.3-12")
    }
    types.append(type)
    let number = UInt16(types.count)
    versions[tag].append((type.schemaVersion, number))
    return number
  }

  /// The types in the order of the table, and by number the place of each, from 1; 0 stays 0.
  func sorted() -> (types: [TypeRecord], places: [UInt16]) {
    let order = types.indices.sorted { types[$0].precedes(types[$1]) }
    var places = [UInt16](repeating: 0, count: types.count + 1)
    for (place, index) in order.enumerated() { places[index + 1] = UInt16(place + 1) }
    return (order.map { types[$0] }, places)
  }
}
