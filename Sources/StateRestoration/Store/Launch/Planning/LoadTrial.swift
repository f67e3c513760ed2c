import FoundationValues
import RestorationArchive

/// One attempt to load an archive, which tries its files in order.
struct LoadTrial {
  let files: StoreReader
  let confirmation: Confirmation?
  private var candidates: [StoreLoad.Candidate] = []
  private var taken: StoreLoad.Archive?
  private var lostLinks: StoredLinks.Lost?
  /// The first damaged file that can be opened, and its index among the candidates.
  private var partial: (archive: StoreLoad.Archive, place: Int)?

  init(_ files: StoreReader, confirmation: Confirmation?) {
    self.files = files
    self.confirmation = confirmation
  }

  mutating func `try`(_ generation: Generation) {
    lostLinks = nil
    let outcome = taken == nil ? outcome(of: generation) : .notNeeded
    candidates.append(StoreLoad.Candidate(generation: generation, outcome: outcome, lostLinks: lostLinks))
  }

  private mutating func outcome(of generation: Generation) -> StoreLoad.Candidate.FileOutcome {
    let stored: StoredArchive
    do throws(FileSystemError) {
      stored = try files.stored(generation)
    } catch {
      return error.isAbsence ? .absent : .unreadable(error)
    }
    let bytes: [UInt8]
    let tail: [ArchiveError]
    switch stored {
    case .refused(let error): return error.kind == .unsupported ? .unsupported(error) : .damaged([error])
    case .bytes(let content, let error, _): (bytes, tail) = (content, error.map { [$0] } ?? [])
    }
    let links = stored.links
    lostLinks = links.lost
    // Links are applied to valid archives only, and give valid ones.
    let findings = links.applied > 0 ? nil : ArchiveCheck(bytes).findings
    // Errors with long paths can be much larger than the file.
    let listingLimit = 16
    if let first = findings?.first, first.kind == .unsupported, first.code != .unknownValueType { return .unsupported(first) }
    guard let reader = stored.reader else { return .damaged(tail + (findings.map { Array($0.prefix(listingLimit)) } ?? [])) }
    // Value types of a later version are not damage: the nodes that use them are skipped.
    let damage = tail + (findings?.lazy.filter { $0.code != .unknownValueType }.prefix(listingLimit).map { $0 } ?? [])
    let digest = links.lastDigest ?? reader.contentDigest
    let confirmedAt = confirmation.flatMap { $0.digest == digest.rawValue ? $0.time : nil }
    let archive = StoreLoad.Archive(
      generation: generation, reader: reader, findings: damage, confirmedAt: confirmedAt, lostLinks: lostLinks,
      lastDigest: links.lastDigest, linkCount: links.applied)
    guard damage.isEmpty else {
      if partial == nil { partial = (archive, candidates.count) }
      return .damaged(damage)
    }
    taken = archive
    return .taken
  }

  /// The result of the attempt.
  var result: StoreLoad {
    if let taken { return StoreLoad(outcome: .archive(taken), candidates: candidates) }
    if let partial {
      var candidates = candidates
      candidates[partial.place].outcome = .partlyRestored(partial.archive.findings)
      return StoreLoad(outcome: .archive(partial.archive), candidates: candidates)
    }
    if candidates.isEmpty { return StoreLoad(outcome: .noFiles, candidates: []) }
    let isOfLaterVersion = candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    let isUnreadable = candidates.contains { if case .unreadable(let error) = $0.outcome { error.foreignKind == nil } else { false } }
    return StoreLoad(outcome: isOfLaterVersion ? .declined : isUnreadable ? .unreadable : .allDamaged, candidates: candidates)
  }
}
