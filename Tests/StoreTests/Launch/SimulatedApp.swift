import Testing
import EngineKit
import Foundation
import Locking

@testable import StateRestoration

/// An app of several scenes over a store on a simulated disk, whose process can die in any callback.
///
/// The remains of a dead process are a copy of the disk at that moment. Its objects live on until the call that killed
/// it has returned, but are not used any more.
final class SimulatedApp {
  /// The ways in which a process dies.
  enum Death: Equatable, Sendable {
    case kill
    /// By a fatal signal that the handler records.
    case trap(onRestoringThread: Bool)
    /// By a fatal signal that another process sent.
    case signalFromOther
  }

  /// The callback in which the process dies.
  struct Place: Equatable {
    var scene: String
    var phase: String
    var path: String
  }

  let system: FaultySystem
  let store: RestorationStore
  let build: String
  private(set) var scenes: [String: SimulatedScene] = [:]
  /// Whether the window of a scene replaces its documents with the restored ones, instead of adding them.
  var replacesDocuments = false
  /// The place and manner of this process's death, if it gets there.
  var plan: (place: Place, death: Death)?
  /// The remains of the process; nil while it lives.
  private(set) var remains: SimulatedDisk?
  /// The callbacks so far, as scene, phase and path, in order.
  private(set) var calls: [String] = []

  /// Whether it saves what has changed, in links of which a few are folded.
  let savesChanges: Bool

  convenience init(
    _ disk: SimulatedDisk, build: String = "1", isSafe: Bool = false, boot: UInt64 = 1, savesChanges: Bool = false
  ) throws {
    // Another process may still use the original disk.
    try self.init(FaultySystem(disk.afterProcessDeath()), build: build, isSafe: isSafe, boot: boot, savesChanges: savesChanges)
  }

  init(_ system: FaultySystem, build: String = "1", isSafe: Bool = false, boot: UInt64 = 1, savesChanges: Bool = false) throws {
    self.system = system
    self.build = build
    self.savesChanges = savesChanges
    store = try RestorationStore(
      StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: build, isSafe: isSafe), boot: boot,
      limits: StoreLimits(links: savesChanges ? 3 : 0),
      linkPolicy: LinkPolicy(foldsConcurrently: false, isEager: true), sleep: { _ in throw Dead() })
  }

  static func name(_ scene: String) throws -> ArchiveName {
    guard let name = ArchiveName.scene(scene) else { throw StoreError.noGeneration(0) }
    return name
  }

  /// Opens a scene, as the app does at launch.
  @discardableResult
  func launch(
    _ scene: String, isNotNow: Bool = false, isNever: Bool = false, hasDocument: Bool = true, prepare: (SimulatedScene) -> Void = { _ in }
  ) throws -> AppLaunch {
    let opened = SimulatedScene(scene, app: self)
    prepare(opened)
    opened.hasDocument = hasDocument
    scenes[scene] = opened
    calls.removeAll { $0.hasPrefix("\(scene) ") }
    var options = RestorationOptions()
    if isNotNow || isNever {
      options.policy = RestorationPolicy { _, _ in "opened for a document" }.answering(isNever ? .never : .notNow)
    }
    defer { if let name = ArchiveName.scene(scene) { store.noteScene(name, isOpen: true) } }
    return try store.restore(opened.application, as: Self.name(scene), with: opened.resolver(), options: options, isolation: nil)
  }

  @discardableResult
  func save(_ scene: String) throws -> SaveOutcome {
    guard let opened = scenes[scene] else { return .unchanged }
    return try store.save(opened.preserve(), as: Self.name(scene))
  }

  /// Saves scenes as they are in one turn, and closes one for good with them; returns what was reported.
  ///
  /// A save of the closed one is still waiting if `hasPendingSave` is true.
  func save(_ names: [String], closing closed: String? = nil, hasPendingSave: Bool = false) throws -> [String: SaveOutcome] {
    var mail = try names.compactMap { name in try scenes[name]?.preserve().mail(at: nil).map { (archive: try Self.name(name), mail: $0) } }
    if let closed {
      let name = try Self.name(closed)
      if hasPendingSave, let scene = scenes[closed] { _ = try store.submitForLater(scene.preserve(), as: name, now: nil) }
      scenes[closed] = nil
      mail.append((name, .removal))
    }
    let number = store.mailboxes.post(mail)
    // Of these alone: a save of another one that has failed is tried again when the app says so.
    if let first = mail.first { store.write(first.archive) }
    let outcomes = mail.compactMap { part in
      (try? store.mailboxes.result(of: number, part.archive)?.get()).map { (part.archive.scene ?? "", $0) }
    }
    return Dictionary(uniqueKeysWithValues: outcomes)
  }

  /// Closes a scene with a way back.
  func closeRecoverably(_ scene: String) throws {
    guard let opened = scenes.removeValue(forKey: scene) else { return }
    let preservation = try opened.application.preserve(header: ArchiveHeader(bundleVersion: build))
    try store.save(preservation, as: Self.name(scene))
    if let data = try preservation.archive { try store.close(Self.name(scene), with: [UInt8](data)) }
  }

  /// Runs long enough to be stable.
  func runUntilStable() { runUntilStable(ticks: .max) }

  /// Runs for some ticks, or until the app is stable.
  func runUntilStable(ticks: Int) {
    for scene in scenes.keys.sorted() {
      guard let name = ArchiveName.scene(scene) else { continue }
      var left = ticks
      let activity = scenes[scene]?.application.activity
      while left > 0, store.tick(name, isExtended: (activity?.count ?? 0) > 0) { left -= 1 }
    }
  }

  /// Called before the code of a node runs.
  func call(_ phase: String, _ path: String, in scene: String) throws {
    calls.append("\(scene) \(phase) \(path)")
    if remains != nil { throw Dead() }
    guard let plan, plan.place == Place(scene: scene, phase: phase, path: path) else { return }
    die(plan.death)
    throw Dead()
  }

  struct Dead: Error {}

  /// Dies now.
  func die(_ death: Death) {
    guard remains == nil else { return }
    let disk = system.disk.afterProcessDeath()
    if case .kill = death {} else { disk.noteFatalSignal(death) }
    remains = disk
  }

  /// Ends regularly.
  func end() -> SimulatedDisk {
    store.endLaunch()
    let disk = system.disk.afterProcessDeath()
    remains = disk
    return disk
  }
}

extension SimulatedDisk {
  func content(of name: String) -> [UInt8]? {
    state.withLock { state in state.names[name].map { state.contents[$0].bytes } }
  }

  func setContent(of name: String, to bytes: [UInt8]) {
    state.withLock { state in
      guard let index = state.names[name] else { return }
      state.contents[index].bytes = bytes
      state.contents[index].flushed = bytes
    }
  }

  var names: [String] { state.withLock { $0.names.keys.sorted() } }

  /// The files of the store, once a save that was begun is decided.
  var catalog: GenerationCatalog {
    let files = GenerationCatalog(names: names)
    return content(of: SaveGroup.fileName).flatMap { SaveGroup($0) }.map { files.after($0) } ?? files
  }

  /// The content of a generation: its archive, with its links applied.
  func content(of generation: Generation) -> [UInt8]? {
    guard let base = content(of: generation.fileName) else { return nil }
    return GenerationChain(base, catalog.links(of: generation)) { ArchiveLink(content(of: $0.fileName) ?? []) }.bytes
  }

  /// Writes the record that the handler of a fatal signal writes.
  func noteFatalSignal(_ death: SimulatedApp.Death) {
    guard var bytes = content(of: ProgressFile.fileName), let record = LeftProgress(bytes).record else { return }
    var exit = ExitRecord(.fatalSignal, launch: record.launch)
    switch death {
    case .kill: return
    case .trap(let onRestoringThread): exit.isOnRestoringThread = onRestoringThread
    case .signalFromOther:
      exit.isFromOther = true
      exit.isOnRestoringThread = true
    }
    bytes.replaceSubrange(ExitRecord.offset..<(ExitRecord.offset + ExitRecord.byteCount), with: exit.encoded)
    setContent(of: ProgressFile.fileName, to: bytes)
  }
}

/// A scene: a window with two initial documents, and one that a factory creates.
final class SimulatedScene {
  static let paths = ["root", "root/a", "root/b", "root/c"]
  /// With the attachment of the first document, which a factory makes too.
  static let allPaths = paths + ["root/a/d"]

  let name: String
  unowned let app: SimulatedApp
  let window: SimulatedObject
  let application: RestorableTree
  /// The application state, if the app has any.
  var settings: SimulatedSettings? {
    didSet { application.delegate = settings }
  }
  /// Whether the document of the third object is there.
  var hasDocument = true
  /// Whether the document of the third object was deleted for good.
  var isDocumentDeleted = false

  init(_ name: String, app: SimulatedApp) {
    self.name = name
    self.app = app
    window = SimulatedObject("root", "root", name, app)
    window.children = ["a", "b"].map { SimulatedObject($0, "root/\($0)", name, app) }
    application = RestorableTree(roots: [window])
  }

  func resolver() throws -> Resolver {
    let (name, hasDocument, isDocumentDeleted, settings) = (name, hasDocument, isDocumentDeleted, settings)
    // The application keeps its resolver: factories that held the app would keep it for ever.
    unowned let app = app
    return try Resolver {
      Factory(path: "root/c") { _ -> FactoryResult in
        try app.call("create", "root/c", in: name)
        if isDocumentDeleted { return .gone }
        return hasDocument ? .object(SimulatedObject("c", "root/c", name, app)) : .declined
      }
      Factory(path: "root/a/d") { _ in
        try app.call("create", "root/a/d", in: name)
        return hasDocument ? SimulatedObject("d", "root/a/d", name, app) : nil
      }
      if let settings {
        for build in 0..<settings.applicationSchemaVersion {
          Upgrade(applicationStateFrom: build, to: build + 1) { $0.set("form", to: .integer(build + 1)) }
        }
      }
    }
  }

  func preserve() throws -> Preservation {
    try application.preserve(
      header: ArchiveHeader(bundleVersion: app.build), options: PreservationOptions(encodesOnlyChanges: app.savesChanges))
  }

  func object(_ path: String) -> SimulatedObject? {
    objects.first { $0.path == path }
  }

  private var objects: [SimulatedObject] { [window] + window.children + window.children.flatMap(\.children) }

  /// What the user sees.
  var values: [String: Int] {
    var values = Dictionary(objects.map { ($0.path, $0.number) }) { $1 }
    values["application"] = settings?.number
    return values
  }

  /// The paths of the open documents, in the order of the window.
  var order: [String] { window.children.map(\.path) }

  /// The user changes something; the document is opened if need be.
  func edit(_ path: String, _ number: Int) {
    if path == "application" {
      settings?.number = number
      return
    }
    if object(path) == nil {
      let above = String(path.dropLast(2))
      if object(above) == nil { edit(above, 0) }
      object(above)?.children.append(SimulatedObject(String(path.suffix(1)), path, name, app))
    }
    object(path)?.number = number
  }

  /// The user closes a document.
  func close(_ path: String) { object(String(path.dropLast(2)))?.children.removeAll { $0.path == path } }

  /// Registers the third object late, which restores the state that waits for it.
  func register() {
    let late = SimulatedObject("c", "root/c", name, app)
    window.children.append(late)
    let path = try? RestorationPath(components: ["root", "c"])
    application.register(late, at: path)
  }

  func accept(_ offer: StoreOffer, again: Bool = false, without paths: Set<RestorationPath> = []) throws -> RestorationReport {
    let current = try application.preserve(header: ArchiveHeader(bundleVersion: app.build))
    return try app.store.accept(
      offer, without: paths, evenIfDiedTwice: again, into: application, with: resolver(), replacing: current, isolation: nil)
  }
}

/// An application state with a number.
///
/// Its form changes with each build, and only even builds have a second field.
final class SimulatedSettings: RestorationDelegate {
  private struct Odd: Codable {
    var number: Int
    var form: Int
  }

  private struct Even: Codable {
    var number: Int
    var form: Int
    var second = 0
  }

  struct NotUpgraded: Error {}

  let applicationSchemaVersion: Int
  var number = 0

  init(build: Int) { applicationSchemaVersion = build }

  func willEncodeRestorableState(with coder: StateEncoder) throws {
    if applicationSchemaVersion % 2 == 0 {
      try coder.encodeState(Even(number: number, form: applicationSchemaVersion))
    } else {
      try coder.encodeState(Odd(number: number, form: applicationSchemaVersion))
    }
  }

  func didDecodeRestorableState(with coder: StateDecoder) throws {
    let saved: (number: Int, form: Int)
    if applicationSchemaVersion % 2 == 0 {
      let state = try coder.decodeState(default: Even(number: 0, form: applicationSchemaVersion))
      saved = (state.number, state.form)
    } else {
      let state = try coder.decodeState(Odd.self)
      saved = (state.number, state.form)
    }
    // A later build may have saved it.
    guard saved.form >= applicationSchemaVersion else { throw NotUpgraded() }
    number = saved.number
  }
}

/// An object with a number.
final class SimulatedObject: Restorable {
  static let restorationType = "Simulated"
  static let tracksChanges = true

  let restorationIdentifier: String?
  let path: String
  let scene: String
  unowned let app: SimulatedApp
  var number = 0 {
    didSet { setNeedsSave() }
  }
  var children: [SimulatedObject] = [] {
    didSet { setNeedsSave() }
  }
  var restorationReasons: Set<RestorationReason> = RestorationReason.all

  init(_ identifier: String, _ path: String, _ scene: String, _ app: SimulatedApp) {
    restorationIdentifier = identifier
    self.path = path
    self.scene = scene
    self.app = app
  }

  var restorationChildren: [any Restorable] { children }

  func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(number, forKey: "number") }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try app.call("decode", path, in: scene)
    number = try coder.decode(Int.self, forKey: "number", default: 0)
    if app.replacesDocuments, path == "root" { children = [] }
    for child in try coder.restoredChildren(of: SimulatedObject.self) where !children.contains(where: { $0 === child }) {
      children.removeAll { $0.path == child.path }
      children.append(child)
    }
  }

  func applicationFinishedRestoringState(_ state: RestoredState) {
    if state == .data { try? app.call("finish", path, in: scene) }
  }
}
