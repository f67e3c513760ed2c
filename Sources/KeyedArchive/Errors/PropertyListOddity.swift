/// Something in a property list that no correct program writes, and that Apple's own parser reads
/// (`Spec/imports.md`, rule R-K2-6).
///
/// A list has one oddity for each kind of fault and way of reading, with the places. Like an error, an oddity never contains
/// a value:
///
///     string: expected ASCII (at offset 0x15) [ill-formed-text]; read as Latin-1; also at 0x20, 0x31
public struct PropertyListOddity: Sendable, Hashable {
  /// The first fault, which a strict reader throws.
  public private(set) var fault: KeyedArchiveError
  /// The way in which it was read, in words.
  public let reading: String
  /// Whether part of the list cannot be had from the result.
  public let isLoss: Bool
  /// The offsets of the next faults of the same kind, up to a small number.
  public private(set) var otherOffsets: [Int] = []
  /// The number of faults of this kind, the first included.
  public private(set) var count = 1

  /// The number of places that are listed after the first.
  private static let maximumPlaces = 8

  init(_ fault: KeyedArchiveError, reading: String, isLoss: Bool) {
    self.fault = fault
    self.reading = reading
    self.isLoss = isLoss
  }

  mutating func addPlace(_ offset: Int?) {
    count += 1
    if let offset, otherOffsets.count < Self.maximumPlaces { otherOffsets.append(offset) }
  }

  /// Returns the oddity with an enclosing archive added.
  package func within(_ name: String) -> PropertyListOddity {
    var oddity = self
    oddity.fault = fault.within(name)
    return oddity
  }
}

extension PropertyListOddity: CustomStringConvertible {
  /// One line with the fault, the reading and the places; safe to print.
  public var description: String {
    var line = "\(fault); \(reading)"
    var others = otherOffsets.map { "0x\(String($0, radix: 16))" }.joined(separator: ", ")
    let rest = count - 1 - otherOffsets.count
    if rest > 0 { others += others.isEmpty ? "\(rest) more places" : " and \(rest) more places" }
    if !others.isEmpty { line += "; also at \(others)" }
    return line
  }
}
