import Locking

/// The state of a store behind its lock, which a writer holds while it waits for the disk.
///
/// A launch must not wait for that. What it finds out is left here, and applied before anything else sees the state.
///
/// A thread that holds several locks has taken them in this order: this one, then the launch (``LaunchRecorder``)
/// or the mailboxes (``Mailboxes``), which are never held during a flush.
final class StoreState: Sendable {
  private let lock: Lock<RestorationStore.State>
  private let changes = Lock<[@Sendable (inout RestorationStore.State) -> Void]>([])
  private let knownForgotten = Lock<Set<ArchiveName>>([])

  init(_ state: sending RestorationStore.State) { lock = Lock(state) }

  /// Calls `body` with the state while holding the lock, and returns or throws its result.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending RestorationStore.State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try lock.withLock { (state: inout sending RestorationStore.State) throws(Failure) -> sending Result in
      applyChanges(&state)
      defer { publish(state) }
      return try body(&state)
    }
  }

  /// Changes the state now, or before anything else sees it if a writer holds the lock.
  func change(_ body: @escaping @Sendable (inout RestorationStore.State) -> Void) {
    changes.withLock { $0.append(body) }
    _ = lock.withLockIfFree { state in
      applyChanges(&state)
      publish(state)
    }
  }

  /// The archives whose files are to be removed, as the last access has left them.
  var forgotten: Set<ArchiveName> { knownForgotten.withLock { $0 } }

  private func applyChanges(_ state: inout RestorationStore.State) {
    let left = changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
    for change in left { change(&state) }
  }

  private func publish(_ state: borrowing RestorationStore.State) {
    let forgotten = Set(state.pending.lazy.filter(\.value.isForgotten).map(\.key))
    knownForgotten.withLock { $0 = forgotten }
  }
}
