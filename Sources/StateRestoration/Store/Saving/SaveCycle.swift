#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Saves when something has changed: captures the state on the actor that owns it, once for all changes of one turn, and writes it elsewhere.
///
///     let cycle = SaveCycle(queue: SaveQueue(store: store)) { try application.preserve(header: header).archive.map { [UInt8]($0) } }
///     …
///     cycle.setNeedsSave()                                             // after each change
///     await cycle.flush(until: .now + .seconds(5), clock: .continuous)  // before the app is left
///
/// It belongs to the actor or thread that the objects belong to.
public final class SaveCycle {
  /// Who writes.
  public let queue: SaveQueue
  private let archive: ArchiveName
  private let time: () -> Date?
  private let capture: () throws -> [UInt8]?
  private var isScheduled = false
  /// Why the last capture failed, if it did.
  public private(set) var captureError: (any Error)?

  /// Makes a cycle that saves what `capture` preserves under the name `archive`.
  ///
  /// `capture` returns nil if what was saved before is to stay; `time` says what time it is, since no clock is read otherwise.
  public init(
    queue: SaveQueue, archive: ArchiveName = .application, time: @escaping () -> Date? = { nil },
    capture: @escaping () throws -> [UInt8]?
  ) {
    self.queue = queue
    self.archive = archive
    self.time = time
    self.capture = capture
  }

  /// Says that something has changed.
  ///
  /// At the next turn of the actor the state is captured, once, however often this was called.
  public func setNeedsSave(isolation: isolated (any Actor)? = #isolation) {
    guard !isScheduled else { return }
    isScheduled = true
    Task {
      _ = isolation
      await Task.yield()
      guard self.isScheduled else { return }
      _ = self.captureNow()
    }
  }

  /// Captures the state and hands it to the queue.
  ///
  /// It returns the number of the request; nil if there was nothing to save, or if capturing failed.
  @discardableResult
  public func captureNow() -> UInt64? {
    isScheduled = false
    do {
      captureError = nil
      guard let bytes = try capture() else { return nil }
      return queue.submit(bytes, as: archive, at: time())
    } catch {
      captureError = error
      return nil
    }
  }

  /// Captures the state and waits until it is on the disk, or until time is up.
  ///
  /// Whatever the answer, a complete generation is on the disk if there ever was one: the old or the new.
  public nonisolated(nonsending) func flush<C: Clock>(until deadline: C.Instant, clock: C) async -> FlushOutcome
  where C.Duration == Duration {
    guard let number = captureNow() else { return captureError == nil ? .unchanged : .failed }
    return await queue.outcome(of: number, archive, until: deadline, clock: clock)
  }
}
