import RestorationArchive
import Locking
import Synchronization

/// Records which node of an archive is being called while the archive is restored.
///
/// Between two callbacks of nodes that did not kill the app before, nothing is formatted, allocated or written by a
/// system call, if the file of the record can be mapped.
final class RestoringProgress: CallbackRecorder {
  /// What is needed once restoring has ended, for objects that register late.
  let late: LateProgress
  /// Whether a node of the archive killed the app before, so that each callback is compared with it.
  let hasSuspects: Bool
  private let file: ProgressFile?
  /// The word without a callback.
  private let base: ProgressWord
  /// The restoring that this one was started within, whose callback is running meanwhile.
  private let outer: RestoringProgress?
  /// The callback that has not returned; 0 if there is none.
  private let word = Atomic<UInt64>(0)

  init(_ late: LateProgress, _ file: ProgressFile?, base: ProgressWord, hasSuspects: Bool, within outer: RestoringProgress?) {
    (self.late, self.file, self.base, self.hasSuspects, self.outer) = (late, file, base, hasSuspects, outer)
  }

  var archive: ArchiveName { late.generation.archive }

  var noteLate: @Sendable (RestorationPhase, RestorationPath, _ node: Int) -> Void { { [late] in late.note($0, $1, node: $2) } }

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
    late.launch.update { history in
      for path in paths { history.noteSuspect(phase, path, of: archive) }
    }
  }

  func end(isExtended: Bool) {
    late.launch.state.withLock { state in
      leave(&state)
      guard state.history != nil else { return }
      state.history?.note(isExtended ? .waiting : .ended, .application, in: late.generation, late.content)
      state.writeProgress()
    }
  }

  /// Ends without a result, because restoring has failed.
  func cancel() { late.launch.state.withLock { leave(&$0) } }

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

/// Records which node is being called when an object registers after its archive was restored.
struct LateProgress: Sendable {
  let launch: LaunchRecorder
  let generation: Generation
  /// What was read of the generation.
  let content: LoadedContent

  /// Records that a callback of a node is about to begin.
  ///
  /// The path is noted as text, because the generation may be gone by the time that it is needed.
  func note(_ phase: RestorationPhase, _ path: RestorationPath, node: Int) {
    ExitRecorder.noteThread()
    launch.state.withLock { state in
      guard state.history != nil else { return }
      state.history?.note(phase, path, node: node, in: generation, content)
      state.writeProgress()
      state.putBackWord()
    }
  }
}

extension LaunchRecorder {
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
    let late = LateProgress(launch: self, generation: generation, content: content)
    return state.withLock { state in
      state.history?.begin(generation, content)
      state.writeProgress()
      guard let history = state.history, let number = history.number(of: generation.archive) else { return nil }
      let base = ProgressWord(launch: history.launch.number, entry: state.progress?.place(of: number) ?? 0)
      let progress = RestoringProgress(
        late, state.progress?.file, base: base, hasSuspects: history.hasSuspects(in: generation.archive), within: state.innermost)
      state.restoring.append(WeakRestoringProgress(progress: progress))
      return progress
    }
  }
}
