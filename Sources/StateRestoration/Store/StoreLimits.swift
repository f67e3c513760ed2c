/// How many files a store keeps beyond the current and the previous one of each archive.
public struct StoreLimits: Sendable {
  /// Damaged files set aside, 8 by default: enough to send to support, few enough not to fill a disk.
  public var damaged: Int
  /// Files that the app said never to restore, 2 by default: one more chance for whoever regrets it.
  public var declined: Int
  /// Files kept because something in them could not be restored, 4 by default: the oldest one, which has most, and the newest.
  ///
  /// A launch reports those that this limit has ended (``StoreRestoration/endedFiles``).
  public var pinned: Int
  /// Open offers, 4 by default: the oldest one and the newest.
  ///
  /// A launch reports those that this limit has ended (``StoreRestoration/endedFiles``).
  public var offered: Int

  /// Makes limits; none is less than 1.
  public init(damaged: Int = 8, declined: Int = 2, pinned: Int = 4, offered: Int = 4) {
    self.damaged = max(1, damaged)
    self.declined = max(1, declined)
    self.pinned = max(1, pinned)
    self.offered = max(1, offered)
  }
}
