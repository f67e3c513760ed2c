import Foundation
import Locking
import RestorationArchive

@testable import StateRestoration

extension RestorationStore {
  /// Records that a node is being decoded, as a real restore does, which then does not end.
  func noteDecoding(of path: RestorationPath, in archive: StoreLoad.Archive) {
    let tree = SavedTree(archive.reader, moves: [])
    let number = tree.order.first { tree.path(of: $0) == path }
    launch.beginProgress(of: archive.generation, archive.content)?.note(.decoding, node: number ?? ProgressWord.unknownNode)
  }

  /// The number of the generation that this process has saved last or found current.
  func currentNumber(of archive: ArchiveName = .application) -> UInt64? {
    currentGeneration(of: archive)?.number
  }

  /// Reports the result of restoring a file, as a real restore does.
  func didRestore(_ generation: Generation, isComplete: Bool) {
    writer.withLock { $0[generation.archive].pinnedFor = [:] }
    if !isComplete { pin(generation) }
  }

  /// Assembles and saves an encoded archive.
  func save(_ encoded: EncodedArchive, as archive: ArchiveName = .application) throws(StoreError) -> SaveOutcome {
    try deliver(Mail(snapshot: Snapshot(encoded)), to: archive)
  }

  /// Submits the bytes of an archive to be saved on another thread.
  @discardableResult
  func submit(_ data: Data, as archive: ArchiveName = .application) -> UInt64 { submit(EncodedArchive(data), as: archive) }

  /// Submits a preservation, which is not written before ``startWriting()``.
  func submitForLater(_ preservation: Preservation, as archive: ArchiveName, now time: Date?) -> UInt64? {
    preservation.mail(at: time).map { mailboxes.post($0, to: archive) }
  }

  /// Removes an archive as ``remove(_:)`` does, but on another thread.
  func submitRemoval(of archive: ArchiveName) -> UInt64 {
    defer { startWriting() }
    return mailboxes.post(.removal, to: archive)
  }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// If the archive is now stable, that is on disk.
  func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    let isStable = countTick(archive, isExtended: isExtended)
    if isStable == true { writer.withLock { $0.recordStability() } }
    return isStable == false
  }

  /// The nodes that this launch suspects of the death of the previous process, or has quarantined for it.
  var blamed: [(archive: ArchiveName, path: RestorationPath)] {
    let ledger = launch.history?.ledger ?? LaunchLedger()
    return ledger.quarantined.map { ($0.archive, $0.path) }
      + ledger.suspects.compactMap { suspect in suspect.path.map { (suspect.archive, $0) } }
  }
}
