import EngineKit
import Testing

@testable import StateRestoration

/// A launch is judged once: whatever dies, or fails, while the next one judges it, the one after that concludes the same (L8).
@Suite struct DeathWhileJudgingTests {
  /// The way in which the launch that judges goes wrong at one of its calls.
  enum Fault: CaseIterable {
    case death
    /// The call fails, and the process is killed later.
    case error
  }

  /// A disk with one scene, whose values are 1 to 4.
  private static func disk() throws -> SimulatedDisk {
    let app = try SimulatedApp(SimulatedDisk())
    try app.launch("left")
    for (index, path) in SimulatedScene.paths.enumerated() { app.scenes["left"]?.edit(path, index + 1) }
    try app.save("left")
    app.runUntilStable()
    return app.end()
  }

  /// Launches the scene once for each call that a launch makes, with a fault at that call, and then once more.
  private static func judge(
    _ disk: SimulatedDisk, _ fault: Fault, then body: (_ next: SimulatedApp, _ restored: AppLaunch, _ call: Int) throws -> Void
  ) throws {
    for call in 1... {
      let system = FaultySystem(disk.afterProcessDeath(), fault: fault == .death ? .death : .error(5), at: call)
      // It may refuse to run.
      let judging = try? SimulatedApp(system)
      _ = try? judging?.launch("left")
      // A record that cannot be read tells nothing.
      if fault == .error, judging?.store.launch.history?.lastExit == .unknown { continue }
      let next = try SimulatedApp(system.disk)
      try body(next, next.launch("left"), call)
      if system.callCount < call { break }
    }
  }

  @Test("what the user has done after accepting an offer stays, wherever the next launch dies", arguments: Fault.allCases)
  func keepsAcceptedWork(_ fault: Fault) throws {
    var disk = try Self.disk()
    for _ in 0..<2 {
      let app = try SimulatedApp(disk)
      try app.launch("left")
      app.die(.trap(onRestoringThread: false))
      disk = try #require(app.remains)
    }
    let app = try SimulatedApp(disk)
    let offer = try #require(app.launch("left").offers.first)
    _ = try app.scenes["left"]?.accept(offer)
    try app.save("left")
    app.scenes["left"]?.edit("root/a", 20)
    try app.save("left")
    let values = try #require(app.scenes["left"]?.values)
    try Self.judge(app.end(), fault) { next, restored, call in
      #expect(next.scenes["left"]?.values == values, "call \(call)")
      #expect(restored.offers.map(\.reason) == [.replaced], "call \(call)")
    }
  }

  @Test("a node with a fault on record is not restored again, wherever the next launch dies or fails", arguments: Fault.allCases)
  func remembersTrappedNodes(_ fault: Fault) throws {
    let app = try SimulatedApp(Self.disk())
    app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), .trap(onRestoringThread: true))
    try app.launch("left")
    try Self.judge(#require(app.remains), fault) { next, _, call in
      #expect(!next.calls.contains("left decode root/b"), "call \(call)")
    }
  }
}
