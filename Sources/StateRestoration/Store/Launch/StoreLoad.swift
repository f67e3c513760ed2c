#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// What a store has for an archive, and why.
public struct StoreLoad: Sendable {
  /// What became of one file that might have been restored.
  public struct Candidate: Sendable, CustomStringConvertible {
    /// Why it was taken or passed over.
    public enum Outcome: Sendable, CustomStringConvertible {
      /// It is restored.
      case taken
      /// It is damaged, and restored as far as it is intact, because there is nothing better.
      case takenInPart([ArchiveError])
      /// It was gone when it was to be read.
      case absent
      /// It is no file, but a folder, a link, a pipe or a device that has the name of one; nothing was read.
      case notAFile(FileKind)
      /// The system did not let it be read.
      case unreadable(FileSystemError)
      /// It is damaged, or no archive at all.
      case damaged([ArchiveError])
      /// It is of a later version of the format; it stays where it is.
      case unsupported(ArchiveError)
      /// The app did not want it.
      case declined(String)
      /// A newer one was taken.
      case notNeeded

      /// In a few words.
      public var description: String {
        switch self {
        case .taken: "taken"
        case .takenInPart(let findings): "taken as far as it is intact: \(findings.first.map { "\($0)" } ?? "")"
        case .absent: "absent"
        case .notAFile(let kind): "not a file: \(kind.words)"
        case .unreadable(let error): "unreadable: \(error)"
        case .damaged(let findings): "damaged: \(findings.first.map { "\($0)" } ?? "")"
        case .unsupported(let error): "of a later version: \(error)"
        case .declined(let reason): "declined: \(reason.escapedForDisplay)"
        case .notNeeded: "not needed"
        }
      }
    }

    /// The file.
    public let generation: Generation
    /// What became of it.
    public var outcome: Outcome

    /// Whether it was gone when it was to be read.
    var isAbsent: Bool {
      if case .absent = outcome { true } else { false }
    }

    /// The generation and what became of it.
    public var description: String { "\(generation): \(outcome)" }
  }

  /// An archive that can be restored.
  public struct Archive: Sendable {
    /// Which file it is of.
    public let generation: Generation
    /// The archive.
    public let reader: ArchiveReader
    /// What is damaged in it; empty if nothing is.
    public let findings: [ArchiveError]
    /// When its content was last found unchanged by a save, if that is known; age policies count from here.
    public let confirmedAt: Date?

    /// Whether something in it is lost.
    public var isPartial: Bool { !findings.isEmpty }
  }

  /// What there is.
  public enum Outcome: Sendable {
    /// Nothing was ever saved, or it was forgotten.
    case noFiles
    /// An archive.
    case archive(Archive)
    /// There are files, and none can be read.
    case allDamaged
    /// There are files that can be read, and the app wants none of them.
    case declined
    /// The files cannot be reached yet: the device is locked, or the disk is not there.
    case pending
  }

  /// What there is.
  public let outcome: Outcome
  /// Every file that might have been restored, in the order in which they were tried.
  public let candidates: [Candidate]

  /// The archive, if there is one.
  public var archive: Archive? {
    if case .archive(let archive) = outcome { archive } else { nil }
  }
}
