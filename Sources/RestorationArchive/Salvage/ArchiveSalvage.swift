#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// Rescues what is left of a damaged archive: a valid archive of all that can be verified, and a list of all that cannot (Spec §7.6).
///
///     let salvage = ArchiveSalvage(data)
///     if let archive = salvage.archive { try archive.write(to: output) }
///     for line in salvage.report { print(line) }
///
/// The file may be cut short, have bytes behind its end, and be damaged anywhere. A node whose name or parent is lost stands with all below
/// it under a node of its own, `lost-and-found`. No value is taken from a byte that no checksum vouches for, none is made up, and none is
/// changed: what cannot be had is left out and listed.
///
/// Time and memory are linear in the length of the file, but for what nodes and values take as objects; losses and lines of the report are
/// made when they are asked for.
public struct ArchiveSalvage: Sendable {
  /// What was rescued, as a valid archive; nil if nothing can be believed, or nothing is left.
  public let archive: Data?
  /// What was rescued, in memory.
  public let tree: ArchiveTree?
  /// Why there is no archive; nil if there is one.
  public let failure: ArchiveError?
  /// What could not be rescued, or not put back, in the order of the file; empty if nothing was lost.
  ///
  /// Each is made when it is asked for.
  public let losses: SalvageLosses
  /// What is wrong with the file as a whole, at no cost so far: copies that are damaged, another length than it was written with.
  public let faults: [ArchiveError]
  /// The damaged parts of the file, and of what it is short, as offsets in the file.
  public let damagedRanges: [Range<Int>]
  /// The node under which everything is that could not be put back; nil if there is no such thing.
  public let lostAndFound: RestorationPath?
  /// How many nodes were rescued, those under ``lostAndFound`` included, those that stand for lost ones not.
  public let nodeCount: Int
  /// How many bytes the damaged file has.
  public let byteCount: Int

  /// Whether everything was rescued and is where it was.
  public var isComplete: Bool { archive != nil && losses.isEmpty }

  /// Salvages an archive.
  public init(_ data: Data, limits: ReaderLimits = .standard) {
    self.init([UInt8](data), limits: limits)
  }

  /// Salvages an archive.
  ///
  /// What would take more values than `limits` allow is a loss with the code `value-budget`, what is nested deeper one with `reader-limit`; an
  /// archive that is larger is not salvaged.
  public init(_ bytes: [UInt8], limits: ReaderLimits = .standard) {
    byteCount = bytes.count
    do throws(FormatError) {
      let opening = try SalvageOpening.open(bytes)
      try limits.opening.check(opening.layout)
      try limits.opening.check(opening.metadata)
      var builder = SalvageBuilder(opening, limits: limits)
      builder.build()
      losses = builder.losses
      faults = opening.errors.map { ArchiveError($0) }
      damagedRanges = opening.damage.ranges
      let (archive, failure) = Self.encode(builder)
      self.archive = archive
      self.failure = failure
      tree = archive == nil ? nil : builder.tree
      lostAndFound = archive == nil ? nil : builder.lostAndFound
      nodeCount = archive == nil ? 0 : builder.nodeCount
    } catch {
      (archive, tree, lostAndFound, nodeCount) = (nil, nil, nil, 0)
      (losses, faults, damagedRanges) = (SalvageLosses(), [], [])
      failure = ArchiveError(error)
    }
  }

  /// An archive with nothing in it says "saved, and empty"; one of which everything was lost must not (rule R-7.6-6).
  private static func encode(_ builder: SalvageBuilder) -> (Data?, ArchiveError?) {
    let tree = builder.tree
    let isEmpty = tree.nodes.isEmpty && tree.applicationState.isEmpty && tree.sections.isEmpty
    if isEmpty, let cause = builder.firstCause { return (nil, cause) }
    do throws(ArchiveError) {
      return (try tree.encoded(), nil)
    } catch {
      return (nil, error)
    }
  }
}
