import Locking
import Observation
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

  private let note: @Sendable () -> Void
  private let changed = Lock(Changed())

  /// Creates a signal.
  ///
  /// - Parameter note: Called for each change that concerns the archive, on the thread of the change.
  init(_ note: @escaping @Sendable () -> Void) {
    self.note = note
  }

  /// Reports a change to an object of the archive; nil if it is not known to which.
  func send(_ object: ObjectIdentifier? = nil) {
    if let object { collect(object) }
    note()
  }

  /// Records a change to an object that may be of the archive.
  func collect(_ object: ObjectIdentifier) {
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
  private struct Receivers {
    /// The archives whose captures ask for the objects that have changed.
    var signals: [ObjectIdentifier: ChangeSignal] = [:]
    /// The reaction of each app to a change.
    ///
    /// One for all of its archives: an app may have a thousand, and a launch creates thousands of objects.
    var apps: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private static let receivers = Lock(Receivers())
  /// The number of apps that listen: none do while objects are restored, or once they have heard of a change.
  private static let appCount = Atomic<Int>(0)
  private static let isUsed = Atomic<Bool>(false)

  /// Adds a signal that records the objects with unclaimed changes, until ``remove(_:)``.
  static func add(_ signal: ChangeSignal) { receivers.withLock { $0.signals[ObjectIdentifier(signal)] = signal } }

  /// Removes a signal added with ``add(_:)``.
  static func remove(_ signal: ChangeSignal) { receivers.withLock { $0.signals[ObjectIdentifier(signal)] = nil } }

  /// Calls `note` on each unclaimed change, on the thread of the change, or no longer if it is nil.
  static func tell(_ app: AnyObject, _ note: (@Sendable () -> Void)?) {
    receivers.withLock { receivers in
      receivers.apps[ObjectIdentifier(app)] = note
      appCount.store(receivers.apps.count, ordering: .relaxed)
    }
  }

  /// Whether this process uses, or has used, automatic saving.
  static var areUsed: Bool { isUsed.load(ordering: .relaxed) }

  /// Lets objects record the archive that they belong to, from now on.
  static func use() { isUsed.store(true, ordering: .relaxed) }

  /// Reports a change; nil if it is not known to which object.
  static func send(_ object: ObjectIdentifier? = nil) {
    // The fast path of each property of each new object.
    if object == nil, appCount.load(ordering: .relaxed) == 0 { return }
    let (signals, apps) = receivers.withLock { receivers in
      (object == nil ? [] : Array(receivers.signals.values), Array(receivers.apps.values))
    }
    if let object { for signal in signals { signal.collect(object) } }
    for note in apps { note() }
  }
}

/// The tracker of changes in an app or a scene: those of ``Restored`` properties and ``ObservableRestorable`` objects.
final class ChangeTracking {
  /// An object whose next change is reported.
  private struct Observed {
    weak var object: AnyObject?
    let state: ObservationState
  }

  /// The receiver of the changes.
  let signal: ChangeSignal
  private var observed: [ObjectIdentifier: Observed] = [:]
  /// The number of entries that triggers a purge of deallocated objects.
  private var purgeCount = 64

  init(signal: ChangeSignal) {
    self.signal = signal
  }

  /// Calls `read`, and reports the next change of a property that it reads from `object`, once.
  ///
  /// An object with an active observation is not observed again, because unfired observations would accumulate from
  /// save to save.
  func observe<Result>(_ object: AnyObject, _ read: () -> Result) -> Result {
    let identity = ObjectIdentifier(object)
    if let known = observed[identity], known.object === object, known.state.isWaiting { return read() }
    purge()
    let state = ObservationState()
    observed[identity] = Observed(object: object, state: state)
    return withObservationTracking(read) { [signal] in
      state.end()
      signal.send(identity)
    }
  }

  private func purge() {
    guard observed.count >= purgeCount else { return }
    observed = observed.filter { $0.value.object != nil }
    purgeCount = max(64, 2 * observed.count)
  }
}

/// Whether an observation is still waiting for its change.
private final class ObservationState: Sendable {
  private let hasEnded = Atomic<Bool>(false)

  var isWaiting: Bool { !hasEnded.load(ordering: .acquiring) }

  func end() { hasEnded.store(true, ordering: .releasing) }
}
