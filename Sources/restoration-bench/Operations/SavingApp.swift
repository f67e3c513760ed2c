import Dispatch
import Foundation
import StateRestoration

/// An app that saves: it encodes its state and hands it to the queue that writes it, and waits for nothing else.
///
/// The state is always the same, so that the store finds it unchanged and is ready for the next save as soon as it can be: that a thread has
/// to be woken is in more of the saves than it would be with a disk to wait for.
final class SavingApp {
  private let workload: Workload
  private let writer: ArchiveWriter
  private let queue: SaveQueue
  private var lastSave: UInt64?

  init(_ workload: Workload, folder: URL) throws {
    self.workload = workload
    writer = ArchivePeer.makeWriter(for: workload)
    queue = SaveQueue(store: try RestorationStore(folder: folder.path))
  }

  func save() throws {
    lastSave = queue.submit(try ArchivePeer.handOver(workload, with: writer))
  }

  /// Waits until what was saved is dealt with.
  func rest() {
    guard let lastSave else { return }
    let (queue, isDone) = (queue, DispatchSemaphore(value: 0))
    Task.detached {
      _ = await queue.outcome(of: lastSave, until: .now + .seconds(60), clock: .continuous)
      isDone.signal()
    }
    isDone.wait()
  }
}
