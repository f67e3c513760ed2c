import Foundation
import ProcessKit
import PropertyKit
import StateRestoration
import TestStage
import Testing

/// The store in real processes that are killed, die and compete.
@Suite(.serialized) struct StoreProcessTests {
  private static func folder(_ temporary: TemporaryFolder) -> String { temporary.url("store").path }

  private static func load(_ folder: String) throws -> Int? {
    try RestorationStore(folder: folder, access: .reading).load().number
  }

  /// The number of kills: `KILLS` in the environment, otherwise 20, and 300 in the second stage.
  private static let kills =
    ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? TestStage.count(20, exhaustive: 300)

  @Test("after a kill at any moment, at least the last state reported as saved remains (Behaviours 39)")
  func survivesBeingKilled() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    for round in 0..<Self.kills {
      let process = try RunningProcess("store-probe", ["save", folder])
      var last = 0
      for _ in 0..<Int.random(in: 0..<8, using: &random) { last = process.readLine().flatMap { Int($0) } ?? last }
      process.signal(SIGKILL)
      while let line = process.readLine() { last = Int(line) ?? last }
      #expect(process.wait() == -SIGKILL)
      let found = try Self.load(folder) ?? 0
      #expect(found >= last, "seed \(seed), round \(round): reported \(last), found \(found)")
    }
  }

  @Test(
    "a node that traps costs one launch if signals are recorded and two otherwise, and is restored when retried (Behaviours 47, 58)")
  func breaksTheCrashLoop() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try launch(folder).output == "pristine: nothing was saved: bad=fresh good=fresh")
    #expect(try launch(folder).output == "launch: restores generation 1: bad=1 good=1")
    for _ in 1...2 { #expect(try launch(folder, abortingAt: "root/bad").status != 0) }
    for number in 2...6 {
      let result = try launch(folder, abortingAt: "root/bad")
      #expect(result.status == 0, "launch \(number)")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: bad=fresh good=\(number)") == true, "\(result.output ?? "")")
    }
    // After five good launches the node is retried, at the cost of one launch.
    #expect(try launch(folder, abortingAt: "root/bad").status != 0)
    #expect(try launch(folder, abortingAt: "root/bad").output?.hasSuffix("bad=fresh good=7") == true)
  }

  @Test("the same holds if storage is unavailable when the launch begins (Behaviours 46, 47)")
  func breaksTheCrashLoopOfLateLaunches() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try launch(folder, as: "late").output == "launch: nothing was saved: bad=fresh good=fresh")
    for _ in 1...2 { #expect(try launch(folder, as: "late", abortingAt: "root/bad").status != 0) }
    for number in 1...3 {
      let result = try launch(folder, as: number == 2 ? "launch" : "late", abortingAt: "root/bad")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: bad=fresh good=\(number)") == true, "\(result.output ?? "")")
      #expect(result.status == 0)
    }
    try FileManager.default.removeItem(atPath: folder)
    #expect(try launch(folder).status == 0)
    for path in ["root/bad", "root/good"] { #expect(try launch(folder, as: "late", abortingAt: path).status != 0) }
    let offered = try launch(folder, as: "late", abortingAt: "root/good")
    #expect(
      offered.output
        == "launch: offers generation 1: the process died in several launches, while or soon after it restored saved state: "
        + "bad=fresh good=fresh")
  }

  @Test("the same holds for a node moved by an alias, before and after it is saved at its new path (Behaviours 14, 47)")
  func breaksTheCrashLoopOfMovedNodes() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    for _ in 1...2 { #expect(try launch(folder).status == 0) }
    for _ in 1...2 { #expect(try launch(folder, as: "moved", abortingAt: "root/worse").status != 0) }
    for number in 2...5 {
      let result = try launch(folder, as: "moved", abortingAt: "root/worse")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: worse=fresh good=\(number)") == true, "\(result.output ?? "")")
    }
    #expect(try RestorationStore(folder: folder).quarantinedPaths() == ["root/worse"])
  }

  @Test("after a second death that no node explains, restoring is offered, and the offer stays (Behaviours 46, 57)")
  func offersAfterTwoDeaths() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    _ = try launch(folder)
    #expect(try launch(folder, abortingAt: "root/bad").status != 0)
    #expect(try launch(folder, abortingAt: "root/good").status != 0)
    for path in ["root/good", nil, nil] { #expect(try launch(folder, abortingAt: path).status == 0) }
    let store = try RestorationStore(folder: folder, access: .reading)
    #expect(try store.generations().map(\.mark).contains(.offered))
    #expect(try store.offers().map(\.suspects) == [["root/bad", "root/good"]])
  }

  @Test(
    "a fatal signal of the restoring thread is recorded, and distinguished from others (Behaviours 58, 63)",
    arguments: [
      ("trap", "trapped", true), ("abort", "trapped", true), ("overflow", "trapped", true), ("chained", "trapped", true),
      ("handled", "trapped", true),
      ("thread", "trapped", false), ("unrecorded", "killed", false), ("signal", "killed", false),
    ])
  func notesFatalSignals(_ dying: String, _ exit: String, _ isLeftOut: Bool) throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try die(folder, "").output == "none: nothing was saved []")
    let death = try die(folder, dying)
    #expect(death.output == nil)
    #expect(dying == "chained" ? death.status == 42 : death.status < 0, "\(death.status)")
    let next = try die(folder, "")
    #expect(next.output?.hasPrefix("\(exit): restores generation 1") == true, "\(next.output ?? "")")
    #expect(next.output?.hasSuffix(isLeftOut ? "[node]" : "[]") == true, "\(next.output ?? "")")
  }

  @Test("a fatal signal from another process is not a trap of the node; exit is a regular end (Behaviours 58, 63)")
  func tellsSenders() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try die(folder, "exit").status == 0)
    let process = try RunningProcess("store-probe", ["die", folder, "wait"])
    #expect(process.readLine() == "ready")
    process.signal(SIGSEGV)
    #expect(process.wait() == -SIGSEGV)
    #expect(try die(folder, "exit").output == "killed: restores generation 1 []")
    #expect(try die(folder, "").output == "ended: restores generation 1 []")
  }

  private func die(_ folder: String, _ how: String) throws -> (output: String?, status: Int32) {
    let process = try RunningProcess("store-probe", ["die", folder] + (how.isEmpty ? [] : [how]))
    let output = process.readLine()
    return (output, process.wait())
  }

  private func launch(
    _ folder: String, as verb: String = "launch", abortingAt path: String? = nil
  ) throws -> (output: String?, status: Int32) {
    let process = try RunningProcess("store-probe", [verb, folder] + (path.map { [$0] } ?? []))
    let output = process.readLine()
    return (output, process.wait())
  }

  @Test("when asked to end, the app saves and ends with the status of the signal", arguments: [SIGTERM, SIGHUP, SIGINT])
  func savesWhenAskedToEnd(_ signal: Int32) throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder])
    #expect(process.readLine() == "ready")
    process.signal(signal)
    #expect(process.wait() == -signal)
    #expect(try Self.load(folder) == 2)
    #expect(try RestorationStore(folder: folder).beginLaunch(bundleVersion: "1") == .launch)
  }

  @Test("if the actor does not respond, the last capture is saved")
  func savesWhatWasCapturedLast() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder, "stuck"])
    #expect(process.readLine() == "ready")
    process.signal(SIGTERM)
    #expect(process.wait() == -SIGTERM)
    #expect(try Self.load(folder) == 1)
  }

  @Test("a launch after a kill is a recovery")
  func recognizesACrash() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder])
    #expect(process.readLine() == "ready")
    process.signal(SIGKILL)
    #expect(process.wait() == -SIGKILL)
    #expect(try RestorationStore(folder: folder).beginLaunch(bundleVersion: "1") == .recover)
  }

  @Test("two processes with up to 1,000 saves each cause no damage and no deadlock")
  func twoWritersTakeTurns() throws {
    let saves = TestStage.count(200, exhaustive: 1000)
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let processes = try (0..<2).map { _ in try RunningProcess("store-probe", ["fight", folder, "\(saves)"]) }
    for process in processes {
      #expect(process.readLine() == "\(saves)")
      #expect(process.wait() == 0)
    }
    #expect(try Self.load(folder) == 2 * saves)
    #expect(try RestorationStore(folder: folder).generations().allSatisfy { $0.mark == .none })
  }

  @Test("a second writer is told which process holds the store")
  func namesTheHolder() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder])
    #expect(process.readLine() == "ready")
    let error = #expect(throws: StoreError.self) { try RestorationStore(folder: folder) }
    guard case .inUse(let holder)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(holder.hasPrefix("store-probe, process ") && holder.hasSuffix(": end that one, or use another folder than \(folder)"))
    process.signal(SIGKILL)
    _ = process.wait()
    _ = try RestorationStore(folder: folder)
  }
}
