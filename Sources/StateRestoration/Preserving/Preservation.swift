#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// What preserving made: an archive and a report.
///
/// Write it wherever, on whatever thread. All is encoded; the bytes are put together when somebody asks for them, best where they are written.
public struct Preservation: Sendable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// There is an archive.
    case archive
    /// What was saved before stays.
    case keepPrevious
    /// What was saved before is to be deleted.
    case forget
  }

  /// What came of it.
  public let outcome: Outcome
  /// What became of each object.
  public let report: PreservationReport
  /// Whether this, or what was preserved before and is to stay, must not be written yet, because the state that was saved before is still to
  /// come.
  public internal(set) var isHeld: Bool

  /// The bytes of the archive, if there is one: put together the first time, the same ones afterwards.
  ///
  /// - Throws: `file-too-large`.
  public var archive: Data? {
    get throws(ArchiveError) { try report.archive?.encoded.data() }
  }

  /// Identifies the content, whenever it was saved; nil without an archive, which is put together for that.
  ///
  /// - Throws: `file-too-large`.
  public var contentDigest: ContentDigest? {
    get throws(ArchiveError) { try report.archive?.encoded.writtenDigest }
  }
}
