/// The number of files that a store keeps beyond the current and previous one of each archive.
///
/// Each is at least 1, except those of links, closed scenes, ``sessions`` and ``sessionDays``, which may be 0; a value out of
/// range counts as the nearest one in range.
public struct StoreLimits: Sendable {
  /// The number of damaged files set aside, 8 by default: enough to send to support, too few to fill a disk.
  public var damagedFiles = 8 { didSet { damagedFiles = max(1, damagedFiles) } }
  /// The number of files that the app has permanently declined, 2 by default, as a last chance to recover them.
  public var declinedFiles = 2 { didSet { declinedFiles = max(1, declinedFiles) } }
  /// The number of files pinned because part of them could not be restored, 4 by default.
  ///
  /// The oldest file, which has the most state, and the newest are kept. A launch reports the files that this limit has
  /// removed (``AppLaunch/endedFiles``).
  public var pinnedFiles = 4 { didSet { pinnedFiles = max(1, pinnedFiles) } }
  /// The number of open offers, 4 by default.
  ///
  /// The oldest and the newest are kept. A launch reports the offers that this limit has removed
  /// (``AppLaunch/endedFiles``).
  public var offers = 4 { didSet { offers = max(1, offers) } }
  /// The number of links after which a generation is written as a whole again, 80 by default and 128 at most; with 0,
  /// every save writes a whole archive.
  ///
  /// A link has only the changes since an earlier save, three times in four the one before, so that a launch reads some
  /// ten of them. The links of a generation together are also limited to its length, or to 64 KiB if that is
  /// more; until the generation is written anew, which happens beside the saves, there may be more: up to 128, of twice
  /// that length. An archive of at most 4 KiB has no links.
  public var links = 80 { didSet { links = min(max(0, links), 128) } }

  /// The number of scenes that can be reopened after they were closed (``AppScene/closeRecoverably(evenIfSensitive:)``), 10
  /// by default; with 0, every scene is closed for good.
  public var closedScenes = 10 { didSet { closedScenes = max(0, closedScenes) } }
  /// The time for which a closed scene can be reopened, 30 days by default.
  ///
  /// Its files are removed by a launch that finds it too old, if it was too old at the last save before that launch too: the
  /// clock may be wrong in one launch.
  public var closedSceneAge = Duration.seconds(30 * 86_400)
  /// The length of the files of all closed scenes together, 64 MiB by default; the last closed one is kept in any case.
  public var closedScenesByteCount = 1 << 26 { didSet { closedScenesByteCount = max(0, closedScenesByteCount) } }

  /// The number of last launches whose session, the state of the app and of its scenes at the end, is kept
  /// (``RestorationStore/earlierSessions()``), 3 by default; 0 keeps none.
  public var sessions = 3 { didSet { sessions = max(0, sessions) } }
  /// The number of last days whose last session is kept, 3 by default; 0 keeps none.
  ///
  /// A day is one in UTC on which the app has run. All sessions together are at most 8 times as long as the longest.
  public var sessionDays = 3 { didSet { sessionDays = max(0, sessionDays) } }

  /// Creates the limits with their defaults.
  public init() {}

  /// Creates limits with a number of links.
  package init(links: Int) { self.links = min(max(0, links), 128) }
}
