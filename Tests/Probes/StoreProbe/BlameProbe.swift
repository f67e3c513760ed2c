import StateRestoration
import SystemLibrary

/// A launch that dies in one of its callbacks, and prints before which one that is.
///
/// The app has a tree of nodes, a scene that is opened within a callback of one of them, and an object that registers
/// late. The first process of a folder saves them.
final class BlameProbe: RestorationDelegate {
  /// What happens in the chosen callback.
  enum Way: String {
    /// The process is killed.
    case kill
    /// The process traps, which is recorded.
    case trap
    /// A forked child goes on restoring; then the process is killed.
    case fork
    /// Someone cuts the file of the record short; the process lives on if fatal signals are recorded.
    case cut
    /// The same, without a record of fatal signals.
    case cutUnrecorded = "cut-unrecorded"
  }

  private let folder: String
  private let way: Way
  private let store: RestorationStore
  /// The number of callbacks before the chosen one.
  private var left: Int
  private var isChild = false

  private init(_ folder: String, _ number: Int, _ way: Way, mapsPages: Bool) throws {
    self.folder = folder
    self.way = way
    left = number
    let launch = LaunchOptions(bundleVersion: "1", recordsFatalSignals: way == .trap || way == .cut)
    store = try RestorationStore(StoreFolder(path: folder, system: SystemFileSystem(mapsPages: mapsPages)), launch: launch)
  }

  static func run(_ folder: String, _ number: Int, _ way: String, mapsPages: Bool) throws {
    guard let way = Way(rawValue: way) else { return }
    try BlameProbe(folder, number, way, mapsPages: mapsPages).run()
  }

  private func run() throws {
    let application = RestorableTree(delegate: self)
    let restored = try store.restore(application, with: resolver("application", opensScene: true))
    StoreProbe.say("restored \(restored.plan.reason)")
    application.register(Node("late", "application", self), at: "late")
    // The child of a fork in the last callback.
    if isChild { _exit(0) }
    if case .startFresh = restored.plan.action { try fill(application) }
    store.markStable()
    store.endLaunch()
    StoreProbe.say("alive")
  }

  private func resolver(_ archive: String, opensScene: Bool) throws -> Resolver {
    try Resolver {
      Factory(Node.self) { [self] node in
        if node.path == "late" { return FactoryResult.later }
        call("creating", node.path, archive)
        let made = Node(node.identifier, archive, self)
        made.opensScene = opensScene && node.path == "root/3"
        return .object(made)
      }
    }
  }

  private func openScene() {
    guard let name = ArchiveName.scene("inner") else { return }
    _ = try? store.restore(RestorableTree(), as: name, with: resolver("scene-inner", opensScene: false))
  }

  private func fill(_ application: RestorableTree) throws {
    func node(_ name: String, _ children: [ArchiveNode] = []) -> ArchiveNode {
      ArchiveNode(name, type: Node.restorationType, children: children)
    }
    func tree(_ count: Int) -> ArchiveNode { node("root", (0..<count).map { node("\($0)", [node("x"), node("y")]) }) }
    try store.save(ArchiveTree(nodes: [tree(12), node("late")]).encoded())
    if let name = ArchiveName.scene("inner") { try store.save(ArchiveTree(nodes: [tree(3)]).encoded(), as: name) }
  }

  // MARK: Callbacks

  func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    call("creating", .application, "application")
    return .restore
  }

  func didDecodeRestorableState(with coder: StateDecoder) throws { call("decoding", .application, "application") }

  fileprivate func call(_ phase: String, _ path: RestorationPath, _ archive: String) {
    if isChild { _exit(0) }
    left -= 1
    guard left == -1 else { return }
    StoreProbe.say("\(archive) \(phase) \(path.isEmpty ? "-" : path.description)")
    switch way {
    case .kill: kill(getpid(), SIGKILL)
    case .trap: fatalError("the node that kills")
    case .fork: forkAndDie()
    case .cut, .cutUnrecorded: _ = unsafe truncate("\(folder)/progress", 0)
    }
  }

  private func forkAndDie() {
    let child = systemFork()
    if child == 0 {
      isChild = true
      return
    }
    var status: Int32 = 0
    _ = unsafe waitpid(child, &status, 0)
    kill(getpid(), SIGKILL)
  }

  final class Node: Restorable {
    static let restorationType = "Node"
    let restorationIdentifier: String?
    let archive: String
    let probe: BlameProbe
    var opensScene = false
    private var path = RestorationPath.application

    init(_ identifier: String, _ archive: String, _ probe: BlameProbe) {
      restorationIdentifier = identifier
      self.archive = archive
      self.probe = probe
    }

    func encodeRestorableState(with coder: StateEncoder) throws {}

    func decodeRestorableState(with coder: StateDecoder) throws {
      path = coder.path
      probe.call("decoding", path, archive)
      guard opensScene else { return }
      probe.openScene()
      // The scene has returned, and this callback has not.
      probe.call("decoding", path, archive)
    }

    func applicationFinishedRestoringState(_ state: RestoredState) { if state == .data { probe.call("finishing", path, archive) } }
  }
}

// Swift has no name for it, because a child of a process with threads may only do a little; here it only stores a word.
@_silgen_name("fork") private func systemFork() -> Int32
