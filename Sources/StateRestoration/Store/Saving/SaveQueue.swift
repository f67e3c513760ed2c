#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

/// Commits saves one after the other, away from the actor that captured them.
///
/// Of several states that wait for their turn only the newest of each archive is written, the archive first that has waited longest.
///
/// An archive that is removed does not come back by a save that was submitted before, whichever queue it waits in.
///
/// While it writes it keeps itself and the store; so a store of which a last save was awaited is free for another one of the same process only
/// a moment later.
public final class SaveQueue: Sendable {
  private struct Waiter {
    var archive: ArchiveName
    var number: UInt64
    var race: FlushRace
  }

  /// The requests of one archive.
  private struct Requests {
    /// The newest one, until its turn comes.
    var waiting: SaveRequest?
    /// The number of the first one that has waited since the last turn.
    var waitingSince: UInt64 = 0
    /// The number of the newest one.
    var newest: UInt64 = 0
    /// The last one, as long as the store holds it and the app is to be asked once more whether the files can be reached: they may have come
    /// within reach since it was asked, and whoever was told so may have found nothing held.
    var held: Held?
    /// The number of the last one that is dealt with, and what came of it.
    var done: (number: UInt64, outcome: FlushOutcome)?

    mutating func add(_ request: SaveRequest, _ number: UInt64) {
      if waiting == nil { waitingSince = number }
      waiting = request.following(waiting)
      newest = number
    }
  }

  /// A request that is held.
  private struct Held {
    var request: SaveRequest
    var number: UInt64
  }

  private struct State {
    var requests: [ArchiveName: Requests] = [:]
    var isRunning = false
    var lastNumber: UInt64 = 0
    var waiters: [Waiter] = []
    var lastError: StoreError?
  }

  /// Where the saves go.
  public let store: RestorationStore
  private let state = Lock(State())
  /// Held while a save is written, so that whoever writes in an emergency does not overtake one that has begun.
  ///
  /// It is not held while the app is asked whether the files can be reached, which may wait for a thread that waits for this.
  private let writing = Lock(())

  /// Makes a queue.
  public init(store: RestorationStore) {
    self.store = store
  }

  /// Why the last save that failed did.
  public var lastError: StoreError? { state.withLock { $0.lastError } }

  /// Hands over an archive to be saved; returns at once, without a copy.
  ///
  /// The number that it returns is for ``outcome(of:_:until:clock:)``.
  @discardableResult
  public func submit(_ data: Data, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64 {
    submit(EncodedArchive(data), as: archive, at: time)
  }

  /// Hands over an archive that was encoded, to be put together and saved; returns at once.
  ///
  /// The number that it returns is for ``outcome(of:_:until:clock:)``.
  @discardableResult
  public func submit(_ encoded: EncodedArchive, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64 {
    submit(SaveRequest(archive: encoded, time: time), as: archive)
  }

  /// Hands over what was preserved, to be saved as ``RestorationStore/save(_:as:at:)-(Preservation,_,_)`` does; returns at once.
  ///
  /// - Returns: A number for ``outcome(of:_:until:clock:)``; nil if there is nothing to do, since what was saved before stays or is still to
  ///   come (``Preservation/isHeld``).
  @discardableResult
  public func submit(_ preservation: Preservation, as archive: ArchiveName = .application, at time: Date? = nil) -> UInt64? {
    preservation.saveRequest(at: time).map { submit($0, as: archive) }
  }

  /// Has an archive removed, as ``RestorationStore/remove(_:)`` does it, but away from the caller; returns at once.
  ///
  /// Saves of the archive that were submitted before come to nothing. A ``SaveCycle`` of it still saves when it is told to: close that with
  /// ``SaveCycle/close()``, which does this too.
  ///
  /// The number that it returns is for ``outcome(of:_:until:clock:)``, which answers `forgotten`.
  @discardableResult
  public func remove(_ archive: ArchiveName) -> UInt64 {
    submit(.forgetting(), as: archive)
  }

  /// Takes what was preserved as ``submit(_:as:at:)-(Preservation,_,_)`` does, to be written after ``startWriting()``.
  func submitForLater(_ preservation: Preservation, as archive: ArchiveName, at time: Date?) -> UInt64? {
    preservation.saveRequest(at: time).map { submit($0, as: archive, startsWriting: false) }
  }

  /// Writes, on another thread, everything that waits.
  func startWriting() {
    let starts = state.withLock { state in
      guard !state.isRunning, state.requests.values.contains(where: { $0.waiting != nil }) else { return false }
      state.isRunning = true
      return true
    }
    if starts { Task.detached(priority: .utility) { self.commitWaiting() } }
  }

  private func submit(_ request: SaveRequest, as archive: ArchiveName, startsWriting: Bool = true) -> UInt64 {
    let (number, isFirst) = state.withLock { state in
      state.lastNumber += 1
      // Within the lock, so that requests are counted in the order in which they wait.
      let request = store.submitted(request, as: archive)
      state.requests[archive, default: Requests()].add(request, state.lastNumber)
      guard startsWriting else { return (state.lastNumber, false) }
      defer { state.isRunning = true }
      return (state.lastNumber, !state.isRunning)
    }
    if isFirst { Task.detached(priority: .utility) { self.commitWaiting() } }
    return number
  }

  /// The number of the newest request of an archive, whether it is dealt with or not.
  func newestRequest(of archive: ArchiveName) -> UInt64? { state.withLock { $0.requests[archive]?.newest } }

  /// The number of the newest request of an archive, if it is not dealt with yet.
  func unfinishedRequest(of archive: ArchiveName) -> UInt64? {
    state.withLock { state in
      guard let requests = state.requests[archive], requests.done.map({ $0.number < requests.newest }) ?? true else { return nil }
      return requests.newest
    }
  }

  /// Writes what waits, on the thread of the caller, and returns when all is written.
  ///
  /// It is for the last moment of a process, when nobody can be waited for.
  public func commitWaiting() {
    while let held = writing.withLock({ _ in heldOrWaiting() }) {
      let canReach = store.canReach
      writing.withLock { _ in
        for (archive, held) in held { finish(held, as: archive, canReach: canReach) }
        commitNext(canReach: canReach)
      }
    }
  }

  /// The requests that the store holds and of which the app is to be asked again, by archive; nil if nothing is held or waits.
  private func heldOrWaiting() -> [ArchiveName: Held]? {
    state.withLock { state in
      let held = state.requests.compactMapValues(\.held)
      if held.isEmpty, !state.requests.values.contains(where: { $0.waiting != nil }) {
        state.isRunning = false
        return nil
      }
      return held
    }
  }

  /// Writes the archive that has waited longest, if one waits.
  private func commitNext(canReach: Bool) {
    let next = state.withLock { state -> (archive: ArchiveName, request: SaveRequest, number: UInt64)? in
      let waiting = state.requests.lazy.filter { $0.value.waiting != nil }
      guard let (archive, requests) = waiting.min(by: { $0.value.waitingSince < $1.value.waitingSince }), let request = requests.waiting
      else { return nil }
      state.requests[archive]?.waiting = nil
      // Whoever waits for that is told what becomes of this one.
      state.requests[archive]?.held = nil
      return (archive, request, requests.newest)
    }
    guard let next else { return }
    let outcome = attempt { () throws(StoreError) in try store.carryOut(next.request, as: next.archive, canReach: canReach) }
    if outcome == .held {
      // What is written then is what the store holds.
      state.withLock { $0.requests[next.archive]?.held = Held(request: next.request, number: next.number) }
    } else {
      tell(outcome, of: next.number, next.archive)
    }
  }

  /// Deals with what was held, unless another thread has.
  private func finish(_ held: Held, as archive: ArchiveName, canReach: Bool) {
    let isOpen = state.withLock { state in
      guard state.requests[archive]?.held?.number == held.number else { return false }
      state.requests[archive]?.held = nil
      return true
    }
    guard isOpen else { return }
    let outcome = canReach ? attempt { () throws(StoreError) in try store.carryOutHeld(held.request, as: archive) } : .held
    tell(outcome, of: held.number, archive)
  }

  private func attempt(_ body: () throws(StoreError) -> RestorationStore.SaveOutcome?) -> FlushOutcome {
    do throws(StoreError) {
      switch try body() {
      case nil: return .forgotten
      case .saved: return .saved
      case .unchanged: return .unchanged
      case .held: return .held
      case .removed: return .forgotten
      }
    } catch {
      state.withLock { $0.lastError = error }
      return .failed
    }
  }

  /// Tells those who wait for a request what came of it.
  private func tell(_ outcome: FlushOutcome, of number: UInt64, _ archive: ArchiveName) {
    let races = state.withLock { state -> [FlushRace] in
      state.requests[archive]?.done = (number, outcome)
      let isReady = { (waiter: Waiter) in waiter.archive == archive && waiter.number <= number }
      defer { state.waiters.removeAll(where: isReady) }
      return state.waiters.filter(isReady).map(\.race)
    }
    for race in races { race.finish(outcome) }
  }

  /// What came of a state, or of a newer one of the same archive, if it is dealt with.
  func finishedOutcome(of number: UInt64, _ archive: ArchiveName) -> FlushOutcome? {
    state.withLock { $0.requests[archive]?.done }.flatMap { $0.number >= number ? $0.outcome : nil }
  }

  /// Waits until a state, or a newer one of the same archive, is dealt with.
  func outcome(of number: UInt64, _ archive: ArchiveName) async -> FlushOutcome {
    let race = FlushRace()
    if let early = begin(race, number, archive) { return early }
    return await race.outcome()
  }

  /// Adds a waiter, or returns what came of the request if it is dealt with.
  private func begin(_ race: FlushRace, _ number: UInt64, _ archive: ArchiveName) -> FlushOutcome? {
    state.withLock { state -> FlushOutcome? in
      if let done = state.requests[archive]?.done, done.number >= number { return done.outcome }
      state.waiters.append(Waiter(archive: archive, number: number, race: race))
      return nil
    }
  }

  /// Waits until a state, or a newer one of the same archive, is dealt with, or until time is up.
  public func outcome<C: Clock>(
    of number: UInt64, _ archive: ArchiveName = .application, until deadline: C.Instant, clock: C
  ) async -> FlushOutcome where C.Duration == Duration {
    await outcome(of: number, archive) { try await clock.sleep(until: deadline, tolerance: nil) }
  }

  /// The same; time is up when `sleep` returns.
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
        // The answer came in time.
      }
    }
    defer { timer.cancel() }
    return await race.outcome()
  }
}
