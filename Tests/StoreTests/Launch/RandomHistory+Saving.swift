import EngineKit

@testable import StateRestoration

/// What a random history saves, closes, opens again and accepts: each time, what is on the disk is compared with the model.
extension RandomHistory {
  /// The files of a scene before a save, and the order of its documents.
  struct Before {
    let scene: String
    let numbers: Set<UInt64>
    let content: [UInt8]?
    let listed: [String]
    let isChanged: Bool
  }

  func before(_ scene: String, _ app: SimulatedApp) -> Before {
    let (disk, listed, model) = (app.system.disk, app.scenes[scene]?.order ?? [], models[scene])
    return Before(
      scene: scene, numbers: Set(generations(of: scene, on: disk).map(\.number)),
      content: model?.current.flatMap { content(of: $0, in: scene, on: disk) }, listed: listed,
      isChanged: model?.isChanged(listed: listed) ?? false)
  }

  /// Takes over what a save has left on the disk: a link of the current file, a new file, or both, if the chain was folded.
  ///
  /// - Returns: Whether there is something new.
  mutating func noteSaved(_ before: Before, made: [UInt64], isReported: Bool, on disk: SimulatedDisk) -> Bool {
    let scene = before.scene
    let content = models[scene]?.current.flatMap { self.content(of: $0, in: scene, on: disk) }
    let isLinked = content != nil && content != before.content
    if let current = models[scene]?.current, isLinked || isReported && made.isEmpty {
      models[scene]?.save(as: current, isNew: isLinked, listed: before.listed)
      log.append("  saves \(scene)\(isLinked ? "" : ", unchanged"): \(current), \(models[scene]?.states[current] ?? [:])")
    }
    for number in made {
      models[scene]?.save(as: number, isNew: true, listed: before.listed)
      log.append("  saves \(scene) as \(number): \(models[scene]?.states[number] ?? [:])")
    }
    if isReported { models[scene]?.isListed = true }
    noteEnded(scene, on: disk)
    return isLinked || !made.isEmpty
  }

  func made(_ before: Before, on disk: SimulatedDisk) -> [UInt64] {
    generations(of: before.scene, on: disk).filter { $0.mark != .closed && !before.numbers.contains($0.number) }.map(\.number).sorted()
  }

  /// Takes over the offers that a limit has ended; those whose files are still there after a death are ended later.
  mutating func noteEnded(_ scene: String, on disk: SimulatedDisk) {
    let offers = models[scene]?.offers ?? []
    let sessions = app?.store.launch.history?.ledger.sessions ?? []
    let kept = sessions.flatMap(\.generations).filter { $0.key.scene == scene }.map(\.value)
    var ended = models[scene]?.endSurplus(keeping: kept) ?? []
    if app?.system.isDead == true {
      let files = Set(generations(of: scene, on: disk).filter { $0.mark == .offered }.map(\.number))
      ended.removeAll { files.contains($0) }
      models[scene]?.offers = offers.filter { !ended.contains($0.number) }
    }
    if !ended.isEmpty { log.append("  a limit has ended \(ended)") }
  }

  /// Runs a change of the store, in one of whose calls the process may die; returns the disk after it.
  mutating func attempt(_ app: SimulatedApp, _ body: () throws -> Void) throws -> SimulatedDisk {
    let mayDie = models.values.allSatisfy { !$0.isOpen || $0.isCalm } && oneIn(3)
    if mayDie { app.system.die(after: Int.random(in: 0..<40, using: &random)) }
    do { try body() } catch { try expect(app.system.isDead, "\(error)") }
    app.system.die(after: nil)
    return app.system.isDead ? app.system.disk.afterProcessDeath() : app.system.disk
  }

  /// Takes over the saves of other scenes that had failed, and are written with these.
  mutating func noteHeld(except scenes: [String], _ before: [Before], on disk: SimulatedDisk) {
    for scene in scenes { held[scene] = nil }
    for before in before {
      guard let saved = held[before.scene], let live = models[before.scene]?.live else { continue }
      let made = made(before, on: disk)
      if made.isEmpty, models[before.scene]?.current.flatMap({ content(of: $0, in: before.scene, on: disk) }) == before.content { continue }
      held[before.scene] = nil
      models[before.scene]?.live = saved.values
      let listed = Before(
        scene: before.scene, numbers: before.numbers, content: before.content, listed: saved.listed, isChanged: before.isChanged)
      _ = noteSaved(listed, made: made, isReported: false, on: disk)
      models[before.scene]?.live = live
    }
  }

  mutating func buryAttempt(_ app: SimulatedApp, _ left: SimulatedDisk) throws {
    guard app.system.isDead else { return }
    log.append("  died in a call of the system")
    try bury(left, .kill, called: nil)
    // The save is decided at the next launch.
    for scene in Self.scenes { models[scene]?.isWaiting = true }
  }

  /// Saves scenes that are captured in one turn, and closes one for good with them.
  mutating func save(_ scenes: [String], closing closed: String? = nil, _ app: SimulatedApp) throws {
    let before = scenes.map { self.before($0, app) }
    let others = held.keys.filter { !scenes.contains($0) && $0 != closed }.sorted().map { self.before($0, app) }
    let hasPendingSave = closed != nil && oneIn(2)
    let isStubborn = closed != nil && oneIn(4)
    let wasSaved = closed.map { !generations(of: $0, on: app.system.disk).isEmpty } ?? false
    if let closed { log.append("  closes \(closed)\(hasPendingSave ? ", with a pending save" : "")\(isStubborn ? ", stubborn" : "")") }
    if isStubborn { app.system.stubbornPrefix = closed.map { "scene-\($0)" } }
    var outcomes: [String: SaveOutcome] = [:]
    let left = try attempt(app) { outcomes = try app.save(scenes, closing: closed, hasPendingSave: hasPendingSave) }
    app.system.stubbornPrefix = nil
    var parts: [Bool] = []
    for before in before {
      let isReported = outcomes[before.scene] != nil && !app.system.isDead
      let isNew = noteSaved(before, made: made(before, on: left), isReported: isReported, on: left)
      try expect(isReported || app.system.isDead, "\(before.scene): not saved")
      try expect(!isReported || isNew == (outcomes[before.scene] == .saved), "\(before.scene): \(outcomes)")
      if before.isChanged { parts.append(isNew) }
    }
    if let closed {
      let isGone = generations(of: closed, on: left).isEmpty
      if wasSaved { parts.append(isGone) }
      try expect(isGone || outcomes[closed] == nil && app.system.isDead, "\(closed): closed, but its files are there")
      if isGone { (models[closed], kept[closed]) = (SceneModel(), nil) }
    }
    noteHeld(except: scenes + [closed].compactMap(\.self), others, on: left)
    try expect(Set(parts).count < 2, "of \(scenes), closing \(closed ?? "none"), a part is saved: \(parts), \(left.names)")
    try buryAttempt(app, left)
  }

  mutating func saveOnAFullDisk(_ scene: String, _ app: SimulatedApp) throws {
    app.system.isFull = true
    defer { app.system.isFull = false }
    log.append("  cannot save \(scene), the disk is full")
    models[scene]?.preserve()
    held[scene] = models[scene].map { ($0.live, app.scenes[scene]?.order ?? []) }
    // Unchanged content need not be written.
    if let outcome = try? app.save(scene), case .saved = outcome { throw Failure(description: "\(scene): saved on a full disk") }
  }

  mutating func close(_ scene: String, _ app: SimulatedApp) throws {
    try save(oneIn(2) ? open.filter { $0 != scene } : [], closing: scene, app)
  }

  mutating func closeRecoverably(_ scene: String, _ app: SimulatedApp) throws {
    let before = before(scene, app)
    let others = held.keys.filter { $0 != scene }.sorted().map { self.before($0, app) }
    log.append("  closes \(scene), to be reopened")
    var isReported = false
    let left = try attempt(app) {
      try app.closeRecoverably(scene)
      isReported = true
    }
    let closed = generations(of: scene, on: left).first { $0.mark == .closed }
    var made = made(before, on: left)
    // The failed save is the first file of the scene, and is marked at once.
    if let closed, held[scene] != nil, models[scene]?.current == nil, made.isEmpty { made = [closed.number] }
    _ = noteSaved(before, made: made, isReported: closed != nil, on: left)
    try expect(closed != nil || !isReported, "\(scene): closed, but not kept")
    if let closed { models[scene]?.closeRecoverably(as: closed.number) }
    noteHeld(except: [scene], others, on: left)
    try buryAttempt(app, left)
  }

  /// Opens a scene that is closed: with its state, or without if it was closed for good.
  mutating func open(_ scene: String, _ app: SimulatedApp) throws {
    log.append("  opens \(scene) again")
    let closed = models[scene]?.closed
    if let closed {
      hasReopened = true
      try app.store.reopen(Generation(SimulatedApp.name(scene), closed, .closed))
      models[scene]?.reopen()
    }
    _ = try launch(scene, app, isNotNow: false, isReopened: closed != nil)
  }

  mutating func end(_ app: SimulatedApp) {
    if oneIn(3) {
      log.append("  is suspended and killed")
      app.store.noteSuspension(true)
      app.die(.kill)
      if let remains = app.remains { disk = remains }
    } else {
      log.append("  ends")
      disk = app.end()
    }
    self.app = nil
    SceneModel.end(&models, build: app.build, &ladder)
  }

  func offers(of scene: String, _ app: SimulatedApp) throws -> [StoreOffer] {
    try app.store.offers(of: SimulatedApp.name(scene))
  }

  mutating func decline(_ scene: String, _ app: SimulatedApp) throws {
    let known = Set(models[scene]?.offers.map(\.number) ?? [])
    let offers = try offers(of: scene, app).filter { known.contains($0.generation.number) }
    guard !offers.isEmpty, models[scene]?.trial == nil else { return }
    let offer = pick(offers)
    log.append("  declines \(scene) \(offer.generation.number)")
    try app.store.decline(offer)
    if kept[scene] == offer.generation.number { kept[scene] = nil }
    models[scene]?.offers.removeAll { $0.number == offer.generation.number }
    if models[scene]?.wanted == offer.generation.number { models[scene]?.wanted = nil }
  }

  mutating func accept(_ scene: String, _ app: SimulatedApp) throws {
    let name = try SimulatedApp.name(scene)
    let sessions = try app.store.earlierSessions().flatMap(\.states).filter { $0.archive == name }.compactMap(\.offer)
    let offers = try offers(of: scene, app)
    let others = sessions.filter { session in
      let number = session.generation.number
      return !offers.contains { $0.generation.number == number } && (try? app.store.expectOpen(number, of: name)) != nil
    }
    guard !offers.isEmpty || !others.isEmpty, models[scene]?.trial == nil, let opened = app.scenes[scene] else { return }
    let offer = pick(offers + others)
    if kept[scene] == offer.generation.number { kept[scene] = nil }
    let known = models[scene]?.offers.first { $0.number == offer.generation.number } ?? SceneModel.Offer(number: offer.generation.number)
    let hasNothing = models[scene]?.current == nil
    guard !hasNothing else { return }
    let state = models[scene]?.states[known.number] ?? [:]
    let named = SimulatedScene.allPaths.filter { state[$0] != nil && (known.paths.isEmpty || known.paths.contains($0)) }
    let left = oneIn(2) ? Set(named.filter { _ in oneIn(3) }) : []
    log.append("  accepts \(scene) \(offer.generation.number)\(left.isEmpty ? "" : " without \(left.sorted())")")
    planDeath(of: scene, in: app, chance: 3)
    let before = before(scene, app)
    let report = try opened.accept(
      offer, again: true, without: Set(left.map { try RestorationPath(components: $0.split(separator: "/").map(String.init)) }))
    try expect(report.decision == .restore || app.remains != nil, "\(scene): \(report.summary)")
    let after = app.remains ?? app.system.disk
    let made = made(before, on: after)
    guard let copy = made.last, made.count <= 2 else { throw Failure(description: "\(scene): accepted as \(made)") }
    let file = generations(of: scene, on: after).first { $0.number == copy }
    let order = try file.map { try contents(of: $0, on: after).order }
    models[scene]?.orders[copy] = order
    copied[scene] = file.flatMap { digest(of: $0, on: after) }
    // Accepting first saves the current state: perhaps as a link, whose chain is perhaps folded into a new file.
    _ = noteSaved(before, made: made.dropLast(), isReported: true, on: after)
    let replaced = models[scene]?.current ?? 0
    var window = window
    window.hasDocument = opened.hasDocument
    (ladder.streak, ladder.hasRestored) = (min(ladder.streak, 2), true)
    models[scene]?.accept(known, without: left, replacing: replaced, as: copy, build: app.build, window, ladder)
    log.append("    \(replaced) is replaced by \(copy): \(models[scene]?.states[copy] ?? [:])")
    noteEnded(scene, on: after)
    if try takeRemains(of: app) { return }
    try check(opened)
  }
}
