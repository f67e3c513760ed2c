#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

extension RestorationStore {
  /// Whether an app wants an archive.
  public enum Answer: Sendable {
    /// It does.
    case accept
    /// It does not, for a reason; the file stays, and one before it is tried.
    case decline(String)
  }

  /// Finds the best file of an archive: the newest one that is whole and wanted, or else the newest one of which something can be read.
  ///
  /// A file is checked to its last byte before it is taken. If the store was opened for writing, damaged files are set aside, so that no
  /// save removes them. What is to be forgotten and could not be removed yet is not there any more. A launch that was to begin while the files
  /// could not be reached begins here.
  ///
  /// - Parameters:
  ///   - archive: Which archive.
  ///   - accepting: Whether the app wants one, by its header and the time when it was last found unchanged.
  /// - Returns: What there is, with the reason for each file.
  /// - Throws: ``StoreError/system(_:)`` if the folder cannot be listed; ``StoreError`` if a launch that was to begin cannot, which is tried
  ///   again the next time.
  /// - Complexity: O(n) in the bytes of the files that are tried.
  public func load(
    _ archive: ArchiveName = .application, accepting: (ArchiveHeader, Date?) -> Answer = { _, _ in .accept }
  ) throws(StoreError) -> StoreLoad {
    guard canReach else { return StoreLoad(outcome: .pending, candidates: []) }
    try withState { (state) throws(StoreError) in try beginAwaitedLaunch(&state) }
    var trial = LoadTrial(store: self, confirmation: confirmation(of: archive))
    for generation in try remembered().candidates(for: archive) { trial.try(generation, accepting: accepting) }
    let load = trial.result
    try keepApart(load)
    return load
  }

  func confirmation(of archive: ArchiveName) -> Confirmation? {
    (try? folder.read(Confirmation.fileName(for: archive))).flatMap { Confirmation($0) }
  }

  /// Remembers what was loaded, and sets damaged files aside.
  private func keepApart(_ load: StoreLoad) throws(StoreError) {
    guard access == .writing else { return }
    try withState { (state) throws(StoreError) in
      for candidate in load.candidates {
        switch candidate.outcome {
        case .damaged: setAside(candidate.generation, as: .damaged, &state)
        // It is still what there is, so it is moved when something takes its place.
        case .takenInPart: state.marksBeforeSave[candidate.generation] = .damaged
        case .unsupported, .unreadable: state.passedOver[candidate.generation.archive, default: []].insert(candidate.generation.number)
        case .taken: state.passedOver[candidate.generation.archive]?.remove(candidate.generation.number)
        default: break
        }
      }
      if let archive = load.archive, archive.generation.mark == .none, !archive.isPartial {
        state.current[archive.generation.archive] = Current(
          generation: archive.generation, digest: archive.reader.contentDigest, bundleVersion: archive.reader.header.bundleVersion)
      }
    }
  }

  /// Gives a file a mark; if that fails it keeps its name, and is marked before the next save.
  private func setAside(_ generation: Generation, as mark: Generation.Mark, _ state: inout State) {
    do throws(FileSystemError) {
      try folder.rename(generation.fileName, to: generation.marked(mark).fileName)
    } catch {
      state.marksBeforeSave[generation] = mark
    }
  }
}

/// Tries the files of an archive one after the other.
private struct LoadTrial {
  let store: RestorationStore
  let confirmation: Confirmation?
  private var candidates: [StoreLoad.Candidate] = []
  private var taken: StoreLoad.Archive?
  /// The first of those that are damaged but can be opened, and its place among the candidates.
  private var partial: (archive: StoreLoad.Archive, place: Int)?

  init(store: RestorationStore, confirmation: Confirmation?) {
    self.store = store
    self.confirmation = confirmation
  }

  mutating func `try`(_ generation: Generation, accepting: (ArchiveHeader, Date?) -> RestorationStore.Answer) {
    let outcome = taken == nil ? outcome(of: generation, accepting) : .notNeeded
    candidates.append(StoreLoad.Candidate(generation: generation, outcome: outcome))
  }

  private mutating func outcome(
    of generation: Generation, _ accepting: (ArchiveHeader, Date?) -> RestorationStore.Answer
  ) -> StoreLoad.Candidate.Outcome {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try store.folder.read(generation.fileName)
    } catch {
      return error.isAbsence ? .absent : .unreadable(error)
    }
    let findings = ArchiveCheck(bytes).findings
    // Errors with long paths can be larger than the file by far.
    let mostListed = 16
    if let first = findings.first, first.kind == .unsupported, first.code != .unknownValueType { return .unsupported(first) }
    guard let reader = try? ArchiveReader(bytes, toleratesLength: true) else { return .damaged(Array(findings.prefix(mostListed))) }
    // Values of a later version are no damage: the nodes that have them are left out by themselves.
    let damage = Array(findings.lazy.filter { $0.code != .unknownValueType }.prefix(mostListed))
    let confirmedAt = confirmation.flatMap { $0.digest == reader.contentDigest.rawValue ? $0.time : nil }
    let archive = StoreLoad.Archive(generation: generation, reader: reader, findings: damage, confirmedAt: confirmedAt)
    if case .decline(let reason) = accepting(reader.header, confirmedAt) { return .declined(reason) }
    guard damage.isEmpty else {
      if partial == nil { partial = (archive, candidates.count) }
      return .damaged(damage)
    }
    taken = archive
    return .taken
  }

  /// What came of it.
  var result: StoreLoad {
    if let taken { return StoreLoad(outcome: .archive(taken), candidates: candidates) }
    if let partial {
      var candidates = candidates
      candidates[partial.place].outcome = .takenInPart(partial.archive.findings)
      return StoreLoad(outcome: .archive(partial.archive), candidates: candidates)
    }
    if candidates.isEmpty { return StoreLoad(outcome: .noFiles, candidates: []) }
    let isWanted = candidates.allSatisfy { candidate in
      switch candidate.outcome {
      case .declined, .unsupported: false
      default: true
      }
    }
    return StoreLoad(outcome: isWanted ? .allDamaged : .declined, candidates: candidates)
  }
}
