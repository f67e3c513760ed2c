import Foundation
import ProcessKit
import StateRestorationTesting
import Testing

@testable import jot_6  // the module of your app

@MainActor @Suite struct JotTests {
  @Test("tabs and windows come back, however the process ends", arguments: ProcessEnd.allCases)
  func comesBack(after end: ProcessEnd) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = AppConfiguration(bundleIdentifier: "org.example.jot", bundleVersion: "6", folder: folder.path)
    configuration.handlesSignals = false
    var app = try App(configuration)
    _ = try app.launch()
    for line in ["tab ada", "Dear Ada", "window work", "tab plan"] { _ = try app.perform(line) }
    try app.restoration.saveNow()

    var restoration: AppRestoration? = app.restoration
    _ = try restart(&restoration, after: end) {
      app = try App(configuration)
      _ = try app.launch()
      return app.restoration
    }
    let expected: ExpectedReport = ["window": .located, "window/ada": .restored]
    #expect(expected.differences(from: try #require(app.result?.report)) == [])
    #expect(try app.perform("tab plan") == "work > plan []")
    #expect(try app.perform("done") == "untitled > ada [Dear Ada]")
  }
}

/// The steps of the tutorial, each started on the state that the step before has left.
@Suite struct TutorialTests {
  /// A run of a program, as the tutorial shows it.
  private struct Session {
    let program: [String]
    var input: [String] = []
    var output: [String] = []

    /// The time of a save differs in each run.
    func matches(_ printed: [String]) -> Bool { printed.map(Self.withoutTimes) == output.map(Self.withoutTimes) }

    private static func withoutTimes(_ line: String) -> String {
      line.replacingOccurrences(of: #"saved [-0-9T:]+Z"#, with: "saved then", options: .regularExpression)
    }
  }

  private static func sessions() throws -> [Session] {
    var sessions: [Session] = []
    for block in try GuidePage("Sources/StateRestoration/StateRestoration.docc/Tutorial.md").blocks("console") {
      for line in block {
        if line.hasPrefix("$ swift run ") {
          sessions.append(Session(program: line.split(separator: " ").dropFirst(3).map(String.init)))
        } else if line.hasPrefix("> ") {
          sessions[sessions.count - 1].input.append(String(line.dropFirst(2)))
        } else {
          sessions[sessions.count - 1].output.append(line)
        }
      }
    }
    return sessions
  }

  @Test("each program prints what the tutorial shows, from the state that the one before has saved")
  func printsWhatIsShown() throws {
    let folder = try TemporaryFolder()
    let sessions = try Self.sessions()
    #expect(Set(sessions.map { $0.program[0] }).count == 6)
    for session in sessions {
      let environment = ["XDG_STATE_HOME": folder.url("state").path]
      let process = try RunningProcess(session.program[0], Array(session.program.dropFirst()), environment: environment)
      for line in session.input { try process.writeLine(line) }
      process.closeInput()
      var printed: [String] = []
      while let line = process.readLine() { printed.append(line) }
      #expect(process.wait() == 0)
      #expect(session.matches(printed), "\(session.program) printed:\n\(printed.joined(separator: "\n"))")
    }
  }

  @Test("the first program survives a kill")
  func survivesAKill() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_STATE_HOME": folder.url("state").path]
    let first = try RunningProcess("jot-1", [], environment: environment)
    try first.writeLine("Letters")
    // The state is on disk half a second after the last turn.
    let configuration = AppConfiguration(
      bundleIdentifier: "org.example.jot", folder: folder.url("state/org.example.jot/restoration").path)
    func saved() throws -> String? {
      try RestorationStore(configuration, isReadOnly: true).load().archive?.reader.decoder(at: "window").decode(
        String.self, forKey: "title")
    }
    while try saved() != "Letters" { usleep(10_000) }
    first.signal(SIGKILL)
    _ = first.wait()
    let second = try RunningProcess("jot-1", [], environment: environment)
    second.closeInput()
    #expect(second.readLine() == "Letters")
  }
}
