import Dispatch
import StateRestoration
import SystemLibrary

/// An app whose saved objects kill it, to count the launches that die until one lives.
@MainActor
enum LoopProbe {
  /// An object that kills the process when it is decoded, in a selected way.
  class BadObject: Restorable {
    class var restorationType: String { "" }
    let restorationIdentifier: String?
    private let dying: String

    required init(_ identifier: String, _ dying: String) { (restorationIdentifier, self.dying) = (identifier, dying) }

    func decodeRestorableState(with coder: StateDecoder) throws { LoopProbe.die(dying) }
  }

  final class Shelf: BadObject { override class var restorationType: String { "Shelf" } }
  final class Good: BadObject { override class var restorationType: String { "Good" } }
  final class Bad0: BadObject { override class var restorationType: String { "T0" } }
  final class Bad1: BadObject { override class var restorationType: String { "T1" } }
  final class Bad2: BadObject { override class var restorationType: String { "T2" } }
  final class Bad3: BadObject { override class var restorationType: String { "T3" } }

  /// Saves scenes with bad objects of some types (without any if `types` is 0), and two good ones in each.
  static func make(_ folder: String, _ count: Int, _ types: Int, _ scenes: Int) throws {
    let store = try RestorationStore(folder: folder)
    for scene in 0..<scenes {
      let bad = (0..<count).filter { $0 % scenes == scene }.map { index in
        ArchiveNode("bad\(index)", type: types == 0 ? nil : "T\(index % types)", state: ["number": 1])
      }
      let good = ["good1", "good2"].map { ArchiveNode($0, type: "Good", state: ["number": 1]) }
      let nodes = [ArchiveNode("bad", type: "Shelf", children: bad), ArchiveNode("good", type: "Shelf", children: good)]
      guard let name = ArchiveName.scene("s\(scene)") else { continue }
      try store.save(ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: nodes).encoded(), as: name)
    }
    store.endLaunch()
  }

  /// Launches, and opens all scenes; prints what was restored and offered if it lives.
  static func run(_ folder: String, _ dying: String, isRecorded: Bool) throws {
    var configuration = AppConfiguration(bundleIdentifier: "org.example.loop", bundleVersion: "1", folder: folder)
    configuration.recordsFatalSignals = isRecorded
    configuration.timing = ApplicationLifecycle.Timing(backgroundTime: .milliseconds(100))
    configuration.reportProblem = { _ in }
    let restoration = try AppRestoration(configuration, roots: { [] }) {
      for type in [Shelf.self, Good.self] as [BadObject.Type] { Factory(type: type.restorationType) { type.init($0.identifier, "") } }
      for type in [Bad0.self, Bad1.self, Bad2.self, Bad3.self] as [BadObject.Type] {
        Factory(type: type.restorationType) { type.init($0.identifier, dying) }
      }
      Factory(path: "bad/*") { BadObject($0.identifier, dying) }
    }
    try restoration.launch()
    var (restored, offers, left) = (0, 0, 0)
    for scene in try restoration.savedScenes() {
      let opened = try restoration.openScene(scene) { [] }
      restored += opened.launch?.report?.nodes.filter { $0.path.description.hasPrefix("good/") }.count ?? 0
      offers += opened.launch?.offers.count ?? 0
      left += restoration.store.quarantinedPaths(of: opened.archive).count
    }
    StoreProbe.say("alive: \(restored) good, \(left) quarantined, \(offers) offered")
    try restoration.endNow()
  }

  private nonisolated static func die(_ dying: String) {
    switch dying {
    case "trap": fatalError("a bad object")
    case "exit": exit(1)
    case "overflow": StoreProbe.say("\(overflow(1))")
    case "memory":
      // The system's killer of processes that take too much memory, as far as a test can be one.
      kill(getpid(), SIGKILL)
    case "hang":
      StoreProbe.say("hangs")
      while true { sleep(1) }
    default: break
    }
  }

  private nonisolated static func overflow(_ depth: Int) -> Int {
    if depth == Int.max { return 0 }
    return 1 &+ overflow(depth &+ 1) &* depth
  }
}
