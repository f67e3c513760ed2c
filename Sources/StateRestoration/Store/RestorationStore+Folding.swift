#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Locking
import RestorationArchive

/// How a store writes links.
package struct LinkPolicy: Sendable {
  /// Whether long chains are folded in a task of their own, while other saves go on, instead of in the save that makes
  /// them too long.
  var foldsConcurrently = true
  /// Whether links are written even if they save no space, so that tests of small archives have them.
  var isEager = false

  /// Creates a policy.
  package init(foldsConcurrently: Bool = true, isEager: Bool = false) {
    (self.foldsConcurrently, self.isEager) = (foldsConcurrently, isEager)
  }
}

/// Folding a generation with many links into a new one without any.
extension RestorationStore {
  /// A generation to be folded, with the links that it had when that began.
  private struct FoldingJob {
    /// The number of the folding (``State/foldings``).
    let number: UInt64
    let generation: Generation
    let linkCount: Int
  }

  /// Folds an archive if its chain is long.
  func foldIfNeeded(_ archive: ArchiveName) {
    guard let job = state.withLock({ beginFolding(archive, &$0) }) else { return }
    if linkPolicy.foldsConcurrently {
      Task.detached(priority: .utility) { self.fold(job) }
    } else {
      fold(job)
    }
  }

  private func beginFolding(_ archive: ArchiveName, _ state: inout State) -> FoldingJob? {
    guard let current = state.current[archive], let chain = current.chain, chain.isLong(limit: limits.links),
      state.foldings[archive] == nil
    else { return nil }
    state.lastFolding += 1
    state.foldings[archive] = state.lastFolding
    return FoldingJob(number: state.lastFolding, generation: current.generation, linkCount: chain.linkCount)
  }

  /// Writes the content of a generation as a new one.
  ///
  /// A failure leaves the generation as it is; it is folded after the next save.
  private func fold(_ job: FoldingJob) {
    let archive = job.generation.archive
    // Without the lock: saves go on while the content is assembled.
    let content = Result { () throws(StoreError) in
      try ArchiveToSave(intactContent(of: job.generation, links: job.linkCount))
    }
    state.withLock { state in
      guard state.foldings[archive] == job.number else { return }
      if let content = try? content.get() { try? replace(job, by: content, &state) }
      state.foldings[archive] = nil
    }
  }

  /// Makes the folded content the current generation, followed by the links saved meanwhile.
  private func replace(_ job: FoldingJob, by folded: ArchiveToSave, _ state: inout State) throws(StoreError) {
    let archive = job.generation.archive
    var folded = folded
    try lock(&state)
    let catalog = try numberedCatalog(&state)
    guard let current = state.current[archive], current.generation == job.generation, let old = current.chain,
      isLoadedNext(current.generation, catalog, state), state.pending[archive]?.removal == nil, let number = catalog.nextNumber
    else { return }
    let (bytes, reader) = try folded.opened()
    var chain = WrittenChain(byteCount: bytes.count, lastDigest: reader.contentDigest)
    let generation = Generation(archive, number)
    // The links first: from the moment its archive exists, the new generation is the one that is loaded.
    for place in (job.linkCount + 1)..<(old.linkCount + 1) {
      let link = GenerationLink(archive, job.generation.number, place)
      let limit = 4 * max(StoredArchive.shortLength, bytes.count)
      let saved = try system { () throws(FileSystemError) in try folder.read(link.fileName, atMost: limit) }
      let again = try wrappingErrors { () throws(ArchiveError) in try ArchiveLink.rebased(saved, after: chain.lastDigest) }
      try replace(GenerationLink(archive, number, chain.linkCount + 1).fileName, with: again, &state)
      chain.add(again)
    }
    do throws(StoreError) {
      try replace(generation.fileName, with: bytes, &state)
    } catch {
      // The new generation may exist all the same.
      state.forgetCurrent(archive)
      throw error
    }
    // The content was confirmed under the digest of the last link.
    if let known = confirmation(of: archive), known.digest == old.lastDigest.rawValue {
      confirm(archive, Confirmation(digest: chain.lastDigest.rawValue, time: known.time))
    }
    var written = current
    (written.generation, written.chain, written.isFlushed) = (generation, chain, true)
    state.current[archive] = written
    prune(archive, &state)
  }
}
