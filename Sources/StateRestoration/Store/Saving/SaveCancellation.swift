import Locking

/// Which saves a removal cancels: the number of removals of each archive.
///
/// A save carries the number at the time it was submitted. If the number has increased since, the archive was removed
/// and the save must not bring it back. The numbers are separate from the store's state, which is locked while a save
/// waits for the disk.
///
/// A queued removal may be processed after a save that was submitted later. So whichever of the two is processed first
/// begins the removal, exactly once.
struct SaveCancellation {
  private var counts: [ArchiveName: UInt64] = [:]
  /// The number of times that all archives were removed.
  private var ofAll: UInt64 = 0
  /// The archives with removals that were submitted but not begun.
  private var pending: Set<ArchiveName> = []

  /// The number of removals of an archive, including removals of all archives.
  subscript(archive: ArchiveName) -> UInt64 { ofAll + (counts[archive] ?? 0) }

  /// Counts a removal of an archive and returns the new number.
  mutating func count(_ archive: ArchiveName) -> UInt64 {
    counts[archive, default: 0] += 1
    pending.insert(archive)
    return self[archive]
  }

  /// Counts a removal of all archives.
  mutating func countAll() {
    ofAll += 1
    pending = []
  }

  /// Whether a removal must begin before a request that was submitted after `count` removals of an archive: true once
  /// for each submitted removal; nil if the archive was removed since, which cancels the request.
  ///
  /// Both are decided in one step. A removal that is counted in between would otherwise begin before a request that it
  /// cancels, and spare what that request saves.
  mutating func beginsRemoval(before count: UInt64, of archive: ArchiveName) -> Bool? {
    count == self[archive] ? pending.remove(archive) != nil : nil
  }
}

extension RestorationStore {
  /// Returns the number of removals of an archive so far.
  func removalCount(of archive: ArchiveName) -> UInt64 { cancellation.withLock { $0[archive] } }

  /// Whether a request that was submitted after `removalCount` removals of an archive is still to be carried out.
  ///
  /// If it is, a removal that was submitted before it and has not begun begins now.
  func admits(_ removalCount: UInt64, of archive: ArchiveName, _ state: inout State) -> Bool {
    guard let begins = cancellation.withLock({ $0.beginsRemoval(before: removalCount, of: archive) }) else { return false }
    if begins { forget(archive, &state) }
    return true
  }

  /// Returns a request with the current number of removals.
  ///
  /// A request to remove the archive counts as a removal itself, and cancels earlier requests.
  func submitted(_ request: SaveRequest, as archive: ArchiveName) -> SaveRequest {
    var request = request
    let isForgetting = request.isForgetting
    request.removalCount = cancellation.withLock { isForgetting ? $0.count(archive) : $0[archive] }
    return request
  }
}
