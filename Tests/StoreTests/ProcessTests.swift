import Foundation
import ProcessKit
import StateRestoration
import Testing

/// The store among real processes that are killed, that die and that fight.
@Suite(.serialized) struct ProcessTests {
  private static func folder(_ temporary: TemporaryFolder) -> String { temporary.url("store").path }

  private static func load(_ folder: String) throws -> Int? {
    try RestorationStore(folder: folder, access: .reading).load().number
  }

  /// How often a process is killed: `KILLS` in the environment, 300 in CI.
  private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 300

  @Test("killed at any moment, never less than the last state that was reported as saved (BEHAVIOURS 39)")
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

  @Test("a node that kills the process costs one launch, and does not come back a hundred launches later (BEHAVIOURS 47)")
  func breaksTheCrashLoop() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try launch(folder).output == "pristine: nothing was saved: bad=fresh good=fresh")
    #expect(try launch(folder).output == "launch: restores generation 1: bad=1 good=1")
    #expect(try launch(folder, abortingAt: "root/bad").status != 0)
    for number in 2...101 {
      let result = try launch(folder, abortingAt: "root/bad")
      #expect(result.status == 0, "launch \(number)")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: bad=fresh good=\(number)") == true, "\(result.output ?? "")")
    }
  }

  @Test("so it is where the files cannot be reached when the launch begins (BEHAVIOURS 46, 47)")
  func breaksTheCrashLoopOfLateLaunches() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    #expect(try launch(folder, as: "late").output == "launch: nothing was saved: bad=fresh good=fresh")
    #expect(try launch(folder, as: "late", abortingAt: "root/bad").status != 0)
    for number in 1...3 {
      let result = try launch(folder, as: number == 2 ? "launch" : "late", abortingAt: "root/bad")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: bad=fresh good=\(number)") == true, "\(result.output ?? "")")
      #expect(result.status == 0)
    }
    try FileManager.default.removeItem(atPath: folder)
    #expect(try launch(folder).status == 0)
    for path in ["root/bad", "root/good"] { #expect(try launch(folder, as: "late", abortingAt: path).status != 0) }
    let offered = try launch(folder, as: "late", abortingAt: "root/good")
    #expect(offered.output == "launch: the last 2 launches died while or after restoring; ask before trying again: bad=fresh good=fresh")
  }

  @Test("so it is with a node that an alias moved, before and after it is saved at its new path (BEHAVIOURS 14, 47)")
  func breaksTheCrashLoopOfMovedNodes() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    for _ in 1...2 { #expect(try launch(folder).status == 0) }
    #expect(try launch(folder, as: "moved", abortingAt: "root/worse").status != 0)
    for number in 2...5 {
      let result = try launch(folder, as: "moved", abortingAt: "root/worse")
      #expect(result.output?.hasSuffix("without 1 path that killed the app: worse=fresh good=\(number)") == true, "\(result.output ?? "")")
    }
    #expect(try RestorationStore(folder: folder).quarantinedPaths() == ["root/worse"])
  }

  @Test("after a second death restoring is offered, not done (BEHAVIOURS 46)")
  func offersAfterTwoDeaths() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    _ = try launch(folder)
    #expect(try launch(folder, abortingAt: "root/bad").status != 0)
    #expect(try launch(folder, abortingAt: "root/good").status != 0)
    let third = try launch(folder, abortingAt: "root/good")
    #expect(third.status == 0)
    #expect(third.output == "recover: the last 2 launches died while or after restoring; ask before trying again: bad=fresh good=fresh")
    // What was not restored is kept apart from what was saved since.
    let generations = try RestorationStore(folder: folder, access: .reading).generations()
    #expect(generations.map(\.mark) == [.none, .pinned])
  }

  private func launch(
    _ folder: String, as verb: String = "launch", abortingAt path: String? = nil
  ) throws -> (output: String?, status: Int32) {
    let process = try RunningProcess("store-probe", [verb, folder] + (path.map { [$0] } ?? []))
    let output = process.readLine()
    return (output, process.wait())
  }

  @Test("asked to end, the app saves and ends as the signal would have it", arguments: [SIGTERM, SIGHUP, SIGINT])
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

  @Test("an actor that does not answer: what was captured last is saved")
  func savesWhatWasCapturedLast() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder, "stuck"])
    #expect(process.readLine() == "ready")
    process.signal(SIGTERM)
    #expect(process.wait() == -SIGTERM)
    #expect(try Self.load(folder) == 1)
  }

  @Test("a process that was killed is recovered from")
  func recognizesACrash() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder])
    #expect(process.readLine() == "ready")
    process.signal(SIGKILL)
    #expect(process.wait() == -SIGKILL)
    #expect(try RestorationStore(folder: folder).beginLaunch(bundleVersion: "1") == .recover)
  }

  @Test("two processes, 1,000 saves each: no damage, no deadlock")
  func twoWritersTakeTurns() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let processes = try (0..<2).map { _ in try RunningProcess("store-probe", ["fight", folder, "1000"]) }
    for process in processes {
      #expect(process.readLine() == "1000")
      #expect(process.wait() == 0)
    }
    #expect(try Self.load(folder) == 2000)
    #expect(try RestorationStore(folder: folder).generations().allSatisfy { $0.mark == .none })
  }

  @Test("a second writer is told who has the store")
  func namesTheHolder() throws {
    let temporary = try TemporaryFolder()
    let folder = Self.folder(temporary)
    let process = try RunningProcess("store-probe", ["wait", folder])
    #expect(process.readLine() == "ready")
    let error = #expect(throws: StoreError.self) { try RestorationStore(folder: folder) }
    guard case .inUse(let holder)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(holder.hasPrefix("store-probe, process "))
    process.signal(SIGKILL)
    _ = process.wait()
    _ = try RestorationStore(folder: folder)
  }
}
