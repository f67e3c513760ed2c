import Locking
import Synchronization

/// The connection from a changed property to the component that saves it.
///
/// Sendable, because the last reference to an object, and thus to its properties, may be released on any thread.
final class ChangeSignal: Sendable {
  /// The objects that have reported a change.
  private struct Changed {
    /// Nil if there are more than ``ChangeSignal/maximumCount``.
    var objects: Set<ObjectIdentifier>? = []
    /// Whether a save will ask for them.
    var isCollecting = false
  }

  /// The largest number of objects to remember: a limit on the memory of an app that changes much and never saves.
  ///
  /// Where so many objects have changed, a save of everything costs hardly more than one of the changes.
  static let maximumCount = 65_536

  private let note: @Sendable (_ isClaimed: Bool) -> Void
  private let changed = Lock(Changed())

  /// Creates a signal.
  ///
  /// - Parameter note: Called for each change, on the thread of the change, with whether the change is known to concern
  ///   the archive.
  init(_ note: @escaping @Sendable (_ isClaimed: Bool) -> Void) {
    self.note = note
  }

  /// Reports a change to an object of the archive; nil if it is not known to which.
  func send(_ object: ObjectIdentifier? = nil) {
    if let object { collect(object) }
    note(true)
  }

  /// Reports a change to an object that may be of the archive.
  fileprivate func sendUnclaimed(_ object: ObjectIdentifier?) {
    if let object { collect(object) }
    note(false)
  }

  private func collect(_ object: ObjectIdentifier) {
    changed.withLock { changed in
      guard changed.isCollecting else { return }
      changed.objects?.insert(object)
      if changed.objects?.count ?? 0 > Self.maximumCount { changed.objects = nil }
    }
  }

  /// Returns the objects that have reported a change since the last call, and collects them from now on if
  /// `isCollecting` is true; nil if there are too many to name.
  ///
  /// An object may have been deallocated meanwhile, and another one may have its address.
  func takeChanged(isCollecting: Bool) -> Set<ObjectIdentifier>? {
    changed.withLock { changed in
      defer { changed = Changed(isCollecting: isCollecting) }
      return changed.objects
    }
  }
}

/// Lets a signal receive unclaimed changes for as long as the registration lives.
final class SignalRegistration {
  private let signal: ChangeSignal

  init(_ signal: ChangeSignal) {
    self.signal = signal
    UnclaimedChanges.add(signal)
  }

  deinit { UnclaimedChanges.remove(signal) }
}

/// Changes of properties that do not belong to an archive yet: those of objects created since the last save.
///
/// An object belongs to an archive once it has been encoded or decoded. An earlier change goes to all archives with
/// automatic saving; a save without new content writes nothing.
enum UnclaimedChanges {
  private static let signals = Lock<[ObjectIdentifier: ChangeSignal]>([:])
  /// The number of signals: the fast path without automatic saving.
  private static let count = Atomic<Int>(0)
  private static let isUsed = Atomic<Bool>(false)

  /// Adds a receiver of unclaimed changes, until ``remove(_:)``.
  static func add(_ signal: ChangeSignal) {
    signals.withLock { signals in
      signals[ObjectIdentifier(signal)] = signal
      count.store(signals.count, ordering: .relaxed)
    }
  }

  /// Removes a receiver added with ``add(_:)``.
  static func remove(_ signal: ChangeSignal) {
    signals.withLock { signals in
      signals[ObjectIdentifier(signal)] = nil
      count.store(signals.count, ordering: .relaxed)
    }
  }

  /// Whether this process uses, or has used, automatic saving.
  static var areUsed: Bool { isUsed.load(ordering: .relaxed) }

  /// Lets objects record the archive that they belong to, from now on.
  static func use() { isUsed.store(true, ordering: .relaxed) }

  /// Reports a change; nil if it is not known to which object.
  static func send(_ object: ObjectIdentifier? = nil) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    for signal in signals.withLock({ Array($0.values) }) { signal.sendUnclaimed(object) }
  }
}
