#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

/// Writes saves one after the other, off the actor that captured them.
///
/// If several states of an archive are waiting, only the newest is written; the archive that has waited longest comes
/// first.
///
/// A removed archive is not brought back by a save submitted earlier, whichever queue it waits in.
///
/// While writing, the queue retains itself and its store. After an awaited last save, the same process can therefore
/// reopen the store only a moment later.
public final class SaveQueue: Sendable {
  private struct Waiter {
    var archive: ArchiveName
    var number: UInt64
    var race: FlushRace
  }

  /// The requests of one archive.
  private struct Requests {
    /// The newest request that is still waiting.
    var waiting: SaveRequest?
    /// The number of the first request that has waited since the last write.
    var waitingSince: UInt64 = 0
    /// The number of the newest request.
    var newest: UInt64 = 0
    /// The last request, if it failed: it is tried again with the next write.
    var failed: SaveRequest?
    /// The last request, if the store deferred it: it must be tried once more.
    ///
    /// The storage may have become accessible between the check and the deferral, and then nothing else would write it.
    var deferred: Deferred?
    /// The number and outcome of the last finished request.
    var done: (number: UInt64, outcome: FlushOutcome)?

    mutating func add(_ request: SaveRequest, _ number: UInt64) {
      if waiting == nil { waitingSince = number }
      waiting = request.following(waiting ?? failed)
      failed = nil
      newest = number
    }

    /// Lets a failed request be tried again.
    mutating func retry() {
      guard waiting == nil, let failed else { return }
      (waiting, waitingSince, self.failed) = (failed, newest, nil)
    }
  }

  /// A deferred request, whose state the store holds.
  private struct Deferred {
    var request: DeferredRequest
    var number: UInt64
  }

  private struct State {
    var requests: [ArchiveName: Requests] = [:]
    var isRunning = false
    var lastNumber: UInt64 = 0
    var waiters: [Waiter] = []
    var lastError: StoreError?
  }

  /// The store that is written to.
  public let store: RestorationStore
  private let state = Lock(State())
  /// Held while a save is written, so that an emergency write does not overtake one that has begun.
  ///
  /// It is not held while the app reports the accessibility of the storage, which may wait for a thread that waits for
  /// this lock.
  private let writing = Lock(())

  /// Called on the thread that writes with the outcome of each save; nil for a save that has not failed.
  private let note: @Sendable (ArchiveName, StoreError?) -> Void

  /// Creates a queue.
  public convenience init(store: RestorationStore) {
    self.init(store: store) { _, _ in }
  }

  /// Creates a queue that reports the outcome of each save.
  init(store: RestorationStore, note: @escaping @Sendable (ArchiveName, StoreError?) -> Void) {
    self.store = store
    self.note = note
  }

  /// The error of the last failed save.
  public var lastError: StoreError? { state.withLock { $0.lastError } }

  /// Submits an archive to be saved; returns immediately, without copying.
  ///
  /// - Returns: The number of the request, for ``outcome(of:_:until:clock:)``.
  @discardableResult
  public func submit(_ data: Data, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64 {
    submit(EncodedArchive(data), as: archive, at: time)
  }

  /// Submits an encoded archive to be assembled and saved; returns immediately.
  ///
  /// - Returns: The number of the request, for ``outcome(of:_:until:clock:)``.
  @discardableResult
  public func submit(_ encoded: EncodedArchive, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64 {
    submit(SaveRequest(snapshot: Snapshot(encoded), time: time), as: archive)
  }

  /// Submits a preservation, to be saved as by ``RestorationStore/save(_:as:at:)-(Preservation,_,_)``; returns
  /// immediately.
  ///
  /// - Returns: The number of the request, for ``outcome(of:_:until:clock:)``; nil if there is nothing to do, because
  ///   the previous state is kept or not available yet (``Preservation/isDeferred``).
  @discardableResult
  public func submit(_ preservation: Preservation, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64? {
    preservation.saveRequest(at: time).map { submit($0, as: archive) }
  }

  /// Removes an archive as ``RestorationStore/remove(_:)`` does, but on another thread; returns immediately.
  ///
  /// Cancels earlier saves of the archive. A ``SaveCycle`` of the archive still saves when asked to: close it with
  /// ``SaveCycle/close()``, which also removes the archive.
  ///
  /// - Returns: The number of the request, for ``outcome(of:_:until:clock:)``, whose outcome is `forgotten`.
  @discardableResult
  public func remove(_ archive: ArchiveName) -> UInt64 {
    submit(.forgetting(), as: archive)
  }

  /// Submits a preservation like ``submit(_:as:at:)-(Preservation,_,_)``, but does not write it before
  /// ``startWriting()``.
  func submitForLater(_ preservation: Preservation, as archive: ArchiveName, at time: Date?) -> UInt64? {
    preservation.saveRequest(at: time).map { submit($0, as: archive, startsWriting: false) }
  }

  /// Writes all waiting requests on another thread.
  func startWriting() {
    let starts = state.withLock { state in
      for archive in state.requests.keys { state.requests[archive]?.retry() }
      guard !state.isRunning, state.requests.values.contains(where: { $0.waiting != nil }) else { return false }
      state.isRunning = true
      return true
    }
    if starts { Task.detached(priority: .utility) { self.commitWaiting() } }
  }

  private func submit(_ request: SaveRequest, as archive: ArchiveName, startsWriting: Bool = true) -> UInt64 {
    let (number, isFirst) = state.withLock { state in
      state.lastNumber += 1
      // Within the lock, so that removal counts follow the order of the requests.
      let request = store.submitted(request, as: archive)
      state.requests[archive, default: Requests()].add(request, state.lastNumber)
      guard startsWriting else { return (state.lastNumber, false) }
      defer { state.isRunning = true }
      return (state.lastNumber, !state.isRunning)
    }
    if isFirst { Task.detached(priority: .utility) { self.commitWaiting() } }
    return number
  }

  /// The number of the newest request of an archive, finished or not.
  func newestRequest(of archive: ArchiveName) -> UInt64? { state.withLock { $0.requests[archive]?.newest } }

  /// The number of the newest request of an archive, if it is not finished.
  func unfinishedRequest(of archive: ArchiveName) -> UInt64? {
    state.withLock { state in
      guard let requests = state.requests[archive], requests.done.map({ $0.number < requests.newest }) ?? true else { return nil }
      return requests.newest
    }
  }

  /// Writes all waiting requests on the caller's thread, and returns when they are written.
  ///
  /// For the last moment of a process, when asynchronous waiting is not possible.
  package func commitWaiting() {
    state.withLock { state in for archive in state.requests.keys { state.requests[archive]?.retry() } }
    while let deferred = writing.withLock({ _ in deferredOrWaiting() }) {
      let canReach = store.canReach
      writing.withLock { _ in
        for (archive, deferred) in deferred { finish(deferred, as: archive, canReach: canReach) }
        commitNext(canReach: canReach)
      }
    }
  }

  /// The deferred requests to check again, by archive; nil if no request is deferred or waiting.
  private func deferredOrWaiting() -> [ArchiveName: Deferred]? {
    state.withLock { state in
      let deferred = state.requests.compactMapValues(\.deferred)
      if deferred.isEmpty, !state.requests.values.contains(where: { $0.waiting != nil }) {
        state.isRunning = false
        return nil
      }
      return deferred
    }
  }

  /// Writes the archive that has waited longest, if any.
  private func commitNext(canReach: Bool) {
    let next = state.withLock { state -> (archive: ArchiveName, request: SaveRequest, number: UInt64)? in
      let waiting = state.requests.lazy.filter { $0.value.waiting != nil }
      guard let (archive, requests) = waiting.min(by: { $0.value.waitingSince < $1.value.waitingSince }), let request = requests.waiting
      else { return nil }
      state.requests[archive]?.waiting = nil
      // Waiters of the deferred request receive the outcome of this one.
      state.requests[archive]?.deferred = nil
      return (archive, request, requests.newest)
    }
    guard let next else { return }
    let outcome = attempt { () throws(StoreError) in try store.carryOut(next.request, as: next.archive, canReach: canReach) }
    if outcome == .failed { state.withLock { $0.requests[next.archive]?.failed = next.request } }
    if outcome == .deferred {
      // Once the storage is accessible, the store writes the save that it has deferred.
      state.withLock { $0.requests[next.archive]?.deferred = Deferred(request: DeferredRequest(next.request), number: next.number) }
    } else {
      tell(outcome, of: next.number, next.archive)
    }
  }

  /// Finishes a deferred request, unless another thread has.
  private func finish(_ deferred: Deferred, as archive: ArchiveName, canReach: Bool) {
    let isOpen = state.withLock { state in
      guard state.requests[archive]?.deferred?.number == deferred.number else { return false }
      state.requests[archive]?.deferred = nil
      return true
    }
    guard isOpen else { return }
    let outcome = canReach ? attempt { () throws(StoreError) in try store.carryOutDeferred(deferred.request, as: archive) } : .deferred
    tell(outcome, of: deferred.number, archive)
  }

  private func attempt(_ body: () throws(StoreError) -> RestorationStore.SaveOutcome?) -> FlushOutcome {
    do throws(StoreError) {
      switch try body() {
      case nil: return .forgotten
      case .saved: return .saved
      case .unchanged: return .unchanged
      case .deferred: return .deferred
      case .removed: return .forgotten
      }
    } catch {
      state.withLock { $0.lastError = error }
      return .failed
    }
  }

  /// Resumes the waiters of a request with its outcome.
  private func tell(_ outcome: FlushOutcome, of number: UInt64, _ archive: ArchiveName) {
    var error: StoreError?
    let races = state.withLock { state -> [FlushRace] in
      state.requests[archive]?.done = (number, outcome)
      error = outcome == .failed ? state.lastError : nil
      let isReady = { (waiter: Waiter) in waiter.archive == archive && waiter.number <= number }
      defer { state.waiters.removeAll(where: isReady) }
      return state.waiters.filter(isReady).map(\.race)
    }
    // First, so that a waiter finds what is noted.
    note(archive, error)
    for race in races { race.finish(outcome) }
  }

  /// The outcome of a request, or of a newer one of the same archive; nil if it is not finished.
  func finishedOutcome(of number: UInt64, _ archive: ArchiveName) -> FlushOutcome? {
    state.withLock { $0.requests[archive]?.done }.flatMap { $0.number >= number ? $0.outcome : nil }
  }

  /// Waits until a request, or a newer one of the same archive, is finished.
  func outcome(of number: UInt64, _ archive: ArchiveName) async -> FlushOutcome {
    let race = FlushRace()
    if let early = begin(race, number, archive) { return early }
    return await race.outcome()
  }

  /// Adds a waiter, or returns the outcome of a finished request.
  private func begin(_ race: FlushRace, _ number: UInt64, _ archive: ArchiveName) -> FlushOutcome? {
    state.withLock { state -> FlushOutcome? in
      if let done = state.requests[archive]?.done, done.number >= number { return done.outcome }
      state.waiters.append(Waiter(archive: archive, number: number, race: race))
      return nil
    }
  }

  /// Waits until a request, or a newer one of the same archive, is finished, or until the deadline passes.
  public func outcome<C: Clock>(
    of number: UInt64, _ archive: ArchiveName = .application, until deadline: C.Instant, clock: C
  ) async -> FlushOutcome where C.Duration == Duration {
    await outcome(of: number, archive) { try await clock.sleep(until: deadline, tolerance: nil) }
  }

  /// Waits until a request, or a newer one of the same archive, is finished, or until `sleep` returns.
  func outcome(
    of number: UInt64, _ archive: ArchiveName, orAfter sleep: @escaping @Sendable () async throws -> Void
  ) async -> FlushOutcome {
    let race = FlushRace()
    if let early = begin(race, number, archive) { return early }
    let timer = Task.detached {
      do {
        try await sleep()
        race.finish(.expired)
      } catch {
        // Canceled: the outcome arrived in time.
      }
    }
    defer { timer.cancel() }
    return await race.outcome()
  }
}
