import RestorationArchive

/// The resources that reading a property list, keyed archive or state archive may take (`Spec/imports.md`,
/// section 7).
///
/// State archives of UIKit hold archives within archives. The limits are for all levels together, so that a file of
/// small archives costs no more than a large one.
public struct ImportLimits: Sendable, Equatable {
  /// The nesting depth of arrays, sets and dictionaries in a property list: 512 by default, the limit of
  /// CoreFoundation, and at most that.
  public var depth: Int {
    didSet { depth = min(depth, Self.maximumDepth) }
  }
  /// The number of objects and values that may be created: 16,777,216 by default.
  public var objects: Int
  /// The units of work for each byte of the file: 64 by default.
  ///
  /// Each object, byte of text or data and byte of the file takes one unit on each level, and each reference eight. Honest
  /// files take less than twenty for each byte; more means that objects overlap or are shared again and again.
  public var workPerByte: Int

  private static let maximumDepth = 512

  /// Creates limits.
  public init(depth: Int = 512, objects: Int = 1 << 24, workPerByte: Int = 64) {
    self.depth = min(depth, Self.maximumDepth)
    self.objects = objects
    self.workPerByte = workPerByte
  }

  /// The default limits.
  public static let standard = ImportLimits()
}

/// The faults in a source that are read nevertheless.
public enum ImportTolerance: Sendable {
  /// None.
  case strict
  /// Oddities, which Apple's own parser reads (`Spec/imports.md`, rule R-K2-6).
  case oddities
  /// Everything that leaves something whole (rule R-K2-8).
  case salvage
}

/// What all readers of one file share: the rest of its resources, the faults that are read nevertheless, and those found so
/// far in the property list that is being read.
package final class ImportContext {
  /// The nesting depth of containers.
  package let depth: Int
  /// The remaining objects and values.
  package private(set) var objects: Int
  /// The remaining units of work.
  package private(set) var work: Int
  /// The faults that are read nevertheless.
  package let tolerance: ImportTolerance
  /// Whether objects of well-known classes become readable values.
  package let isReadable: Bool
  private var oddities: [PropertyListOddity] = []
  /// Whether any value may be sensitive, because a list has the tag of sensitive values, or has lost it.
  ///
  /// In an archive in our layout the tag says which values they are (`Spec/keyed-archive.md`, rule R-K4-3).
  package var hidesValues = false

  /// The work that a file of any size may take: enough for a few hundred objects.
  private static let freeWork = 1 << 16

  /// Creates the state for a file.
  package init(_ limits: ImportLimits, byteCount: Int, _ tolerance: ImportTolerance = .oddities, readable: Bool = false) {
    depth = limits.depth
    objects = limits.objects
    let (work, isTooMuch) = max(limits.workPerByte, 0).multipliedReportingOverflow(by: byteCount)
    self.work = isTooMuch || work > .max - Self.freeWork ? .max : work + Self.freeWork
    self.tolerance = tolerance
    isReadable = readable
  }

  // MARK: Resources

  /// Spends units of work.
  ///
  /// - Throws: `import-work`.
  package func spend(_ units: Int, at offset: Int?) throws(KeyedArchiveError) {
    guard units <= work else {
      throw KeyedArchiveError(.workLimit, at: offset, "work", expected: "an amount in proportion to the file", found: "more")
    }
    work -= units
  }

  /// Spends the length of a path.
  ///
  /// - Throws: `import-work`.
  func spend(on path: [String]) throws(KeyedArchiveError) { try spend(path.reduce(0) { $0 + $1.utf8.count }, at: nil) }

  /// Counts a new object or value, which is also a unit of work.
  ///
  /// - Throws: `import-count`, `import-work`.
  package func create(_ count: Int = 1, at offset: Int?) throws(KeyedArchiveError) {
    guard count <= objects else { throw KeyedArchiveError(.countLimit, at: offset, "objects", expected: "fewer", found: "too many") }
    objects -= count
    try spend(count, at: offset)
  }

  // MARK: Oddities

  /// Notes an oddity that is read nevertheless (rule R-K2-6).
  ///
  /// - Throws: `fault` if oddities are refused.
  func accept(_ fault: KeyedArchiveError, as reading: StaticString, isLoss: Bool = false) throws(KeyedArchiveError) {
    guard tolerance != .strict else { throw fault }
    // There are few codes and readings, so the list is short whatever the file contains.
    guard let index = oddities.firstIndex(where: { $0.fault.code == fault.code && $0.reading == "\(reading)" }) else {
      return oddities.append(PropertyListOddity(fault: fault, reading: "\(reading)", isLoss: isLoss))
    }
    oddities[index].addPlace(fault.offset)
  }

  /// Notes a loss in a list that is salvaged (rule R-K2-8).
  ///
  /// - Throws: `fault` if the list is not salvaged, or is beyond a limit.
  func lose(_ fault: KeyedArchiveError, as reading: StaticString) throws(KeyedArchiveError) {
    guard tolerance == .salvage, fault.kind != .limit else { throw fault }
    try accept(fault, as: reading, isLoss: true)
  }

  // MARK: Sensitive values

  /// Looks for the tag of sensitive values in bytes, readable or not.
  func lookForTag(in bytes: [UInt8]) {
    // Both begin with the same byte. The standard library's search for a sequence takes 100 times as long.
    hidesValues =
      hidesValues
      || bytes.indices.contains { place in
        bytes[place] == Self.tag[0] && [Self.tag, Self.wideTag].contains { bytes[place...].starts(with: $0) }
      }
  }

  /// The tag of sensitive values in our layout of keyed archives (`Spec/keyed-archive.md`).
  static let sensitiveTag = "$sensitive"
  private static let tag = Array(sensitiveTag.utf8)
  /// In UTF-16 of either order there is a zero between two letters.
  private static let wideTag = Array(tag.map { [$0] }.joined(separator: [0]))

  // MARK: Results

  /// Returns the oddities that were noted since the last call.
  func takeOddities() -> [PropertyListOddity] {
    defer { oddities = [] }
    return oddities
  }
}
