/// The lifecycle of an app as a state machine: when to restore, capture, flush and end.
///
/// The host reports events and performs the returned actions in order:
///
///     var lifecycle = ApplicationLifecycle()
///     for action in lifecycle.handle(.launched(inBackground: false, restoresState: true), now: clock.elapsed) { perform(action) }
///     for action in lifecycle.handle(.opened(.application), now: clock.elapsed) { perform(action) }
///
/// The machine decides every delay of a save: after a change, while changes go on, between the turns of an app that
/// blocks its actor, and before a failed save is tried again. It reads no clock and starts no thread. Event times are
/// measured from any fixed start and never go backward; ``nextTick`` is the time at which the host reports
/// ``LifecycleEvent/tick``. The same events at the same times return the same actions, so any system can drive the
/// machine, and a recorded run can be replayed.
///
/// The machine guarantees:
///
/// - An archive is restored once between ``LifecycleEvent/opened(_:)`` and ``LifecycleEvent/closed(_:)``; if that fails, it is tried
///   again.
/// - While the storage is unavailable, nothing is restored or captured. Both happen when it becomes available.
/// - A change is captured ``Timing/saveDelay`` after the last one and at most ``Timing/longestSaveDelay`` after the
///   first one, together with the changes of all other archives; and at every entry into the background, before suspension and
///   before the end. An app that reports ``LifecycleEvent/turnEnded`` captures at the end of each turn instead, and writes after
///   these delays.
/// - A save or a restoring that failed is tried again after ``Timing/longestSaveDelay``.
/// - After ``LifecycleAction/end`` there are no actions.
///
/// ``AppRestoration`` drives a machine of its own.
public struct ApplicationLifecycle: Sendable {
  /// A phase of the app's lifecycle.
  public enum Phase: Sendable {
    /// Before ``LifecycleEvent/launched(inBackground:restoresState:)``.
    case notRunning
    /// In the foreground, not receiving user events.
    case inactive
    /// In the foreground, receiving user events.
    case active
    /// Running, but not visible.
    case background
    /// In memory, not running.
    case suspended
    /// Ending; final.
    case ended
  }

  /// An open archive.
  private struct Archive {
    enum Stage {
      /// To be restored when the storage becomes available.
      case waiting
      /// The host was asked to restore the archive.
      case restoring
      /// Restored or started fresh.
      case open
    }

    var stage: Stage
    /// Whether the archive was restored and is not yet stable.
    var isOnTrial = false
    /// The times of the first and last change that is not yet captured.
    var firstChange: Duration?
    var lastChange: Duration?
    /// Whether captures alone have made the changes that are not captured yet, and whether the last capture was of such alone.
    var isFollowUp = false
    var wasFollowUp = false
    /// Whether the host has been notified that a due capture waits for the storage.
    var isDeferred = false
    /// The time at which a failed save is tried again.
    var retryTime: Duration?
    /// The time at which an archive that could not be restored is tried again.
    var restoreTime: Duration?

    var hasChanges: Bool { firstChange != nil || retryTime != nil }

    /// Whether the process must not end without a capture.
    var isUnsaved: Bool { hasChanges || isFollowUp }

    mutating func noteChange(at time: Duration) {
      firstChange = firstChange ?? time
      lastChange = time
      isFollowUp = false
    }

    mutating func noteChangeByCapture(at time: Duration) {
      let isFollowUp = isFollowUp || !hasChanges
      if !wasFollowUp { noteChange(at: time) }
      self.isFollowUp = isFollowUp
    }

    mutating func noteCapture() {
      (firstChange, lastChange, retryTime, isDeferred) = (nil, nil, nil, false)
      (wasFollowUp, isFollowUp) = (isFollowUp, false)
    }
  }

  /// The current phase.
  public private(set) var phase = Phase.notRunning
  /// Whether the storage is available.
  public private(set) var isStorageAvailable = true
  /// The delays of the machine.
  public let timing: Timing
  private var restoresState = true
  /// Whether the app runs again, and the record of its suspension still stands.
  private var isMarkedSuspended = false
  private var archives: [ArchiveName: Archive] = [:]
  /// The open archives in opening order, which makes the order of actions deterministic.
  private var order: [ArchiveName] = []
  private var lastStabilityTick: Duration?
  /// Whether the app blocks its actor between turns, so that only a turn can capture.
  private var isBlocking = false
  /// The times of the first and the last capture of turns that are not written yet.
  private var captures: (first: Duration, last: Duration)?
  private var now = Duration.zero

  /// Creates the state machine of an app that has not been launched.
  public init(timing: Timing = Timing()) {
    self.timing = timing
  }

  // MARK: Events

  /// Processes an event and returns the resulting actions.
  ///
  /// An event that does not fit the phase has no effect, such as opening an archive twice.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: The time since a fixed start. A time before the last event counts as the time of that event.
  /// - Returns: The actions that the host has to perform, in order.
  /// - Complexity: O(*n*) in the number of open archives; O(1) for a change.
  public mutating func handle(_ event: LifecycleEvent, now time: Duration) -> [LifecycleAction] {
    now = max(now, time.limited)
    switch (phase, event) {
    case (.ended, _): return []
    case (.notRunning, .launched(let inBackground, let restoresState)):
      phase = inBackground ? .background : .inactive
      self.restoresState = restoresState
      return []
    case (.notRunning, .storage(let isAvailable)):
      isStorageAvailable = isAvailable
      return []
    case (.notRunning, .terminate):
      phase = .ended
      return [.end]
    case (.notRunning, _), (_, .launched): return []
    case (.suspended, .suspending), (.suspended, .enteredBackground): return []
    case (.suspended, _):
      // A suspended app runs no code, so any event proves that it runs again.
      phase = .background
      isMarkedSuspended = true
    default: break
    }
    switch event {
    // Noted from any thread, by hosts that expect no action.
    case .changed, .failed, .notRestored, .stable: return handleRunning(event)
    default:
      let isMarked = isMarkedSuspended
      isMarkedSuspended = false
      return (isMarked ? [.markSuspended(false)] : []) + handleRunning(event)
    }
  }

  private mutating func handleRunning(_ event: LifecycleEvent) -> [LifecycleAction] {
    switch event {
    case .launched: return []
    case .opened(let archive): return open(archive)
    case .restored(let archive): return noteRestored(archive)
    case .closed(let archive):
      guard archives.removeValue(forKey: archive) != nil else { return [] }
      order.removeAll { $0 == archive }
      return capture(due) + [.remove(archive)]
    case .disconnected(let archive): return disconnect(archive)
    case .changed(let archive):
      archives[archive]?.noteChange(at: now)
      return []
    case .failed(let archive):
      // A change of an archive that waits would be newer than its files.
      if archives[archive]?.stage == .open { archives[archive]?.retryTime = timing.retryTime(after: now) }
      return []
    case .notRestored(let archive):
      // To start fresh fails in the same way, if the storage has gone.
      guard let stage = archives[archive]?.stage, stage == .restoring || stage == .open && !restoresState else { return [] }
      archives[archive]?.stage = .waiting
      archives[archive]?.restoreTime = timing.retryTime(after: now)
      return []
    case .stable(let archive):
      archives[archive]?.isOnTrial = false
      return []
    case .becameActive:
      phase = .active
      return []
    case .resignedActive, .willEnterForeground:
      phase = .inactive
      return []
    case .enteredBackground:
      phase = .background
      return capture(unsaved) + flush(within: timing.backgroundTime)
    case .suspending:
      phase = .suspended
      return capture(unsaved) + flush(within: timing.backgroundTime) + [.releaseCaches, .markSuspended(true)]
    case .storage(let isAvailable): return setStorage(isAvailable)
    case .memoryLow: return [.releaseCaches]
    case .terminate(let time):
      phase = .ended
      return capture(unsaved) + flush(within: time.limited) + [.end]
    case .turnEnded: return endTurn()
    // Only a turn of an app that blocks its actor can restore.
    case .tick: return tick(canRestore: !isBlocking)
    }
  }

  private mutating func open(_ archive: ArchiveName) -> [LifecycleAction] {
    guard archives[archive] == nil else { return [] }
    order.append(archive)
    archives[archive] = Archive(stage: .waiting)
    return isStorageAvailable ? restore([archive]) : [.awaitStorage(archive)]
  }

  private mutating func disconnect(_ archive: ArchiveName) -> [LifecycleAction] {
    let actions = archives[archive]?.isUnsaved == true ? captureAndWrite(order.filter { $0 == archive || due.contains($0) }) : []
    guard !hasChanges(archive), archives.removeValue(forKey: archive) != nil else { return actions }
    order.removeAll { $0 == archive }
    return actions
  }

  private mutating func noteRestored(_ archive: ArchiveName) -> [LifecycleAction] {
    // Also of one that waits: the storage may be there before the host says so.
    guard archives[archive] != nil else { return [] }
    archives[archive]?.stage = .open
    archives[archive]?.restoreTime = nil
    archives[archive]?.isOnTrial = true
    archives[archive]?.isDeferred = false
    lastStabilityTick = lastStabilityTick ?? now
    return []
  }

  private mutating func setStorage(_ isAvailable: Bool) -> [LifecycleAction] {
    guard isStorageAvailable != isAvailable else { return [] }
    isStorageAvailable = isAvailable
    guard isAvailable else { return [] }
    let waiting = order.filter { archives[$0]?.stage == .waiting }
    let deferred = order.filter { archives[$0]?.isDeferred == true && archives[$0]?.stage == .open }
    // What the host could not write meanwhile is written too.
    return restore(waiting) + capture(deferred) + [.write]
  }

  private mutating func restore(_ names: [ArchiveName]) -> [LifecycleAction] {
    // State newer than the files must be captured before they are restored.
    let newer = names.filter { hasChanges($0) && archives[$0]?.isDeferred == false }
    for archive in names {
      archives[archive]?.stage = restoresState ? .restoring : .open
      archives[archive]?.restoreTime = nil
      if !restoresState { archives[archive]?.isDeferred = false }
    }
    return (newer.isEmpty ? [] : [.deferSave(newer)]) + names.map { restoresState ? .restore($0) : .startFresh($0) }
  }

  private mutating func endTurn() -> [LifecycleAction] {
    isBlocking = true
    let actions = capture(changed)
    if actions.contains(where: { if case .capture = $0 { true } else { false } }) { captures = (captures?.first ?? now, now) }
    return actions + tick(canRestore: true)
  }

  private mutating func tick(canRestore: Bool) -> [LifecycleAction] {
    let again = canRestore ? order.filter { name in restoreTime(of: archives[name]).map { $0 <= now } ?? false } : []
    let isDue = archives.values.contains { archive in captureTime(of: archive).map { $0 <= now } ?? false }
    var actions = restore(again) + (isDue && !isBlocking ? captureAndWrite(due) : [])
    if let writeTime, writeTime <= now {
      captures = nil
      for archive in order where archives[archive]?.retryTime.map({ $0 <= now }) ?? false {
        // The next turn captures it again; earlier captures can be written now.
        archives[archive]?.retryTime = nil
        archives[archive]?.noteChange(at: now)
      }
      actions.append(.write)
    }
    let onTrial = order.filter { archives[$0]?.isOnTrial == true }
    if onTrial.isEmpty {
      lastStabilityTick = nil
    } else if let last = lastStabilityTick, last + Timing.stabilityTick <= now {
      // Counts once, however late: an app that hangs must not become stable by elapsed time.
      lastStabilityTick = now
      actions.append(.countTick(onTrial))
    }
    return actions
  }

  private mutating func flush(within time: Duration) -> [LifecycleAction] {
    captures = nil
    return [.flush(until: now + time)]
  }

  // MARK: Changes

  /// Whether an archive is open.
  public func isOpen(_ archive: ArchiveName) -> Bool { archives[archive] != nil }

  /// Whether an open archive has uncaptured changes.
  package func hasChanges(_ archive: ArchiveName) -> Bool {
    archives[archive]?.hasChanges ?? false
  }

  /// Records that the host captures an archive of its own accord.
  package mutating func noteCapture(_ archive: ArchiveName) {
    if isStorageAvailable, archives[archive]?.stage == .open { _ = capture([archive]) }
  }

  /// Records a change that the capture of an archive itself has made.
  ///
  /// One more capture follows, as for any other change. If that was the one, none follows until something else changes or
  /// the app leaves the foreground: an app that changes something at each capture would otherwise save for ever.
  package mutating func noteChangeByCapture(_ archive: ArchiveName, now time: Duration) {
    now = max(now, time.limited)
    if phase != .ended { archives[archive]?.noteChangeByCapture(at: now) }
  }

  /// Whether any open archive has uncaptured changes.
  package var hasAnyChanges: Bool { archives.values.contains(where: \.hasChanges) }

  /// The time of the next ``LifecycleEvent/tick``; nil if none is needed.
  public var nextTick: Duration? {
    guard phase != .notRunning, phase != .suspended, phase != .ended else { return nil }
    let times = archives.values.lazy.flatMap { [restoreTime(of: $0), captureTime(of: $0)] }
    var next = isBlocking ? writeTime : times.compactMap { $0 }.min()
    if let last = lastStabilityTick, archives.values.contains(where: \.isOnTrial) {
      next = min(next ?? last + Timing.stabilityTick, last + Timing.stabilityTick)
    }
    return next
  }

  /// The open archives without uncaptured changes; changes by captures do not count.
  package var unchanged: [ArchiveName] { order.filter { archives[$0].map { !$0.hasChanges || $0.isFollowUp } ?? true } }

  /// The archives whose changes can be captured now.
  ///
  /// They are captured together, because an object may have moved from one to another.
  private var due: [ArchiveName] { order.filter { archives[$0].flatMap { captureTime(of: $0) } != nil } }

  /// The open archives with uncaptured changes.
  private var changed: [ArchiveName] { order.filter { hasChanges($0) } }

  /// The open archives to capture before the process may end.
  private var unsaved: [ArchiveName] { order.filter { archives[$0]?.isUnsaved == true } }

  /// The time at which the changes of an archive are due.
  ///
  /// Nil if there are none, during restoration, or if the host has been notified that they are deferred.
  private func captureTime(of archive: Archive) -> Duration? {
    guard archive.stage != .restoring, !archive.isDeferred else { return nil }
    guard let first = archive.firstChange, let last = archive.lastChange else { return archive.retryTime }
    let time = timing.saveTime(first: first, last: last)
    return archive.retryTime.map { min($0, time) } ?? time
  }

  /// The time at which an archive that could not be restored is tried again, while the storage is available.
  private func restoreTime(of archive: Archive?) -> Duration? { isStorageAvailable ? archive?.restoreTime : nil }

  /// The time at which an app that blocks its actor writes the captures of its turns.
  private var writeTime: Duration? {
    let retry = isBlocking ? archives.values.lazy.compactMap(\.retryTime).min() : nil
    let time = captures.map { timing.saveTime(first: $0.first, last: $0.last) }
    return retry.map { min($0, time ?? $0) } ?? time
  }

  private mutating func captureAndWrite(_ names: [ArchiveName]) -> [LifecycleAction] {
    let actions = capture(names)
    return actions.contains { if case .capture = $0 { true } else { false } } ? actions + [.write] : actions
  }

  /// Captures archives, or defers those that cannot be saved yet.
  private mutating func capture(_ names: [ArchiveName]) -> [LifecycleAction] {
    var captured: [ArchiveName] = []
    var deferred: [ArchiveName] = []
    for name in names {
      if isStorageAvailable, archives[name]?.stage == .open {
        archives[name]?.noteCapture()
        captured.append(name)
      } else {
        let isWaiting = archives[name]?.stage == .waiting
        archives[name]?.isDeferred = !isStorageAvailable || isWaiting
        deferred.append(name)
      }
    }
    return (captured.isEmpty ? [] : [.capture(captured)]) + (deferred.isEmpty ? [] : [.deferSave(deferred)])
  }
}

extension ApplicationLifecycle {
  /// The delays of the machine.
  ///
  /// A negative delay counts as zero, and one of more than a century as a century.
  public struct Timing: Sendable, Hashable {
    /// The quiet time after a change before it is captured, 0.5 s by default.
    public var saveDelay: Duration { didSet { saveDelay = saveDelay.limited } }
    /// The longest time from a change to its capture while more changes follow, 5 s by default.
    public var longestSaveDelay: Duration { didSet { longestSaveDelay = longestSaveDelay.limited } }
    /// The time that the system allows an app entering the background or being suspended, 5 s by default.
    public var backgroundTime: Duration { didSet { backgroundTime = backgroundTime.limited } }
    /// The interval between the ticks that prove that the app runs; a store counts them.
    static let stabilityTick = Duration.milliseconds(500)

    /// Creates a timing.
    public init(
      saveDelay: Duration = .milliseconds(500), longestSaveDelay: Duration = .seconds(5), backgroundTime: Duration = .seconds(5)
    ) {
      self.saveDelay = saveDelay.limited
      self.longestSaveDelay = longestSaveDelay.limited
      self.backgroundTime = backgroundTime.limited
    }

    /// Returns when changes are to be saved, by the times of the first and the last of them.
    func saveTime(first: Duration, last: Duration) -> Duration {
      min(last + saveDelay, first + longestSaveDelay)
    }

    /// Returns when a save is to be tried again that has failed at a time.
    func retryTime(after failure: Duration) -> Duration { failure + longestSaveDelay }
  }
}

extension Duration {
  /// This duration, but not less than zero nor more than a century: times can then be added without an overflow.
  var limited: Duration { min(max(self, .zero), .seconds(100 * 366 * 86_400 as Int64)) }
}
