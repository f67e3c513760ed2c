#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Information about the restoring launch, provided by the host; nothing is read from a clock or the environment.
public struct RestorationLaunch: Sendable {
  /// The reason for the launch.
  public var reason: RestorationReason
  /// The current time; policies about age need it.
  public var now: Date?
  /// The time of the last save that found the state unchanged, if later than the write; age is then counted from here.
  public var confirmedAt: Date?
  /// Additional information of the host, such as a URL or document to open.
  public var information: [String: any Sendable]

  /// Creates a launch description.
  public init(reason: RestorationReason = .launch, now: Date? = nil, confirmedAt: Date? = nil, information: [String: any Sendable] = [:]) {
    self.reason = reason
    self.now = now
    self.confirmedAt = confirmedAt
    self.information = information
  }
}
