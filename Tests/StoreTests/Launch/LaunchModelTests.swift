import EngineKit
import Foundation
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Random histories of launches over the real store, compared with a simple model (Behaviours 46, 47, 56 to 62).
///
/// After each step, the newest state that was reported as saved is restored by the next launch, or is offered.
/// Otherwise it was knowingly replaced, closed or declined, a reported limit has ended it, or its file was damaged.
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
}

/// A random history.
struct RandomHistory {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The values in a file by path, and the order of its documents.
  private struct Contents {
    var values: SceneModel.State = [:]
    var order: [String] = []
  }

  private var random: SeededGenerator
  /// Whether the app saves what has changed.
  private let savesChanges: Bool
  private var disk = SimulatedDisk()
  /// What files hold, as long as they are the same.
  private var known: [Generation: (bytes: [UInt8], contents: Contents)] = [:]
  private var app: SimulatedApp?
  private var models: [String: SceneModel] = [:]
  private var ladder = SceneModel.Ladder()
  /// By scene, the content of the file written for the last accepted offer.
  private var copied: [String: ContentDigest] = [:]
  private var number = 0
  private var build = 1
  private var window = SceneModel.Window()
  /// The events so far, for diagnosing failures.
  private(set) var log: [String] = []

  private static let scenes = ["left", "right"]
  private static let phases = ["decode", "finish"]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    savesChanges = seed % 2 == 1
    for scene in Self.scenes { models[scene] = SceneModel() }
  }

  private mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }

  private func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(Failure) {
    if !condition { throw Failure(description: message()) }
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      if app == nil { try launch() } else { try step() }
      try checkFiles()
    }
  }

  // MARK: Launching

  private mutating func launch() throws {
    if oneIn(12) { build += 1 }
    if oneIn(25), build > 1 { build -= 1 }
    if oneIn(10) { window.hasDocument.toggle() }
    window.isDocumentDeleted = oneIn(8)
    window.replacesDocuments = oneIn(3)
    if oneIn(20) { try damage() }
    let isSafe = oneIn(25)
    let isNotNow = oneIn(25)
    let app = try SimulatedApp(disk, build: "\(build)", isSafe: isSafe, savesChanges: savesChanges)
    app.replacesDocuments = window.replacesDocuments
    self.app = app
    ladder.hasRun = false
    if ladder.streak >= 3 { for scene in Self.scenes { models[scene]?.setAside() } }
    let traits = [
      isSafe ? " safe" : "", isNotNow ? " not now" : "", window.hasDocument ? "" : " without document",
      window.isDocumentDeleted ? " document deleted" : "",
      window.replacesDocuments ? " replacing documents" : "",
    ]
    log.append("launch \(build)\(traits.joined())")
    for scene in Self.scenes {
      planDeath(of: scene, in: app, chance: 3)
      let mode = models[scene]?.launch(build: "\(build)", isSafe: isSafe, isNotNow: isNotNow, window, ladder)
      let restored: RestoredArchive
      do {
        restored = try app.launch(scene, isNotNow: isNotNow, hasDocument: window.hasDocument) {
          $0.isDocumentDeleted = window.isDocumentDeleted
          $0.settings = SimulatedSettings(build: build)
        }
      } catch {
        throw Failure(description: "\(scene): \(error)")
      }
      if try takeRemains(of: app) { return }
      try check(restored, scene, mode, app)
    }
    if oneIn(12) { die(app) }
  }

  private mutating func planDeath(of scene: String, in app: SimulatedApp, chance: Int) {
    app.plan = nil
    guard oneIn(chance) else { return }
    let path = pick(SimulatedScene.allPaths)
    let phase = ["root/c", "root/a/d"].contains(path) && oneIn(3) ? "create" : pick(Self.phases)
    app.plan = (SimulatedApp.Place(scene: scene, phase: phase, path: path), randomDeath())
  }

  private mutating func randomDeath() -> SimulatedApp.Death {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .trap(onRestoringThread: true)
    case 1: .trap(onRestoringThread: false)
    case 2: .signalFromOther
    default: .kill
    }
  }

  /// Continues with the remaining disk if the process has died in a callback.
  private mutating func takeRemains(of app: SimulatedApp) throws -> Bool {
    guard let remains = app.remains, let plan = app.plan else { return false }
    log.append("  died (\(plan.death)) in \(plan.place.phase) of \(plan.place.scene) \(plan.place.path)")
    bury(remains, plan.death, called: plan.place)
    return true
  }

  private mutating func die(_ app: SimulatedApp) {
    let death = randomDeath()
    log.append("  died (\(death))")
    app.die(death)
    if let remains = app.remains { bury(remains, death, called: nil) }
  }

  private mutating func bury(_ remains: SimulatedDisk, _ death: SimulatedApp.Death, called: SimulatedApp.Place?) {
    disk = remains
    app = nil
    var left: [String: SceneModel.Remains] = [:]
    for scene in Self.scenes {
      let files = generations(of: scene)
      var saved = files.filter { [.none, .frozen, .pinned].contains($0.mark) }
      if models[scene]?.trial != nil, let copied = copied[scene] { saved = saved.filter { digest(of: $0) != copied } }
      left[scene] = SceneModel.Remains(unmarked: saved.map(\.number), all: Set(files.map(\.number)))
    }
    SceneModel.die(&models, death, called: called, build: "\(build)", remains: left, &ladder)
  }

  private func check(_ restored: RestoredArchive, _ scene: String, _ mode: SceneModel.Mode?, _ app: SimulatedApp) throws {
    guard let model = models[scene], let opened = app.scenes[scene] else { return }
    let found: SceneModel.Mode =
      switch restored.plan.action {
      case .restore: restored.report?.decision == .restore ? .restored : .fresh
      case .offer: .offered
      case .startFresh, .wait: .fresh
      }
    try expect(found == mode, "\(scene): \(restored.plan.reason), expected \(String(describing: mode))")
    try expect(opened.values == model.live, "\(scene): the user sees \(opened.values), expected \(model.live)")
    var expected = model.offers.map(\.number)
    if mode == .offered, let current = model.current { expected.insert(current, at: 0) }
    let offers = restored.offers.map(\.generation.number)
    try expect(offers == expected, "\(scene): offers \(offers), expected \(expected)")
  }

  // MARK: While the app runs

  private mutating func step() throws {
    guard let app else { return }
    let open = Self.scenes.filter { models[$0]?.isOpen == true }
    guard !open.isEmpty else { return end(app) }
    let scene = pick(open)
    switch Int.random(in: 0..<34, using: &random) {
    case 0..<8: edit(scene, app)
    case 8..<17: try save(scene, app)
    case 17..<20:
      log.append("  settles")
      app.runUntilStable()
      for scene in Self.scenes where models[scene]?.isUnstable == true || models[scene]?.isAside == true {
        models[scene]?.becomeStable(build: app.build, scene: scene, calls: app.calls, &ladder)
      }
    case 20, 21: end(app)
    case 22, 23: die(app)
    case 24: try close(scene, app)
    case 25: try saveOnAFullDisk(scene, app)
    case 26: try decline(scene, app)
    case 27, 28: try register(scene, app)
    case 29, 30: try closeDocument(scene, app)
    default: try accept(scene, app)
    }
  }

  private mutating func edit(_ scene: String, _ app: SimulatedApp) {
    number += 1
    let path = pick(["application"] + SimulatedScene.allPaths)
    log.append("  edits \(scene) \(path) to \(number)")
    app.scenes[scene]?.edit(path, number)
    models[scene]?.edit(path, number)
  }

  private mutating func closeDocument(_ scene: String, _ app: SimulatedApp) throws {
    let path = pick(SimulatedScene.allPaths.filter { $0 != "root" })
    guard let opened = app.scenes[scene], opened.object(path) != nil else { return }
    log.append("  closes \(scene) \(path)")
    opened.close(path)
    models[scene]?.close(path)
    try expect(
      opened.values == models[scene]?.live ?? [:], "\(scene): the user sees \(opened.values), expected \(models[scene]?.live ?? [:])")
  }

  private mutating func register(_ scene: String, _ app: SimulatedApp) throws {
    guard let opened = app.scenes[scene], opened.object("root/c") == nil else { return }
    log.append("  \(scene) root/c comes late")
    app.plan = nil
    if oneIn(3) { app.plan = (SimulatedApp.Place(scene: scene, phase: pick(Self.phases), path: "root/c"), randomDeath()) }
    opened.register()
    if try takeRemains(of: app) { return }
    models[scene]?.register()
    try expect(
      opened.values == models[scene]?.live ?? [:], "\(scene): the user sees \(opened.values), expected \(models[scene]?.live ?? [:])")
  }

  private mutating func save(_ scene: String, _ app: SimulatedApp) throws {
    let listed = app.scenes[scene]?.order ?? []
    let before = try app.store.currentNumber(of: SimulatedApp.name(scene))
    app.hasFolded.isOn = false
    let outcome = try app.save(scene)
    // What was folded after the save was saved as a link of the generation before.
    let current = try app.store.currentNumber(of: SimulatedApp.name(scene))
    let number = (app.hasFolded.isOn ? before : current) ?? 0
    switch outcome {
    case .saved:
      models[scene]?.save(as: number, isNew: true, listed: listed)
      log.append("  saves \(scene) as \(number): \(models[scene]?.states[number] ?? [:])")
    case .unchanged:
      models[scene]?.save(as: number, isNew: false, listed: listed)
      log.append("  saves \(scene), unchanged: \(number)")
    case .deferred, .forgotten, .expired, .failed: throw Failure(description: "\(scene): not saved")
    }
    // A long chain is folded into a new generation at once.
    if savesChanges, let folded = generations(of: scene, on: app.system.disk).first(where: { $0.mark == .none }),
      folded.number > models[scene]?.current ?? .max
    {
      models[scene]?.save(as: folded.number, isNew: true, listed: listed)
      log.append("  folds \(scene) into \(folded.number)")
    }
    noteEnded(scene)
  }

  private mutating func noteEnded(_ scene: String) {
    let ended = models[scene]?.endSurplus() ?? []
    if !ended.isEmpty { log.append("  a limit has ended \(ended)") }
  }

  private mutating func saveOnAFullDisk(_ scene: String, _ app: SimulatedApp) throws {
    app.system.isFull = true
    defer { app.system.isFull = false }
    log.append("  cannot save \(scene), the disk is full")
    models[scene]?.preserve()
    // Unchanged content need not be written.
    if let outcome = try? app.save(scene), case .saved = outcome { throw Failure(description: "\(scene): saved on a full disk") }
  }

  private mutating func close(_ scene: String, _ app: SimulatedApp) throws {
    let hasPendingSave = oneIn(2)
    log.append("  closes \(scene)\(hasPendingSave ? ", with a pending save" : "")")
    try app.close(scene, hasPendingSave: hasPendingSave)
    models[scene] = SceneModel()
    let files = generations(of: scene, on: app.system.disk)
    try expect(files.isEmpty, "\(scene): closed, but its files are there: \(files)")
  }

  private mutating func end(_ app: SimulatedApp) {
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

  private func offers(of scene: String, _ app: SimulatedApp) throws -> [StoreOffer] {
    try app.store.offers(of: SimulatedApp.name(scene))
  }

  private mutating func decline(_ scene: String, _ app: SimulatedApp) throws {
    let known = Set(models[scene]?.offers.map(\.number) ?? [])
    let offers = try offers(of: scene, app).filter { known.contains($0.generation.number) }
    guard !offers.isEmpty, models[scene]?.trial == nil else { return }
    let offer = pick(offers)
    log.append("  declines \(scene) \(offer.generation.number)")
    try app.store.decline(offer)
    models[scene]?.offers.removeAll { $0.number == offer.generation.number }
  }

  private mutating func accept(_ scene: String, _ app: SimulatedApp) throws {
    let offers = try offers(of: scene, app)
    guard !offers.isEmpty, models[scene]?.trial == nil, let opened = app.scenes[scene] else { return }
    let offer = pick(offers)
    let known = models[scene]?.offers.first { $0.number == offer.generation.number } ?? SceneModel.Offer(number: offer.generation.number)
    let hasNothing = models[scene]?.current == nil
    guard !hasNothing else { return }
    let state = models[scene]?.states[known.number] ?? [:]
    let named = SimulatedScene.allPaths.filter { state[$0] != nil && (known.paths.isEmpty || known.paths.contains($0)) }
    let left = oneIn(2) ? Set(named.filter { _ in oneIn(3) }) : []
    log.append("  accepts \(scene) \(offer.generation.number)\(left.isEmpty ? "" : " without \(left.sorted())")")
    planDeath(of: scene, in: app, chance: 3)
    let before = generations(of: scene, on: app.system.disk).map(\.number)
    let contentBefore = models[scene]?.current.flatMap { content(of: $0, in: scene, on: app.system.disk) }
    let listed = opened.order
    let report = try opened.accept(
      offer, again: true, without: Set(left.map { try RestorationPath(components: $0.split(separator: "/").map(String.init)) }))
    try expect(report.decision == .restore || app.remains != nil, "\(scene): \(report.summary)")
    let after = generations(of: scene, on: app.remains ?? app.system.disk)
    let made = after.filter { !before.contains($0.number) }.map(\.number).sorted()
    guard let copy = made.last, made.count <= 2 else { throw Failure(description: "\(scene): accepted as \(made)") }
    let file = after.first { $0.number == copy }
    let order = try file.map { try contents(of: $0, on: app.remains ?? app.system.disk).order }
    models[scene]?.orders[copy] = order
    copied[scene] = file.flatMap { digest(of: $0, on: app.remains ?? app.system.disk) }
    let current = models[scene]?.current ?? 0
    let contentAfter = content(of: current, in: scene, on: app.remains ?? app.system.disk)
    // Accepting first saves the current state: perhaps as a link, whose chain is perhaps folded into a new file.
    let isLinked = contentAfter != nil && contentAfter != contentBefore
    if isLinked || made.count == 1 { models[scene]?.save(as: current, isNew: isLinked, listed: listed) }
    let replaced = made.count == 2 ? made[0] : current
    if made.count == 2 { models[scene]?.save(as: replaced, isNew: true, listed: listed) }
    noteEnded(scene)
    var window = window
    window.hasDocument = opened.hasDocument
    ladder.streak = min(ladder.streak, 2)
    models[scene]?.accept(known, without: left, replacing: replaced, as: copy, build: app.build, window, ladder)
    log.append("    \(replaced) is replaced by \(copy): \(models[scene]?.states[copy] ?? [:])")
    noteEnded(scene)
    if try takeRemains(of: app) { return }
    try expect(
      opened.values == models[scene]?.live ?? [:], "\(scene): the user sees \(opened.values), expected \(models[scene]?.live ?? [:])")
  }

  // MARK: Files

  private func generations(of scene: String, on disk: SimulatedDisk? = nil) -> [Generation] {
    (disk ?? self.disk).names.compactMap { Generation(fileName: $0) }.filter { $0.archive.scene == scene }.sorted(by: >)
  }

  /// Makes the newest file of a scene unreadable.
  private mutating func damage() throws {
    let scene = pick(Self.scenes)
    guard models[scene]?.trial == nil, models[scene]?.isWaiting == false, let current = models[scene]?.current,
      let file = generations(of: scene).first(where: { $0.number == current })
    else { return }
    log.append("the newest file of \(scene), \(current), is damaged")
    disk.setContent(of: file.fileName, to: Array((disk.content(of: file.fileName) ?? []).prefix(10)))
    models[scene]?.states[current] = nil
    // The names decide which file is next.
    let known = models[scene]?.states ?? [:]
    let next = generations(of: scene).first { [.none, .pinned, .frozen].contains($0.mark) && known[$0.number] != nil }
    models[scene]?.current = next?.number
  }

  private func digest(of file: Generation, on disk: SimulatedDisk? = nil) -> ContentDigest? {
    (disk ?? self.disk).content(of: file).flatMap { try? ArchiveReader($0) }?.contentDigest
  }

  private func content(of number: UInt64, in scene: String, on disk: SimulatedDisk) -> [UInt8]? {
    generations(of: scene, on: disk).first { $0.number == number }.flatMap { disk.content(of: $0) }
  }

  /// Checks the invariant from the files alone.
  private mutating func checkFiles() throws {
    let disk = app?.system.disk ?? disk
    for (scene, model) in models {
      let files = generations(of: scene, on: disk)
      if let current = model.current {
        let file = files.first { $0.number == current }
        try expect(
          file.map { $0.mark != .declined && $0.mark != .damaged } == true,
          "\(scene): the state that was saved last, \(current), is gone: \(files)")
        if let file { try check(file, model, on: disk) }
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

  private mutating func check(_ file: Generation, _ model: SceneModel, on disk: SimulatedDisk) throws {
    let contents = try contents(of: file, on: disk)
    let (values, order) = (model.states[file.number], model.orders[file.number])
    try expect(contents.values == values, "\(file.fileName) has \(contents.values), expected \(String(describing: values))")
    try expect(contents.order == order, "\(file.fileName) has \(contents.order), expected \(String(describing: order))")
  }

  private mutating func contents(of file: Generation, on disk: SimulatedDisk) throws -> Contents {
    let bytes = disk.content(of: file) ?? []
    if let known = known[file.marked(.none)], known.bytes == bytes { return known.contents }
    let contents = try Self.contents(of: bytes)
    known[file.marked(.none)] = (bytes, contents)
    return contents
  }

  private static func contents(of bytes: [UInt8]) throws -> Contents {
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
