/// The life of an app as a state machine: when to restore, capture, flush and end.
///
/// The host reports what happens to the app, and carries out the actions in the order in which they are returned:
///
///     var lifecycle = ApplicationLifecycle()
///     for action in lifecycle.handle(.launched(.foreground, restoresState: true), at: clock.elapsed) { perform(action) }
///     for action in lifecycle.handle(.opened(.application), at: clock.elapsed) { perform(action) }
///
/// The machine reads no clock and starts no thread. The time of an event is measured from any fixed start, and never goes backward;
/// ``nextTick`` is the time at which the host reports ``LifecycleEvent/tick``. The same events at the same times give the same actions, so
/// any system can drive it, and a recorded run can be replayed.
///
/// The machine keeps these promises:
///
/// - An archive is restored at most once between ``LifecycleEvent/opened(_:)`` and ``LifecycleEvent/closed(_:)``.
/// - While the storage is away nothing is restored and nothing is captured. Both happen when it comes back.
/// - A change is captured ``Timing/saveDelay`` after the last one and at most ``Timing/longestSaveDelay`` after the first one, at every
///   entry into the background, before suspension and before the end.
/// - After ``LifecycleAction/end(_:)`` there are no actions.
///
/// ``AppRestoration`` drives one by itself.
public struct ApplicationLifecycle: Sendable, Hashable {
  /// Where the app is in its life.
  public enum Phase: String, Sendable {
    /// Before ``LifecycleEvent/launched(_:restoresState:)``.
    case notRunning
    /// In the foreground, without events from the user.
    case inactive
    /// In the foreground, with events from the user.
    case active
    /// Running without being seen.
    case background
    /// In memory, without running.
    case suspended
    /// Ending; there is no way back.
    case ended
  }

  /// How long the machine waits.
  public struct Timing: Sendable, Hashable {
    /// The quiet time after a change before it is captured, 0.5 s by default.
    public var saveDelay: Duration
    /// The longest time from a change to its capture while more changes follow, 5 s by default.
    public var longestSaveDelay: Duration
    /// The time that the system leaves an app that enters the background or is suspended, 5 s by default.
    public var backgroundTime: Duration
    /// The time between two ticks that prove that the app runs, 0.5 s by default.
    public var stabilityTick: Duration

    /// Creates a timing; a delay below zero counts as zero.
    public init(
      saveDelay: Duration = .milliseconds(500), longestSaveDelay: Duration = .seconds(5), backgroundTime: Duration = .seconds(5),
      stabilityTick: Duration = .milliseconds(500)
    ) {
      self.saveDelay = max(saveDelay, .zero)
      self.longestSaveDelay = max(longestSaveDelay, .zero)
      self.backgroundTime = max(backgroundTime, .zero)
      self.stabilityTick = max(stabilityTick, .milliseconds(1))
    }
  }

  /// An archive that is open.
  private struct Archive: Hashable {
    enum Stage: Hashable {
      /// Restored as soon as the storage is there.
      case waiting
      /// The host has been asked to restore it.
      case restoring
      /// Restored or started fresh.
      case open
    }

    var stage: Stage
    /// Restored, and not yet known to be stable.
    var isOnTrial = false
    /// The times of the first and the last change that is not captured.
    var firstChange: Duration?
    var lastChange: Duration?
    /// Whether the host knows that a due capture waits for the storage.
    var isDeferred = false

    mutating func noteChange(at time: Duration) {
      firstChange = firstChange ?? time
      lastChange = time
    }
  }

  /// Where the app is in its life.
  public private(set) var phase = Phase.notRunning
  /// Whether the files can be reached.
  public private(set) var isStorageAvailable = true
  /// How long the machine waits.
  public let timing: Timing
  private var restoresState = true
  private var archives: [ArchiveName: Archive] = [:]
  /// The open archives in the order in which they were opened, so that actions do not depend on hashes.
  private var order: [ArchiveName] = []
  private var lastStabilityTick: Duration?
  private var now = Duration.zero

  /// Creates the machine of an app that has not been launched.
  public init(timing: Timing = Timing()) {
    self.timing = timing
  }

  // MARK: Events

  /// Takes in an event.
  ///
  /// An event that does not fit the phase, such as an archive that is opened twice, has no effect.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: The time since a fixed start. A time before that of the last event counts as that one.
  /// - Returns: What the host has to do, in this order.
  /// - Complexity: O(*n*) in the number of open archives; O(1) for a change.
  public mutating func handle(_ event: LifecycleEvent, at time: Duration) -> [LifecycleAction] {
    now = max(now, time)
    switch (phase, event) {
    case (.ended, _): return []
    case (.notRunning, .launched(let place, let restoresState)):
      phase = place == .foreground ? .inactive : .background
      self.restoresState = restoresState
      return []
    case (.notRunning, .storage(let isAvailable)):
      isStorageAvailable = isAvailable
      return []
    case (.notRunning, .terminate(let ending, _)):
      phase = .ended
      return [.end(ending)]
    case (.notRunning, _), (_, .launched): return []
    case (.suspended, .suspending), (.suspended, .enteredBackground): return []
    case (.suspended, _):
      // A suspended app runs no code: that there is an event at all says that it runs again.
      phase = .background
      return [.markSuspended(false)] + handleRunning(event)
    default: return handleRunning(event)
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
      return [.remove(archive)]
    case .disconnected(let archive): return disconnect(archive)
    case .changed(let archive):
      archives[archive]?.noteChange(at: now)
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
      return capture(changed) + [.flush(until: now + timing.backgroundTime)]
    case .suspending:
      phase = .suspended
      return capture(changed) + [.flush(until: now + timing.backgroundTime), .releaseFiles, .releaseCaches, .markSuspended(true)]
    case .storage(let isAvailable): return setStorage(isAvailable)
    case .memoryLow: return [.releaseCaches]
    case .terminate(let ending, let time):
      phase = .ended
      return capture(changed) + [.flush(until: now + max(time, .zero)), .end(ending)]
    case .turnEnded: return capture(changed) + tick()
    case .tick: return tick()
    }
  }

  private mutating func open(_ archive: ArchiveName) -> [LifecycleAction] {
    guard archives[archive] == nil else { return [] }
    order.append(archive)
    guard restoresState else {
      archives[archive] = Archive(stage: .open)
      return [.startFresh(archive)]
    }
    archives[archive] = Archive(stage: isStorageAvailable ? .restoring : .waiting)
    return isStorageAvailable ? [.restore(archive)] : [.awaitStorage(archive)]
  }

  private mutating func disconnect(_ archive: ArchiveName) -> [LifecycleAction] {
    let actions = hasChanges(archive) ? capture([archive]) : []
    guard !hasChanges(archive), archives.removeValue(forKey: archive) != nil else { return actions }
    order.removeAll { $0 == archive }
    return actions
  }

  private mutating func noteRestored(_ archive: ArchiveName) -> [LifecycleAction] {
    guard let stage = archives[archive]?.stage, stage != .waiting else { return [] }
    archives[archive]?.stage = .open
    archives[archive]?.isOnTrial = true
    archives[archive]?.isDeferred = false
    lastStabilityTick = lastStabilityTick ?? now
    return []
  }

  private mutating func setStorage(_ isAvailable: Bool) -> [LifecycleAction] {
    guard isStorageAvailable != isAvailable else { return [] }
    isStorageAvailable = isAvailable
    guard isAvailable else { return [.releaseFiles] }
    let waiting = order.filter { archives[$0]?.stage == .waiting }
    for archive in waiting { archives[archive]?.stage = .restoring }
    let deferred = order.filter { archives[$0]?.isDeferred == true && archives[$0]?.stage == .open }
    // State that is newer than the files must be known before these are restored.
    let newer = waiting.filter { hasChanges($0) && archives[$0]?.isDeferred == false }
    return (newer.isEmpty ? [] : [.deferSave(newer)]) + waiting.map { .restore($0) } + capture(deferred)
  }

  private mutating func tick() -> [LifecycleAction] {
    let due = order.filter { archive in captureTime(of: archive).map { $0 <= now } ?? false }
    var actions = capture(due)
    let onTrial = order.filter { archives[$0]?.isOnTrial == true }
    if onTrial.isEmpty {
      lastStabilityTick = nil
    } else if let last = lastStabilityTick, last + timing.stabilityTick <= now {
      // One tick, however late: an app that hangs does not prove that it runs.
      lastStabilityTick = now
      actions.append(.countTick(onTrial))
    }
    return actions
  }

  // MARK: Changes

  /// Whether an archive is open.
  public func isOpen(_ archive: ArchiveName) -> Bool { archives[archive] != nil }

  /// Whether an open archive has changes that are not captured.
  public func hasChanges(_ archive: ArchiveName) -> Bool { archives[archive]?.firstChange != nil }

  /// The time of the next ``LifecycleEvent/tick``; nil while there is nothing to wait for.
  public var nextTick: Duration? {
    guard phase != .notRunning, phase != .suspended, phase != .ended else { return nil }
    var next = order.compactMap { captureTime(of: $0) }.min()
    if let last = lastStabilityTick, order.contains(where: { archives[$0]?.isOnTrial == true }) {
      next = min(next ?? last + timing.stabilityTick, last + timing.stabilityTick)
    }
    return next
  }

  /// The open archives with changes that are not captured.
  private var changed: [ArchiveName] { order.filter { hasChanges($0) } }

  /// When the changes of an archive are due; nil if there are none, while it is restored, or if the host knows that they wait.
  private func captureTime(of name: ArchiveName) -> Duration? {
    guard let archive = archives[name], archive.stage != .restoring, !archive.isDeferred, let first = archive.firstChange,
      let last = archive.lastChange
    else { return nil }
    return min(last + timing.saveDelay, first + timing.longestSaveDelay)
  }

  /// Captures archives, or defers those that cannot be saved now.
  private mutating func capture(_ names: [ArchiveName]) -> [LifecycleAction] {
    var captured: [ArchiveName] = []
    var deferred: [ArchiveName] = []
    for name in names {
      if isStorageAvailable, archives[name]?.stage == .open {
        archives[name]?.firstChange = nil
        archives[name]?.lastChange = nil
        archives[name]?.isDeferred = false
        captured.append(name)
      } else {
        archives[name]?.isDeferred = !isStorageAvailable
        deferred.append(name)
      }
    }
    return (captured.isEmpty ? [] : [.capture(captured)]) + (deferred.isEmpty ? [] : [.deferSave(deferred)])
  }
}
