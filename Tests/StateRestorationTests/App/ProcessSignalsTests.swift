import Foundation
import ProcessKit
import StateRestoration
import TestStage
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The life of a real process: signals, suspension, kills.
@Suite(.serialized) struct ProcessSignalsTests {
  private static let modes = ["free", "blocking"]

  private func start(_ folder: TemporaryFolder, _ mode: String) throws -> (process: RunningProcess, greeting: String) {
    let process = try RunningProcess("app-probe", [folder.url("store").path, mode])
    return (process, try #require(process.readLine()))
  }

  @Test("a signal while a turn is captured waits for that turn, not for the time limit", arguments: [SIGTERM, SIGHUP])
  func waitsForTheTurn(signal: Int32) throws {
    for round in 0..<TestStage.count(5, exhaustive: 50) {
      let folder = try TemporaryFolder()
      // Waiting for the time limit would take an hour.
      let process = try RunningProcess("app-probe", [folder.url("store").path, "blocking", "1", "3600"])
      _ = try #require(process.readLine())
      #expect(try ask(process, "add") == "1")
      // The answer precedes the turn, so that the signal arrives before, during or after it.
      process.signal(signal)
      #expect(process.wait() == -signal, "round \(round)")
      let (next, greeting) = try start(folder, "blocking")
      #expect(greeting == "launch signal 1", "round \(round)")
      next.signal(SIGKILL)
      _ = next.wait()
    }
  }

  private func ask(_ process: RunningProcess, _ line: String) throws -> String {
    try process.writeLine(line)
    return try #require(process.readLine())
  }

  @Test("a signal that ends the process saves the answered changes", arguments: modes, [SIGTERM, SIGHUP, SIGINT])
  func savesAtTheEnd(mode: String, signal: Int32) throws {
    let folder = try TemporaryFolder()
    let (process, greeting) = try start(folder, mode)
    #expect(greeting == "pristine none 0")
    #expect(try ask(process, "add") == "1")
    #expect(try ask(process, "add a") == "1")
    // In a blocking app the answer precedes the end of the turn.
    #expect(try ask(process, "show") == "1 a=1")
    process.signal(signal)
    #expect(process.wait() == -signal)
    let (second, again) = try start(folder, mode)
    #expect(again == "launch signal 1 a=1")
    #expect(try ask(second, "quit") == "ok")
    #expect(second.wait() == 0)
    let (third, last) = try start(folder, mode)
    #expect(last == "launch ended 1 a=1")
    third.signal(SIGKILL)
    _ = third.wait()
  }

  @Test("a signal that the process was started to ignore, as by nohup, does not end it", arguments: modes)
  func ignoresWhatIsIgnored(mode: String) throws {
    let folder = try TemporaryFolder()
    let process = try RunningProcess("app-probe", [folder.url("store").path, mode], ignoring: "HUP")
    #expect(process.readLine() == "pristine none 0")
    process.signal(SIGHUP)
    #expect(try ask(process, "add") == "1")
    process.signal(SIGTERM)
    #expect(process.wait() == -SIGTERM)
    let (next, greeting) = try start(folder, mode)
    #expect(greeting == "launch signal 1")
    next.signal(SIGKILL)
    _ = next.wait()
  }

  @Test("SIGTSTP saves and stops, SIGCONT continues; a kill in between is not a crash", arguments: modes)
  func suspends(mode: String) throws {
    let folder = try TemporaryFolder()
    let (process, _) = try start(folder, mode)
    #expect(try ask(process, "add") == "1")
    #expect(try ask(process, "show") == "1")
    let rounds = TestStage.count(3, exhaustive: 30)
    for round in 1...rounds {
      process.signal(SIGTSTP)
      if mode == "free" { #expect(process.readLine() == "suspending") }
      #expect(process.waitUntilStopped())
      #expect(throws: StoreError.self, "the lock stays held") { try RestorationStore(folder: folder.url("store").path) }
      if round == rounds { break }
      process.signal(SIGCONT)
      if mode == "free" { #expect(process.readLine() == "resumed") }
      // A blocking app may be stopped again before its signal thread has continued.
      #expect(try ask(process, "add") == "\(round + 1)")
      #expect(try ask(process, "show") == "\(round + 1)")
    }
    process.signal(SIGKILL)
    _ = process.wait()
    let (second, greeting) = try start(folder, mode)
    #expect(greeting == "restore suspended \(rounds)")
    second.signal(SIGKILL)
    _ = second.wait()
  }

  @Test("when killed at any moment, the app restores everything that was answered before a save", arguments: modes)
  func survivesKills(mode: String) throws {
    let folder = try TemporaryFolder()
    var saved = 0
    for round in 1...TestStage.count(5, exhaustive: 100) {
      let (process, greeting) = try start(folder, mode)
      let count = try #require(greeting.split(separator: " ").last.flatMap { Int($0) })
      #expect(count >= saved, "round \(round): \(greeting)")
      // A save with changes proves that the app works: two consecutive kills without one would be treated as crashes.
      for _ in 0...(round % 3) { _ = try ask(process, "add") }
      #expect(try ask(process, "save") == "ok")
      saved = count + round % 3 + 1
      // The process dies at an arbitrary moment, since the test does not wait for the answer.
      try process.writeLine("add")
      process.signal(SIGKILL)
      _ = process.wait()
    }
  }

  @Test(
    "a signal ends an app at once that has blocked its actor since the launch and has saved",
    arguments: [true, false])
  func doesNotWaitForABlockedActor(saves: Bool) throws {
    let folder = try TemporaryFolder()
    // Waiting for the actor would take an hour.
    let process = try RunningProcess("app-probe", [folder.url("store").path, "saving", "1", "3600"])
    _ = try #require(process.readLine())
    if saves {
      #expect(try ask(process, "add") == "1")
      #expect(try ask(process, "save") == "ok")
    }
    process.signal(SIGTERM)
    #expect(process.wait() == -SIGTERM)
    let (next, greeting) = try start(folder, "blocking")
    #expect(greeting == "launch signal \(saves ? 1 : 0)")
    next.signal(SIGKILL)
    _ = next.wait()
  }

  @Test("an app that is killed again and again while it waits for input is restored each time")
  func isRestoredAfterKillsAtThePrompt() throws {
    let folder = try TemporaryFolder()
    let (first, _) = try start(folder, "blocking")
    #expect(try ask(first, "add") == "1")
    #expect(try ask(first, "save") == "ok")
    first.signal(SIGKILL)
    _ = first.wait()
    for launch in 1...4 {
      let (process, greeting) = try start(folder, "blocking")
      #expect(greeting == "recover killed 1", "launch \(launch)")
      // The app answers after its first turn.
      #expect(try ask(process, "show") == "1")
      process.signal(SIGKILL)
      _ = process.wait()
    }
  }

  @Test("the counter of README.md survives a kill")
  func counterSurvives() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_STATE_HOME": folder.url("state").path]
    for launch in 0..<3 {
      let counter = try RunningProcess("counter-example", [], environment: environment)
      for _ in 1...2 { try counter.writeLine("") }
      if launch == 0 {
        // The state is on disk half a second after the last turn.
        let store = folder.url("state/org.example.counter/restoration").path
        func saved() throws -> Int? {
          try RestorationStore(folder: store, access: .reading).load().archive?.reader.decoder(at: "counter").decode(
            Int.self, forKey: "count")
        }
        while try saved() != 2 { usleep(10_000) }
        counter.signal(SIGKILL)
        _ = counter.wait()
        continue
      }
      counter.closeInput()
      // The output is buffered, since it does not go to a terminal.
      #expect(counter.readLine() == "Press Return to count, Ctrl-D to quit.")
      for step in 0...2 { #expect(counter.readLine() == "\(2 * launch + step)") }
      #expect(counter.wait() == 0)
    }
  }
}
