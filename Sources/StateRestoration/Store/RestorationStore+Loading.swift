#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  /// Whether an app wants an archive.
  public enum Answer: Sendable {
    /// It does.
    case accept
    /// It does not, for a reason; the file stays, and one before it is tried.
    case decline(String)
  }

  /// Looks for the best file of an archive: the newest one that is whole and wanted, or else the newest one of which something can be read.
  ///
  /// It is for looking: an app restores by ``restore(_:as:with:options:isolation:)``, which finds out whether restoring has killed the app
  /// before, and notes how far it comes. Nothing of that happens here.
  ///
  /// A file is checked to its last byte before it is taken. If the store was opened for writing, damaged files are set aside, so that no
  /// save removes them. What is to be forgotten and could not be removed yet is not there any more. A launch that was to begin while the files
  /// could not be reached begins here.
  ///
  /// While it runs another thread or process may save, so that files are replaced between being listed and being opened. Then they are listed
  /// again.
  ///
  /// - Parameters:
  ///   - archive: Which archive.
  ///   - accepting: Whether the app wants one, by its header and the time when it was last found unchanged. It may be asked about a file again
  ///     if files were replaced meanwhile.
  /// - Returns: What there is, with the reason for each file.
  /// - Throws: ``StoreError/system(_:)`` if the folder cannot be listed, or if its files were replaced without end; ``StoreError`` if a launch that was to begin cannot, which is tried
  ///   again the next time.
  /// - Complexity: O(n) in the bytes of the files that are tried.
  public func load(
    _ archive: ArchiveName = .application, accepting: (ArchiveHeader, Date?) -> Answer = { _, _ in .accept }
  ) throws(StoreError) -> StoreLoad {
    guard canReach else { return StoreLoad(outcome: .pending, candidates: []) }
    try withState { (state) throws(StoreError) in try beginAwaitedLaunch(&state) }
    try renumber()
    let load = try settledLoad(archive, accepting)
    try keepApart(load)
    return load
  }

  /// The files of an archive that may be restored, in the order in which they are tried.
  private func candidates(for archive: ArchiveName) throws(StoreError) -> [Generation] {
    try foreseen().candidates(for: archive)
  }

  /// Tries the files of an archive until none of them was replaced before it could be opened.
  private func settledLoad(
    _ archive: ArchiveName, _ accepting: (ArchiveHeader, Date?) -> Answer
  ) throws(StoreError) -> StoreLoad {
    var absent: Set<Generation> = []
    // Each round takes two saves between two calls to the system; who saves so often for so long saves nothing that lasts.
    for _ in 0..<100 {
      var trial = LoadTrial(store: self, confirmation: confirmation(of: archive))
      for generation in try candidates(for: archive) { trial.try(generation, accepting: accepting) }
      let load = trial.result
      // What is listed again and still cannot be opened was not replaced.
      let replaced = load.candidates.filter { $0.isAbsent && !absent.contains($0.generation) }
      guard !replaced.isEmpty else { return load }
      absent.formUnion(replaced.map(\.generation))
    }
    throw .system(FileSystemError(.open, code: ENOENT, path: absent.max()?.fileName ?? ""))
  }

  /// Gives files numbers that have such as no store has given, if this process may write.
  private func renumber() throws(StoreError) {
    guard access == .writing else { return }
    try withState { (state) throws(StoreError) in
      guard try !catalog().renumberings.isEmpty, (try? lock(&state)) != nil else { return }
      _ = try numberedCatalog(&state)
    }
  }

  func confirmation(of archive: ArchiveName) -> Confirmation? {
    let bytes = try? folder.readStart(of: Confirmation.fileName(for: archive), count: Confirmation.byteCount)
    return bytes.flatMap { Confirmation($0) }
  }

  /// Remembers what was loaded, and sets damaged files aside.
  private func keepApart(_ load: StoreLoad) throws(StoreError) {
    guard access == .writing else { return }
    try withState { (state) throws(StoreError) in
      var hasDeclined = false
      for candidate in load.candidates {
        switch candidate.outcome {
        case .damaged, .notAFile: setAside(candidate.generation, as: .damaged, &state)
        // It is still what there is, so it is moved when something takes its place.
        case .takenInPart: state.marksBeforeSave[candidate.generation] = .damaged
        case .unsupported: passOver(candidate.generation, .laterVersion, &state)
        case .unreadable: passOver(candidate.generation, .unreadable, &state)
        case .declined:
          // One before it is no more than what the newer one replaced.
          if !hasDeclined { passOver(candidate.generation, .declined, &state) }
          hasDeclined = true
        case .taken: takeBackPassingOver(candidate.generation, &state)
        default: break
        }
      }
      if let archive = load.archive, archive.generation.mark == .none, !archive.isPartial {
        state.current[archive.generation.archive] = Current(
          generation: archive.generation, digest: archive.reader.contentDigest, bundleVersion: archive.reader.header.bundleVersion)
      }
    }
  }

  /// Notes that a file can be read and is wanted now, if an earlier load found otherwise.
  private func takeBackPassingOver(_ generation: Generation, _ state: inout State) {
    guard let note = state.passedOver[generation], [.laterVersion, .unreadable, .declined].contains(note.reason) else { return }
    state.passedOver[generation] = nil
    if state.marksBeforeSave[generation] == .offered { state.marksBeforeSave[generation] = nil }
  }

  /// Gives a file a mark; if that fails, or another process writes, it keeps its name, and is marked before the next save.
  private func setAside(_ generation: Generation, as mark: Generation.Mark, _ state: inout State) {
    do throws(StoreError) {
      try lock(&state)
      try system { () throws(FileSystemError) in try folder.rename(generation.fileName, to: generation.marked(mark).fileName) }
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
    let stored: StoredArchive
    do throws(FileSystemError) {
      stored = try StoredArchive(generation, in: store.folder)
    } catch {
      return error.isAbsence ? .absent : error.foreignKind.map { .notAFile($0) } ?? .unreadable(error)
    }
    let bytes: [UInt8]
    let tail: [ArchiveError]
    switch stored {
    case .refused(let error): return error.kind == .unsupported ? .unsupported(error) : .damaged([error])
    case .bytes(let content, let error): (bytes, tail) = (content, error.map { [$0] } ?? [])
    }
    let findings = ArchiveCheck(bytes).findings
    // Errors with long paths can be larger than the file by far.
    let mostListed = 16
    if let first = findings.first, first.kind == .unsupported, first.code != .unknownValueType { return .unsupported(first) }
    guard let reader = stored.reader else { return .damaged(tail + findings.prefix(mostListed)) }
    // Values of a later version are no damage: the nodes that have them are left out by themselves.
    let damage = tail + findings.lazy.filter { $0.code != .unknownValueType }.prefix(mostListed)
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
