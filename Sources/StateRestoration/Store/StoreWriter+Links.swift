import FoundationValues
import Locking
import RestorationArchive

/// How a store writes links.
package struct LinkPolicy: Sendable {
  /// Whether long chains are folded in a task of their own, while other saves go on, instead of in the save that makes
  /// them too long.
  var foldsConcurrently = true
  /// Whether links are written even if they save no space, so that tests of small archives have them.
  var isEager = false
  /// Called when the content to fold is known and not yet written, without a lock.
  var willFold: @Sendable () -> Void = {}

  /// Creates a policy.
  package init(foldsConcurrently: Bool = true, isEager: Bool = false, willFold: @escaping @Sendable () -> Void = {}) {
    (self.foldsConcurrently, self.isEager, self.willFold) = (foldsConcurrently, isEager, willFold)
  }
}

/// The files of a generation that this process has written: an archive, and links that follow it.
struct WrittenChain {
  /// A file that a link can follow.
  struct End {
    let place: Int
    let digest: ContentDigest
    /// The content after this file.
    var content: Snapshot
  }

  /// The length of the archive.
  let byteCount: Int
  /// The number of links, and their length together.
  private(set) var linkCount = 0
  private(set) var linkByteCount = 0
  /// The files that a later link can follow, the last one at the end.
  private(set) var ends: [End]

  /// Creates a chain without links.
  init(byteCount: Int, digest: ContentDigest, _ content: Snapshot) {
    (self.byteCount, ends) = (byteCount, [End(place: 0, digest: digest, content: content)])
  }

  /// The last file.
  var last: End {
    get { ends[ends.count - 1] }
    set { ends[ends.count - 1] = newValue }
  }

  /// The file that the next link should follow (``GenerationFile/placeBefore``); the last one if its content was released.
  func end(before next: GenerationFile) -> End { ends.last { $0.place == next.placeBefore } ?? last }

  /// The length that all links together may have.
  private var room: Int { max(StoredArchive.shortLength, byteCount) }

  /// Whether another link may follow.
  ///
  /// If folding lags behind, a chain may grow to twice the size at which it is folded.
  /// An archive of one block is written as a whole: a link takes a block too.
  func takes(_ link: [UInt8], limit: Int, _ policy: LinkPolicy) -> Bool {
    guard linkCount < min(2 * limit, ArchiveLink.maximumCount), linkByteCount + link.count <= 2 * room else { return false }
    return policy.isEager || byteCount > 4096 && link.count < byteCount
  }

  /// Whether the chain is long enough to be folded.
  func isLong(limit: Int) -> Bool { linkCount >= limit || linkByteCount > room }

  /// Adds a link.
  ///
  /// Earlier contents are kept for later links if they share their records with this one, or are short.
  mutating func add(_ link: [UInt8], as file: GenerationFile, _ content: Snapshot) {
    linkCount += 1
    linkByteCount += link.count
    let digest = ContentDigest(ofArchive: Data(link)) ?? last.digest
    let isShort = byteCount * (ends.count + 1) <= StoreWriter.maximumCompared
    ends.removeAll { end in
      // The last link that follows an end is the one whose place has the end's last digit other than 0 greater by 1.
      let isPast = end.place > 0 && file.place - end.place >= 1 << (end.place.trailingZeroBitCount & ~1)
      return isPast || end.place > file.placeBefore || !isShort && !content.follows(end.content)
    }
    ends.append(End(place: file.place, digest: digest, content: content))
  }
}

/// Links: files with the difference between a snapshot and the one on disk.
extension StoreWriter {
  /// The greatest length of an archive that is kept in memory to be compared with the next one, if they share no records.
  static let maximumCompared = 1 << 25

  /// Plans to write a snapshot as a link after the current generation; nil if none may follow, or if it would not be shorter.
  func planLink(
    _ snapshot: Snapshot, after current: Current, at time: Date?, _ catalog: GenerationCatalog
  ) throws(StoreError) -> PlannedSave? {
    let archive = current.generation.archive
    let bundleVersion = try wrappingErrors { () throws(ArchiveError) in try snapshot.header.bundleVersion }
    guard bundleVersion == current.bundleVersion, var chain = current.chain,
      catalog.links(of: current.generation).map(\.place) == Array(1..<(chain.linkCount + 1))
    else { return nil }
    var save = PlannedSave(written: current, time: time)
    func link(after end: WrittenChain.End, isForced: Bool = false) throws(StoreError) -> [UInt8]? {
      try wrappingErrors { () throws(ArchiveError) in try snapshot.link(after: end.content, end.digest, isForced: isForced) }
    }
    guard var bytes = try link(after: chain.last) else {
      save.written.chain?.last.content = snapshot
      return save
    }
    let file = GenerationFile(archive, current.generation.number, chain.linkCount + 1)
    let end = chain.end(before: file)
    if end.place < chain.linkCount, let wider = try? link(after: end, isForced: true), chain.takes(wider, limit: limits.links, linkPolicy) {
      bytes = wider
    }
    guard chain.takes(bytes, limit: limits.links, linkPolicy) else { return nil }
    chain.add(bytes, as: file, snapshot)
    (save.written.chain, save.written.digest) = (chain, try? snapshot.knownDigest)
    (save.file, save.bytes) = (file, bytes)
    return save
  }

  // MARK: Folding

  /// A generation to be folded: a new one without links takes its place.
  struct FoldingJob: Sendable {
    /// The number of the folding (``KnownArchive/folding``).
    let number: UInt64
    let generation: Generation
    let snapshot: Snapshot
  }

  /// Begins to fold an archive; nil if its chain is not long.
  mutating func beginFolding(_ archive: ArchiveName) -> FoldingJob? {
    guard let current = self[archive].current, let chain = current.chain, chain.isLong(limit: limits.links),
      self[archive].folding == nil
    else { return nil }
    lastFolding += 1
    self[archive].folding = lastFolding
    return FoldingJob(number: lastFolding, generation: current.generation, snapshot: chain.last.content)
  }

  /// Writes the assembled content of a generation as a new one; nil if it could not be assembled.
  ///
  /// A failure leaves the generation as it is; it is folded after the next save.
  mutating func endFolding(_ job: FoldingJob, _ content: [UInt8]?) {
    guard self[job.generation.archive].folding == job.number else { return }
    if let content { try? replace(job, by: content) }
    self[job.generation.archive].folding = nil
  }

  /// Makes the folded content the current generation, followed by a link with the saves made meanwhile.
  private mutating func replace(_ job: FoldingJob, by bytes: [UInt8]) throws(StoreError) {
    let archive = job.generation.archive
    try lock()
    let catalog = try numberedCatalog()
    guard let current = self[archive].current, current.generation == job.generation, let last = current.chain?.last,
      isLoadedNext(current.generation, catalog), let next = catalog.nextNumber
    else { return }
    let number = max(next, lastNumber + 1)
    let digest = try wrappingErrors { () throws(ArchiveError) in try ArchiveReader(bytes).contentDigest }
    var chain = WrittenChain(byteCount: bytes.count, digest: digest, job.snapshot)
    let generation = Generation(archive, number)
    // The link first: from the moment its archive exists, the new generation is the one that is loaded.
    if let link = try wrappingErrors({ () throws(ArchiveError) in try last.content.link(after: job.snapshot, digest) }) {
      let file = GenerationFile(archive, number, 1)
      try replace(file.fileName, with: link)
      chain.add(link, as: file, last.content)
    }
    do throws(StoreError) {
      try replace(generation.fileName, with: bytes)
    } catch {
      // The new generation may exist all the same.
      forgetCurrent(archive)
      throw error
    }
    // The content was confirmed under the digest of the last link.
    if let known = reader.confirmation(of: archive), known.digest == last.digest.rawValue {
      confirm(archive, Confirmation(digest: chain.last.digest.rawValue, time: known.time))
    }
    var written = current
    (written.generation, written.chain, written.isFlushed) = (generation, chain, true)
    self[archive].current = written
    noteSeen(written)
    job.snapshot.offerFolded(bytes)
    prune(archive)
  }
}
