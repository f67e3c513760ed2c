import Dispatch
import StateRestoration
import SystemLibrary

/// A launch that records fatal signals and dies in a selected way while a node is decoded.
///
/// Prints the reason for restoring, the plan, and the quarantined paths.
enum DyingProbe {
  final class ProbeObject: Restorable {
    let restorationIdentifier: String? = "node"
    let dying: String
    var number = 1

    init(_ dying: String) {
      self.dying = dying
    }

    func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(number, forKey: "number") }

    func decodeRestorableState(with coder: StateDecoder) throws {
      DyingProbe.die(dying)
      number = try coder.decode(Int.self, forKey: "number")
    }
  }

  static func run(_ folder: String, _ dying: String) throws {
    if dying == "chained" { chain() }
    // A handler that returns, as one that logs does.
    if dying == "handled" { _ = signal(SIGABRT) { _ in } }
    let records = dying != "unrecorded"
    let store = try RestorationStore(folder: folder, launch: LaunchOptions(bundleVersion: "1", recordsFatalSignals: records))
    let application = RestorableTree(roots: [ProbeObject(dying)])
    let restored = try store.restore(application, with: Resolver {})
    let left = store.quarantinedPaths().map(\.description).joined(separator: " ")
    StoreProbe.say("\(restored.lastExit?.rawValue ?? "none"): \(restored.plan.reason) [\(left)]")
    try store.save(application.preserve(header: ArchiveHeader(bundleVersion: "1")))
    if dying == "exit" { exit(0) }
    store.endLaunch()
  }

  private static func die(_ dying: String) {
    switch dying {
    case "trap", "chained", "unrecorded": fatalError("the node that kills")
    case "abort", "handled": abort()
    case "overflow": StoreProbe.say("\(overflow(1))")
    case "signal": kill(getpid(), SIGKILL)
    case "thread":
      DispatchQueue.global().async { fatalError("another thread kills") }
      while true { sleep(1) }
    case "wait":
      StoreProbe.say("ready")
      while true { sleep(1) }
    default: break
    }
  }

  /// Overflows the stack.
  private static func overflow(_ depth: Int) -> Int {
    if depth == Int.max { return 0 }
    return 1 &+ overflow(depth &+ 1) &* depth
  }

  /// Installs an earlier signal handler; the exit status shows that it was called.
  private static func chain() {
    for number in [SIGILL, SIGTRAP] { _ = signal(number) { _ in _exit(42) } }
  }
}
