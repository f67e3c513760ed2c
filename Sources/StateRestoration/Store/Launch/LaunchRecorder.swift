import Locking
import RestorationArchive

/// Records this launch: its history in memory, and its progress on the disk.
///
/// It has a lock of its own, under which the progress is written but nothing is flushed, so that a turn, a tick, a
/// suspension and the end of a restoring never wait for a save (see ``SharedWriter`` for the order of locks). The ledger is
/// written under the lock of the store.
final class LaunchRecorder: Sendable {
  struct State {
    /// The build that launches; nil if unknown.
    var build: String?
    /// Whether the launch is waiting for the storage.
    var isAwaited = false
    /// The launch history, once this launch has begun.
    var history: LaunchHistory?
    /// The record of this launch on the disk.
    var progress: ProgressRecorder?
    /// The archives that are being restored now, the innermost last.
    var restoring: [WeakRestoringProgress] = []
    /// The error that prevented this launch from being recorded.
    var error: StoreError?
  }

  let options: LaunchOptions
  /// An identifier of the machine's boot; 0 if unknown.
  let boot: UInt64
  let reader: StoreReader
  let state: Lock<State>

  init(_ reader: StoreReader, _ options: LaunchOptions, boot: UInt64) {
    (self.reader, self.options, self.boot) = (reader, options, boot)
    state = Lock(State(build: options.bundleVersion))
  }

  /// The launch history; nil before the launch has begun.
  var history: LaunchHistory? { state.withLock { $0.history } }

  /// Whether the launch is waiting for the storage.
  var isAwaited: Bool { state.withLock { $0.isAwaited } }

  /// Whether the record on the disk is still to be begun.
  var needsProgress: Bool { state.withLock { $0.history != nil && $0.progress == nil } }

  /// Changes the history, and writes the resulting progress; nil before the launch has begun.
  @discardableResult
  func update<Result: Sendable>(_ body: (inout LaunchHistory) -> Result) -> Result? {
    state.withLock { state in
      guard state.history != nil else { return nil }
      state.noteCalls()
      // Where it is: a copy would be as long as the history.
      let result = state.history?.changed(by: body)
      state.writeProgress()
      return result
    }
  }

  /// Changes the history unless `body` throws, and writes the resulting progress; nil before the launch has begun.
  func change<Result: Sendable>(_ body: (inout LaunchHistory) throws(StoreError) -> Result) throws(StoreError) -> Result? {
    try state.withLock { (state: inout sending State) throws(StoreError) -> Result? in
      state.noteCalls()
      guard var history = state.history else { return nil }
      let result = try body(&history)
      state.history = history
      state.writeProgress()
      return result
    }
  }

  /// Begins or continues to record a launch.
  func begin(_ history: LaunchHistory) {
    state.withLock { state in
      state.history = history
      state.isAwaited = false
      state.writeProgress()
    }
  }

  /// Records the first error that the launch can do without.
  func note(_ error: StoreError) { state.withLock { $0.error = $0.error ?? error } }

  /// Uses a new record on the disk.
  func use(_ progress: ProgressRecorder) {
    state.withLock { state in
      state.progress = progress
      state.writeProgress()
      state.putBackWord()
    }
  }

  /// Gives up the record on the disk, which someone has removed.
  func dropProgress() { state.withLock { $0.progress = nil } }

  /// The ledger, and the archives whose stability waits for it to be durable.
  var unwritten: (ledger: LaunchLedger, stable: Set<Int>)? {
    state.withLock { state in state.history.map { ($0.ledger, Set($0.unwritten.map(\.number))) } }
  }

  /// Records that a ledger is durable.
  func noteWritten(_ stable: Set<Int>) {
    if !stable.isEmpty { update { $0.noteWritten(stable) } }
  }

  /// Flushes the record on the disk.
  func flush() {
    let file = state.withLock { $0.progress?.file }
    try? file?.flush()
  }

  /// Ends the record; a launch can begin again.
  func end() {
    state.withLock { state in
      let restoring = state.restoring
      state = State(build: options.bundleVersion)
      state.restoring = restoring
    }
  }
}

extension LaunchRecorder.State {
  /// Updates the history with the callbacks that are running, which only the words of the record tell.
  mutating func noteCalls() {
    for case let progress? in restoring.map(\.progress) { history?.noteCall(progress.phase, of: progress.archive) }
  }

  /// Writes the changes of the progress, without waiting for the disk.
  ///
  /// A failed write does not stop the launch.
  mutating func writeProgress() {
    if let history { try? progress?.write(history.record) }
  }

  /// The restoring whose callback is running now.
  var innermost: RestoringProgress? { restoring.lazy.compactMap(\.progress).last { $0.phase != .none } }

  /// Stores the word of the callback that is running now: of the archive that is being restored, or of a late object.
  func putBackWord() {
    guard let progress, let history else { return }
    if let innermost { return progress.file.store(innermost.visibleWord) }
    guard let late = history.lateCall else { return progress.file.store(ProgressWord()) }
    let base = ProgressWord(launch: history.launch.number, entry: progress.place(of: late.number))
    let isNoted = (try? progress.file.write(text: late.path, launch: history.launch.number)) ?? false
    progress.file.store(isNoted ? base.callingNoted(late.phase) : base.calling(late.phase, late.node))
  }
}

extension LaunchHistory {
  fileprivate mutating func changed<Result>(by body: (inout LaunchHistory) -> Result) -> Result { body(&self) }
}
