#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// Saves after changes: captures the state on the owning actor, once for all changes in a turn, and writes it on
/// another thread.
///
///     let cycle = SaveCycle(queue: SaveQueue(store: store)) { try application.preserve(header: header) }
///     …
///     cycle.setNeedsSave()                                             // after each change
///     await cycle.flush(until: .now + .seconds(5), clock: .continuous)  // before the app is left
///
/// Use it on the actor or thread that owns the objects.
public final class SaveCycle {
  /// The queue that writes the saves.
  public let queue: SaveQueue
  private let archive: ArchiveName
  private let submitState: () throws -> Submission
  private var isScheduled = false
  /// The archive's number of removals when a capture was last requested.
  private var scheduledRemovalCount: UInt64 = 0
  /// Whether this cycle is closed and its archive removed.
  public private(set) var isClosed = false
  /// The error of the last capture, if it failed.
  public private(set) var captureError: (any Error)?

  /// The result of a capture.
  private enum Submission {
    /// A request with this number was submitted.
    case request(UInt64)
    /// There is nothing to write.
    case nothing(FlushOutcome)
  }

  /// Creates a cycle that saves the result of `preserve` as `archive`.
  ///
  /// `preserve` returns an archive, nothing new, or a request to remove the saved state; it returns nil if there is
  /// nothing to do, for example because the app is gone. Nothing is written while the previous state is not available;
  /// the app calls ``setNeedsSave(isolation:)`` after it was delivered. `time` returns the current time, because no
  /// clock is read otherwise.
  public init(
    queue: SaveQueue, as archive: ArchiveName = .application, time: @escaping () -> Date? = { nil },
    preserve: @escaping () throws -> Preservation?
  ) {
    self.queue = queue
    self.archive = archive
    submitState = {
      guard let preservation = try preserve() else { return .nothing(.unchanged) }
      if let number = queue.submit(preservation, as: archive, at: time()) { return .request(number) }
      return .nothing(preservation.isDeferred ? .deferred : .unchanged)
    }
  }

  /// Creates a cycle for an app that writes its own archives; `encode` returns nil to keep the previous state.
  public init(
    queue: SaveQueue, as archive: ArchiveName = .application, time: @escaping () -> Date? = { nil },
    encode: @escaping () throws -> EncodedArchive?
  ) {
    self.queue = queue
    self.archive = archive
    submitState = { try encode().map { .request(queue.submit($0, as: archive, at: time())) } ?? .nothing(.unchanged) }
  }

  /// Schedules a save after a change.
  ///
  /// The state is captured once in the next turn of the actor, however often this was called, unless the archive is
  /// removed first. If one call keeps the actor busy, such as a loop around `readLine`, that turn never comes: call
  /// ``RestorationStore/save(_:as:at:)-(Preservation,_,_)`` instead, which returns when the state is on disk.
  public func setNeedsSave(isolation: isolated (any Actor)? = #isolation) {
    guard !isClosed else { return }
    scheduledRemovalCount = queue.store.removalCount(of: archive)
    guard !isScheduled else { return }
    isScheduled = true
    Task {
      _ = isolation
      await Task.yield()
      guard self.isScheduled else { return }
      if self.scheduledRemovalCount == self.queue.store.removalCount(of: self.archive) {
        _ = self.captureNow()
      } else {
        self.isScheduled = false
      }
    }
  }

  /// Closes the cycle permanently, for example with its scene: stops capturing, and removes the saved state.
  ///
  /// Returns immediately; a save submitted before, even one being written, does not bring the archive back. A scene
  /// reopened under the same name needs a new cycle. ``flush(until:clock:)`` waits for the removal and returns
  /// `forgotten`.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    isScheduled = false
    queue.remove(archive)
  }

  /// Captures the state and submits it to the queue, without waiting for the disk.
  ///
  /// - Returns: The number of the request, for ``SaveQueue/outcome(of:_:until:clock:)``; nil if there was nothing to
  ///   save yet, or if the capture failed.
  @discardableResult
  package func captureNow() -> UInt64? {
    if case .request(let number) = submit() { number } else { nil }
  }

  private func submit() -> Submission {
    isScheduled = false
    guard !isClosed else { return .nothing(.forgotten) }
    do {
      captureError = nil
      return try submitState()
    } catch {
      captureError = error
      return .nothing(.failed)
    }
  }

  /// Captures the state and waits until it is on disk or the deadline passes.
  ///
  /// If there is nothing new to save, it waits for earlier captures.
  ///
  /// Whatever the outcome, a complete old or new generation is on disk if one ever was, unless the app requested its
  /// removal.
  public nonisolated(nonsending) func flush<C: Clock>(until deadline: C.Instant, clock: C) async -> FlushOutcome
  where C.Duration == Duration {
    switch submit() {
    case .request(let number): return await queue.outcome(of: number, archive, until: deadline, clock: clock)
    case .nothing(let outcome):
      guard let earlier = queue.unfinishedRequest(of: archive) else { return outcome }
      let earlierOutcome = await queue.outcome(of: earlier, archive, until: deadline, clock: clock)
      return outcome == .unchanged || isClosed ? earlierOutcome : outcome
    }
  }
}
