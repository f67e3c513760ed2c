import RestorationArchive

/// The state of an import that all archives within the file share: the rest of the resources, whether oddities are
/// refused, and the oddities of the property list that is being read.
package struct ImportContext {
  /// The nesting depth of containers.
  package let depth: Int
  /// The remaining objects and values.
  package private(set) var objects: Int
  /// The remaining units of work.
  package private(set) var work: Int
  /// The faults that are read nevertheless.
  package enum Tolerance: Sendable {
    /// None.
    case strict
    /// Oddities, which Apple's own parser reads.
    case oddities
    /// Everything that leaves something whole.
    case salvage
  }

  /// The faults that are read nevertheless.
  package let tolerance: Tolerance
  /// Whether objects of well-known classes become readable values.
  package let isReadable: Bool
  private var oddities: [PropertyListOddity] = []

  /// The work that a file of any size may take: enough for a few hundred objects.
  private static let freeWork = 1 << 16

  /// Creates the state for a file.
  package init(_ limits: ImportLimits, byteCount: Int, _ tolerance: Tolerance = .oddities, readable: Bool = false) {
    depth = limits.depth
    objects = limits.objects
    let (work, isTooMuch) = limits.workPerByte.multipliedReportingOverflow(by: byteCount)
    self.work = isTooMuch || work > .max - Self.freeWork ? .max : work + Self.freeWork
    self.tolerance = tolerance
    isReadable = readable
  }

  // MARK: Resources

  /// Spends units of work.
  ///
  /// - Throws: `import-work`.
  package mutating func spend(_ units: Int, at offset: Int?) throws(KeyedArchiveError) {
    guard units <= work else {
      throw KeyedArchiveError(.workLimit, at: offset, "work", expected: "an amount in proportion to the file", found: "more")
    }
    work -= units
  }

  /// Counts a new object or value, which is also a unit of work.
  ///
  /// - Throws: `import-count`, `import-work`.
  package mutating func create(_ count: Int = 1, at offset: Int?) throws(KeyedArchiveError) {
    guard count <= objects else { throw KeyedArchiveError(.countLimit, at: offset, "objects", expected: "fewer", found: "too many") }
    objects -= count
    try spend(count, at: offset)
  }

  // MARK: Oddities

  /// Notes an oddity that is read nevertheless (rule R-K2-6).
  ///
  /// - Throws: `fault` if oddities are refused.
  mutating func accept(_ fault: KeyedArchiveError, as reading: StaticString, isLoss: Bool = false) throws(KeyedArchiveError) {
    guard tolerance != .strict else { throw fault }
    // There are few codes and readings, so the list is short whatever the file contains.
    guard let index = oddities.firstIndex(where: { $0.fault.code == fault.code && $0.reading == "\(reading)" }) else {
      return oddities.append(PropertyListOddity(fault, reading: "\(reading)", isLoss: isLoss))
    }
    oddities[index].addPlace(fault.offset)
  }

  /// Notes a loss in a list that is salvaged (rule R-K2-8).
  ///
  /// - Throws: `fault` if the list is not salvaged, or is beyond a limit.
  mutating func lose(_ fault: KeyedArchiveError, as reading: StaticString) throws(KeyedArchiveError) {
    guard tolerance == .salvage, fault.kind != .limit else { throw fault }
    try accept(fault, as: reading, isLoss: true)
  }

  /// Returns the oddities that were noted since the last call.
  mutating func takeOddities() -> [PropertyListOddity] {
    defer { oddities = [] }
    return oddities
  }
}
