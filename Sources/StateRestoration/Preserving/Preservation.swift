#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// The result of preserving: an archive and a report.
///
/// It can be written anywhere, on any thread. All state is already encoded; the bytes are assembled on first access,
/// preferably on the thread that writes them.
public struct Preservation: Sendable {
  /// The outcome of preserving.
  public enum Outcome: Sendable, Hashable {
    /// An archive was made.
    case archive
    /// The previous state is kept.
    case keepPrevious
    /// The previous state is to be deleted.
    case forget
  }

  /// The outcome of preserving.
  public let outcome: Outcome
  /// The report on each object.
  public let report: PreservationReport
  /// Whether writing must be deferred, because the previous state has not arrived yet.
  ///
  /// If an earlier deferred save is to be kept, this applies to that save.
  public internal(set) var isDeferred: Bool

  /// The bytes of the archive, if there is one; assembled on first access and then cached.
  ///
  /// - Throws: `file-too-large`.
  public var archive: Data? {
    get throws(ArchiveError) { try report.archive?.encoded.data() }
  }

  /// A digest of the content, independent of the time of the save; nil without an archive.
  ///
  /// Assembles the archive.
  ///
  /// - Throws: `file-too-large`.
  public var contentDigest: ContentDigest? {
    get throws(ArchiveError) { try report.archive?.encoded.writtenDigest }
  }
}

/// Options for preserving state.
public struct PreservationOptions: Sendable {
  /// The strategy for objects with the same path.
  public enum Duplicates: String, Sendable {
    /// Saves the first object in saved order, and reports all of them.
    case keepFirst = "keep-first"
    /// Makes preserving throw; intended for tests and debug builds.
    case fail
  }

  /// The strategy for objects with the same path.
  public var duplicates: Duplicates
  /// Whether preserving throws if an object cannot encode its state, instead of keeping the object's previous state.
  public var isStrict: Bool
  /// The age and size limits of unclaimed state that is carried over.
  public var carryLimits: CarryLimits
  /// The limits on the size of the archive; the report lists what exceeds them, and everything is saved all the same.
  public var budget: SizeBudget?

  /// Creates options.
  public init(
    duplicates: Duplicates = .keepFirst, isStrict: Bool = false, carryLimits: CarryLimits = .standard, budget: SizeBudget? = nil
  ) {
    self.budget = budget
    self.duplicates = duplicates
    self.isStrict = isStrict
    self.carryLimits = carryLimits
  }
}
