import Locking

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

  /// The nodes that this launch suspects of the death of the previous process, or has quarantined for it.
  var blamed: [(archive: ArchiveName, path: RestorationPath)] {
    let ledger = launch.history?.ledger ?? LaunchLedger()
    return ledger.quarantined.map { ($0.archive, $0.path) }
      + ledger.suspects.compactMap { suspect in suspect.path.map { (suspect.archive, $0) } }
  }
}
