/// The number of files that a store keeps beyond the current and previous one of each archive.
public struct StoreLimits: Sendable {
  /// The number of damaged files set aside, 8 by default: enough to send to support, too few to fill a disk.
  public var damaged: Int
  /// The number of files that the app has permanently declined, 2 by default, as a last chance to recover them.
  public var declined: Int
  /// The number of files pinned because part of them could not be restored, 4 by default.
  ///
  /// The oldest file, which has the most state, and the newest are kept. A launch reports the files that this limit has
  /// removed (``StoreRestoration/endedFiles``).
  public var pinned: Int
  /// The number of open offers, 4 by default.
  ///
  /// The oldest and the newest are kept. A launch reports the offers that this limit has removed
  /// (``StoreRestoration/endedFiles``).
  public var offered: Int

  /// Creates limits; each is at least 1.
  public init(damaged: Int = 8, declined: Int = 2, pinned: Int = 4, offered: Int = 4) {
    self.damaged = max(1, damaged)
    self.declined = max(1, declined)
    self.pinned = max(1, pinned)
    self.offered = max(1, offered)
  }
}
