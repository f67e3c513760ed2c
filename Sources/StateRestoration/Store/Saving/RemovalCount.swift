import Locking

/// How often each archive was removed.
///
/// A save carries the count of the moment when it was submitted. Where the count has gone on since, the archive was removed meanwhile, and
/// the save must not bring it back. It is counted apart from the state of the store, which is locked while a save waits for the disk.
///
/// A removal that waits in a queue may come after a save that was submitted later. So whichever of the two comes first does what the removal is
/// about, and only once.
struct RemovalCount {
  private var counts: [ArchiveName: UInt64] = [:]
  /// How often everything was removed.
  private var ofAll: UInt64 = 0
  /// The archives with removals that were submitted and not begun.
  private var pending: Set<ArchiveName> = []

  /// How often an archive was removed, by itself or with all others.
  subscript(archive: ArchiveName) -> UInt64 { ofAll + (counts[archive] ?? 0) }

  /// Counts the removal of an archive, and returns the new count.
  mutating func count(_ archive: ArchiveName) -> UInt64 {
    counts[archive, default: 0] += 1
    pending.insert(archive)
    return self[archive]
  }

  /// Counts the removal of everything.
  mutating func countAll() {
    ofAll += 1
    pending = []
  }

  /// Whether a removal of an archive is to begin; says so once.
  mutating func takePending(_ archive: ArchiveName) -> Bool { pending.remove(archive) != nil }
}

extension RestorationStore {
  /// How often an archive was removed until now.
  func removalCount(of archive: ArchiveName) -> UInt64 { removals.withLock { $0[archive] } }

  /// Begins a removal of an archive that was submitted, if none has begun it yet.
  func beginRemoval(of archive: ArchiveName, _ state: inout State) {
    if removals.withLock({ $0.takePending(archive) }) { forget(archive, &state) }
  }

  /// A request with the count of removals of this moment, in which it is submitted.
  ///
  /// One to forget what was saved is a removal itself: it ends what was submitted before.
  func submitted(_ request: SaveRequest, as archive: ArchiveName) -> SaveRequest {
    var request = request
    let isForgetting = request.isForgetting
    request.removalCount = removals.withLock { isForgetting ? $0.count(archive) : $0[archive] }
    return request
  }
}
