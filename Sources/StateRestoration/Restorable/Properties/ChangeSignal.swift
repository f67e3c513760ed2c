import Locking
import Synchronization

/// The way by which a changed property reaches whatever saves it.
///
/// Sendable: the last reference to an object, and with it to its properties, may go on any thread.
final class ChangeSignal: Sendable {
  private let note: @Sendable (_ isClaimed: Bool) -> Void

  /// Creates a signal; `note` is called at each change, on the thread that changes, with whether the change is known to concern the archive.
  init(_ note: @escaping @Sendable (_ isClaimed: Bool) -> Void) {
    self.note = note
  }

  /// Reports a change of an object of the archive.
  func send() { note(true) }

  /// Reports a change that may concern the archive.
  fileprivate func sendUnclaimed() { note(false) }
}

/// The changes of properties that no archive knows yet: those of objects made since the last save.
///
/// An object belongs to an archive from the first time that it is encoded or decoded on. A change before that goes to all archives that save
/// by themselves; one that turns out to have nothing new writes nothing.
enum UnclaimedChanges {
  private static let signals = Lock<[ObjectIdentifier: ChangeSignal]>([:])
  /// The number of signals; the fast path where nothing saves by itself.
  private static let count = Atomic<Int>(0)
  private static let isUsed = Atomic<Bool>(false)

  /// Sends unclaimed changes to `signal` too, until ``remove(_:)``.
  static func add(_ signal: ChangeSignal) {
    signals.withLock { signals in
      signals[ObjectIdentifier(signal)] = signal
      count.store(signals.count, ordering: .relaxed)
    }
  }

  /// Ends what ``add(_:)`` began.
  static func remove(_ signal: ChangeSignal) {
    signals.withLock { signals in
      signals[ObjectIdentifier(signal)] = nil
      count.store(signals.count, ordering: .relaxed)
    }
  }

  /// Whether anything in this process saves, or has saved, by itself.
  static var areUsed: Bool { isUsed.load(ordering: .relaxed) }

  /// Has objects learn from now on which archive they belong to.
  static func use() { isUsed.store(true, ordering: .relaxed) }

  /// Reports a change.
  static func send() {
    guard count.load(ordering: .relaxed) > 0 else { return }
    for signal in signals.withLock({ Array($0.values) }) { signal.sendUnclaimed() }
  }
}
