/// Numbers the origins of nodes in order of first use, and sorts them at the end (Spec §4.3.3).
final class OriginCollector {
  private var origins: [OriginRecord] = []
  private var numbers: [OriginRecord: UInt16] = [:]

  /// Returns the number of an origin, from 1; a new origin is added.
  func number(of origin: OriginRecord) throws(FormatError) -> UInt16 {
    if let known = numbers[origin] { return known }
    let length = origin.bundleVersion?.utf8.count ?? 0
    guard FormatLimits.originBundleVersion.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "bundle version length", expected: .text("at most \(FormatLimits.originBundleVersion.upperBound) bytes"),
        found: .number(UInt64(length)))
    }
    guard origins.count < FormatLimits.typeTable else {
      throw FormatError(.tableSize, at: nil, "origins", expected: .text("at most \(FormatLimits.typeTable)"), rule: "R-4.3-11")
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
    if origins.isEmpty { return ([], [0]) }
    let encoded = origins.map(\.encoded)
    let order = origins.indices.sorted { left, right in
      let (first, second) = (encoded[left], encoded[right])
      return first.span.precedes(second.span)
    }
    var places = [UInt16](repeating: 0, count: origins.count + 1)
    for (place, index) in order.enumerated() { places[index + 1] = UInt16(place + 1) }
    return (order.map { origins[$0] }, places)
  }
}
