import Foundation
import Testing

@testable import StateRestoration

/// The state machine of launches, tested separately (Behaviours 56 to 63).
@Suite struct LaunchHistoryTests {
  private static let app = ArchiveName.application
  private static let generation = Generation(.application, 1)

  private static var files: LaunchHistory.Files { LaunchHistory.Files(archives: { [app] }, current: { _ in 1 }) }

  private static func launch(
    _ number: UInt64, _ ledger: LaunchLedger, after last: LaunchHistory.LastLaunch?, build: String? = "1"
  ) -> LaunchHistory {
    // Five ticks.
    let options = LaunchOptions(stableAfter: .milliseconds(2500))
    return LaunchHistory(
      after: last, ledger: ledger, files: files, launch: .init(bundleVersion: build, boot: 1, number: number, options: options))
  }

  /// The remains of a launch that dies after `body`.
  private static func left(
    by history: LaunchHistory, exit: ExitRecord? = nil, boot: UInt64 = 1
  ) -> LaunchHistory.LastLaunch {
    var last = LaunchHistory.LastLaunch(record: history.record, exit: exit)
    last.record.boot = boot
    last.record.hasRun = history.hasRun || !history.unwritten.isEmpty
    last.restoring = history.restoring.map { entry in
      .init(archive: entry.generation.archive, generation: 1, hasWorked: entry.hasWorked, isSetAside: entry.isSetAside)
    }
    if let call = history.restoring.last(where: { $0.call != nil })?.call {
      last.called = .init(archive: app, path: call.path, phase: call.phase)
    }
    return last
  }

  @Test("63: the last exit determines the reason")
  func tellsExits() {
    typealias Row = (LaunchHistory.LastLaunch?, LaunchLedger?, LastExit?, RestorationReason)
    var launched = LaunchLedger()
    launched.hasLaunched = true
    func last(_ ending: ProgressRecord.Ending, boot: UInt64 = 1, exit: ExitRecord? = nil) -> LaunchHistory.LastLaunch {
      LaunchHistory.LastLaunch(record: ProgressRecord(ending: ending, launch: 7, boot: boot), exit: exit)
    }
    let rows: [Row] = [
      (nil, LaunchLedger(), nil, .pristine), (nil, launched, .unknown, .recover), (nil, nil, .unknown, .recover),
      (last(.ended), launched, .ended, .launch), (last(.signal), launched, .signal, .launch),
      (last(.unanswered), launched, .unanswered, .recover),
      (last(.running, exit: ExitRecord(.exit, launch: 7)), launched, .ended, .launch),
      (last(.suspended), launched, .suspended, .restore), (last(.running), launched, .killed, .recover),
      (last(.running, boot: 2), launched, .otherBoot, .recover), (last(.running, boot: 0), launched, .killed, .recover),
      (last(.running, exit: ExitRecord(.fatalSignal, launch: 7)), launched, .trapped, .recover),
      (last(.suspended, exit: ExitRecord(.fatalSignal, launch: 7)), launched, .trapped, .recover),
      // The signal was sent by another process, or its record is from another launch.
      (last(.running, exit: ExitRecord(.fatalSignal, launch: 7, isFromOther: true)), launched, .killed, .recover),
      (last(.running, exit: ExitRecord(.fatalSignal, launch: 6)), launched, .killed, .recover),
    ]
    var inCallback = last(.running, exit: ExitRecord(.exit, launch: 7, isOnRestoringThread: true))
    inCallback.called = .init(archive: Self.app, path: "a", phase: .decoding)
    var elsewhere = inCallback
    elsewhere.exit?.isOnRestoringThread = false
    for (last, ledger, exit, reason) in rows + [(inCallback, launched, .exited, .recover), (elsewhere, launched, .ended, .launch)] {
      let history = LaunchHistory(after: last, ledger: ledger, launch: .init(boot: 1, number: 8))
      #expect(history.lastExit == exit && history.reason == reason, "\(String(describing: last))")
    }
    #expect(Set(rows.compactMap(\.2) + [.exited]) == Set(LastExit.allCases))
  }

  @Test("56, 58: after any single death everything is restored, except after a trap of the restoring thread in a node's callback")
  func restoresAfterOneDeath() {
    let phases: [RestorationPhase] = [.creating, .decoding, .finishing, .waiting, .ended]
    let exits: [ExitRecord?] = [
      nil, ExitRecord(.fatalSignal, launch: 1, isOnRestoringThread: true), ExitRecord(.fatalSignal, launch: 1),
      ExitRecord(.fatalSignal, launch: 1, isFromOther: true, isOnRestoringThread: true),
    ]
    for phase in phases {
      for (index, exit) in exits.enumerated() {
        for boot in [UInt64(1), 2] {
          var first = Self.launch(1, LaunchLedger(), after: nil)
          first.begin(Self.generation)
          first.note(phase, "root/bad", in: Self.generation)
          let second = Self.launch(2, first.ledger, after: Self.left(by: first, exit: exit, boot: boot))
          let isCallback = phase == .creating || phase == .decoding || phase == .finishing
          guard case .restore(let left) = second.decision(for: Self.app, current: 1) else {
            Issue.record("\(phase), \(index): offered")
            continue
          }
          #expect(left.map(\.path) == (isCallback && index == 1 ? ["root/bad"] : []), "\(phase), \(index)")
        }
      }
    }
  }

  /// Consecutive launches, each of which dies in a callback of a node, or outside callbacks if the path is nil.
  private static func afterDeaths(_ paths: [RestorationPath?], builds: [String?] = []) -> LaunchHistory {
    var history = launch(1, LaunchLedger(), after: nil, build: builds.first ?? "1")
    for (index, path) in paths.enumerated() {
      history.begin(generation)
      if let path { history.note(.decoding, path, in: generation) } else { history.note(.ended, .application, in: generation) }
      let build = index + 1 < builds.count ? builds[index + 1] : builds.last ?? "1"
      history = launch(UInt64(index + 2), history.ledger, after: left(by: history), build: build)
    }
    return history
  }

  @Test("58: the second consecutive death at the same node quarantines it, whatever the build, and explains both")
  func quarantinesAfterTwo() {
    let twice = Self.afterDeaths(["a", "a"])
    #expect(twice.left(in: Self.app).map(\.path) == ["a"] && twice.left(in: Self.app).first?.builds == ["1"])
    #expect(twice.ledger.setAside.isEmpty && twice.ledger.streak == 2)
    let updated = Self.afterDeaths(["a", "a"], builds: ["1", "2", "2"])
    #expect(updated.left(in: Self.app).map(\.path) == ["a"] && updated.left(in: Self.app).first?.builds == ["2"])
    // They need not follow each other.
    #expect(Self.afterDeaths(["a", "b", "a"]).ledger.quarantined.map(\.path) == ["a"])
    // The application state is the node of the empty path.
    #expect(Self.afterDeaths([.application, .application]).ledger.quarantined.map(\.path) == [.application])
  }

  @Test("62: after a turn has ended, a kill does not count; a recorded trap does, and so does a death in a callback")
  func provesByTurns() {
    func deaths(phase: RestorationPhase = .ended, exit: (UInt64) -> ExitRecord?) -> LaunchHistory {
      var history = Self.launch(1, LaunchLedger(), after: nil)
      for number in UInt64(1)...2 {
        history.begin(Self.generation)
        history.note(phase, phase == .ended ? .application : "a", in: Self.generation)
        let (isNew, isNewAgain) = (history.noteTurn(), history.noteTurn())
        #expect(isNew == (phase == .ended) && !isNewAgain)
        history = Self.launch(number + 1, history.ledger, after: Self.left(by: history, exit: exit(number)))
      }
      return history
    }
    #expect(deaths { _ in nil }.decision(for: Self.app, current: 1) == .restore(without: []))
    let trapped = deaths { ExitRecord(.fatalSignal, launch: $0) }
    #expect(trapped.decision(for: Self.app, current: 1) == .offer(.deaths, suspects: []))
    let inCallback = deaths(phase: .decoding) { _ in nil }
    #expect(inCallback.ledger.quarantined.map(\.path) == ["a"])
  }

  @Test("62: an object that comes late puts no archive on trial, neither by an extension nor in a scene that was put away")
  func lateObjectsPutNothingOnTrial() {
    var history = Self.launch(1, LaunchLedger(), after: nil)
    history.begin(Self.generation)
    history.note(.ended, .application, in: Self.generation)
    _ = history.markStable()
    func restoreLate(_ last: RestorationPhase) {
      history.note(.decoding, "late", in: Self.generation)
      #expect(history.record.archives.contains { $0 != nil } && !history.isOnTrial)
      history.note(last, .application, in: Self.generation)
      history.noteWritten(Set(history.unwritten.map(\.number)))
      #expect(history.restoring.isEmpty && history.record.archives.allSatisfy { $0 == nil })
    }
    restoreLate(.ended)
    restoreLate(.waiting)
    history.disconnect(Self.app)
    restoreLate(.ended)
    restoreLate(.waiting)
  }

  @Test("60: a launch is one good launch, however often an archive is opened in it")
  func countsLaunchesOnce() {
    var history = Self.launch(4, Self.afterDeaths(["a", "a"]).ledger, after: nil)
    for _ in 1...7 {
      history.begin(Self.generation)
      history.note(.ended, .application, in: Self.generation)
      _ = history.leave(Self.app)
      history.disconnect(Self.app)
    }
    #expect(history.ledger.quarantined.map(\.goodLaunches) == [1])
  }

  @Test("46, 61: two consecutive deaths that no node explains offer the archive, with its suspects")
  func offersAfterTwo() {
    #expect(Self.afterDeaths([nil, nil]).decision(for: Self.app, current: 1) == .offer(.deaths, suspects: []))
    #expect(Self.afterDeaths(["a", "b"]).decision(for: Self.app, current: 1) == .offer(.deaths, suspects: ["a", "b"]))
    // A node and the archive are not two nodes; the third death in a row offers everything.
    #expect(Self.afterDeaths(["a", nil]).decision(for: Self.app, current: 1) == .restore(without: []))
    #expect(Self.afterDeaths(["a", nil, "a"]).decision(for: Self.app, current: 1) == .offer(.deaths, suspects: ["a"]))
    #expect(Self.afterDeaths([nil]).decision(for: Self.app, current: 1) == .restore(without: []))
  }

  @Test("60: the text says when a node is tried again: by the same build, and by others after retries that died")
  func saysWhenNodesAreRetried() {
    let history = LaunchHistory(after: nil, ledger: LaunchLedger(), launch: .init(options: LaunchOptions(retriesAfter: [3, 7])))
    func text(_ failed: Int, good: Int) -> String {
      history.retry(of: .init(archive: Self.app, path: "a", goodLaunches: good, failedRetries: failed))
    }
    #expect(text(0, good: 0) == "tried again after 3 good launches, by another build, or when released")
    #expect(text(0, good: 2) == "tried again after 1 good launch, by another build, or when released")
    #expect(text(2, good: 1) == "tried again after 6 good launches, by another build after 2 good launches, or when released")
    #expect(text(9, good: 0) == "tried again after 7 good launches, by another build after 20 good launches, or when released")
  }

  @Test("96: an archive that ends the process while it is read is set aside, and not read to find the nodes of a type")
  func readsNoUnreadableArchive() {
    var ledger = LaunchLedger()
    for path in ["a", "b"] as [RestorationPath] {
      ledger.suspects.append(.init(archive: Self.app, path: path, type: "type T", deaths: 1, phase: .decoding, isFault: true))
    }
    ledger.suspects.append(.init(archive: Self.app, path: nil, deaths: 1, phase: .loading))
    var last = LaunchHistory.LastLaunch(record: ProgressRecord(launch: 1, boot: 1))
    last.restoring = [.init(archive: Self.app, generation: 1)]
    last.called = .init(archive: Self.app, phase: .loading)
    var files = LaunchHistory.Files(archives: { [Self.app] }, current: { _ in 1 })
    files.nodes = { _, _ in
      Issue.record("the archive is read")
      return ([], true)
    }
    let history = LaunchHistory(after: last, ledger: ledger, files: files, launch: .init(boot: 1, number: 2))
    #expect(history.ledger.setAside[Self.app]?.isUnread == true)
  }

  @Test("98: a type with too many nodes for the ledger is not quarantined: the archive is offered", arguments: [1_000, 100_000])
  func quarantinesManyNodes(_ count: Int) {
    var ledger = LaunchLedger()
    for path in ["a", "b"] as [RestorationPath] {
      ledger.suspects.append(.init(archive: Self.app, path: path, type: "type T", deaths: 1, phase: .decoding, isFault: true))
    }
    ledger.quarantined = [.init(archive: Self.app, path: "n7", builds: [""], goodLaunches: 3)]
    var last = LaunchHistory.LastLaunch(record: ProgressRecord(launch: 1, boot: 1))
    last.restoring = [.init(archive: Self.app, generation: 1)]
    last.called = .init(archive: Self.app, path: "b", type: "type T", phase: .decoding)
    last.exit = ExitRecord(.fatalSignal, launch: 1)
    var files = LaunchHistory.Files(archives: { [Self.app] }, current: { _ in 1 })
    files.nodes = { _, _ in ((0..<count).compactMap { try? RestorationPath(components: ["n\($0)"]) }, true) }
    let history = LaunchHistory(after: last, ledger: ledger, files: files, launch: .init(boot: 1, number: 2))
    #expect((history.ledger.setAside[Self.app] != nil) == (count > 1_000))
    if count > 1_000 { return }
    #expect(history.ledger.quarantined.count(where: \.isMember) == 999)
    #expect(history.ledger.quarantined.first { $0.path == "n7" }?.goodLaunches == 3, "a node that is out already stays as it is")
  }

  @Test("an end that another thread has caused proves nothing of an archive whose callback was running")
  func provesNothingWithinACallback() {
    var ledger = LaunchLedger()
    ledger.suspects = [.init(archive: Self.app, path: "a", deaths: 1, phase: .decoding)]
    for isCalling in [false, true] {
      var last = LaunchHistory.LastLaunch(record: ProgressRecord(ending: .signal, launch: 1, boot: 1))
      last.restoring = [.init(archive: Self.app, generation: 1)]
      if isCalling { last.called = .init(archive: Self.app, path: "a", phase: .decoding) }
      let history = LaunchHistory(after: last, ledger: ledger, files: Self.files, launch: .init(boot: 1, number: 2))
      #expect(history.ledger.suspects.isEmpty != isCalling)
    }
  }

  @Test("an offer whose acceptance has not written its state is still an open one")
  func forgetsUnwrittenAcceptances() {
    for isWritten in [false, true] {
      var ledger = LaunchLedger()
      ledger.acceptances = [.init(archive: Self.app, accepted: 3, replaced: 5)]
      let files = LaunchHistory.Files(archives: { [Self.app] }, current: { _ in isWritten ? 6 : 5 })
      let history = LaunchHistory(after: nil, ledger: ledger, files: files, launch: .init(boot: 1, number: 2))
      #expect(history.ledger.acceptances.map(\.launch) == (isWritten ? [2] : []))
    }
  }

  @Test("60: a quarantined node is retried by another build, and after 5, 10, 20 good launches; a death renews the quarantine")
  func retries() {
    var history = Self.afterDeaths(["a", "a"])
    func finish(isStable: Bool) {
      history.begin(Self.generation)
      history.note(.ended, .application, in: Self.generation)
      if isStable { for _ in 0..<5 { _ = history.tick(Self.app, isExtended: false) } }
      if isStable { history.end(.ended) }
      history = Self.launch(history.launch.number + 1, history.ledger, after: Self.left(by: history))
    }
    for (round, patience) in [5, 10, 20, 20].enumerated() {
      // Nothing is retried in the streak, which the first good launch ends.
      for launch in 0..<patience {
        #expect(history.left(in: Self.app).map(\.path) == ["a"], "\(patience), \(launch)")
        let other = LaunchHistory(after: nil, ledger: history.ledger, launch: .init(bundleVersion: "2"))
        let isRetried = launch > 0 && launch >= min(1 << round - 1, 20)
        #expect(other.left(in: Self.app).isEmpty == isRetried, "\(patience), \(launch)")
        finish(isStable: true)
      }
      // The retry dies outside every callback, which counts against the node alone.
      #expect(history.left(in: Self.app).isEmpty)
      finish(isStable: false)
      #expect(history.ledger.streak == 1 && !history.ledger.suspects.contains { $0.path == nil })
    }
    finish(isStable: true)
    for _ in 0..<20 { finish(isStable: true) }
    // A successful retry ends the quarantine.
    history = Self.launch(history.launch.number + 1, history.ledger, after: nil, build: "2")
    history.begin(Self.generation)
    let isStable = history.markStable()
    #expect(isStable && history.ledger.quarantined.isEmpty)
  }

  @Test("62: a launch is stable after ticks that are not extended; a save with changes counts against a kill, not against a signal")
  func becomesStable() {
    func dead(_ exit: ExitRecord?, _ body: (inout LaunchHistory) -> Void) -> Int {
      var history = Self.launch(1, LaunchLedger(), after: nil)
      history.begin(Self.generation)
      history.note(.ended, .application, in: Self.generation)
      body(&history)
      return Self.launch(2, history.ledger, after: Self.left(by: history, exit: exit)).ledger.streak
    }
    let trap = ExitRecord(.fatalSignal, launch: 1, isOnRestoringThread: true)
    func tick(_ count: Int, isExtended: Bool = false) -> (inout LaunchHistory) -> Void {
      { history in for _ in 0..<count { _ = history.tick(Self.app, isExtended: isExtended) } }
    }
    #expect(dead(nil, tick(4)) == 1 && dead(nil, tick(5)) == 0 && dead(trap, tick(5)) == 0)
    #expect(dead(nil, tick(9, isExtended: true)) == 1)
    // An extension counts as restoring for a minute; then the app is as stable as others.
    #expect(dead(nil, tick(124, isExtended: true)) == 1 && dead(nil, tick(125, isExtended: true)) == 0)
    func save(_ history: inout LaunchHistory) { _ = history.noteSaved(Self.app, isChanged: true) }
    func mark(_ history: inout LaunchHistory) { _ = history.markStable() }
    #expect(dead(nil, save) == 0 && dead(trap, save) == 1 && dead(trap, mark) == 0)
    // Enough time makes it stable against a signal too, without ticks; but nothing that has not worked, and no other file.
    for (isSaved, generation, streak) in [(true, Self.generation, 0), (false, Self.generation, 1), (true, Generation(Self.app, 2), 1)] {
      let count = dead(trap) { history in
        if isSaved { save(&history) }
        let answer = history.noteWorked([generation])
        #expect(answer == (streak == 0, false))
      }
      #expect(count == streak)
    }
    // Nor while restoring is extended, which ends after a minute, whether there are more ticks or not.
    for (rounds, streak) in [(23, 1), (24, 0)] {
      let count = dead(trap) { history in
        save(&history)
        tick(1, isExtended: true)(&history)
        for round in 1...rounds {
          let answer = history.noteWorked([Self.generation])
          #expect(answer == (round == 24, round < 24))
        }
      }
      #expect(count == streak)
    }
    // So is an archive that is put away in order, for which nobody ticks any more.
    let deathsAfterLeaving = dead(trap) { history in
      let (wasOnTrial, isStable) = (history.isOnTrial, history.leave(Self.app))
      #expect(wasOnTrial && isStable && !history.isOnTrial)
    }
    #expect(deathsAfterLeaving == 0)
    // So is an archive whose extended restoration nobody ends.
    var extended = Self.afterDeaths([])
    extended.begin(Self.generation)
    extended.note(.waiting, .application, in: Self.generation)
    #expect(extended.isUnstable(Self.app) && extended.leave(Self.app) && !extended.isUnstable(Self.app))
    // And a fresh scene beside its state that was set aside, which ran too short a time to say anything.
    var fresh = Self.afterDeaths([])
    fresh.ledger.setAside[Self.app] = LaunchLedger.SetAside(number: 1, last: 1)
    fresh.beginSetAside(Self.app)
    #expect(fresh.isSetAside(Self.app))
    let isStableFresh = fresh.leave(Self.app)
    #expect(!isStableFresh && !fresh.isUnstable(Self.app))
    for ending in [ProgressRecord.Ending.ended, .suspended, .signal] {
      let deaths = dead(nil) { history in history.end(ending) }
      #expect(deaths == 0)
    }
  }

  @Test("a suspect that was not called stays one after a good launch, since it waits for its object")
  func keepsSuspectsThatWait() {
    var history = Self.afterDeaths(["late"])
    history.begin(Self.generation)
    // Its factory answers later.
    history.note(.creating, "late", in: Self.generation)
    history.note(.ended, .application, in: Self.generation)
    for _ in 0..<5 { _ = history.tick(Self.app, isExtended: false) }
    #expect(!history.isUnstable(Self.app))
    history.note(.decoding, "late", in: Self.generation)
    history = Self.launch(9, history.ledger, after: Self.left(by: history))
    #expect(history.ledger.quarantined.map(\.path) == ["late"])
    // A suspect that was called is cleared.
    var other = Self.afterDeaths(["a"])
    other.begin(Self.generation)
    other.note(.decoding, "a", in: Self.generation)
    other.note(.ended, .application, in: Self.generation)
    let isStable = other.markStable()
    #expect(isStable && other.ledger.suspects.isEmpty)
  }

  @Test("the ledger decodes as it was encoded")
  func codes() throws {
    var history = Self.afterDeaths(["a", "a", nil, "b"])
    history.noteFound(["a": ("a", UInt64.max)], in: Self.app)
    history.ledger.setAside[Self.app] = .init(number: 7, last: .max, isUnread: true)
    (history.ledger.fresh[Self.app], history.ledger.acquittals[Self.app]) = (5, 6)
    history.ledger.acquitted = [Self.app]
    history.ledger.failedTrials = [Self.app: 2]
    history.ledger.suspects[0].type = "in a"
    history.noteOffers(
      [.init(archive: Self.app, number: UInt64.max, reason: .quarantine, suspects: ["x", .application], paths: ["a/b"])], of: Self.app)
    history.accept(3, as: ContentDigest(rawValue: .max), replacing: 4, of: Self.app, isRunning: true, wasClosed: true)
    history.reject(Self.app)
    history.noteEnded([Generation(.application, 2, .offered)])
    #expect(LaunchLedger(try history.ledger.encoded()) == history.ledger)
    #expect(
      history.ledger.streak == 2 && history.ledger.quarantined.count == 1 && history.ledger.judged != 0
        && history.ledger.launches.count == 4)
  }

  @Test("an acceptance that is undone takes back nothing that was noted meanwhile of other archives")
  func putsBackOneArchive() throws {
    let other = try #require(ArchiveName.scene("other"))
    var history = Self.afterDeaths(["a", "b", nil])
    history.ledger.suspects.append(.init(archive: other, path: "c"))
    history.noteOffers([.init(archive: Self.app, number: 3, reason: .deaths)], of: other)
    let before = history.ledger
    history.accept(3, as: ContentDigest(rawValue: 1), replacing: 4, of: Self.app, isRunning: true)
    history.ledger.suspects.removeAll { $0.archive == other }
    history.ledger.openScenes = [other]
    #expect(history.ledger.streak < before.streak || history.ledger.acceptances != before.acceptances)
    history.ledger.putBack(Self.app, from: before)
    var expected = before
    expected.suspects.removeAll { $0.archive == other }
    expected.openScenes = [other]
    #expect(history.ledger == expected)
  }

  @Test("the counters of any ledger can be counted up", arguments: [Int.min, -1, .max])
  func countsFromAnyLedger(_ count: Int) throws {
    var ledger = Self.afterDeaths(["a", "a", "b"]).ledger
    (ledger.streak, ledger.failedTrials[Self.app], ledger.setAside) = (count, count, [:])
    for index in ledger.suspects.indices { ledger.suspects[index].deaths = count }
    for index in ledger.quarantined.indices {
      (ledger.quarantined[index].goodLaunches, ledger.quarantined[index].failedRetries) = (count, count)
    }
    ledger = try #require(LaunchLedger(try ledger.encoded()))
    ledger.failedTrials[Self.app, default: 0] += 1
    for isStable in [false, true] {
      var history = Self.launch(8, ledger, after: nil)
      history.begin(Self.generation)
      history.note(.decoding, "b", in: Self.generation)
      if isStable { history.note(.ended, .application, in: Self.generation) }
      _ = history.markStable()
      let next = Self.launch(9, history.ledger, after: Self.left(by: history))
      #expect(next.ledger.streak == (isStable ? 0 : 1) && next.ledger.quarantined.contains { $0.path == "a" })
      #expect(!next.left(in: Self.app).isEmpty && next.ledger.launches.count == ledger.launches.count + 1)
    }
  }

  @Test("what a newer build has written to the ledger is written again")
  func keepsUnknownEntries() throws {
    var ledger = Self.afterDeaths(["a", "a", "b"]).ledger
    var tree = try ArchiveTree(decoding: Data(ledger.encoded()))
    tree.applicationState["sessions"] = .array([.string("new")])
    guard case .array(var entries) = tree.applicationState["quarantined"] else {
      Issue.record("no list")
      return
    }
    let later: [ArchiveValue] = [.dictionary(["type": .string("Window"), "archive": .string("application")]), .string("Window")]
    entries += later
    tree.applicationState["quarantined"] = .array(entries)
    ledger = try #require(LaunchLedger([UInt8](tree.encoded())))
    #expect(ledger.quarantined.map(\.path) == ["a"])
    ledger.quarantined = []
    let again = try ArchiveTree(decoding: Data(ledger.encoded())).applicationState
    #expect(again["sessions"] == .array([.string("new")]) && again["quarantined"] == .array(later))
    #expect(LaunchLedger(try ledger.encoded()) == ledger)
  }

  @Test("94: a launch is judged once, even if the launch after it dies before its own record has begun")
  func judgesOnce() {
    var first = Self.launch(1, LaunchLedger(), after: nil)
    first.begin(Self.generation)
    let left = Self.left(by: first)
    let second = Self.launch(2, first.ledger, after: left)
    #expect(second.ledger.streak == 1)
    let third = Self.launch(3, second.ledger, after: left)
    #expect(third.ledger == second.ledger && third.lastExit == .killed)
  }
}
