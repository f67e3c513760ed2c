public import FoundationValues
import RestorationArchive

/// A session: the saved states of the app and of its scenes at one moment.
///
/// ``AppRestoration/earlierSessions()`` lists the sessions of earlier launches, and ``AppRestoration/offeredSession()`` is the
/// one that a launch has not restored. A session is restored or declined in one call, whole or in part.
public struct StoredSession: Sendable, CustomStringConvertible {
  /// The time of the last save; nil if unknown.
  public let timestamp: Date?
  /// The build that saved it; nil if unknown.
  public let bundleVersion: String?
  /// The states: that of the app first, then those of the scenes, ordered by name.
  public let states: [StoredState]

  /// A line with the time, the build and the archives.
  public var description: String {
    let saved = timestamp.map { "saved \(ArchiveValue.date($0).displayText)" } ?? "time unknown"
    let build = bundleVersion.map { " by build \($0.escapedForDisplay)" } ?? ""
    return "session \(saved)\(build): \(states.map(\.archive.description).joined(separator: ", "))"
  }
}
