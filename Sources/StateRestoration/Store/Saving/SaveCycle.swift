#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive

/// Saves when something has changed: captures the state on the actor that owns it, once for all changes of one turn, and writes it elsewhere.
///
///     let cycle = SaveCycle(queue: SaveQueue(store: store)) { try application.preserve(header: header) }
///     …
///     cycle.setNeedsSave()                                             // after each change
///     await cycle.flush(until: .now + .seconds(5), clock: .continuous)  // before the app is left
///
/// It belongs to the actor or thread that the objects belong to.
public final class SaveCycle {
  /// Who writes.
  public let queue: SaveQueue
  private let archive: ArchiveName
  private let submitState: () throws -> Submission
  private var isScheduled = false
  /// How often the archive had been removed when a capture was last asked for.
  private var scheduledRemovalCount: UInt64 = 0
  /// Whether this cycle was closed, and its archive with it.
  public private(set) var isClosed = false
  /// Why the last capture failed, if it did.
  public private(set) var captureError: (any Error)?

  /// What came of capturing.
  private enum Submission {
    /// It waits to be written.
    case request(UInt64)
    /// There is nothing to write.
    case nothing(FlushOutcome)
  }

  /// Makes a cycle that saves what `preserve` returns under the name `archive`: an archive, nothing new, or that what was saved is forgotten.
  ///
  /// `preserve` returns nil if there is nothing to do, say because the app is gone. While the state before is still to come nothing is written;
  /// the app says ``setNeedsSave(isolation:)`` when it has been delivered. `time` says what time it is, since no clock is read otherwise.
  public init(
    queue: SaveQueue, as archive: ArchiveName = .application, time: @escaping () -> Date? = { nil },
    preserve: @escaping () throws -> Preservation?
  ) {
    self.queue = queue
    self.archive = archive
    submitState = {
      guard let preservation = try preserve() else { return .nothing(.unchanged) }
      if let number = queue.submit(preservation, as: archive, at: time()) { return .request(number) }
      return .nothing(preservation.isHeld ? .held : .unchanged)
    }
  }

  /// Makes a cycle for an app that writes its archives itself: `encode` returns one, or nil if what was saved before is to stay.
  public init(
    queue: SaveQueue, as archive: ArchiveName = .application, time: @escaping () -> Date? = { nil },
    encode: @escaping () throws -> EncodedArchive?
  ) {
    self.queue = queue
    self.archive = archive
    submitState = { try encode().map { .request(queue.submit($0, as: archive, at: time())) } ?? .nothing(.unchanged) }
  }

  /// Says that something has changed.
  ///
  /// At the next turn of the actor the state is captured, once, however often this was called. If the archive is removed before, it is not. On
  /// an actor that is kept busy by one call, such as a loop around `readLine`, that turn never comes: save there by
  /// ``RestorationStore/save(_:as:at:)-(Preservation,_,_)``, which returns when the state is on the disk.
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

  /// Closes the cycle for good, say with the scene that it saves: nothing is captured any more, and what was saved is removed.
  ///
  /// It returns at once; a save that was submitted before, even one that is being written, does not bring the archive back. A scene that is
  /// opened again under the same name has a cycle of its own. ``flush(until:clock:)`` waits until all is removed, and answers `forgotten`.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    isScheduled = false
    queue.remove(archive)
  }

  /// Captures the state and hands it to the queue; the state is not on the disk yet when this returns.
  ///
  /// - Returns: The number of the request, for ``SaveQueue/outcome(of:_:until:clock:)``; nil if there was nothing to save or not yet, or if
  ///   capturing failed.
  @discardableResult
  public func captureNow() -> UInt64? {
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

  /// Captures the state and waits until it is on the disk, or until time is up.
  ///
  /// Where nothing new is to be saved, it waits for what was captured before.
  ///
  /// Whatever the answer, a complete generation is on the disk if there ever was one, the old or the new, unless the app wanted it forgotten.
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
