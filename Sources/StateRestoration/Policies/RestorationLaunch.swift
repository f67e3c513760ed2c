#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is known about the launch that restores: the host says it, nothing is read from a clock or the environment.
public struct RestorationLaunch: Sendable {
  /// Why the app restores.
  public var reason: RestorationReason
  /// What time it is; policies about age need it.
  public var now: Date?
  /// When the state was last found unchanged by a save, if that was after it was written; age is counted from here then.
  public var confirmedAt: Date?
  /// Whatever else the host knows: a URL that is to be opened, a document.
  public var information: [String: any Sendable]

  /// Says what is known.
  public init(reason: RestorationReason = .launch, now: Date? = nil, confirmedAt: Date? = nil, information: [String: any Sendable] = [:]) {
    self.reason = reason
    self.now = now
    self.confirmedAt = confirmedAt
    self.information = information
  }
}
