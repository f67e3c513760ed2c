import PropertyKit
import StateRestoration
import TestStage
import Testing

@Suite struct ApplicationLifecycleTests {
  private static let app = ArchiveName.application
  private let scene: ArchiveName

  init() throws {
    scene = try #require(ArchiveName.scene("a"))
  }

  /// A launched lifecycle with restored archives.
  private func running(_ archives: ArchiveName...) -> ApplicationLifecycle {
    var lifecycle = ApplicationLifecycle()
    #expect(lifecycle.handle(.launched(inBackground: false, restoresState: true), now: .zero) == [])
    for archive in archives {
      #expect(lifecycle.handle(.opened(archive), now: .zero) == [.restore(archive)])
      #expect(lifecycle.handle(.restored(archive), now: .zero) == [])
      #expect(lifecycle.handle(.stable(archive), now: .zero) == [])
    }
    return lifecycle
  }

  @Test("a change is captured half a second after the last one")
  func capturesAfterQuiet() {
    var lifecycle = running(Self.app)
    _ = lifecycle.handle(.changed(Self.app), now: .seconds(1))
    #expect(lifecycle.nextTick == .milliseconds(1500))
    _ = lifecycle.handle(.changed(Self.app), now: .milliseconds(1400))
    #expect(lifecycle.handle(.tick, now: .milliseconds(1500)) == [])
    #expect(lifecycle.nextTick == .milliseconds(1900))
    #expect(lifecycle.handle(.tick, now: .milliseconds(1900)) == [.capture([Self.app]), .write])
    #expect(lifecycle.nextTick == nil && !lifecycle.hasChanges(Self.app))
  }

  @Test("changes that each capture makes itself are captured once more, and again before the process may end")
  func capturesItsOwnChangesOnce() {
    var lifecycle = running(Self.app)
    for start in [1, 11] {
      _ = lifecycle.handle(.changed(Self.app), now: .seconds(start))
      for _ in 0..<2 {
        #expect(lifecycle.handle(.tick, now: lifecycle.nextTick ?? .zero) == [.capture([Self.app]), .write])
        lifecycle.noteChangeByCapture(Self.app, now: .seconds(start + 1))
      }
      #expect(lifecycle.nextTick == nil && !lifecycle.hasChanges(Self.app))
    }
    #expect(lifecycle.handle(.enteredBackground, now: .seconds(20)).first == .capture([Self.app]))
    lifecycle.noteChangeByCapture(Self.app, now: .seconds(20))
    #expect(lifecycle.nextTick == nil)
    // Another change meanwhile makes the capture one of its own.
    _ = lifecycle.handle(.changed(Self.app), now: .seconds(21))
    lifecycle.noteChangeByCapture(Self.app, now: .seconds(21))
    _ = lifecycle.handle(.tick, now: .seconds(23))
    lifecycle.noteChangeByCapture(Self.app, now: .seconds(23))
    #expect(lifecycle.nextTick == .milliseconds(23_500))
  }

  @Test("continuous changes are captured five seconds after the first")
  func capturesWhileChanging() {
    var lifecycle = running(Self.app)
    var captures = 0
    for step in 0..<1000 {
      let now = Duration.milliseconds(10 * step)
      _ = lifecycle.handle(.changed(Self.app), now: now)
      if let next = lifecycle.nextTick, next <= now { captures += lifecycle.handle(.tick, now: now).count { $0 == .capture([Self.app]) } }
    }
    #expect(captures == 1)
    #expect(lifecycle.nextTick != nil)
  }

  @Test("entering the background captures and flushes", arguments: [true, false])
  func entersBackground(isChanged: Bool) {
    var lifecycle = running(Self.app, scene)
    if isChanged { _ = lifecycle.handle(.changed(scene), now: .seconds(1)) }
    let flush = LifecycleAction.flush(until: .seconds(6))
    #expect(lifecycle.handle(.enteredBackground, now: .seconds(1)) == (isChanged ? [.capture([scene]), flush] : [flush]))
    #expect(lifecycle.phase == .background)
  }

  @Test("while storage is unavailable nothing is restored or captured; both follow when it is available")
  func waitsForStorage() {
    var lifecycle = ApplicationLifecycle()
    _ = lifecycle.handle(.storage(isAvailable: false), now: .zero)
    _ = lifecycle.handle(.launched(inBackground: true, restoresState: true), now: .zero)
    #expect(lifecycle.handle(.opened(Self.app), now: .zero) == [.awaitStorage(Self.app)])
    _ = lifecycle.handle(.changed(Self.app), now: .seconds(1))
    #expect(lifecycle.nextTick == .milliseconds(1500))
    #expect(lifecycle.handle(.enteredBackground, now: .seconds(2)) == [.deferSave([Self.app]), .flush(until: .seconds(7))])
    #expect(lifecycle.handle(.storage(isAvailable: true), now: .seconds(3)) == [.restore(Self.app), .write])
    _ = lifecycle.handle(.restored(Self.app), now: .seconds(3))
    #expect(lifecycle.handle(.tick, now: .seconds(4)).first == .capture([Self.app]))
    #expect(lifecycle.handle(.storage(isAvailable: false), now: .seconds(5)) == [])
    _ = lifecycle.handle(.stable(Self.app), now: .seconds(5))
    _ = lifecycle.handle(.changed(Self.app), now: .seconds(5))
    #expect(lifecycle.handle(.tick, now: .seconds(6)) == [.deferSave([Self.app])])
    #expect(lifecycle.nextTick == nil)
    #expect(lifecycle.handle(.storage(isAvailable: true), now: .seconds(9)) == [.capture([Self.app]), .write])
  }

  @Test("suspension saves, releases caches, and is recorded; any later event clears the record")
  func suspends() {
    var lifecycle = running(Self.app)
    _ = lifecycle.handle(.changed(Self.app), now: .zero)
    #expect(
      lifecycle.handle(.suspending, now: .zero)
        == [.capture([Self.app]), .flush(until: .seconds(5)), .releaseCaches, .markSuspended(true)])
    #expect(lifecycle.nextTick == nil)
    #expect(lifecycle.handle(.suspending, now: .seconds(1)) == [])
    #expect(lifecycle.handle(.willEnterForeground, now: .seconds(9)) == [.markSuspended(false)])
    #expect(lifecycle.phase == .inactive)
    #expect(lifecycle.handle(.memoryLow, now: .seconds(9)) == [.releaseCaches])
  }

  @Test("what is only noted while the app is suspended leaves the record to the next event that the host acts on")
  func clearsTheRecordLater() {
    for event in [LifecycleEvent.changed(Self.app), .failed(Self.app), .stable(Self.app)] {
      var lifecycle = running(Self.app)
      _ = lifecycle.handle(.suspending, now: .zero)
      #expect(lifecycle.handle(event, now: .seconds(1)) == [])
      #expect(lifecycle.handle(.becameActive, now: .seconds(2)) == [.markSuspended(false)])
      #expect(lifecycle.handle(.resignedActive, now: .seconds(2)) == [])
    }
  }

  @Test("a launch for a reason that must not restore starts fresh")
  func startsFresh() {
    var lifecycle = ApplicationLifecycle()
    _ = lifecycle.handle(.launched(inBackground: false, restoresState: false), now: .zero)
    #expect(lifecycle.handle(.opened(Self.app), now: .zero) == [.startFresh(Self.app)])
    #expect(lifecycle.handle(.opened(Self.app), now: .zero) == [])
  }

  @Test("closing an archive removes it and its changes")
  func closes() {
    var lifecycle = running(Self.app, scene)
    _ = lifecycle.handle(.changed(scene), now: .zero)
    #expect(lifecycle.handle(.closed(scene), now: .zero) == [.remove(scene)])
    #expect(lifecycle.handle(.closed(scene), now: .zero) == [])
    #expect(lifecycle.handle(.enteredBackground, now: .zero) == [.flush(until: .seconds(5))])
    #expect(lifecycle.handle(.opened(scene), now: .zero) == [.restore(scene)])
  }

  @Test("changes are captured together once one is due, at a close and a disconnection too (Behaviours 102)")
  func capturesTogether() {
    var lifecycle = running(Self.app, scene)
    _ = lifecycle.handle(.changed(scene), now: .zero)
    _ = lifecycle.handle(.changed(Self.app), now: .milliseconds(300))
    #expect(lifecycle.handle(.tick, now: .milliseconds(500)) == [.capture([Self.app, scene]), .write])
    #expect(lifecycle.nextTick == nil)
    let ends: [(LifecycleEvent, [LifecycleAction])] = [
      (.disconnected(scene), [.capture([Self.app, scene]), .write]), (.closed(scene), [.capture([Self.app]), .remove(scene)]),
    ]
    for (event, actions) in ends {
      var lifecycle = running(Self.app, scene)
      for archive in [Self.app, scene] { _ = lifecycle.handle(.changed(archive), now: .zero) }
      #expect(lifecycle.handle(event, now: .zero) == actions)
    }
  }

  @Test("a disconnected scene is captured first; a scene that cannot be captured stays open")
  func disconnects() {
    var lifecycle = running(Self.app, scene)
    #expect(lifecycle.handle(.disconnected(scene), now: .zero) == [])
    #expect(!lifecycle.isOpen(scene) && lifecycle.isOpen(Self.app))
    #expect(lifecycle.handle(.opened(scene), now: .zero) == [.restore(scene)])
    _ = lifecycle.handle(.restored(scene), now: .zero)
    _ = lifecycle.handle(.changed(scene), now: .zero)
    _ = lifecycle.handle(.storage(isAvailable: false), now: .zero)
    #expect(lifecycle.handle(.disconnected(scene), now: .zero) == [.deferSave([scene])])
    #expect(lifecycle.isOpen(scene))
    #expect(lifecycle.handle(.storage(isAvailable: true), now: .zero) == [.capture([scene]), .write])
    _ = lifecycle.handle(.changed(scene), now: .zero)
    #expect(lifecycle.handle(.disconnected(scene), now: .zero) == [.capture([scene]), .write])
    #expect(!lifecycle.isOpen(scene))
  }

  @Test("an app that hangs counts one tick, however long it hangs")
  func countsTicks() {
    var lifecycle = ApplicationLifecycle()
    _ = lifecycle.handle(.launched(inBackground: false, restoresState: true), now: .zero)
    _ = lifecycle.handle(.opened(Self.app), now: .zero)
    _ = lifecycle.handle(.restored(Self.app), now: .zero)
    #expect(lifecycle.nextTick == .milliseconds(500))
    #expect(lifecycle.handle(.tick, now: .seconds(60)) == [.countTick([Self.app])])
    #expect(lifecycle.handle(.tick, now: .seconds(60)) == [])
    _ = lifecycle.handle(.stable(Self.app), now: .seconds(60))
    #expect(lifecycle.nextTick == nil)
  }

  @Test("the end captures, flushes and ends, and no action follows")
  func ends() {
    var lifecycle = running(Self.app)
    _ = lifecycle.handle(.changed(Self.app), now: .zero)
    #expect(
      lifecycle.handle(.terminate(within: .seconds(2)), now: .seconds(1))
        == [.capture([Self.app]), .flush(until: .seconds(3)), .end])
    #expect(lifecycle.handle(.changed(Self.app), now: .seconds(2)) == [] && lifecycle.nextTick == nil)
  }

  @Test("an app that blocks its actor captures at the end of each turn, and writes after the delays")
  func writesAfterTurns() {
    var lifecycle = running(Self.app)
    _ = lifecycle.handle(.changed(Self.app), now: .zero)
    #expect(lifecycle.handle(.turnEnded, now: .zero) == [.capture([Self.app])])
    #expect(lifecycle.nextTick == .milliseconds(500))
    _ = lifecycle.handle(.changed(Self.app), now: .milliseconds(100))
    #expect(lifecycle.handle(.tick, now: .milliseconds(300)) == [])
    #expect(lifecycle.handle(.turnEnded, now: .milliseconds(400)) == [.capture([Self.app])])
    #expect(lifecycle.handle(.tick, now: .milliseconds(500)) == [])
    #expect(lifecycle.nextTick == .milliseconds(900))
    #expect(lifecycle.handle(.tick, now: .milliseconds(900)) == [.write])
    #expect(lifecycle.nextTick == nil)
    // A change between turns waits for the next turn.
    _ = lifecycle.handle(.changed(Self.app), now: .seconds(1))
    #expect(lifecycle.nextTick == nil && lifecycle.handle(.tick, now: .seconds(9)) == [])
    #expect(lifecycle.handle(.turnEnded, now: .seconds(9)) == [.capture([Self.app])])
    #expect(lifecycle.handle(.enteredBackground, now: .seconds(9)) == [.flush(until: .seconds(14))])
    #expect(lifecycle.nextTick == nil)
  }

  @Test("a failed save is tried again after the longest delay, or with the next change", arguments: [false, true])
  func triesAgain(isBlocking: Bool) {
    var lifecycle = running(Self.app)
    if isBlocking { _ = lifecycle.handle(.turnEnded, now: .zero) }
    _ = lifecycle.handle(.failed(Self.app), now: .seconds(1))
    #expect(lifecycle.nextTick == .seconds(6) && lifecycle.hasChanges(Self.app))
    #expect(lifecycle.handle(.tick, now: .seconds(5)) == [])
    #expect(lifecycle.handle(.tick, now: .seconds(6)) == (isBlocking ? [.write] : [.capture([Self.app]), .write]))
    #expect(lifecycle.nextTick == nil)
    _ = lifecycle.handle(.failed(Self.app), now: .seconds(6))
    #expect(lifecycle.handle(.enteredBackground, now: .seconds(7)).first == .capture([Self.app]))
    #expect(lifecycle.nextTick == nil)
  }

  @Test("an archive that could not be restored is tried again after the longest delay, by an app that blocks its actor in a turn")
  func restoresAgain() {
    for isBlocking in [false, true] {
      var lifecycle = ApplicationLifecycle()
      _ = lifecycle.handle(.launched(inBackground: false, restoresState: true), now: .zero)
      #expect(lifecycle.handle(.opened(Self.app), now: .zero) == [.restore(Self.app)])
      if isBlocking { _ = lifecycle.handle(.turnEnded, now: .zero) }
      _ = lifecycle.handle(.notRestored(Self.app), now: .zero)
      #expect(lifecycle.nextTick == (isBlocking ? nil : .seconds(5)))
      #expect(lifecycle.handle(.tick, now: .seconds(5)) == (isBlocking ? [] : [.restore(Self.app)]))
      if isBlocking { #expect(lifecycle.handle(.turnEnded, now: .seconds(5)) == [.restore(Self.app)]) }
      // What changes meanwhile is newer, and captured first.
      _ = lifecycle.handle(.notRestored(Self.app), now: .seconds(5))
      _ = lifecycle.handle(.changed(Self.app), now: .seconds(10))
      let event = isBlocking ? LifecycleEvent.turnEnded : .tick
      #expect(lifecycle.handle(event, now: .seconds(10)).suffix(2) == [.deferSave([Self.app]), .restore(Self.app)])
      _ = lifecycle.handle(.restored(Self.app), now: .seconds(10))
      #expect(lifecycle.handle(.enteredBackground, now: .seconds(10)).first == .capture([Self.app]))
    }
  }

  // MARK: Sequences

  @Test("random lives keep every guarantee, and replay from their seed", arguments: TestStage.seeds(3, exhaustive: 200))
  func keepsPromises(_ group: UInt64) {
    for seed in group * 250..<(group + 1) * 250 {
      var life = RandomLife(seed: seed)
      life.run()
      if let broken = life.broken.first {
        Issue.record("seed \(seed): \(broken)\n\(life.trace.map(\.description).joined(separator: "\n"))")
        return
      }
      guard seed % 10 == 0 else { continue }
      var again = RandomLife(seed: seed)
      again.run()
      #expect(again.trace == life.trace, "seed \(seed)")
    }
  }

  @Test("the random lives reach every action and every phase")
  func reachesEverything() {
    var seen: Set<String> = []
    for seed in UInt64(0)..<300 {
      var life = RandomLife(seed: seed)
      life.run()
      seen.formUnion(life.seen)
    }
    let expected: Set<String> = [
      "restore", "startFresh", "awaitStorage", "capture", "deferSave", "flush", "remove", "write", "releaseCaches", "markSuspended",
      "countTick", "end", "notRunning", "inactive", "active", "background", "suspended", "ended",
    ]
    #expect(seen == expected)
  }
}

/// A random life, checked against the guarantees of the lifecycle by independent bookkeeping.
private struct RandomLife {
  private struct Archive {
    var isOpen = false
    var isRestoreAsked = false
    var isRestored = false
    /// The times of the first and the last change that is not captured.
    var changes: [Duration] = []
    /// Whether a save has failed since the last capture.
    var hasFailed = false
    /// The time since which a capture has been possible.
    var freeSince = Duration.zero
  }

  /// An event, or an action that it caused.
  ///
  /// It becomes text only if a guarantee is broken: the text of all events would take longer than the lives.
  enum Step: Equatable, CustomStringConvertible {
    case event(LifecycleEvent, time: Duration)
    case action(LifecycleAction)

    var description: String {
      switch self {
      case .event(let event, let time): "\(time) \(event)"
      case .action(let action): "  \(action)"
      }
    }
  }

  private(set) var broken: [String] = []
  private(set) var trace: [Step] = []
  private(set) var seen: Set<String> = []
  private var random: SeededGenerator
  private var lifecycle = ApplicationLifecycle()
  private var now = Duration.zero
  private var archives: [ArchiveName: Archive] = [:]
  private var names: [ArchiveName] = [.application] + ["a", "b"].compactMap { .scene($0) }
  private var isStorageAvailable = true
  private var restoresState = true
  private var isSuspended = false
  private var hasEnded = false
  /// Whether the app blocks its actor: its changes wait for a turn.
  private let isTurnBased: Bool
  private var hasTurned = false

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isTurnBased = seed % 4 == 0
  }

  mutating func run() {
    if Bool.random(using: &random) { send(.storage(isAvailable: Bool.random(using: &random))) }
    send(.launched(inBackground: Bool.random(using: &random), restoresState: Int.random(in: 0..<5, using: &random) > 0))
    for _ in 0..<60 where broken.isEmpty {
      advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
      send(randomEvent())
    }
    if Bool.random(using: &random) { send(.terminate(within: .seconds(1))) }
    if hasEnded { for name in names { send(.changed(name)) } }
  }

  private mutating func randomEvent() -> LifecycleEvent {
    let name = names.randomElement(using: &random) ?? .application
    switch Int.random(in: 0..<42, using: &random) {
    case 0..<5: return .opened(name)
    case 40..<42: return .disconnected(name)
    case 5: return .closed(name)
    case 6..<20: return .changed(name)
    case 20: return .becameActive
    case 21: return .resignedActive
    case 22: return .enteredBackground
    case 23: return .willEnterForeground
    case 24: return .suspending
    case 25..<29: return .storage(isAvailable: Bool.random(using: &random))
    case 29: return .memoryLow
    case 30: return Int.random(in: 0..<4, using: &random) == 0 ? .terminate(within: .seconds(1)) : .tick
    case 31: return .stable(name)
    case 32: return isTurnBased ? .turnEnded : .tick
    case 33: return Bool.random(using: &random) ? .failed(name) : .notRestored(name)
    default: return .tick
    }
  }

  /// Advances time, with all ticks that the lifecycle requests.
  private mutating func advance(by duration: Duration) {
    let end = now + duration
    while let next = lifecycle.nextTick, next <= end {
      now = max(now, next)
      let before = lifecycle.nextTick
      send(.tick)
      if lifecycle.nextTick == before { return broken.append("a tick at \(now) leaves the next tick where it was") }
    }
    now = end
  }

  private mutating func send(_ event: LifecycleEvent) {
    trace.append(.event(event, time: now))
    let phase = lifecycle.phase
    note(event)
    let actions = lifecycle.handle(event, now: now)
    seen.insert("\(lifecycle.phase)")
    for action in actions { check(action, during: event) }
    if phase != .notRunning, phase != .ended, phase != .suspended { checkSaved(after: event, actions) }
    if case .disconnected(let name) = event, !lifecycle.isOpen(name) {
      if archives[name]?.changes.isEmpty == false { broken.append("\(name) is put away with changes") }
      archives[name] = nil
    }
    checkDelays()
    // The host performs the requested actions.
    for case .restore(let name) in actions where Int.random(in: 0..<5, using: &random) > 0 { send(.restored(name)) }
  }

  /// Updates the bookkeeping.
  private mutating func note(_ event: LifecycleEvent) {
    guard !hasEnded else { return }
    if case .storage(let isAvailable) = event { isStorageAvailable = isAvailable }
    if case .launched(_, let restoresState) = event { self.restoresState = restoresState }
    guard lifecycle.phase != .notRunning else { return }
    switch event {
    case .opened(let name):
      if archives[name] == nil { archives[name] = Archive(isOpen: true, freeSince: now) }
    case .restored(let name):
      if archives[name]?.isRestoreAsked == true { archives[name]?.isRestored = true }
      archives[name]?.freeSince = now
    case .changed(let name): archives[name]?.changes.append(now)
    case .failed(let name): if archives[name]?.isRestored == true { archives[name]?.hasFailed = true }
    case .notRestored(let name):
      if archives[name]?.isRestored == false { archives[name]?.isRestoreAsked = false }
      // What starts fresh counts as restored at once.
      if !restoresState { archives[name]?.isRestored = false }
    case .turnEnded: hasTurned = true
    case .storage:
      for name in archives.keys { archives[name]?.freeSince = now }
    default: break
    }
    if lifecycle.phase == .suspended, event != .suspending, event != .enteredBackground {
      isSuspended = false
      for name in archives.keys { archives[name]?.freeSince = now }
    }
  }

  private mutating func check(_ action: LifecycleAction, during event: LifecycleEvent) {
    trace.append(.action(action))
    if hasEnded { broken.append("\(action) after the end") }
    switch action {
    case .restore(let name):
      seen.insert("restore")
      if !isStorageAvailable { broken.append("restores \(name) while the storage is away") }
      if archives[name]?.isRestoreAsked != false { broken.append("restores \(name) twice, or when it is not open") }
      archives[name]?.isRestoreAsked = true
    case .startFresh(let name):
      seen.insert("startFresh")
      archives[name]?.isRestored = true
      archives[name]?.freeSince = now
    case .awaitStorage: seen.insert("awaitStorage")
    case .capture(let names):
      seen.insert("capture")
      if !isStorageAvailable { broken.append("captures while the storage is away") }
      for name in names {
        if archives[name]?.isRestored != true { broken.append("captures \(name) before it is restored") }
        if archives[name].map({ $0.changes.isEmpty && !$0.hasFailed }) ?? true { broken.append("captures \(name) without changes") }
        archives[name]?.changes = []
        archives[name]?.hasFailed = false
      }
    case .deferSave: seen.insert("deferSave")
    case .flush(let time):
      seen.insert("flush")
      if time < now { broken.append("flushes until the past") }
    case .remove(let name):
      seen.insert("remove")
      archives[name] = nil
    case .write: seen.insert("write")
    case .releaseCaches: seen.insert("releaseCaches")
    case .markSuspended(let value):
      seen.insert("markSuspended")
      if value == isSuspended, value { broken.append("marks suspension twice") }
      isSuspended = value
    case .countTick: seen.insert("countTick")
    case .end:
      seen.insert("end")
      hasEnded = true
    }
  }

  /// Checks that every change that can be captured is captured on entering the background, before suspension and before
  /// the end.
  private mutating func checkSaved(after event: LifecycleEvent, _ actions: [LifecycleAction]) {
    switch event {
    case .enteredBackground, .suspending, .terminate, .turnEnded:
      for (name, archive) in archives where isStorageAvailable && archive.isRestored && !archive.changes.isEmpty {
        // A turn starts archives after it has captured the others.
        if event == .turnEnded, archive.freeSince == now { continue }
        broken.append("\(event) leaves changes of \(name)")
      }
    default: break
    }
  }

  /// Checks that no change waits longer than permitted.
  private mutating func checkDelays() {
    guard lifecycle.phase != .suspended, lifecycle.phase != .notRunning, !hasEnded, isStorageAvailable, !hasTurned else { return }
    for (name, archive) in archives where archive.isRestored {
      guard let first = archive.changes.first, let last = archive.changes.last else { continue }
      let due = max(min(last + .milliseconds(500), first + .seconds(5)), archive.freeSince)
      if due < now { broken.append("\(name) has waited since \(first), due at \(due), now \(now)") }
    }
  }
}
