public import FoundationValues
public import RestorationArchive

/// A saved state that was not restored automatically, and that the user may restore.
///
/// An offer stays open across saves, launches and updates until it is accepted or declined
/// (``RestorationStore/accept(_:without:evenIfDiedTwice:into:with:replacing:options:isolation:)``, ``RestorationStore/decline(_:)``),
/// its archive is removed, or a limit or its age ends it, which a launch reports (``AppLaunch/endedFiles``). An
/// unanswered offer is repeated at the next launch.
public struct StoreOffer: Sendable, Hashable, CustomStringConvertible {
  /// The reason for offering a state instead of restoring it.
  public enum Reason: String, Sendable, CaseIterable {
    /// The process died twice in a row during or soon after restoring it.
    case deaths
    /// The launch was in safe mode.
    case safeMode = "safe-mode"
    /// A policy or the delegate declined it for now, and a newer state was saved.
    case notNow = "not-now"
    /// The file is of a later version of the format, and a newer state was saved.
    case laterVersion = "later-version"
    /// The system could not read the file, and a newer state was saved.
    case unreadable
    /// The app had newer state in memory when the storage became accessible.
    case newerState = "newer-state"
    /// Another process saved it while this one had lost the folder.
    case otherProcess = "other-process"
    /// It contains the state of a quarantined node whose object the user has changed since.
    case quarantine
    /// It was current until another offer was accepted.
    case replaced
    /// It was saved after another offer was accepted, and before that offer made the process die.
    case followed
    /// It was current before, and is kept in case newer states are damaged.
    case earlier
    /// It is kept because it was not restored completely.
    case pinned
    /// It is kept because it is the last state of an earlier build.
    case frozen
    /// It is the last state of a scene that was closed recoverably.
    case closed
    /// It belongs to the session at the end of an earlier launch.
    case session
    /// The reason was not recorded.
    case unknown
  }

  /// The archive.
  public let archive: ArchiveName
  /// The file.
  public let generation: Generation
  /// The reason for the offer.
  public let reason: Reason
  /// The nodes in whose callbacks the process died, the most recent last; leaving them out may be enough.
  public let suspects: [RestorationPath]
  /// The nodes whose own state the offer is limited to; empty for the whole state.
  public let paths: [RestorationPath]
  /// The time of the save; nil if unknown.
  public private(set) var timestamp: Date?
  /// The build that saved it; nil if unknown.
  public private(set) var bundleVersion: String?
  /// The identifiers of the first top-level objects, such as windows, in saved order; at most 32, and none of an archive of
  /// more than 1 MiB.
  public private(set) var roots: [String] = []
  /// Whether nothing opens the file, because the process died while reading it.
  let isUnread: Bool

  init(
    _ generation: Generation, _ reason: Reason, suspects: [RestorationPath] = [], paths: [RestorationPath] = [], isUnread: Bool = false
  ) {
    (archive, self.generation, self.reason) = (generation.archive, generation, reason)
    (self.suspects, self.paths, self.isUnread) = (suspects, paths, isUnread)
  }

  /// Returns the offer with what the header of its archive says, and what the archive has.
  func described(by header: ArchiveHeader, _ archive: ArchiveReader?) -> StoreOffer {
    var offer = self
    (offer.timestamp, offer.bundleVersion) = (header.timestamp, header.bundleVersion)
    offer.roots = (try? archive?.application().children())?.prefix(StoredState.rootLimit).compactMap(\.path.identifier) ?? []
    return offer
  }

  /// A line with the generation, the scene if any, the time and the build of the save, what it has, and the reason for the
  /// offer; without any saved value.
  public var description: String {
    let scene = archive == .application ? "" : " of \(archive)"
    let seconds = timestamp.map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.rounded(.down)) }
    let date = seconds.map { ", saved \(ArchiveValue.description(of: $0))" } ?? ""
    let build = bundleVersion.map { "\(date.isEmpty ? ", saved" : "") by build \($0.escapedForDisplay)" } ?? ""
    let all = roots.prefix(4).map(\.escapedForDisplay) + (roots.count > 4 ? ["more"] : [])
    let content = paths.isEmpty ? all : paths.map(\.textForDisplay)
    let about = content.isEmpty ? "" : ", \(paths.isEmpty ? "with" : "only the state of") \(content.joined(separator: ", "))"
    let without = suspects.isEmpty ? "" : "; suspect: \(suspects.map(\.textForDisplay).joined(separator: ", "))"
    return "generation \(generation.number)\(scene)\(date)\(build)\(about): \(reason.sentence)\(without)"
  }
}

extension StoreOffer.Reason {
  /// The reason as text.
  public var sentence: String {
    switch self {
    case .deaths: "the process died twice in a row while or soon after restoring it"
    case .safeMode: "the launch was in safe mode"
    case .notNow: "it was declined for now"
    case .laterVersion: "it is of a later version of the format"
    case .unreadable: "the system could not read it"
    case .newerState: "the app had newer state in memory"
    case .otherProcess: "another process saved it while this one did not hold the folder"
    case .quarantine: "the object of a quarantined node was changed"
    case .replaced: "it was current until another offer was accepted"
    case .followed: "it was saved after an offer was accepted that ended the process"
    case .earlier: "it is an earlier state"
    case .pinned: "it was not restored completely"
    case .frozen: "it is the last state of an earlier build"
    case .closed: "the scene was closed"
    case .session: "it belongs to an earlier session"
    case .unknown: "the reason is not known"
    }
  }
}
