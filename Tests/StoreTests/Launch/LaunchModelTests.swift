import EngineKit
import Foundation
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Random histories of launches over the real store, compared with a simple model (Behaviours 46, 47, 56 to 62).
///
/// After each step, the newest state that was reported as saved is restored by the next launch, or is offered.
/// Otherwise it was knowingly replaced, closed or declined, a reported limit has ended it, or its file was damaged. Scenes
/// that are saved together are saved as a whole or not at all, wherever the process dies; a closed scene stays closed, and
/// comes back whole if it is reopened; a session is that of one moment; and never more than three launches in a row die.
@Suite struct LaunchModelTests {
  /// The number of histories: some dozens, or thousands if `EXHAUSTIVE` is set.
  private static let count = TestStage.histories(50, exhaustive: 2500)
  private static let parts = 5

  @Test("nothing is lost, and the user sees what the model predicts", arguments: 0..<parts)
  func agreesWithTheModel(_ part: Int) throws {
    let only = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
    for index in 0..<(Self.count / Self.parts) {
      let seed = only ?? UInt64(part * 1_000_000 + index)
      var history = try RandomHistory(seed: seed)
      do {
        try history.run(steps: 60)
      } catch {
        Issue.record("seed \(seed): \(error)\n\(history.log.joined(separator: "\n"))")
        return
      }
      if only != nil { return }
    }
  }

  @Test(
    "histories that have once disagreed with the model",
    arguments: [
      7339, 17770, 9889, 1_001_140, 1_003_186, 1_015_700, 2_001_660, 2_003_144, 2_003_665, 3_001_959, 4_002_473, 4_014_526, 4_015_521,
    ] as [UInt64])
  func agreesNow(_ seed: UInt64) throws {
    var history = try RandomHistory(seed: seed)
    #expect(throws: Never.self, "\(history.log.joined(separator: "\n"))") { try history.run(steps: 60) }
  }
}

/// A random history.
struct RandomHistory {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The values in a file by path, and the order of its documents.
  struct Contents {
    var values: SceneModel.State = [:]
    var order: [String] = []
  }

  var random: SeededGenerator
  /// Whether the app saves what has changed.
  let savesChanges: Bool
  var disk = SimulatedDisk()
  /// What files hold, as long as they are the same.
  var known: [Generation: (bytes: [UInt8], contents: Contents)] = [:]
  var app: SimulatedApp?
  var models: [String: SceneModel] = [:]
  var ladder = SceneModel.Ladder()
  /// By scene, what a save held that has failed, and may be written with another scene's.
  var held: [String: (values: SceneModel.State, listed: [String])] = [:]
  /// By scene, the content of the file written for the last accepted offer.
  var copied: [String: ContentDigest] = [:]
  var number = 0
  var build = 1
  var window = SceneModel.Window()
  var isSafe = false
  /// Whether the user has reopened a scene in this launch.
  var hasReopened = false
  /// The current states at the beginning of each launch, and those of this one that are kept while it runs.
  var moments: [[String: UInt64]] = []
  var kept: [String: UInt64] = [:]
  /// The events so far, for diagnosing failures.
  var log: [String] = []

  static let scenes = ["left", "right"]
  static let phases = ["decode", "finish"]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    savesChanges = seed % 2 == 1
    for scene in Self.scenes { models[scene] = SceneModel() }
  }

  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }

  func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(Failure) {
    if !condition { throw Failure(description: message()) }
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      if app == nil { try launch() } else { try step() }
      try checkFiles()
    }
  }

  // MARK: Launching

  mutating func launch() throws {
    if oneIn(12) { build += 1 }
    if oneIn(25), build > 1 { build -= 1 }
    if oneIn(10) { window.hasDocument.toggle() }
    window.isDocumentDeleted = oneIn(8)
    window.replacesDocuments = oneIn(3)
    if oneIn(20) { try damage() }
    // By the names of files, whether they can be read or not.
    if ladder.streak >= LaunchHistory.longestStreak { for scene in Self.scenes { models[scene]?.setAside() } }
    isSafe = oneIn(25)
    (hasReopened, held) = (false, [:])
    let isNotNow = oneIn(25)
    let app = try SimulatedApp(disk, build: "\(build)", isSafe: isSafe, savesChanges: savesChanges)
    app.replacesDocuments = window.replacesDocuments
    self.app = app
    (ladder.hasRun, ladder.hasRestored, ladder.good) = (false, false, [])
    let traits = [
      isSafe ? " safe" : "", isNotNow ? " not now" : "", window.hasDocument ? "" : " without document",
      window.isDocumentDeleted ? " document deleted" : "",
      window.replacesDocuments ? " replacing documents" : "",
    ]
    log.append("launch \(build)\(traits.joined())")
    try checkOpenScenes(app)
    // All scenes may be closed.
    try app.store.beginLaunch()
    for scene in Self.scenes where models[scene]?.closed == nil {
      guard try launch(scene, app, isNotNow: isNotNow) else { return }
    }
    try expect(!app.system.disk.names.contains(SaveGroup.fileName), "a removal is not finished")
    moments.append(models.compactMapValues(\.current))
    kept = moments.last ?? [:]
    app.store.recordSession(savedAt: nil, by: nil)
    try checkSessions(app)
    if oneIn(12) { try die(app) }
  }

  /// Launches a scene; returns false if the process dies.
  ///
  /// One that was reopened is restored in safe mode too.
  mutating func launch(_ scene: String, _ app: SimulatedApp, isNotNow: Bool, isReopened: Bool = false) throws -> Bool {
    if let current = models[scene]?.current, models[scene]?.states[current] == nil {
      let known = models[scene]?.states ?? [:]
      let files = generations(of: scene, on: app.system.disk)
      models[scene]?.current = files.first { [.none, .pinned, .frozen].contains($0.mark) && known[$0.number] != nil }?.number
    }
    planDeath(of: scene, in: app, chance: 3)
    let mode = models[scene]?.launch(build: "\(build)", isSafe: isSafe && !isReopened, isNotNow: isNotNow, window, ladder)
    // Also if the delegate has refused it, which the ladder has not offered either.
    if mode == .restored || mode == .fresh && models[scene]?.isSkipped == true { ladder.hasRestored = true }
    let restored: AppLaunch
    do {
      restored = try app.launch(scene, isNotNow: isNotNow, hasDocument: window.hasDocument) {
        $0.isDocumentDeleted = window.isDocumentDeleted
        $0.settings = SimulatedSettings(build: build)
      }
    } catch {
      throw Failure(description: "\(scene): \(error)")
    }
    if try takeRemains(of: app) { return false }
    try check(restored, scene, mode, app)
    return true
  }

  /// Checks the scenes that were left open, and those that can be reopened, before any is opened.
  func checkOpenScenes(_ app: SimulatedApp) throws {
    let open = try app.store.openScenes().compactMap(\.scene).sorted()
    let closed = try app.store.closedStates().compactMap(\.archive.scene).sorted()
    try expect(closed == models.filter { $0.value.closed != nil }.keys.sorted(), "\(closed) can be reopened")
    for scene in Self.scenes {
      guard let model = models[scene] else { continue }
      let isOwed = model.isListed && model.current != nil
      let isSaved = model.closed == nil && !generations(of: scene, on: app.system.disk).isEmpty
      try expect(open.count { $0 == scene } <= (isSaved ? 1 : 0), "\(scene) is closed, and was left open: \(open)")
      try expect(!isOwed || open.contains(scene), "\(scene) was left open, and is not listed: \(open)")
    }
  }

  /// Checks that each earlier session is that of one moment, and that the offered one has what this launch has set aside.
  func checkSessions(_ app: SimulatedApp) throws {
    for session in try app.store.earlierSessions() {
      let numbers = session.states.map { ($0.archive.scene ?? "", $0.generation.number) }
      try expect(moments.contains { moment in numbers.allSatisfy { moment[$0] == $1 } }, "\(numbers) are of no moment: \(moments)")
    }
    let offered = try app.store.offeredSession()?.states.compactMap(\.archive.scene) ?? []
    let aside = models.filter { $0.value.isAside && !$0.value.isBlank && $0.value.isSkipped }.keys
    try expect(aside.allSatisfy { offered.contains($0) }, "\(aside) are set aside, and the offered session has \(offered)")
  }

  mutating func planDeath(of scene: String, in app: SimulatedApp, chance: Int) {
    app.plan = nil
    guard oneIn(chance) else { return }
    let path = pick(SimulatedScene.allPaths)
    let phase = ["root/c", "root/a/d"].contains(path) && oneIn(3) ? "create" : pick(Self.phases)
    app.plan = (SimulatedApp.Place(scene: scene, phase: phase, path: path), randomDeath())
  }

  mutating func randomDeath() -> SimulatedApp.Death {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .trap(onRestoringThread: true)
    case 1: .trap(onRestoringThread: false)
    case 2: .signalFromOther
    default: .kill
    }
  }

  /// Continues with the remaining disk if the process has died in a callback.
  mutating func takeRemains(of app: SimulatedApp) throws -> Bool {
    guard let remains = app.remains, let plan = app.plan else { return false }
    log.append("  died (\(plan.death)) in \(plan.place.phase) of \(plan.place.scene) \(plan.place.path)")
    try bury(remains, plan.death, called: plan.place)
    return true
  }

  mutating func die(_ app: SimulatedApp) throws {
    let death = randomDeath()
    log.append("  died (\(death))")
    app.die(death)
    if let remains = app.remains { try bury(remains, death, called: nil) }
  }

  mutating func bury(_ remains: SimulatedDisk, _ death: SimulatedApp.Death, called: SimulatedApp.Place?) throws {
    disk = remains
    app = nil
    var left: [String: SceneModel.Remains] = [:]
    for scene in Self.scenes {
      let files = generations(of: scene)
      // A save that fails may already have marked the state it was to replace.
      var saved = files.filter { [.none, .frozen, .pinned].contains($0.mark) || $0.number == models[scene]?.current }
      if models[scene]?.trial != nil, let copied = copied[scene] { saved = saved.filter { digest(of: $0) != copied } }
      left[scene] = SceneModel.Remains(unmarked: saved.map(\.number), all: Set(files.map(\.number)))
    }
    let streak = ladder.streak
    SceneModel.die(&models, death, called: called, build: "\(build)", remains: left, &ladder)
    // A reopened scene is restored because the user has asked for it.
    try expect(ladder.streak <= max(streak, LaunchHistory.longestStreak) || hasReopened, "\(ladder.streak) launches in a row have died")
  }

  func check(_ restored: AppLaunch, _ scene: String, _ mode: SceneModel.Mode?, _ app: SimulatedApp) throws {
    guard let model = models[scene], let opened = app.scenes[scene] else { return }
    let found: SceneModel.Mode =
      switch restored.plan.action {
      case .restore: restored.report?.decision == .restore ? .restored : .fresh
      case .offer: .offered
      case .startFresh, .wait: .fresh
      }
    let launches = app.store.launches().suffix(4)
    try expect(found == mode, "\(scene): \(restored.plan.reason), expected \(String(describing: mode)), after \(launches)")
    try check(opened)
    var expected = model.offers.map(\.number)
    if mode == .offered, let current = model.current { expected.insert(current, at: 0) }
    let offers = restored.offers.map(\.generation.number)
    try expect(offers == expected, "\(scene): offers \(offers), expected \(expected)")
  }

  /// Checks what the user sees.
  func check(_ scene: SimulatedScene) throws {
    let live = models[scene.name]?.live ?? [:]
    try expect(scene.values == live, "\(scene.name): the user sees \(scene.values), expected \(live)")
  }

  // MARK: While the app runs

  var open: [String] { Self.scenes.filter { models[$0]?.isOpen == true } }

  mutating func step() throws {
    guard let app else { return }
    let scene = pick(Self.scenes)
    guard open.contains(scene) else {
      if oneIn(3) { try open(scene, app) } else if open.isEmpty { end(app) }
      return
    }
    switch Int.random(in: 0..<36, using: &random) {
    case 0..<8: edit(scene, app)
    case 8..<13: try save([scene], app)
    case 13..<17:
      for scene in open where oneIn(2) { edit(scene, app) }
      try save(open, app)
    case 17..<20:
      log.append("  settles")
      app.runUntilStable()
      for scene in Self.scenes where models[scene]?.isUnstable == true || models[scene]?.isAside == true {
        models[scene]?.becomeStable(build: app.build, scene: scene, calls: app.calls, &ladder)
      }
    case 20, 21: end(app)
    case 22, 23: try die(app)
    case 24: try close(scene, app)
    case 34, 35: try closeRecoverably(scene, app)
    case 25: try saveOnAFullDisk(scene, app)
    case 26: try decline(scene, app)
    case 27, 28: try register(scene, app)
    case 29, 30: try closeDocument(scene, app)
    default: try accept(scene, app)
    }
  }

  mutating func edit(_ scene: String, _ app: SimulatedApp) {
    number += 1
    let path = pick(["application"] + SimulatedScene.allPaths)
    log.append("  edits \(scene) \(path) to \(number)")
    app.scenes[scene]?.edit(path, number)
    models[scene]?.edit(path, number)
  }

  mutating func closeDocument(_ scene: String, _ app: SimulatedApp) throws {
    let path = pick(SimulatedScene.allPaths.filter { $0 != "root" })
    guard let opened = app.scenes[scene], opened.object(path) != nil else { return }
    log.append("  closes \(scene) \(path)")
    opened.close(path)
    models[scene]?.close(path)
    try check(opened)
  }

  mutating func register(_ scene: String, _ app: SimulatedApp) throws {
    guard let opened = app.scenes[scene], opened.object("root/c") == nil else { return }
    log.append("  \(scene) root/c comes late")
    app.plan = nil
    if oneIn(3) { app.plan = (SimulatedApp.Place(scene: scene, phase: pick(Self.phases), path: "root/c"), randomDeath()) }
    opened.register()
    if try takeRemains(of: app) { return }
    models[scene]?.register()
    try check(opened)
  }

  // MARK: Files

  func generations(of scene: String, on disk: SimulatedDisk? = nil) -> [Generation] {
    (disk ?? self.disk).catalog.generations.filter { $0.archive.scene == scene }
  }

  /// Makes the newest file of a scene unreadable.
  mutating func damage() throws {
    let scene = pick(Self.scenes)
    guard models[scene]?.trial == nil, models[scene]?.isWaiting == false, let current = models[scene]?.current,
      let file = generations(of: scene).first(where: { $0.number == current })
    else { return }
    log.append("the newest file of \(scene), \(current), is damaged")
    disk.setContent(of: file.fileName, to: Array((disk.content(of: file.fileName) ?? []).prefix(10)))
    models[scene]?.states[current] = nil
  }

  func digest(of file: Generation, on disk: SimulatedDisk? = nil) -> ContentDigest? {
    (disk ?? self.disk).content(of: file).flatMap { try? ArchiveReader($0) }?.contentDigest
  }

  func content(of number: UInt64, in scene: String, on disk: SimulatedDisk) -> [UInt8]? {
    generations(of: scene, on: disk).first { $0.number == number }.flatMap { disk.content(of: $0) }
  }

  /// Checks the invariant from the files alone.
  mutating func checkFiles() throws {
    let disk = app?.system.disk ?? disk
    for (scene, model) in models {
      let files = generations(of: scene, on: disk)
      if let current = model.current, model.states[current] != nil {
        let file = files.first { $0.number == current }
        try expect(
          file.map { $0.mark != .declined && $0.mark != .damaged } == true,
          "\(scene): the state that was saved last, \(current), is gone: \(files)")
        if let file { try check(file, model, on: disk) }
      }
      if let closed = model.closed {
        guard let file = files.first(where: { $0.number == closed && $0.mark == .closed }) else {
          throw Failure(description: "\(scene): what was closed as \(closed) is gone: \(files)")
        }
        try check(file, model, on: disk)
      }
      if app != nil, let number = kept[scene] {
        guard let file = files.first(where: { $0.number == number }) else {
          throw Failure(description: "\(scene): the session of the last launch is gone, \(number): \(files)")
        }
        try check(file, model, on: disk)
      }
      var owed = model.offers.map(\.number)
      if let trial = model.trial { owed.append(trial.accepted.number) }
      for number in owed {
        // The next process handles the consequences of a death.
        let marks: [Generation.Mark] = app == nil ? [.offered, .none, .pinned, .frozen] : [.offered]
        guard let file = files.first(where: { $0.number == number && marks.contains($0.mark) }) else {
          throw Failure(description: "\(scene): the offer \(number) is gone: \(files)")
        }
        try check(file, model, on: disk)
      }
    }
  }

  mutating func check(_ file: Generation, _ model: SceneModel, on disk: SimulatedDisk) throws {
    let contents = try contents(of: file, on: disk)
    let (values, order) = (model.states[file.number], model.orders[file.number])
    try expect(contents.values == values, "\(file.fileName) has \(contents.values), expected \(String(describing: values))")
    try expect(contents.order == order, "\(file.fileName) has \(contents.order), expected \(String(describing: order))")
  }

  mutating func contents(of file: Generation, on disk: SimulatedDisk) throws -> Contents {
    let bytes = disk.content(of: file) ?? []
    if let known = known[file.marked(.none)], known.bytes == bytes { return known.contents }
    let contents = try Self.contents(of: bytes)
    known[file.marked(.none)] = (bytes, contents)
    return contents
  }

  static func contents(of bytes: [UInt8]) throws -> Contents {
    var values: SceneModel.State = [:]
    let tree = try ArchiveTree(decoding: Data(bytes))
    if case .integer(let number) = tree.applicationState["number"] { values["application"] = number.converted(to: Int.self) }
    func visit(_ nodes: [ArchiveNode], _ above: String) {
      for node in nodes {
        let path = above.isEmpty ? node.identifier : "\(above)/\(node.identifier)"
        if case .integer(let number) = node.state["number"] { values[path] = number.converted(to: Int.self) }
        visit(node.children, path)
      }
    }
    visit(tree.nodes, "")
    return Contents(values: values, order: tree.nodes.flatMap { root in root.children.map { "\(root.identifier)/\($0.identifier)" } })
  }
}
