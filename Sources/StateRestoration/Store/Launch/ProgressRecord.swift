import Locking
import RestorationArchive
import Synchronization

/// What a launch leaves on the disk of its progress: who it is, how it ends, and which archives are being restored.
///
/// The callback that is running is a word of its own (``ProgressWord``), because it changes with each call into the app.
struct ProgressRecord: Equatable {
  /// The callback that the process was in.
  enum Phase: UInt32 {
    /// None: no node can be the culprit.
    case none = 0
    case creating
    case decoding
    case finishing
    /// The archive is being read.
    case loading
  }

  /// Whether the process is running, or how it ended.
  enum Ending: UInt32 {
    case running = 0
    case ended
    case signal
    case suspended
    /// A handled signal that the app did not answer.
    case unanswered
  }

  /// An archive that was being restored and is not stable.
  struct Archive: Equatable {
    /// The XXH64 hash of the archive's name.
    var hash: UInt64
    /// The number of the restored generation.
    var generation: UInt64
    /// The generation, as far as it was read: the numbers of nodes refer to it.
    var content: LoadedContent
    /// Whether the app has worked since: a save had changes, or a turn has ended.
    var hasWorked = false
    /// Whether it was offered instead of restored.
    var isSetAside = false
  }

  var ending = Ending.running
  /// A random number that identifies the launch.
  var launch: UInt64 = 0
  /// An identifier of the machine's boot; 0 if unknown.
  var boot: UInt64 = 0
  /// The running build; nil if unknown or longer than 512 bytes.
  var bundleVersion: String?
  /// The number of bad launches in a row before this one, which thus survives a full disk.
  var streak = 0
  /// Whether an archive has become stable.
  var hasRun = false
  /// Whether the launch has begun to restore an archive, if only one that the user had accepted.
  var hasRestored = false
  /// Whether the ledger may lack what this launch has concluded from the record before this one, which then still counts.
  var isJudging = false
  /// The archives that are being restored, by number; nil for a free number.
  var archives: [Archive?] = []

  /// Whether the launch has ended before it had judged the last one, and had done nothing else but that.
  var isBlank: Bool { isJudging && ending == .running && !hasRun && !hasRestored && archives.allSatisfy { $0 == nil } }

  /// Whether all but the archives is the same.
  func hasSameHead(as other: ProgressRecord) -> Bool {
    var head = other
    head.archives = archives
    return self == head
  }
}

/// What a launch has read of a generation: another process may have added links since.
struct LoadedContent: Equatable {
  /// The place of the last link applied.
  var linkCount = 0
  /// The digest of the last of them, or of the archive if there is none.
  var digest = ContentDigest(rawValue: 0)
}

/// The callback that is running, in one word that a process stores before it calls into the app.
///
///     16 bits  the launch, so that a word of an earlier one does not count
///      3 bits  the callback
///     18 bits  the entry of the archive
///     27 bits  the node: its number in the archive as it was read, before aliases and upgrades; 0 is the app itself
struct ProgressWord: Equatable {
  var rawValue: UInt64 = 0

  private static let phaseShift: UInt64 = 45
  private static let entryShift: UInt64 = 27
  /// The number of entries that a word can name.
  static let entryLimit = 1 << 18
  /// The number for a node whose path is noted as text.
  static let textNode = 1 << 27 - 1
  /// The number for a node without a number of its own: the death is then charged to the archive.
  static let unknownNode = 1 << 27 - 2

  init(rawValue: UInt64 = 0) { self.rawValue = rawValue }

  /// Creates a word of a launch for an entry, without a callback.
  init(launch: UInt64, entry: Int) {
    rawValue = launch << 48 | UInt64(entry) << Self.entryShift
  }

  /// Returns this word with a callback of a node.
  func calling(_ phase: ProgressRecord.Phase, _ node: Int) -> ProgressWord {
    ProgressWord(rawValue: rawValue | UInt64(phase.rawValue) << Self.phaseShift | UInt64(min(node, Self.unknownNode)))
  }

  /// Returns this word with a callback of a node whose path is noted as text.
  func callingNoted(_ phase: ProgressRecord.Phase) -> ProgressWord {
    ProgressWord(rawValue: rawValue | UInt64(phase.rawValue) << Self.phaseShift | UInt64(Self.textNode))
  }

  /// Whether the word belongs to a launch.
  func isOf(launch: UInt64) -> Bool { rawValue >> 48 == launch & 0xFFFF }

  /// The callback; nil for a value that this build does not know.
  var phase: ProgressRecord.Phase? { ProgressRecord.Phase(rawValue: UInt32(rawValue >> Self.phaseShift & 7)) }
  /// The entry of the archive.
  var entry: Int { Int(rawValue >> Self.entryShift & UInt64(Self.entryLimit - 1)) }
  /// The number of the node.
  var node: Int { Int(rawValue & (1 << 27 - 1)) }
}

/// Records which node of an archive is being called while the archive is restored.
///
/// Between two callbacks of nodes that did not kill the app before, nothing is formatted, allocated or written by a
/// system call, if the file of the record can be mapped.
final class RestoringProgress: CallbackRecorder {
  private let launch: LaunchRecorder
  private let generation: Generation
  /// The generation, as far as it was read.
  private let content: LoadedContent
  /// Whether a node of the archive killed the app before, so that each callback is compared with it.
  let hasSuspects: Bool
  private let file: ProgressFile?
  /// The word without a callback.
  private let base: ProgressWord
  /// The restoring that this one was started within, whose callback is running meanwhile.
  private let outer: RestoringProgress?
  /// The callback that has not returned; 0 if there is none.
  private let word = Atomic<UInt64>(0)

  init(
    _ launch: LaunchRecorder, _ generation: Generation, _ content: LoadedContent, _ file: ProgressFile?, base: ProgressWord,
    hasSuspects: Bool, within outer: RestoringProgress?
  ) {
    (self.launch, self.generation, self.content) = (launch, generation, content)
    (self.file, self.base, self.hasSuspects, self.outer) = (file, base, hasSuspects, outer)
  }

  var archive: ArchiveName { generation.archive }

  // Without this object: once restoring has ended, nothing but the record of the launch is needed.
  var noteLate: @Sendable (RestorationPhase, RestorationPath, _ node: Int) -> Void {
    { [launch, generation, content] in launch.noteLate($0, $1, node: $2, in: generation, content) }
  }

  func note(_ phase: RestorationPhase, node: Int) {
    ExitRecorder.noteThread()
    let called = base.calling(phase.called ?? ProgressRecord.Phase.none, node)
    word.store(called.rawValue, ordering: .relaxed)
    file?.store(called)
  }

  func noteWaiting() {
    ExitRecorder.noteThread()
    word.store(0, ordering: .relaxed)
    file?.store(outer?.visibleWord ?? ProgressWord())
  }

  func noteSuspect(_ phase: RestorationPhase, _ paths: [RestorationPath]) {
    guard let phase = phase.called else { return }
    launch.update { history in
      for path in paths { history.noteSuspect(phase, path, of: archive) }
    }
  }

  func end(isExtended: Bool) {
    launch.state.withLock { state in
      leave(&state)
      guard state.history != nil else { return }
      state.history?.note(isExtended ? .waiting : .ended, .application, in: generation, content)
      state.writeProgress()
    }
  }

  /// Ends without a result, because restoring has failed.
  func cancel() { launch.state.withLock { leave(&$0) } }

  private func leave(_ state: inout LaunchRecorder.State) {
    word.store(0, ordering: .relaxed)
    state.restoring.removeAll { $0.progress == nil || $0.progress === self }
    state.putBackWord()
  }

  /// The callback that has not returned.
  var phase: ProgressRecord.Phase { ProgressWord(rawValue: word.load(ordering: .relaxed)).phase ?? .none }
  /// The word of the callback that has not returned.
  var visibleWord: ProgressWord {
    let own = ProgressWord(rawValue: word.load(ordering: .relaxed))
    return own.phase == ProgressRecord.Phase.none ? outer?.visibleWord ?? ProgressWord() : own
  }
}

/// Does not keep its restoring alive, which belongs to the session.
struct WeakRestoringProgress {
  weak var progress: RestoringProgress?
}

extension LaunchRecorder {
  /// Records that a callback of a node is about to begin, for an object that registers after its archive was restored.
  ///
  /// The path is noted as text, because the generation may be gone by the time that it is needed.
  fileprivate func noteLate(
    _ phase: RestorationPhase, _ path: RestorationPath, node: Int, in generation: Generation, _ content: LoadedContent
  ) {
    ExitRecorder.noteThread()
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.note(phase, path, node: node, in: generation, content)
      state.writeProgress()
      state.putBackWord()
    }
  }

  /// Records that an archive is read meanwhile, if this launch has begun, because that may end the process: it may be longer
  /// than the memory.
  func recordLoading<Result, Failure: Error>(_ archive: ArchiveName, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    state.withLock { state in
      state.history?.beginLoading(archive)
      state.writeProgress()
      guard let progress = state.progress, let history = state.history, let number = history.number(of: archive) else { return }
      progress.file.store(ProgressWord(launch: history.launch.number, entry: progress.place(of: number)).calling(.loading, 0))
    }
    defer {
      state.withLock { state in
        state.history?.abandon(archive)
        state.putBackWord()
        state.writeProgress()
      }
    }
    return try body()
  }

  /// Begins to record the restoring of a generation; nil before the launch has begun.
  func beginProgress(of generation: Generation, _ content: LoadedContent) -> RestoringProgress? {
    state.withLock { state in
      state.history?.begin(generation, content)
      state.writeProgress()
      guard let history = state.history, let number = history.number(of: generation.archive) else { return nil }
      let base = ProgressWord(launch: history.launch.number, entry: state.progress?.place(of: number) ?? 0)
      let progress = RestoringProgress(
        self, generation, content, state.progress?.file, base: base, hasSuspects: history.hasSuspects(in: generation.archive),
        within: state.innermost)
      state.restoring.append(WeakRestoringProgress(progress: progress))
      return progress
    }
  }
}
