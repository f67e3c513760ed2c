public import RestorationArchive

/// A saved state that is not restored by itself: the user may have it back.
///
/// An offer stays open over saves, launches and updates until it is answered (``RestorationStore/accept(_:without:into:with:replacing:options:isolation:)``,
/// ``RestorationStore/decline(_:)``), its archive is removed, or a limit ends it, which a launch reports (``StoreRestoration/endedFiles``). An
/// offer that nobody answers is repeated at the next launch.
public struct StoreOffer: Sendable, Hashable, CustomStringConvertible {
  /// Why a state is offered instead of restored.
  public enum Reason: String, Sendable, CaseIterable {
    /// The process died twice in a row while or soon after restoring it.
    case deaths
    /// The launch was in safe mode.
    case safeMode = "safe-mode"
    /// A policy or the delegate declined it for now, and something was saved over it.
    case notNow = "not-now"
    /// It was declined when it was loaded, and something was saved over it.
    case declined
    /// It is of a later version of the format, and something was saved over it.
    case laterVersion = "later-version"
    /// The system did not let it be read, and something was saved over it.
    case unreadable
    /// The app had newer state in memory when the files came within reach.
    case newerState = "newer-state"
    /// It has the state of a quarantined node whose object the user has changed since.
    case quarantine
    /// It was current until another offer was accepted.
    case replaced
    /// It was saved after another offer was accepted, and before the process died of that.
    case followed
    /// Its reason was not recorded.
    case unknown
  }

  /// The archive.
  public let archive: ArchiveName
  /// The file.
  public let generation: Generation
  /// Why it is offered.
  public let reason: Reason
  /// The nodes in whose callbacks the process died, the last one last; leaving them out may be enough.
  public let suspects: [RestorationPath]
  /// The nodes that the offer is about, with all below them; none for the whole state.
  public let paths: [RestorationPath]

  /// The generation, the scene if it is of one, and the reason, in a line.
  public var description: String {
    let scene = archive == .application ? "" : " of \(archive)"
    let about = paths.isEmpty ? "" : ", for \(paths.map(\.textForDisplay).joined(separator: ", "))"
    let without = suspects.isEmpty ? "" : "; suspect: \(suspects.map(\.textForDisplay).joined(separator: ", "))"
    return "\(generation.number)\(scene)\(about): \(reason.sentence)\(without)"
  }
}

extension StoreOffer.Reason {
  /// The reason in words.
  public var sentence: String {
    switch self {
    case .deaths: "the process died twice in a row while or soon after restoring it"
    case .safeMode: "the launch was in safe mode"
    case .notNow: "it was declined for now"
    case .declined: "the app declined it when it was loaded"
    case .laterVersion: "it is of a later version of the format"
    case .unreadable: "the system did not let it be read"
    case .newerState: "the app had newer state in memory"
    case .quarantine: "the object of a quarantined node was changed"
    case .replaced: "it was current until another offer was accepted"
    case .followed: "it was saved after an offer was accepted that ended the process"
    case .unknown: "the reason is not known"
    }
  }
}
