import Foundation
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Launches of an app as the machine of launches sees them: no files, no clock, thousands in a second.
struct LadderWorld {
  struct Node {
    var path: RestorationPath
    var type: String
    var digest: UInt64
  }

  /// How a process dies.
  enum Death: CaseIterable {
    case trap, otherThread, kill, unanswered, exit, powerLoss

    var isRecorded: Bool { self == .trap }
  }

  /// What a launch came to.
  struct Outcome: Equatable {
    var died = false
    /// What was restored, by archive; what was offered or left fresh is missing.
    var restored: [ArchiveName: [RestorationPath]] = [:]
    var offered: Set<ArchiveName> = []

    var text: String {
      let counts = restored.map { "\($0.key) \($0.value.count)" }.sorted().joined(separator: ", ")
      return "\(died ? "died" : "lived"), restored \(counts), set aside \(offered.count)"
    }
  }

  private(set) var ledger = LaunchLedger()
  private var last: LaunchHistory.LastLaunch?
  private var number: UInt64 = 0
  /// The archives whose current state is that of an earlier launch without state, and no offer.
  private var blank: Set<ArchiveName> = []
  var nodes: [ArchiveName: [Node]] = [:]
  var generations: [ArchiveName: UInt64] = [:]
  var build: String? = "1"
  /// Whether nothing but the record of progress can be written.
  var isFull = false
  /// The bad launches in a row, and the most so far.
  private(set) var row = 0
  private(set) var longestRow = 0

  init(_ counts: [ArchiveName: Int], types: Int = 1) {
    for (archive, count) in counts {
      nodes[archive] = (0..<count).compactMap { index in
        (try? RestorationPath(components: ["w", "n\(index)"])).map { Node(path: $0, type: "T\(index % types)", digest: UInt64(index)) }
      }
      generations[archive] = 1
    }
  }

  private var files: LaunchHistory.Files {
    let (nodes, generations) = (nodes, generations)
    return LaunchHistory.Files(
      archives: { generations.keys.sorted { $0.fileName < $1.fileName } }, current: { generations[$0] },
      nodes: { archive, type in
        let all = nodes[archive] ?? []
        let members = all.filter { $0.type == type }
        return (members.map(\.path), members.count < all.count)
      })
  }

  /// Launches, opens archives in order, and dies where `guilty` says so, else after all of them if there is a `lateDeath`.
  ///
  /// With `isSlow`, the first archives are stable before the last is opened.
  @discardableResult
  mutating func launch(
    _ archives: [ArchiveName]? = nil, lateDeath: Death? = nil, isSlow: Bool = false, saves: Bool = false, isKilledIdle: Bool = false,
    guilty: (ArchiveName, Node) -> Death? = { _, _ in nil }
  ) -> Outcome {
    number += 1
    var history = LaunchHistory(
      after: last, ledger: ledger, files: files,
      launch: .init(bundleVersion: build, boot: 1, number: number, options: LaunchOptions(stableAfter: .milliseconds(2500))))
    settle(&history)
    var outcome = Outcome()
    blank = []
    let archives = archives ?? nodes.keys.sorted { $0.fileName < $1.fileName }
    for (index, archive) in archives.enumerated() {
      if isSlow, index == archives.count - 1 { tick(&history) }
      guard let generation = generations[archive] else { continue }
      guard case .restore(let left) = history.decision(for: archive, current: generation) else {
        outcome.offered.insert(archive)
        if history.decision(for: archive, current: generation) == .leave { blank.insert(archive) }
        history.beginSetAside(archive)
        continue
      }
      outcome.restored[archive] = []
      history.begin(Generation(archive, generation))
      for node in nodes[archive] ?? [] where !left.contains(where: { $0.path == node.path && ($0.digest ?? node.digest) == node.digest }) {
        history.note(.decoding, node.path, in: Generation(archive, generation))
        if let death = guilty(archive, node) {
          outcome.died = true
          finish(history, death, called: (archive, node))
          return outcome
        }
        outcome.restored[archive]?.append(node.path)
      }
      history.note(.ended, .application, in: Generation(archive, generation))
      history.noteFound(
        Dictionary(
          uniqueKeysWithValues: left.map { entry in
            (entry.path, (entry.path, nodes[archive]?.first { $0.path == entry.path }?.digest))
          }), in: archive)
    }
    if saves { for archive in archives { save(archive, &history) } }
    if let lateDeath {
      outcome.died = !outcome.restored.isEmpty
      finish(history, lateDeath, called: nil)
      return outcome
    }
    if isKilledIdle {
      finish(history, .kill, called: nil)
      return outcome
    }
    tick(&history)
    history.end(.ended)
    finish(history, nil, called: nil)
    return outcome
  }

  private func tick(_ history: inout LaunchHistory) {
    for entry in history.restoring { for _ in 0..<5 { _ = history.tick(entry.generation.archive, isExtended: false) } }
    history.noteWritten(Set(history.unwritten.map(\.number)))
  }

  /// Saves what the user has made; what was set aside becomes an offer.
  private mutating func save(_ archive: ArchiveName, _ history: inout LaunchHistory) {
    let isOver = history.isSetAside(archive)
    generations[archive, default: 0] += 1
    if isOver, !blank.contains(archive) {
      history.noteOffers([.init(archive: archive, number: (generations[archive] ?? 0) - 1, reason: .deaths)], of: archive)
    }
    _ = history.noteSaved(archive, as: generations[archive], isChanged: true)
  }

  /// Carries out what a launch has concluded about files.
  private mutating func settle(_ history: inout LaunchHistory) {
    // The launch after an acquittal restores once more: the one before it has died without any state.
    if !history.ledger.acquittals.isEmpty { row = min(row, LaunchHistory.longestStreak - 1) }
    for (archive, number) in history.ledger.acquittals {
      generations[archive] = number
      history.finishAcquittal(of: archive)
    }
  }

  private mutating func finish(_ history: LaunchHistory, _ death: Death?, called: (ArchiveName, Node)?) {
    // `exit` outside callbacks is an orderly end, and what has worked is stable except against faults.
    let isDeath = death.map { $0 != .exit || called != nil } ?? false
    let isFault = death == .trap || death == .otherThread
    let wasBad =
      isDeath && history.restoring.contains { !$0.isSetAside && (!$0.hasWorked || isFault || $0.generation.archive == called?.0) }
    let hasRestored = history.hasRun || history.restoring.contains { !$0.isSetAside || !isDeath || $0.hasWorked && !isFault }
    row = wasBad ? row + 1 : hasRestored ? 0 : row
    longestRow = max(longestRow, row)
    var left = LaunchHistory.LastLaunch(record: history.record)
    if death == .unanswered { left.record.ending = .unanswered }
    left.record.boot = death == .powerLoss ? 2 : 1
    left.restoring = history.restoring.map {
      .init(archive: $0.generation.archive, generation: $0.generation.number, hasWorked: $0.hasWorked, isSetAside: $0.isSetAside)
    }
    left.called = called.map { .init(archive: $0.0, path: $0.1.path, type: $0.1.type, digest: $0.1.digest, phase: .decoding) }
    switch death {
    case .trap: left.exit = ExitRecord(.fatalSignal, launch: number, isOnRestoringThread: true)
    case .otherThread: left.exit = ExitRecord(.fatalSignal, launch: number)
    case .exit: left.exit = ExitRecord(.exit, launch: number, isOnRestoringThread: true)
    default: break
    }
    last = left
    if !isFull { ledger = history.ledger }
  }
}

/// What the machine of launches promises (Behaviours 92 to 101), as histories.
@Suite struct LadderTests {
  private static let app = ArchiveName.application
  private static let scenes = (0..<5).compactMap { ArchiveName.scene("s\($0)") }

  /// Launches until none dies, at most ten times; returns the number of deaths and the last outcome.
  private static func settle(
    _ world: inout LadderWorld, _ archives: [ArchiveName]? = nil, lateDeath: LadderWorld.Death? = nil,
    guilty: (ArchiveName, LadderWorld.Node) -> LadderWorld.Death? = { _, _ in nil }
  ) -> (deaths: Int, outcome: LadderWorld.Outcome) {
    for deaths in 0..<10 {
      let outcome = world.launch(archives, lateDeath: lateDeath, guilty: guilty)
      if !outcome.died { return (deaths, outcome) }
    }
    return (10, LadderWorld.Outcome())
  }

  @Test("92, 93: one death costs nothing, except a node with a recorded fault", arguments: LadderWorld.Death.allCases)
  func costsNothing(_ death: LadderWorld.Death) {
    var world = LadderWorld([Self.app: 5])
    world.launch { _, node in node.digest == 2 ? death : nil }
    #expect(world.launch().restored[Self.app]?.count == (death.isRecorded ? 4 : 5))
    #expect(world.ledger.streak == 0 || world.ledger.launches.last?.exit != .ended)
  }

  @Test(
    "92: bad nodes of some types, in one archive and in five, cost at most three dying launches, and nothing is lost",
    arguments: [13, 200], [1, 4])
  func endsLoops(_ count: Int, _ types: Int) {
    for death in LadderWorld.Death.allCases {
      for archives in [[Self.app], Self.scenes] {
        var world = LadderWorld(Dictionary(uniqueKeysWithValues: archives.map { ($0, count + 3) }), types: 1)
        for archive in archives {
          for index in world.nodes[archive]?.indices ?? 0..<0 {
            world.nodes[archive]?[index].type = index < count ? "T\(index % types)" : "good"
          }
        }
        let (deaths, outcome) = Self.settle(&world) { _, node in node.type == "good" ? nil : death }
        #expect(deaths <= 3 && world.longestRow <= 3, "\(death), \(archives.count)")
        if death == .trap, types == 1, archives.count == 1 {
          #expect(deaths == 2 && outcome.restored[Self.app]?.count == 3, "\(death): the others are restored")
        } else {
          #expect(Set(archives) == outcome.offered.union(outcome.restored.keys), "\(death)")
        }
      }
    }
  }

  @Test("95: exit in a callback, twice, leaves that node out")
  func countsExits() {
    var world = LadderWorld([Self.app: 5])
    let (deaths, outcome) = Self.settle(&world) { _, node in node.digest == 1 ? .exit : nil }
    #expect(deaths == 2 && outcome.restored[Self.app]?.count == 4)
  }

  @Test("97: a bad node in each scene, one scene a launch or with a slow start: never more than three in a row", arguments: [false, true])
  func remembersSuspects(_ isSlow: Bool) {
    for death in LadderWorld.Death.allCases {
      var world = LadderWorld(Dictionary(uniqueKeysWithValues: ([Self.app] + Self.scenes).map { ($0, 3) }))
      for round in 0..<30 {
        let scene = Self.scenes[round % Self.scenes.count]
        world.launch(isSlow ? [Self.app, scene] : [scene], isSlow: isSlow) { archive, node in
          archive != Self.app && node.digest == 1 ? death : nil
        }
      }
      #expect(world.longestRow <= 3, "\(death)")
      #expect(world.launch([Self.app]).restored[Self.app]?.count == 3 || world.ledger.setAside[Self.app] != nil, "\(death)")
    }
  }

  @Test("98: two traps of one type with a stable launch between them leave out two nodes and no type")
  func leavesTypesIn() {
    var world = LadderWorld([Self.app: 6])
    world.launch { _, node in node.digest == 1 ? .trap : nil }
    world.launch()
    world.launch { _, node in node.digest == 2 ? .trap : nil }
    #expect(world.launch().restored[Self.app]?.count == 4)
  }

  @Test("98: slow starts that the user ends at different nodes punish no type")
  func punishesNoTypeForKills() {
    var world = LadderWorld([Self.app: 6])
    for digest in [3, 5] as [UInt64] { world.launch { _, node in node.digest == digest ? .kill : nil } }
    #expect(world.launch().offered == [Self.app] && world.ledger.quarantined.isEmpty)
  }

  @Test("98: faults, or signals that the app did not answer, at two nodes of a type leave out the type; other deaths do not")
  func leavesTypesOut() {
    for first in LadderWorld.Death.allCases {
      for second in LadderWorld.Death.allCases {
        var world = LadderWorld([Self.app: 6])
        world.nodes[Self.app]?[5].type = "good"
        for (digest, death) in [(1, first), (3, second)] as [(UInt64, LadderWorld.Death)] {
          world.launch { _, node in node.digest == digest ? death : nil }
        }
        let outcome = world.launch()
        let isOut = [first, second].allSatisfy { [.trap, .otherThread, .unanswered].contains($0) }
        #expect(world.ledger.quarantined.contains(where: \.isMember) == isOut, "\(first), \(second)")
        if isOut { #expect(outcome.restored[Self.app]?.map(\.description) == ["w/n5"], "\(first), \(second)") }
      }
    }
  }

  @Test("106: below a streak of three, the scenes that are innocent are restored, and not offered for another's guilt")
  func sparesTheInnocent() {
    // After a loss of power, nothing tells the innocent.
    for death in LadderWorld.Death.allCases where death != .powerLoss {
      var world = LadderWorld(Dictionary(uniqueKeysWithValues: ([Self.app] + Self.scenes).map { ($0, 4) }))
      let (guilty, others) = (Self.scenes[4], [Self.app] + Self.scenes.dropLast())
      // The guilty scene is opened last, so that all others are on trial.
      for digest in 0...1 as ClosedRange<UInt64> {
        world.launch(others + [guilty]) { archive, node in archive == guilty && node.digest == digest ? death : nil }
      }
      let outcome = world.launch(others + [guilty])
      #expect(world.ledger.launches.map(\.streak) == [1, 2], "\(death)")
      for archive in others { #expect(outcome.restored[archive]?.count == 4, "\(death), \(archive)") }
      #expect(outcome.offered.isSubset(of: [guilty]), "\(death)")
    }
  }

  @Test("98: new nodes of a quarantined type are restored")
  func restoresNewNodes() {
    var world = LadderWorld([Self.app: 4])
    world.nodes[Self.app]?[3].type = "good"
    for digest in [0, 1] as [UInt64] { world.launch { _, node in node.digest == digest ? .trap : nil } }
    #expect(world.launch().restored[Self.app]?.count == 1)
    world.nodes[Self.app]?.append(.init(path: "w/new", type: "T0", digest: 99))
    world.nodes[Self.app]?[2].digest = 98
    #expect(world.launch().restored[Self.app]?.map(\.description) == ["w/n2", "w/n3", "w/new"])
  }

  @Test("bad tabs 2 and 9 of 13: the eleven others are back within a few good launches, and stay")
  func bringsInnocentBack() {
    var world = LadderWorld([Self.app: 14])
    world.nodes[Self.app]?[13].type = "good"
    var least = 14
    for launch in 0..<60 {
      let outcome = world.launch { _, node in node.digest == 2 || node.digest == 9 ? .trap : nil }
      if launch > 12, !outcome.died { least = min(least, outcome.restored[Self.app]?.count ?? 0) }
    }
    #expect(least == 12 && world.longestRow <= 3)
  }

  @Test("99: builds by turns, and a build that changes with each launch", arguments: [2, 1000])
  func countsBuilds(_ builds: Int) {
    var world = LadderWorld([Self.app: 3])
    var deaths = 0
    for launch in 0..<200 {
      world.build = "\(launch % builds)"
      if world.launch(guilty: { _, node in node.digest == 1 ? .trap : nil }).died { deaths += 1 }
    }
    #expect(world.longestRow <= 3 && deaths < 20, "\(deaths)")
  }

  @Test("100: an app that dies without its state too is acquitted once, by a fault; then its state is offered, and stays so")
  func acquitsOnce() {
    for (death, isAcquitted) in [(LadderWorld.Death.trap, true), (.kill, false), (.unanswered, false)] {
      var world = LadderWorld([Self.app: 3])
      var restored: [Bool] = []
      for _ in 0..<14 { restored.append(!world.launch(lateDeath: death, saves: false).restored.isEmpty) }
      #expect(restored.prefix(3) == [true, true, false], "\(death)")
      #expect(restored[3] == isAcquitted && !restored.dropFirst(4).contains(true), "\(death)")
      #expect(world.longestRow <= 3 && world.ledger.offers.isEmpty)
    }
  }

  @Test("100: an unrelated crash does not take the session away: after the acquittal everything is back")
  func givesSessionBack() {
    var world = LadderWorld([Self.app: 3])
    for _ in 0..<3 { world.launch(lateDeath: .trap) }
    #expect(world.launch().restored[Self.app]?.count == 3)
    #expect(world.launch().restored[Self.app]?.count == 3 && world.ledger.acquitted.isEmpty && world.ledger.streak == 0)
  }

  @Test("offered; the user sees the blank app and force-quits, or works in it: still offered, and the work is restored")
  func restoresWork() {
    var world = LadderWorld([Self.app: 3])
    for _ in 0..<2 { world.launch(lateDeath: .kill) }
    for _ in 0..<4 { #expect(world.launch(isKilledIdle: true).offered == [Self.app]) }
    #expect(world.launch(saves: true).offered == [Self.app])
    #expect(world.launch().restored[Self.app]?.count == 3)
    #expect(world.ledger.offers.map(\.number) == [1])
  }

  @Test("blanks are no offers: fourteen launches that die leave one")
  func offersNoBlanks() {
    var world = LadderWorld([Self.app: 3])
    for _ in 0..<14 { world.launch(lateDeath: .trap, saves: true) }
    #expect(world.ledger.offers.count <= 1 && world.longestRow <= 3)
  }

  @Test("101: a full disk from the first death on: at most three in a row, and still offered")
  func survivesFullDisks() {
    for death in LadderWorld.Death.allCases {
      var world = LadderWorld([Self.app: 9])
      world.isFull = true
      for _ in 0..<12 { world.launch(isKilledIdle: true) { _, _ in death } }
      #expect(world.longestRow <= 3, "\(death)")
      #expect(world.launch(isKilledIdle: true).offered == [Self.app] && world.generations[Self.app] == 1, "\(death)")
    }
  }

  @Test("94, 107: a launch is judged once, and the last 32 are on record")
  func keepsRecord() {
    var world = LadderWorld([Self.app: 3])
    for _ in 0..<40 { world.launch() }
    #expect(world.ledger.launches.count == 32 && world.ledger.launches.allSatisfy { $0.exit == .ended && $0.streak == 0 })
  }

  /// The number of random histories.
  private static let count = TestStage.histories(60, exhaustive: 1000)

  @Test("92: random apps: never more than three bad launches in a row, and once the cause is gone everything is back or offered")
  func holdsInvariants() {
    let only = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
    let start = only ?? UInt64.random(in: 0..<1 << 40)
    for seed in start..<start + UInt64(only == nil ? Self.count : 1) {
      var random = SeededGenerator(seed: seed)
      let archives = [Self.app] + Self.scenes.prefix(Int.random(in: 0...3, using: &random))
      var world = LadderWorld(
        Dictionary(uniqueKeysWithValues: archives.map { ($0, Int.random(in: 1...8, using: &random)) }),
        types: Int.random(in: 1...3, using: &random))
      let rate = [0, 5, 30, 100].randomElement(using: &random) ?? 0
      let deaths = Dictionary(
        uniqueKeysWithValues: archives.map { archive in
          (
            archive,
            (0..<8).map { _ in
              Int.random(in: 0..<100, using: &random) < rate ? LadderWorld.Death.allCases.randomElement(using: &random) : nil
            }
          )
        })
      var log: [String] = []
      for _ in 0..<30 {
        if Int.random(in: 0..<6, using: &random) == 0 { world.build = "\(Int.random(in: 0..<3, using: &random))" }
        world.isFull = Int.random(in: 0..<20, using: &random) == 0
        let opened = Int.random(in: 0..<3, using: &random) > 0 ? archives : archives.filter { _ in Bool.random(using: &random) }
        let late = Int.random(in: 0..<8, using: &random) == 0 ? LadderWorld.Death.allCases.randomElement(using: &random) : nil
        let outcome = world.launch(
          opened, lateDeath: late, isSlow: Bool.random(using: &random), saves: Int.random(in: 0..<4, using: &random) == 0,
          isKilledIdle: Int.random(in: 0..<6, using: &random) == 0
        ) { archive, node in deaths[archive]?[Int(node.digest)] }
        log.append("\(opened.count) archives, full \(world.isFull), late \(late.map { "\($0)" } ?? "-"): \(outcome.text)")
        if world.longestRow > 3 {
          Issue.record("seed \(seed): \(world.longestRow) bad launches in a row\n\(log.joined(separator: "\n"))")
          return
        }
      }
      world.isFull = false
      // The cause is gone.
      for _ in 0..<42 { world.launch() }
      let outcome = world.launch()
      for archive in archives {
        let isBack = outcome.restored[archive]?.count == world.nodes[archive]?.count
        if !isBack && !outcome.offered.contains(archive) {
          Issue.record("seed \(seed): \(archive) is not back: \(outcome)")
          return
        }
      }
    }
  }
}
