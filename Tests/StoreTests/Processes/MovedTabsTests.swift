import Foundation
import ProcessKit
import PropertyKit
import StateRestoration
import TestStage
import Testing

/// A real app of several windows that is killed while it moves tabs, and closes and opens windows.
@Suite struct MovedTabsTests {
  /// The number of kills: `KILLS` in the environment, otherwise 20, and 250 in the second stage.
  private static let kills =
    ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? TestStage.count(20, exhaustive: 250)

  /// The windows of an app at one moment.
  private struct Session: Equatable {
    var step = 0
    /// The steps and the tabs of the windows.
    var windows: [String: [String]] = [:]

    /// Parses the words after `launch`.
    init(_ words: [String]) {
      step = words.first.flatMap { Int($0) } ?? 0
      for word in words.dropFirst() {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        windows[parts[0]] = [parts[1]] + parts[2].split(separator: ",").map(String.init).sorted()
      }
    }

    /// Reads the saved session, without a launch.
    init(_ folder: String) throws {
      let store = try RestorationStore(folder: folder, access: .reading)
      for archive in try store.archives() {
        guard let reader = try store.load(archive).archive?.reader else { continue }
        let step = try reader.decoder(at: "window").decode(Int.self, forKey: "step")
        let tabs = try ArchiveTree(decoding: reader).nodes.first?.children.map(\.identifier).sorted() ?? []
        if let scene = archive.scene { windows[scene] = ["\(step)"] + tabs } else { self.step = step }
      }
    }

    /// Whether all windows are of one moment, and each tab is in exactly one.
    var isWhole: Bool {
      let tabs = windows.values.flatMap { $0.dropFirst() }.sorted()
      return step == 0 ? windows.isEmpty : windows.values.allSatisfy { $0.first == "\(step)" } && tabs == (0..<8).map { "t\($0)" }
    }
  }

  @Test("an app killed at any moment has all its windows as they were at one, each tab in exactly one (Behaviours 102, 103, 104)")
  func movesAndCloses() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.url("store").path
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    var saved = 0
    var closed: [Int: String] = [:]
    var hasSaved = false
    for round in 0..<Self.kills {
      let place = "seed \(seed), round \(round)"
      let process = try RunningProcess("store-probe", ["tabs", folder])
      var lines: [String] = []
      // A launch that dies before it has saved is followed by one that saves, so that none restores less because of deaths.
      let count = Int.random(in: hasSaved || round == 0 ? 0..<7 : 2..<7, using: &random)
      for _ in 0..<count { if let line = process.readLine() { lines.append(line) } }
      usleep(UInt32.random(in: 0..<4000, using: &random))
      process.signal(SIGKILL)
      while let line = process.readLine() { lines.append(line) }
      #expect(process.wait() == -SIGKILL, "\(place): \(lines)")
      let before = saved
      hasSaved = false
      for words in lines.map({ $0.split(separator: " ").map(String.init) }) {
        switch words[0] {
        case "launch":
          let session = Session(Array(words.dropFirst()))
          #expect(session.isWhole && session.step >= before, "\(place): \(before) was saved: \(words)")
        case "saved", "closed":
          (saved, hasSaved) = (Int(words[1]) ?? 0, true)
          if words[0] == "closed" { closed[saved] = words[2] }
        default: Issue.record("\(place): \(words)")
        }
      }
      let session = try Session(folder)
      #expect(session.isWhole && session.step >= saved, "\(place): \(saved) was saved: \(session)")
      if let name = closed[session.step] { #expect(session.windows[name] == nil, "\(place): closed \(name): \(session)") }
    }
  }
}
