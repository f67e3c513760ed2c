public import FoundationValues
public import RestorationArchive

/// The result of loading an archive, with an outcome for each file.
public struct StoreLoad: Sendable {
  /// A file that could have been restored, and its outcome.
  public struct Candidate: Sendable, CustomStringConvertible {
    /// The outcome for a file.
    public enum FileOutcome: Sendable, CustomStringConvertible {
      /// The file is the one to restore, unless the launch only offers it or the app refuses it.
      case taken
      /// The file is damaged; its intact part is restored, because there is nothing better.
      case partlyRestored([ArchiveError])
      /// The file was gone when it was opened.
      case absent
      /// The system could not read the file, or the name belongs to a folder, symbolic link, pipe or device.
      case unreadable(FileSystemError)
      /// The file is damaged, or not an archive at all.
      case damaged([ArchiveError])
      /// The file is of a later version of the format; it is not moved.
      case unsupported(ArchiveError)
      /// A newer file was used.
      case notNeeded
      /// The file was not read, because the process has died twice while reading it.
      case unread

      /// A short description.
      public var description: String {
        switch self {
        case .taken: "taken"
        case .partlyRestored(let findings): "partly restored: \(findings.first.map { "\($0)" } ?? "")"
        case .absent: "absent"
        case .unreadable(let error): error.foreignKind.map { "not a file: \($0.words)" } ?? "unreadable: \(error)"
        case .damaged(let findings): "damaged: \(findings.first.map { "\($0)" } ?? "")"
        case .unsupported(let error): "of a later version: \(error)"
        case .notNeeded: "not needed"
        case .unread: "not read: the process died while reading it"
        }
      }
    }

    /// The file.
    public let generation: Generation
    /// The outcome.
    public internal(set) var outcome: FileOutcome
    /// The links of the file that could not be used, if it was read.
    package var lostLinks: StoredLinks.Lost?

    /// Whether the file was gone when it was opened.
    var isAbsent: Bool {
      if case .absent = outcome { true } else { false }
    }

    /// The generation and the outcome.
    public var description: String { "\(generation): \(outcome)\(lostLinks.map { "; \($0)" } ?? "")" }
  }

  /// An archive that can be restored.
  public struct Archive: Sendable {
    /// The file of the archive.
    public internal(set) var generation: Generation
    /// The reader of the archive.
    public let reader: ArchiveReader
    /// The damage found in the archive; empty if it is intact.
    ///
    /// Damage of one of two copies costs no content; the archive is then not ``isPartial``, and the next save writes it anew.
    public let findings: [ArchiveError]
    /// The time at which a save last found the content unchanged, if known; age policies count from this time.
    public let confirmedAt: Date?
    /// The last saves of the file's generation that could not be used; nil if all were.
    package var lostLinks: StoredLinks.Lost?
    /// How many of the last saves could not be used, and why, in words; nil if all were.
    public var lostSaves: String? { lostLinks?.description }
    /// Whether part of the archive is damaged.
    public internal(set) var isPartial = false
    /// The digest of the last link; nil without links.
    var lastDigest: ContentDigest?
    /// The place of the last link applied.
    var linkCount = 0

    /// What was read of the file's generation.
    var content: LoadedContent { LoadedContent(linkCount: linkCount, digest: lastDigest ?? reader.contentDigest) }
  }

  /// The archive, if one was found; if not, nothing was saved, or each of the ``candidates`` has a reason.
  public let archive: Archive?
  /// Why no archive was found; nil if one was, and if the storage is not accessible yet.
  package let reason: FreshStartReason?
  /// The files that could have been restored, in the order in which they were tried.
  public let candidates: [Candidate]

  /// The generations that would have been restored before the archive that was found, but of which there are only links.
  private(set) var missing: [UInt64] = []

  /// The files that would have been restored before the archive that was found, if any, but could not be read.
  var unusableFiles: [Candidate] {
    candidates.prefix { $0.generation != archive?.generation }.filter { candidate in
      switch candidate.outcome {
      case .unreadable, .damaged, .unsupported: true
      case .taken, .partlyRestored, .absent, .notNeeded, .unread: false
      }
    }
  }

  /// Whether the storage is not accessible yet, so that nothing was read: the device is locked, or the disk is not mounted.
  public var isPending: Bool { archive == nil && reason == nil }

  /// Creates the result for an archive whose files were not read.
  init(without reason: FreshStartReason?, candidates: [Candidate] = []) {
    (archive, self.reason, self.candidates) = (nil, reason, candidates)
  }

  /// Tries files in order, until one is intact.
  init(trying generations: [Generation], _ reader: StoreReader, _ confirmation: Confirmation?) {
    var candidates: [Candidate] = []
    var taken: Archive?
    /// The first damaged file that can be opened, and its index among the candidates.
    var partial: (archive: Archive, place: Int)?
    for generation in generations {
      guard taken == nil else {
        candidates.append(Candidate(generation: generation, outcome: .notNeeded))
        continue
      }
      let (outcome, archive, lostLinks) = Self.opening(generation, reader, confirmation)
      if case .taken = outcome { taken = archive } else if let archive, partial == nil { partial = (archive, candidates.count) }
      candidates.append(Candidate(generation: generation, outcome: outcome, lostLinks: lostLinks))
    }
    if let partial, taken == nil { candidates[partial.place].outcome = .partlyRestored(partial.archive.findings) }
    self.candidates = candidates
    archive = taken ?? partial?.archive
    if let archive {
      let orphans = (try? reader.catalog(of: archive.generation.archive))?.orphans ?? []
      missing = Set(orphans.map(\.generation)).filter { $0 > archive.generation.number }.sorted(by: >)
    }
    let isOfLaterVersion = candidates.contains { if case .unsupported = $0.outcome { true } else { false } }
    let isUnreadable = candidates.contains { if case .unreadable(let error) = $0.outcome { error.foreignKind == nil } else { false } }
    reason =
      archive != nil
      ? nil : candidates.isEmpty ? .nothingSaved : isOfLaterVersion ? .laterVersion : isUnreadable ? .unreadable : .allDamaged
  }

  /// Opens and checks a file; returns an archive if it is taken, or damaged and can be opened.
  private static func opening(
    _ generation: Generation, _ reader: StoreReader, _ confirmation: Confirmation?
  ) -> (outcome: Candidate.FileOutcome, archive: Archive?, lostLinks: StoredLinks.Lost?) {
    let stored: StoredArchive
    do throws(FileSystemError) {
      stored = try reader.stored(generation)
    } catch {
      return (error.isAbsence ? .absent : .unreadable(error), nil, nil)
    }
    let bytes: [UInt8]
    let tail: [ArchiveError]
    switch stored {
    case .refused(let error): return (error.kind == .unsupported ? .unsupported(error) : .damaged([error]), nil, nil)
    case .bytes(let content, let error, _): (bytes, tail) = (content, error.map { [$0] } ?? [])
    }
    let links = stored.links
    // Links are applied to valid archives only, and give valid ones.
    let check = links.applied > 0 ? nil : ArchiveCheck(bytes)
    let findings = check?.findings
    // Errors with long paths can be much larger than the file.
    let listingLimit = 16
    if let first = findings?.first, first.kind == .unsupported, first.code != .unknownValueType {
      return (.unsupported(first), nil, links.lost)
    }
    // Without the record of the app itself, no node is reached either.
    guard let opened = stored.reader, (try? opened.application()) != nil else {
      return (.damaged(tail + (findings.map { Array($0.prefix(listingLimit)) } ?? [])), nil, links.lost)
    }
    // Value types of a later version are not damage: the nodes that use them are skipped.
    let damage = tail + (findings?.lazy.filter { $0.code != .unknownValueType }.prefix(listingLimit).map { $0 } ?? [])
    let digest = links.lastDigest ?? opened.contentDigest
    let archive = Archive(
      generation: generation, reader: opened, findings: damage,
      confirmedAt: confirmation.flatMap { $0.digest == digest.rawValue ? $0.time : nil }, lostLinks: links.lost,
      isPartial: !damage.isEmpty && !(tail.isEmpty && check?.isWhole == true), lastDigest: links.lastDigest, linkCount: links.applied)
    return (archive.isPartial ? .damaged(damage) : .taken, archive, links.lost)
  }
}
