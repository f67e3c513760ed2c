@testable import StateRestoration

/// The state that the user must see and keep of one scene: the rules of deaths, offers and quarantine, as a model of
/// values.
///
/// The model identifies a state by the number of its generation, and has no files, ledgers or progress records.
struct SceneModel {
  typealias State = [String: Int]

  /// What the app as a whole has on record.
  struct Ladder {
    /// The number of bad launches in a row.
    var streak = 0
    /// Whether anything has become stable in this launch.
    var hasRun = false
    /// Whether anything was restored in this launch.
    var hasRestored = false
    /// The scenes of which this launch was a good one.
    var good: Set<String> = []
  }

  /// A node in whose callback the process died.
  struct Suspect {
    var path: String
    var value: Int?
    var deaths = 0
    var phase = ""
    var isFault = false
    var isSettled = false
    /// Whether it is known what it was.
    var isTyped = false
  }

  /// A node that killed the process.
  struct Quarantine {
    var path: String
    var value: Int?
    var builds: Set<String>
    var good = 0
    var failed = 0
    var isOfStreak = false

    func isDue(_ build: String, _ ladder: Ladder) -> Bool {
      if ladder.streak > 0 { return false }
      return !builds.contains(build) && good >= min([0, 1, 3, 7, 15, 31][min(failed, 5)], 20) || good >= [5, 10, 20][min(failed, 2)]
    }
  }

  /// A state that is offered.
  struct Offer: Equatable {
    var number: UInt64
    var paths: Set<String> = []
  }

  /// Every state that was reported as saved.
  var states: [UInt64: State] = [:]
  /// The paths of the documents in every saved state, in saved order.
  var orders: [UInt64: [String]] = [:]
  /// What the next launch restores, if it may.
  var current: UInt64?
  /// The offers, newest first.
  var offers: [Offer] = []
  /// The deaths that no node explains.
  var deaths = 0
  var suspects: [Suspect] = []
  var quarantine: [Quarantine] = []
  /// The state that is offered until it is answered.
  var aside: UInt64?
  /// The last state that is not restored either.
  var lastAside: UInt64 = 0
  /// The first state that was saved without it, and was never stable.
  var fresh: UInt64?
  var isAcquitted = false
  /// An accepted offer that is not proved yet, and the state that it replaced.
  var trial: (accepted: Offer, replaced: UInt64)?

  /// The last state of the scene, which is closed and can be reopened.
  var closed: UInt64?
  /// The state that the user has opened again, which no policy refuses until it is stable.
  var wanted: UInt64?
  /// Whether a save was reported since the scene was opened.
  var isListed = false

  /// Whether the store will learn of an event at the next launch.
  var isWaiting = false

  // The current launch.
  var isOpen = false
  var isRestored = false
  /// Whether the scene was restored and is not stable yet.
  var isUnstable = false
  var hasSaved = false
  /// Whether the app runs without the state that is set aside, and is not stable yet.
  var isAside = false
  /// Whether the current state is no offer, because it was never stable.
  var isBlank = false
  /// What was restored.
  var source: UInt64?
  /// Whether the current state was not restored, so that it becomes an offer once something is saved over it.
  var isSkipped = false
  /// The nodes skipped because of their own quarantine.
  var left: Set<String> = []
  /// The states at or below a node in `left` that are kept, until their object changes or is closed.
  var kept: State = [:]
  /// The paths of such states beside which an object has stood.
  var accompanied: Set<String> = []
  /// The nodes in `left` whose changes by the user a save has found.
  var given: Set<String> = []
  /// The nodes in `left` whose changes are saved.
  var changed: Set<String> = []
  /// The state that waits for an object.
  var waiting: State = [:]
  /// The paths of such state for which an object was saved with its own: no later one gets it.
  var replaced: Set<String> = []
  /// The paths at or below which state is quarantined or waiting, and where the last save found an object.
  var residents: Set<String> = []
  /// The restored state.
  var restored: State = [:]
  /// The documents of the restored state, in saved order.
  var restoredOrder: [String] = []
  /// What the user sees, and saw first.
  var live: State = [:]
  var first: State = [:]

  static let defaults: State = ["application": 0, "root": 0, "root/a": 0, "root/b": 0]

  private static func isBelow(_ path: String, _ above: String) -> Bool { path == above || path.hasPrefix(above + "/") }

  /// Returns a path and all paths above it, the longest first.
  private static func upward(from path: String) -> [String] {
    sequence(first: path) { $0.contains("/") ? String($0.dropLast(2)) : nil }.map(\.self)
  }

  /// Returns whether the user has closed the object at a path, or else the nearest one above it.
  private func isClosed(_ path: String) -> Bool {
    let nearest = Self.upward(from: path).first { live[$0] != nil || residents.contains($0) }
    return nearest.map { live[$0] == nil } ?? false
  }

  private func residents(above path: String) -> [String] { Self.upward(from: path).filter { live[$0] != nil } }
  func isLeft(_ path: String) -> Bool { left.contains { Self.isBelow(path, $0) } }

  /// Whether a save changes nothing but the saved state, and a death counts against nothing.
  var isCalm: Bool {
    var later = self
    later.preserve()
    return !isUnstable && !isAside && aside == nil && trial == nil && !isSkipped && !isBlank && later.given.isSubset(of: changed)
  }

  /// Whether a save would write something.
  func isChanged(listed: [String]) -> Bool {
    var later = self
    later.save(as: 0, isNew: true, listed: listed)
    return current.map { states[$0] != later.states[0] || orders[$0] != later.orders[0] } ?? true
  }

  // MARK: Launching

  enum Mode: Equatable {
    case fresh
    case offered
    case restored
  }

  /// The behavior of windows and their documents.
  struct Window {
    /// Whether the third document, and the attachment of the first, can be made.
    var hasDocument = true
    /// Whether the third document was deleted for good.
    var isDocumentDeleted = false
    /// Whether the restored documents take the place of those that are there.
    var replacesDocuments = false
  }

  /// Launches the scene.
  mutating func launch(build: String, isSafe: Bool, isNotNow: Bool, _ window: Window, _ ladder: Ladder) -> Mode {
    (isOpen, isRestored, isUnstable, hasSaved, isSkipped) = (true, false, false, false, false)
    (left, changed, live, first, isWaiting) = ([], [], Self.defaults, Self.defaults, false)
    (waiting, kept, accompanied, residents, given, restoredOrder) = ([:], [:], [], [], [], [])
    (isAside, isBlank) = (false, false)
    guard let current, let state = states[current] else {
      isAside = aside != nil
      return .fresh
    }
    if !isSafe, aside != nil, current <= lastAside {
      isAside = true
      isBlank = fresh.map { current >= $0 } ?? false
      isSkipped = !isBlank
      return isBlank ? .fresh : .offered
    }
    if isSafe || isNotNow && wanted != current {
      isSkipped = true
      return isSafe ? .offered : .fresh
    }
    restore(state, build: build, window, ladder)
    return .restored
  }

  /// Restores a state into the live values.
  mutating func restore(_ state: State, build: String, _ window: Window, _ ladder: Ladder) {
    given = []
    restoredOrder = current.flatMap { orders[$0] } ?? []
    (left, changed, isRestored, isUnstable, hasSaved, isSkipped) = ([], [], true, true, false, false)
    (isAside, isBlank, source) = (false, false, current)
    // A node whose parent waits is not left out, but waits with it.
    for path in SimulatedScene.allPaths where path != "root/a/d" || live["root/a"] != nil {
      guard let value = state[path], !isLeft(path),
        let index = quarantine.firstIndex(where: { $0.path == path && !$0.isDue(build, ladder) && ($0.value == nil || $0.value == value) })
      else { continue }
      quarantine[index].value = value
      left.insert(path)
    }
    let canMakeDocument = window.hasDocument && !window.isDocumentDeleted
    let canAttach = window.hasDocument && live["root/a"] != nil
    let taken = state.filter {
      !isLeft($0.key) && (live[$0.key] != nil || $0.key == "root/c" && canMakeDocument || $0.key == "root/a/d" && canAttach)
    }
    if window.replacesDocuments, taken["root"] != nil { live = live.filter { $0.key == "root/a/d" && taken["root/a"] != nil } }
    live.merge(taken) { $1 }
    first = live
    restored = state
    kept = state.filter { isLeft($0.key) }
    accompanied = Set(kept.keys.filter { live[$0] != nil })
    waiting = state.filter { !isLeft($0.key) && taken[$0.key] == nil && !($0.key == "root/c" && window.isDocumentDeleted) }
    replaced = []
    residents = Set(state.keys.filter { isLeft($0) || waiting[$0] != nil }.flatMap { residents(above: $0) })
  }

  // MARK: While it runs

  /// The user changes an object; it and those above it are opened if need be.
  mutating func edit(_ path: String, _ number: Int) {
    for path in Self.upward(from: path) where live[path] == nil { live[path] = 0 }
    live[path] = number
  }

  /// The user closes a document.
  mutating func close(_ path: String) {
    live = live.filter { !Self.isBelow($0.key, path) }
    // An object that the user opens again is another one, even before the next save.
    first = first.filter { live[$0.key] != nil }
  }

  // MARK: Saving

  /// Looks at the live values, as every save does, even one that fails.
  mutating func preserve() {
    for path in kept.keys {
      if live[path] == nil {
        // The user has closed it.
        if isClosed(path) { kept[path] = nil }
      } else if live[path] != first[path] {
        kept[path] = nil
        if left.contains(path) { given.insert(path) }
      }
      residents.formUnion(residents(above: path))
    }
    for path in waiting.keys {
      if live[path] != nil { replaced.insert(path) }
      if isClosed(path) { waiting[path] = nil }
      residents.formUnion(residents(above: path))
    }
  }

  /// Returns the order in which a save writes documents; `listed` is the order of the window.
  ///
  /// A document that is only carried over follows the nearest open document before it in the restored state.
  private func order(of state: State, listed: [String]) -> [String] {
    var order = listed.filter { state[$0] != nil }
    var place = 0
    for path in restoredOrder where state[path] != nil {
      if let index = order.firstIndex(of: path) {
        place = index
      } else {
        order.insert(path, at: place)
      }
      place += 1
    }
    return order
  }

  /// What a save writes, and what it makes an offer of; `listed` are the open documents in the order of the window.
  mutating func save(as number: UInt64, isNew: Bool, listed: [String]) {
    var state = live
    var ended: Set<String> = []
    preserve()
    if isRestored {
      for path in live.keys where isUntouched(path) { state[path] = nil }
      state.merge(kept) { $1 }
      ended = given.subtracting(changed)
      changed.formUnion(given)
      for (path, value) in waiting where live[path] == nil { state[path] = value }
    }
    if let current, isSkipped || !ended.isEmpty { offer(Offer(number: current, paths: isSkipped ? [] : ended)) }
    if isSkipped { (deaths, suspects) = (0, []) }
    quarantine.removeAll { ended.contains($0.path) }
    suspects.removeAll { ended.contains($0.path) }
    (isSkipped, isBlank) = (false, false)
    if isNew, isAside { fresh = fresh ?? number } else if isNew { aside = nil }
    current = number
    states[number] = state
    orders[number] = order(of: state, listed: listed)
    if isNew, isUnstable || isAside { hasSaved = true }
  }

  /// Whether an object without state of its own lies below one that did not take its state in, and neither it nor one
  /// below it has changed.
  private func isUntouched(_ path: String) -> Bool {
    let above = String(path.dropLast(2))
    guard path.contains("/"), isLeft(path), restored[path] == nil, kept[above] != nil || isUntouched(above) else { return false }
    return live.allSatisfy { !Self.isBelow($0.key, path) || $0.value == first[$0.key] }
  }

  private mutating func offer(_ offer: Offer) {
    offers.removeAll { $0.number == offer.number }
    offers.append(offer)
    offers.sort { $0.number > $1.number }
  }

  /// Ends the offers that exceed a limit, without those of kept sessions, and returns their numbers.
  mutating func endSurplus(keeping kept: [UInt64]) -> [UInt64] {
    let protected = kept + (trial.map { [$0.accepted.number, $0.replaced] } ?? [])
    let open = offers.filter { !protected.contains($0.number) }
    guard open.count > StoreLimits().offers else { return [] }
    let ended = open.dropFirst(StoreLimits().offers - 1).dropLast().map(\.number)
    offers.removeAll { ended.contains($0.number) }
    return ended
  }

  /// Registers the third object late.
  mutating func register() {
    live["root/c"] = replaced.contains("root/c") ? 0 : waiting.removeValue(forKey: "root/c") ?? 0
    // Beside the first object that comes, the state is kept; one that follows a closed object replaces it, as any change
    // does.
    if kept["root/c"] != nil, accompanied.insert("root/c").inserted { first["root/c"] = 0 }
  }

  // MARK: Offers

  /// Accepts an offer without some paths: `saved` is the previously current state, `copy` the accepted one.
  mutating func accept(
    _ offer: Offer, without paths: Set<String>, replacing saved: UInt64, as copy: UInt64, build: String, _ window: Window, _ ladder: Ladder
  ) {
    guard let accepted = states[offer.number], var state = states[saved] else { return }
    if offer.paths.isEmpty { state = accepted }
    for path in offer.paths {
      // Its own state, and what is only in the offer below it.
      state[path] = accepted[path]
      state.merge(accepted.filter { Self.isBelow($0.key, path) }) { newer, _ in newer }
      // A closed document comes back with its attachment.
      for above in Self.upward(from: path) where state[above] == nil { state[above] = accepted[above] }
    }
    states[copy] = state
    self.offer(Offer(number: saved))
    offers.removeAll { $0.number == offer.number }
    trial = (offer, saved)
    (current, deaths, suspects, aside, fresh) = (copy, 0, [], nil, nil)
    quarantine.removeAll { paths.contains($0.path) }
    quarantine += paths.sorted().map { Quarantine(path: $0, value: state[$0], builds: [build]) }
    let (keptBefore, leftBefore, firstBefore, residentsBefore) = (kept, left, first, residents)
    let (liveBefore, waitingBefore) = (live, waiting.filter { live[$0.key] == nil })
    restore(state, build: build, window, ladder)
    // What the accepted state lacks waits on, after the documents that it has.
    let added = waitingBefore.merging(keptBefore) { $1 }.filter { state[$0.key] == nil }
    let places = Set(added.keys.flatMap { Self.upward(from: $0) })
    restoredOrder += places.filter { $0 != "root" && $0.count == 6 && !restoredOrder.contains($0) }.sorted()
    waiting.merge(waitingBefore.filter { added[$0.key] != nil }) { $1 }
    // What was saved before is no blank that waits for a change.
    for path in live.keys where state[path] == nil && liveBefore[path] != nil {
      first[path] = states[saved]?[path] == nil ? firstBefore[path] : nil
    }
    for (path, value) in keptBefore where added[path] != nil {
      kept[path] = value
      first[path] = firstBefore[path]
      if leftBefore.contains(path) { left.insert(path) }
      if live[path] != nil { accompanied.insert(path) }
    }
    // A document that the accepted state lacks, and below which something waits, stays even in a window that shows what is restored in
    // place of what was there.
    for above in Set(added.keys.flatMap { Self.upward(from: $0) }).subtracting(state.keys) where live[above] == nil {
      (live[above], first[above]) = (liveBefore[above], liveBefore[above])
      // Its descendants stay too.
      for path in liveBefore.keys where above != "root" && path != above && Self.isBelow(path, above) && live[above] != nil {
        (live[path], first[path]) = (liveBefore[path], firstBefore[path])
      }
    }
    residents.formUnion(residentsBefore.filter { above in added.keys.contains { Self.isBelow($0, above) } })
  }

  /// Ends a trial; `unmarked` are the remaining unmarked generations, without copies of the accepted state.
  mutating func endTrial(isFinal: Bool, unmarked: [UInt64]) {
    guard let trial else { return }
    self.trial = nil
    isWaiting = true
    if isFinal { return }
    (current, wanted) = (trial.replaced, nil)
    offers.removeAll { $0.number == trial.replaced }
    for number in unmarked where number > trial.replaced { offer(Offer(number: number)) }
    offer(trial.accepted)
  }

  // MARK: Ending

  /// Records that the launch of this scene became stable.
  ///
  /// `calls` are the callbacks of this launch, as scene, phase and path.
  mutating func becomeStable(build: String, scene: String, calls: [String], _ ladder: inout Ladder) {
    ladder.hasRun = true
    let phases = ["create", "decode", "finish"]
    // A suspect that waits for its object was not called in the phase that kills, so a good launch does not clear it.
    let isFirst = isAside || ladder.good.insert(scene).inserted
    noteStable(build, ladder, countsLaunch: isFirst) { suspect in
      phases.drop { $0 != suspect.phase }.contains { calls.contains("\(scene) \($0) \(suspect.path)") }
    }
    (isUnstable, isAside) = (false, false)
    endTrial(isFinal: true, unmarked: [])
  }

  private mutating func noteStable(
    _ build: String, _ ladder: Ladder, countsLaunch: Bool = true, isCalled: (Suspect) -> Bool = { _ in true }
  ) {
    if !isAside || fresh != nil { aside = nil }
    fresh = nil
    if isAside { return }
    (deaths, isAcquitted, wanted) = (0, false, nil)
    quarantine.removeAll { $0.isDue(build, ladder) }
    for index in quarantine.indices where countsLaunch { quarantine[index].good += 1 }
    suspects.removeAll { suspect in !quarantine.contains { $0.path == suspect.path } && isCalled(suspect) }
    for index in suspects.indices { suspects[index].isSettled = true }
  }

  /// Ends the process without a death.
  static func end(_ scenes: inout [String: SceneModel], build: String, _ ladder: inout Ladder) {
    for name in scenes.keys.sorted() where scenes[name]?.isUnstable == true || scenes[name]?.isAside == true {
      scenes[name]?.noteStable(build, ladder)
      ladder.hasRun = true
    }
    if ladder.hasRun { endStreak(&scenes, &ladder) }
    for name in scenes.keys {
      scenes[name]?.endTrial(isFinal: true, unmarked: [])
      scenes[name]?.close()
    }
  }

  private static func endStreak(_ scenes: inout [String: SceneModel], _ ladder: inout Ladder) {
    ladder.streak = 0
    for name in scenes.keys {
      for index in scenes[name]?.quarantine.indices ?? 0..<0 { scenes[name]?.quarantine[index].isOfStreak = false }
    }
  }

  /// Whether this scene is proved although the process has died.
  private func isProved(isSignal: Bool, isCalled: Bool) -> Bool { hasSaved && !isSignal && !isCalled }

  /// Counts a death against the node that was called, or against the scene.
  private mutating func addSuspect(_ path: String, _ value: Int?, in phase: String, isFault: Bool, isTrap: Bool, build: String) {
    let known = suspects.firstIndex { $0.path == path && ($0.value == nil || value == nil || $0.value == value) }
    var suspect = known.map { suspects.remove(at: $0) } ?? Suspect(path: path, value: value)
    suspect.deaths += 1
    (suspect.phase, suspect.isFault, suspect.isSettled) = (phase, isFault, false)
    suspect.isTyped = value != nil && path != "application"
    suspects.append(suspect)
    if isTrap { addQuarantine(path, value, build: build) }
  }

  private mutating func addQuarantine(_ path: String, _ value: Int?, build: String) {
    if let known = quarantine.firstIndex(where: { $0.path == path }) {
      if quarantine[known].value == nil || value == nil || quarantine[known].value == value { return }
      quarantine.remove(at: known)
    }
    quarantine.append(Quarantine(path: path, value: value, builds: [build], isOfStreak: true))
  }

  /// Quarantines what explains the deaths, or sets the scene aside.
  private mutating func explain(build: String) {
    for suspect in suspects where suspect.deaths > 1 { addQuarantine(suspect.path, suspect.value, build: build) }
    // All nodes are of one type, so that nothing would remain without them. The application state has no type.
    let faults = suspects.filter { $0.isFault && !$0.isSettled && $0.isTyped }
    let unexplained = suspects.filter { suspect in !quarantine.contains { $0.path == suspect.path } }
    if faults.count > 1 || unexplained.count > 1 || deaths > 1 { setAside() }
  }

  mutating func setAside() {
    guard let current else { return }
    if fresh == nil || aside == nil { aside = current }
    lastAside = current
  }

  private mutating func renew(_ index: Int, _ build: String) {
    quarantine[index].builds.insert(build)
    quarantine[index].good = 0
    quarantine[index].failed += 1
  }

  /// The user closes the scene, whose last save was written again as `number`.
  mutating func closeRecoverably(as number: UInt64) {
    (states[number], orders[number]) = (current.flatMap { states[$0] }, current.flatMap { orders[$0] })
    endTrial(isFinal: true, unmarked: [])
    (closed, current, isListed) = (number, nil, false)
    close()
  }

  mutating func reopen() { (current, wanted, closed) = (closed, closed, nil) }

  mutating func close() {
    (isOpen, isUnstable, isRestored, hasSaved, isSkipped, isAside, isBlank) = (false, false, false, false, false, false, false)
  }

  /// What the files say after a death.
  struct Remains {
    /// The unmarked generations, without copies of an accepted state.
    var unmarked: [UInt64] = []
    /// All generations.
    var all: Set<UInt64> = []
  }

  /// Counts the death of a process.
  static func die(
    _ scenes: inout [String: SceneModel], _ death: SimulatedApp.Death, called: SimulatedApp.Place?, build: String,
    remains: [String: Remains], _ ladder: inout Ladder
  ) {
    var isSignal = false
    if case .trap = death { isSignal = true }
    // An object that registers late is called even in a scene that is stable.
    let names = scenes.keys.filter { scenes[$0]?.isUnstable == true || scenes[$0]?.isAside == true || $0 == called?.scene }.sorted()
    let onTrial = names.filter { scenes[$0]?.trial != nil }
    var unproved: [String] = []
    for name in names {
      if scenes[name]?.isProved(isSignal: isSignal, isCalled: name == called?.scene) == true {
        scenes[name]?.noteStable(build, ladder)
        ladder.hasRun = true
        scenes[name]?.endTrial(isFinal: true, unmarked: [])
      } else {
        unproved.append(name)
      }
    }
    count(&scenes, unproved, onTrial, names, called, (isSignal, death == .trap(onRestoringThread: true)), build, remains, &ladder)
    for name in unproved where onTrial.contains(name) { scenes[name]?.endTrial(isFinal: false, unmarked: remains[name]?.unmarked ?? []) }
    for name in scenes.keys {
      if called != nil { scenes[name]?.isWaiting = true }
      scenes[name]?.close()
    }
  }

  private static func count(
    _ scenes: inout [String: SceneModel], _ unproved: [String], _ onTrial: [String], _ names: [String], _ called: SimulatedApp.Place?,
    _ death: (isSignal: Bool, isTrap: Bool), _ build: String, _ remains: [String: Remains], _ ladder: inout Ladder
  ) {
    let isOfOffer = called.map { onTrial.contains($0.scene) } ?? false
    let unproved = unproved.filter { !onTrial.contains($0) }
    let bad = isOfOffer ? [] : unproved.filter { scenes[$0]?.isAside == false }
    guard !bad.isEmpty else {
      if unproved.isEmpty {
        if ladder.hasRun { endStreak(&scenes, &ladder) }
      } else if death.isSignal, !ladder.hasRestored {
        acquit(&scenes, remains, &ladder)
      }
      return
    }
    var hasRetried = false
    var isRetried = false
    for name in bad {
      for index in scenes[name]?.quarantine.indices ?? 0..<0 {
        guard let entry = scenes[name]?.quarantine[index], entry.isDue(build, ladder) else { continue }
        hasRetried = true
        if let called, called.scene == name, isBelow(called.path, entry.path) { isRetried = true }
        scenes[name]?.renew(index, build)
      }
    }
    ladder.streak += 1
    if !isRetried, called != nil || !hasRetried {
      if let called {
        let source = scenes[called.scene]?.source
        let isKnown = source.map { remains[called.scene]?.all.contains($0) ?? false } ?? false
        let value = isKnown ? source.flatMap { scenes[called.scene]?.states[$0]?[called.path] } : nil
        scenes[called.scene]?.addSuspect(
          called.path, value, in: called.phase, isFault: death.isSignal, isTrap: death.isTrap, build: build)
        scenes[called.scene]?.explain(build: build)
      } else {
        for name in bad {
          scenes[name]?.deaths += 1
          scenes[name]?.explain(build: build)
        }
      }
    }
  }

  private static func acquit(_ scenes: inout [String: SceneModel], _ remains: [String: Remains], _ ladder: inout Ladder) {
    let innocent = scenes.keys.filter { scenes[$0]?.aside != nil && scenes[$0]?.isAcquitted == false }
    guard !innocent.isEmpty else { return }
    ladder.streak = 2
    for name in scenes.keys { scenes[name]?.suspects = [] }
    for name in scenes.keys { scenes[name]?.deaths = 0 }
    for name in innocent {
      scenes[name]?.isAcquitted = true
      // What was saved without that state is not given up for it if the user has closed it.
      if let number = scenes[name]?.aside, scenes[name]?.closed == nil,
        scenes[name]?.offers.contains(where: { $0.number == number }) == true
      {
        scenes[name]?.current = number
        scenes[name]?.offers.removeAll { $0.number == number }
      }
      scenes[name]?.aside = nil
      scenes[name]?.fresh = nil
      // The next launch declines what the fresh one had saved.
      scenes[name]?.isWaiting = true
      scenes[name]?.quarantine.removeAll { $0.isOfStreak }
    }
  }
}
