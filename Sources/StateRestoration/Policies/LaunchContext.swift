public import FoundationValues

/// Information about the restoring launch, provided by the host; nothing is read from a clock or the environment.
public struct LaunchContext: Sendable {
  /// The reason for the launch.
  public var reason: RestorationReason
  /// The current time; policies about age need it.
  public var now: Date?
  /// The time of the last save that found the state unchanged, if later than the write; age is then counted from here.
  public var confirmedAt: Date?
  /// Additional information from the host app, such as a URL or document to open.
  public var information: [String: any Sendable]

  /// Creates a launch description.
  public init(reason: RestorationReason = .launch, now: Date? = nil, confirmedAt: Date? = nil, information: [String: any Sendable] = [:]) {
    self.reason = reason
    self.now = now
    self.confirmedAt = confirmedAt
    self.information = information
  }
}

/// The reason for a launch that restores.
public enum RestorationReason: String, Sendable, CaseIterable {
  /// The first launch: no earlier one is on record.
  case pristine
  /// The previous process ended by itself, or by a signal that was handled.
  case launch
  /// The previous process crashed, was killed or lost power, or its record cannot be read.
  case recover
  /// The previous process was killed while it was suspended.
  case restore

  /// All reasons.
  package static let all: Set<RestorationReason> = Set(allCases)
}
