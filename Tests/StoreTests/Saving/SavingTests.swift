import EngineKit
import Foundation
import Locking
import ProcessKit
@testable import StateRestoration
import Testing

/// Every decision of an app when it preserves is carried out by the writer, even if saves wait and newer ones replace
/// them.
///
/// A save that waits at a gate occupies a thread, of which there may be only two. All tests that close a gate are
/// therefore here, and run one at a time.
@MainActor
@Suite(.serialized) struct SavingTests {
  let temporary: TemporaryFolder
  let gate = Gate()
  let isReachable = Switch()
  let store: RestorationStore

  init() throws {
    temporary = try TemporaryFolder()
    let (gate, isReachable) = (gate, isReachable)
    isReachable.isOn = true
    store = try RestorationStore(
      folder: temporary.url("store").path,
      isReachable: {
        if !Writer.isHere { gate.pass() }
        return isReachable.isOn
      })
  }

  @Test("40: of many saves requested before the first is written, only the newest is written")
  func writesOnceForManySaves() async throws {
    gate.close()
    store.submit(try SampleArchive.data(0))
    await gate.visitor()
    var last: UInt64 = 0
    for number in 1...50 { last = store.submit(try SampleArchive.data(number)) }
    gate.open()
    #expect(await store.outcome(of: last, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load().number == 50)
    // The numbers count every file ever written.
    #expect(try store.generations().map(\.number) == [1])
  }

  @Test("a caller that waits while a failed save is tried again gets the outcome of that")
  func waitsForTheSecondTry() async throws {
    let boxes = Mailboxes()
    let number = boxes.post(Mail(snapshot: try Snapshot(SampleArchive.bytes(1))), to: .application)
    @Sendable func deliver(_ result: Result<SaveOutcome, StoreError>) {
      var parcels = boxes.take(.application)
      for index in parcels.indices { (parcels[index].mail.isHeld, parcels[index].result) = (true, result) }
      for (result, waiters) in boxes.finish(parcels) { for waiter in waiters { waiter.finish(SaveOutcome(result)) } }
    }
    deliver(.failure(.inaccessible))
    #expect(await boxes.outcome(of: number, .application) {} == .failed)
    boxes.retry()
    // The time of waiting begins when the caller is noted.
    let outcome = await boxes.outcome(of: number, .application) {
      deliver(.success(.saved))
      throw CancellationError()
    }
    #expect(outcome == .saved)
  }

  @Test("the delegate's decision to save, keep or forget is carried out")
  func obeysTheDelegate() async throws {
    let delegate = Deciding()
    let app = try app(asking: delegate)
    #expect(try await flush(app) == .saved)
    #expect(try await flush(app) == .unchanged)
    delegate.decision = .keepPrevious
    #expect(try await flush(app) == .unchanged)
    #expect(try store.generations().count == 1)
    delegate.decision = .forget
    #expect(try await flush(app) == .forgotten)
    #expect(try store.generations().isEmpty)
  }

  @Test("nothing is written while the previous state is pending; afterwards the newest state is written")
  func holdsSaves() async throws {
    try store.save(SampleArchive.data(1))
    let part = Part("root")
    let application = RestorableTree(roots: [part])
    try application.awaitState()
    let app = { try application.preserve(header: ArchiveHeader()) }
    for number in 1...2 {
      part.number = number
      #expect(try await flush(app) == .deferred)
    }
    let deferred = try #require(application.deferredPreservation)
    #expect(try store.save(deferred) == .deferred)
    #expect(try store.load().number == 1)
    #expect(try application.deliver(store.load().archive?.reader, with: Resolver {}) == nil, "restored over newer state")
    let taken = try #require(application.takeDeferredPreservation())
    try store.save(taken)
    #expect(try store.generations().map(\.number) == [2, 1])
    #expect(try store.load().archive?.reader.decoder(at: "root").decode(Int.self, forKey: "number") == 2)
  }

  @Test(
    "a launch that begins while storage is unavailable continues later, but not over newer state", arguments: [false, true])
  func restoresLate(_ holds: Bool) throws {
    try store.save(ArchiveTree(nodes: [ArchiveNode("root", type: "Part", state: ["number": .integer(7)])]).encoded())
    isReachable.isOn = false
    let part = Part("root")
    let application = RestorableTree(roots: [part])
    for _ in 1...2 {
      guard case .wait = try store.restore(application, with: Resolver {}).plan.action else {
        Issue.record("does not wait")
        return
      }
    }
    if holds {
      part.number = 8
      #expect(try store.save(application.preserve(header: ArchiveHeader())) == .deferred)
    }
    isReachable.isOn = true
    let restored = try store.restore(application, with: Resolver {})
    #expect((restored.report == nil) == holds)
    #expect(application.condition == (holds ? .fresh : .restored))
    guard holds else { return }
    guard case .startFresh = restored.plan.action else {
      Issue.record("\(restored.plan)")
      return
    }
    try store.save(#require(application.takeDeferredPreservation()))
    #expect(try store.load().archive?.reader.decoder(at: "root").decode(Int.self, forKey: "number") == 8)
    // The saved state has never been shown, so two more saves must not remove it.
    #expect(try store.generations().map(\.description) == ["2", "1 (offered)"])
  }

  @Test("a file with state that no newer file has is pinned, even if the save that lost the state was never written")
  func pinsBeforeALaterSave() async throws {
    let losing = try preservationThatLosesState(in: store)
    try await occupyWriter()
    store.submit(losing)
    let last = store.submit(try SampleArchive.data(3))
    gate.open()
    #expect(await store.outcome(of: last, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load().number == 3)
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
  }

  @Test("the same holds if storage was unavailable when it was saved")
  func pinsBeforeADeferredSave() throws {
    let losing = try preservationThatLosesState(in: store)
    isReachable.isOn = false
    #expect(try store.save(losing) == .deferred)
    isReachable.isOn = true
    #expect(try store.writeDeferred() == 1)
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
  }

  @Test("state to be forgotten is gone when a newer state is written in its place")
  func forgetsBeforeALaterSave() async throws {
    try store.save(SampleArchive.data(1))
    try await occupyWriter()
    store.submit(try Self.forgetting())
    let last = store.submit(try SampleArchive.data(2))
    gate.open()
    #expect(await store.outcome(of: last, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load().number == 2)
    #expect(try store.generations().count == 1)
  }

  @Test("a decision to forget while storage is unavailable is carried out later, and the deferred save does not return")
  func forgetsLater() throws {
    try store.save(SampleArchive.data(1))
    isReachable.isOn = false
    #expect(try store.save(SampleArchive.data(2)) == .deferred)
    #expect(try store.save(Self.forgetting()) == .deferred)
    isReachable.isOn = true
    #expect(try store.load().number == nil)
    #expect(try store.writeDeferred() == 0)
    #expect(try store.generations().isEmpty)

    try store.save(SampleArchive.data(3))
    isReachable.isOn = false
    #expect(try store.save(Self.forgetting()) == .deferred)
    #expect(try store.save(SampleArchive.data(4)) == .deferred)
    isReachable.isOn = true
    #expect(try store.writeDeferred() == 1)
    #expect(try store.load().number == 4)
    #expect(try store.generations().count == 1)
  }

  @Test("a fault in any call while a state is forgotten leaves nothing of it after the next save", arguments: FaultySystem.Fault.all)
  func forgetsInTheEnd(_ fault: FaultySystem.Fault) throws {
    func forget(_ system: FaultySystem) throws -> RestorationStore {
      let store = try FaultTests.store(system)
      for number in 1...2 { try store.save(SampleArchive.data(number)) }
      _ = try? store.save(Self.forgetting())
      _ = try? store.save(SampleArchive.data(98))
      return store
    }
    let whole = FaultySystem(SimulatedDisk())
    _ = try forget(whole)
    for call in 1...whole.callCount {
      // If the earlier saves fail, there is nothing to forget.
      guard let store = try? forget(FaultySystem(SimulatedDisk(), fault: fault, at: call)) else { continue }
      if let number = try? store.load().number {
        #expect(number == 98, "call \(call)")
        // State saved since is not the state to be forgotten.
        _ = try? store.writeDeferred()
        if fault != .death { #expect(try store.load().number == 98, "call \(call)") }
      }
      if (try? store.save(SampleArchive.data(99))) == nil { continue }
      #expect(try store.load().number == 99, "call \(call)")
      #expect(try Self.numbers(in: store).allSatisfy { $0 > 2 }, "call \(call)")
    }
  }

  @Test("state to be forgotten is hidden immediately, and state that another process saved since is kept", arguments: [false, true])
  func forgetsNothingOfOthers(_ endsLaunch: Bool) throws {
    let folder = temporary.url("shared").path
    try RestorationStore(folder: folder).save(SampleArchive.data(1))
    let isReachable = Switch()
    isReachable.isOn = endsLaunch
    let store = try RestorationStore(folder: folder, isReachable: { isReachable.isOn })
    isReachable.isOn = false
    #expect(try store.save(Self.forgetting()) == .deferred)
    isReachable.isOn = true
    #expect(try store.archives().isEmpty)
    #expect(try store.load().number == nil)
    if endsLaunch { store.endLaunch() }
    do {
      let other = try RestorationStore(folder: folder)
      try other.save(SampleArchive.data(2))
      if !endsLaunch { #expect(throws: StoreError.self) { try store.writeDeferred() } }
    }
    #expect(try store.writeDeferred() == 0)
    #expect(try store.archives() == [.application])
    #expect(try store.load().number == 2)
  }

  @Test("a fault in any call while a save loses state leaves a file with it through the next launch", arguments: FaultySystem.Fault.all)
  func keepsWhatIsLost(_ fault: FaultySystem.Fault) throws {
    func lose(_ system: FaultySystem) throws -> (Preservation, firstCall: Int) {
      let store = try FaultTests.store(system)
      try store.save(SampleArchive.data(1))
      let losing = try preservationThatLosesState(in: store)
      let firstCall = system.callCount + 1
      _ = try? store.save(losing)
      _ = try? store.save(losing)
      return (losing, firstCall)
    }
    let whole = FaultySystem(SimulatedDisk())
    for call in try lose(whole).firstCall...whole.callCount {
      let system = FaultySystem(SimulatedDisk(), fault: fault, at: call)
      let (losing, _) = try lose(system)
      let store = try FaultTests.store(FaultySystem(system.disk.afterProcessDeath()))
      let pinned = try store.generations().filter { $0.mark == .pinned }
      #expect(pinned.map(\.number).allSatisfy { $0 == 2 }, "call \(call): \(pinned)")
      _ = try store.beginLaunch()
      let saved = try #require(try store.load().archive, "call \(call)")
      store.didRestore(saved.generation, isComplete: true)
      try store.save(losing)
      store.markStable()
      #expect(try Self.hasLostState(store), "call \(call)")
    }
  }

  @Test("a file pinned for a failed save stays if the next launch is good", arguments: FaultySystem.Fault.all)
  func keepsTheNewestPin(_ fault: FaultySystem.Fault) throws {
    func save(_ system: FaultySystem) throws -> Int {
      let store = try FaultTests.store(system)
      try store.save(SampleArchive.data(1))
      try store.didRestore(#require(store.load().archive).generation, isComplete: false)
      let firstCall = system.callCount + 1
      _ = try? store.save(SampleArchive.data(2))
      return firstCall
    }
    let whole = FaultySystem(SimulatedDisk())
    for call in try save(whole)...whole.callCount {
      let system = FaultySystem(SimulatedDisk(), fault: fault, at: call)
      _ = try save(system)
      let store = try FaultTests.store(FaultySystem(system.disk.afterProcessDeath()))
      _ = try store.beginLaunch()
      let saved = try #require(try store.load().archive, "call \(call)")
      store.didRestore(saved.generation, isComplete: true)
      store.markStable()
      #expect(try store.load().archive?.generation == saved.generation, "call \(call)")
    }
  }

  @Test("a file is pinned once for all saves of a session that lose the same state, and equal states are written once")
  func pinsOnce() async throws {
    let application = try applicationThatLosesState(in: store)
    let app = { try application.preserve(header: ArchiveHeader()) }
    #expect(try await flush(app) == .saved)
    #expect(try await flush(app) == .unchanged)
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
  }

  @Test("a file is pinned once for a state that is lost repeatedly, while that file exists")
  func pinsWhatIsLostAgain() throws {
    let losing = try preservationThatLosesState(in: store)
    for number in 5...7 {
      try store.save(losing)
      try store.save(losing)
      #expect(try store.generations().filter { $0.mark == .pinned }.map(\.number) == [1])
      try store.save(SampleArchive.data(number))
    }
    #expect(try Self.hasLostState(store))
    try store.save(Self.forgetting())
    try store.save(SampleArchive.data(6))
    try store.save(losing)
    #expect(try store.generations().map(\.mark) == [.none, .pinned])
  }

  @Test("however many states are lost, files are pinned once for each, and equal states are written once")
  func pinsForManyLosses() throws {
    let nodes = (1...9).map { ArchiveNode("part \($0)", type: "Part", state: ["number": .integer(7)]) }
    try store.save(ArchiveTree(nodes: [ArchiveNode("root", children: nodes)]).encoded())
    let root = Part("root")
    let application = RestorableTree(roots: [root])
    _ = try application.restore(from: #require(store.load().archive?.reader), with: Resolver { Factory(type: "Part") { _ in nil } })
    for number in 1...9 {
      root.parts.append(Part("part \(number)"))
      guard case .saved = try store.save(application.preserve(header: ArchiveHeader())) else {
        Issue.record("\(number)")
        return
      }
      guard case .unchanged = try store.save(application.preserve(header: ArchiveHeader())) else {
        Issue.record("\(number) again")
        return
      }
    }
    let pinned = try store.generations().filter { $0.mark == .pinned }
    #expect(pinned.last?.number == 1)
    #expect(pinned.count == StoreLimits().pinnedFiles)
  }

  @Test("a loss in another session pins another file, although the same state was lost before")
  func pinsForEachSession() throws {
    for number in 1...3 {
      let losing = try preservationThatLosesState(in: store)
      try store.didRestore(#require(store.load().archive).generation, isComplete: true)
      try store.save(losing)
      #expect(try store.generations().count { $0.mark == .pinned } == number)
    }
  }

  @Test("content equal to an older file is written if the next launch would load a newer file")
  func isUnchangedOnlyIfItIsLoaded() throws {
    for number in 1...2 { try store.save(SampleArchive.data(number)) }
    let newest = try #require(store.load().archive).generation
    try pin(newest)
    #expect(try store.load().number == 2)
    guard case .saved = try store.save(SampleArchive.bytes(1)) else {
      Issue.record("not written")
      return
    }
    #expect(try store.load().number == 1)
  }

  @Test("a pinned file stays while no newer file can be loaded")
  func keepsPinsThatAreNeeded() throws {
    for number in 1...2 { try store.save(SampleArchive.data(number)) }
    store.endLaunch()
    let oldest = try #require(store.generations().last)
    try pin(oldest)
    _ = try store.beginLaunch()
    try Data("no archive".utf8).write(to: temporary.url("store/\(#require(store.generations().first).fileName)"))
    let load = try store.load()
    #expect(try load.number == 1)
    try store.didRestore(#require(load.archive).generation, isComplete: true)
    store.markStable()
    #expect(try store.generations().map(\.mark) == [.damaged, .pinned])
    try store.save(SampleArchive.data(3))
    #expect(try store.generations().map(\.mark) == [.none, .damaged, .pinned])
  }

  @Test("a deferred save is written even if an archive to be removed cannot be")
  func writesDeferredAllTheSame() throws {
    let scene = try #require(ArchiveName.scene("closed"))
    let system = FaultySystem(SimulatedDisk())
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), isReachable: { [isReachable] in isReachable.isOn })
    try store.save(SampleArchive.data(9), as: scene)
    system.stubbornPrefix = "scene-closed"
    isReachable.isOn = false
    try store.remove(scene)
    #expect(try store.save(SampleArchive.data(1)) == .deferred)
    isReachable.isOn = true
    #expect(try store.archives().isEmpty)
    #expect(throws: StoreError.self) { try store.writeDeferred() }
    #expect(try store.load().number == 1)
    #expect(try store.archives() == [.application])
  }

  @Test(
    "a state that cannot be saved takes the place of an older one that was deferred, and is written with the deferred ones",
    arguments: FaultySystem.Fault.all.filter { $0 != .death })
  func keepsHolding(_ fault: FaultySystem.Fault) throws {
    func save(_ system: FaultySystem) throws -> RestorationStore {
      let isReachable = Switch()
      let store = try RestorationStore(StoreFolder(path: "/store", system: system), isReachable: { isReachable.isOn })
      #expect(try store.save(SampleArchive.data(1)) == .deferred)
      isReachable.isOn = true
      _ = try? store.save(SampleArchive.data(2))
      return store
    }
    let whole = FaultySystem(SimulatedDisk())
    _ = try save(whole)
    for call in 1...whole.callCount {
      let store = try save(FaultySystem(SimulatedDisk(), fault: fault, at: call))
      let number = try store.load().number
      #expect(number == nil || number == 2, "call \(call)")
      try store.writeDeferred()
      #expect(try store.load().number == 2, "call \(call)")
    }
  }

  @Test("a decision to keep the previous state is deferred only if a save is deferred")
  func holdsADecisionToKeep() async throws {
    let delegate = Deciding()
    delegate.decision = .keepPrevious
    let application = RestorableTree(roots: [Part("root")])
    application.delegate = delegate
    try application.awaitState()
    let app = { try withExtendedLifetime(delegate) { try application.preserve(header: ArchiveHeader()) } }
    #expect(try await flush(app) == .unchanged)
    #expect(application.deferredPreservation == nil)
    delegate.decision = .save
    #expect(try await flush(app) == .deferred)
    delegate.decision = .keepPrevious
    #expect(try await flush(app) == .deferred)
    #expect(application.deferredPreservation != nil)
  }

  @Test("a decision to forget is carried out even if the save after it is not an archive")
  func forgetsBeforeWhatIsNoArchive() async throws {
    try store.save(SampleArchive.data(1))
    try await occupyWriter()
    store.submit(try Self.forgetting())
    let last = store.submit(Data([1, 2, 3]))
    gate.open()
    #expect(await store.outcome(of: last, until: .farAway, clock: .continuous) == .failed)
    #expect(try store.load().number == nil)
    #expect(try store.writeDeferred() == 0)
    #expect(try store.generations().isEmpty)
  }

  @Test("of several pending archives, the one that has waited longest is written first, however often others are saved")
  func savesInTurn() async throws {
    let scenes = try ["z", "m", "a"].map { try #require(ArchiveName.scene($0)) }
    gate.close()
    store.submit(try SampleArchive.data(0))
    await gate.visitor()
    // The others wait for their turn. The first one is saved again, and keeps its place.
    var last: [ArchiveName: UInt64] = [:]
    for scene in scenes { last[scene] = store.submit(try SampleArchive.data(1), as: scene) }
    last[scenes[0]] = store.submit(try SampleArchive.data(2), as: scenes[0])
    gate.open()
    for scene in scenes {
      #expect(await store.outcome(of: try #require(last[scene]), as: scene, until: .farAway, clock: .continuous) == .saved)
    }
    // Each file of a store has a greater number than all earlier ones.
    let numbers = try scenes.map { try store.generations(of: $0).map(\.number) }
    #expect(numbers.allSatisfy { $0.count == 1 } && numbers.flatMap(\.self) == numbers.flatMap(\.self).sorted(), "\(numbers)")
    #expect(try store.load(scenes[0]).number == 2)
  }

  @Test("a flush reports held while storage is unavailable, and expired at its deadline; the save continues")
  func flushAnswers() async throws {
    isReachable.isOn = false
    var number = 0
    func submit() throws -> UInt64 {
      number += 1
      return store.submit(try SampleArchive.data(number))
    }
    #expect(await store.outcome(of: try submit(), until: .farAway, clock: .continuous) == .deferred)
    isReachable.isOn = true
    gate.close()
    // The save waits at the gate, so the deadline passes first.
    #expect(await store.outcome(of: try submit(), until: .now, clock: .continuous) == .expired)
    gate.open()
    #expect(await store.outcome(of: try submit(), until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load().number == 3)
  }

  @Test("the availability handler may wait for a thread that writes pending saves")
  func asksWhileNobodyHasToWait() async throws {
    let (gate, isReachable) = (gate, isReachable)
    let store = try RestorationStore(
      folder: temporary.url("asked").path,
      isReachable: {
        if !Writer.isHere { gate.pass() }
        return isReachable.isOn
      })
    gate.close()
    let number = store.submit(try SampleArchive.data(1))
    // The other thread gets no answer until this one has written everything.
    await gate.visitor()
    let found = try Writer.$isHere.withValue(true) {
      store.writeWaiting()
      return try store.load().number
    }
    #expect(found == 1)
    gate.open()
    #expect(await store.outcome(of: number, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.generations().count == 1)
  }

  @Test(
    "a save is written that begins before storage becomes available and is deferred after, and so is a removal",
    arguments: [false, true])
  func asksOnce(_ isForgetting: Bool) async throws {
    let isReachable = Switch()
    let asked = StoreHolder()
    isReachable.isOn = true
    let store = try RestorationStore(
      folder: temporary.url("asked").path,
      isReachable: {
        if isReachable.isOn { return true }
        // The storage becomes available while this answer is on its way.
        isReachable.isOn = true
        _ = try? asked.store?.writeDeferred()
        return false
      })
    try store.save(SampleArchive.data(1))
    isReachable.isOn = false
    asked.store = store
    defer { asked.store = nil }
    let number = isForgetting ? try #require(store.submit(Self.forgetting())) : store.submit(try SampleArchive.data(2))
    let outcome = await store.outcome(of: number, until: .farAway, clock: .continuous)
    #expect(outcome == (isForgetting ? .forgotten : .saved))
    #expect(try store.load().number == (isForgetting ? nil : 2))
  }

  @Test("a deferred preservation is not returned once a newer one was made")
  func handsOverTheNewest() throws {
    let part = Part("root")
    let application = RestorableTree(roots: [part])
    try application.awaitState()
    _ = try application.preserve(header: ArchiveHeader())
    #expect(try application.deliver(nil, with: Resolver {}) == nil)
    part.number = 5
    let newer = try application.preserve(header: ArchiveHeader())
    #expect(!newer.isDeferred)
    #expect(application.takeDeferredPreservation() == nil)
  }

  /// What captures an app with one object.
  private func app(asking delegate: Deciding) throws -> () throws -> Preservation {
    let application = RestorableTree(roots: [Part("root")])
    application.delegate = delegate
    try application.startFresh()
    // The app holds its delegate weakly.
    return { try withExtendedLifetime(delegate) { try application.preserve(header: ArchiveHeader()) } }
  }

  /// Captures an app, and waits until that is on disk.
  private func flush(_ app: () throws -> Preservation) async throws -> SaveOutcome {
    let preservation = try app()
    guard let number = store.submit(preservation) else { return try store.save(preservation) }
    return await store.outcome(of: number, until: .farAway, clock: .continuous)
  }

  /// Makes the thread that writes wait at the gate with another archive, so that later submissions wait too.
  func occupyWriter() async throws {
    gate.close()
    store.submit(try SampleArchive.data(9), as: try #require(.scene("other")))
    await gate.visitor()
  }

  /// Gives a file the name of a pinned one, like a save that then fails.
  private func pin(_ generation: Generation) throws {
    let name = generation.fileName
    try FileManager.default.moveItem(
      at: temporary.url("store/\(name)"), to: temporary.url("store/\(name.replacing(".rsta", with: ".pinned.rsta"))"))
  }

  /// The numbers of the samples in the files of a store.
  private static func numbers(in store: RestorationStore) throws -> [Int] {
    try archives(in: store).map { try SampleArchive.number(in: $0) }
  }

  /// Whether a file has the state that ``preservationThatLosesState(in:)`` loses.
  private static func hasLostState(_ store: RestorationStore) throws -> Bool {
    try archives(in: store).contains { try $0.node(at: "root/part")?.state()["number"] == .integer(7) }
  }

  /// The archives in the files of a store.
  private static func archives(in store: RestorationStore) throws -> [ArchiveReader] {
    let (system, folder) = (store.folder.system, store.folder.path)
    return try system.names(in: folder).filter { Generation(fileName: $0) != nil }.map { name in
      let file = try system.open("\(folder)/\(name)", .read)
      defer { system.close(file) }
      return try ArchiveReader(system.read(file, at: 0, count: system.status(of: file).byteCount))
    }
  }

  /// A preservation of an app whose delegate decides to forget.
  static func forgetting() throws -> Preservation {
    let delegate = Deciding()
    delegate.decision = .forget
    let application = RestorableTree(roots: [])
    application.delegate = delegate
    try application.startFresh()
    return try application.preserve(header: ArchiveHeader())
  }

  private func preservationThatLosesState(in store: RestorationStore) throws -> Preservation {
    let preservation = try applicationThatLosesState(in: store).preserve(header: ArchiveHeader())
    #expect(preservation.report.isDegraded)
    return preservation
  }

  /// An app whose object appeared after its state was declined, and whose store has that state.
  private func applicationThatLosesState(in store: RestorationStore) throws -> RestorableTree {
    let saved = ArchiveTree(nodes: [ArchiveNode("root", children: [ArchiveNode("part", type: "Part", state: ["number": .integer(7)])])])
    try store.save(saved.encoded())
    let root = Part("root")
    let application = RestorableTree(roots: [root])
    _ = try application.restore(from: #require(store.load().archive?.reader), with: Resolver { Factory(type: "Part") { _ in nil } })
    root.parts = [Part("part")]
    return application
  }
}

/// Whether the test itself uses the store, rather than the thread that writes what was submitted, and therefore does not wait at the gate.
enum Writer {
  @TaskLocal static var isHere = false
}

/// A store that its own parts ask.
private final class StoreHolder: Sendable {
  private let held = Lock<RestorationStore?>(nil)
  var store: RestorationStore? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}

private final class Deciding: RestorationDelegate {
  var decision = SaveDecision.save

  func shouldSaveState(to coder: StateEncoder) -> SaveDecision { decision }
}

private final class Part: Restorable {
  static let restorationType = "Part"
  let restorationIdentifier: String?
  var number = 0
  var parts: [Part] = []
  var restorationChildren: [any Restorable] { parts }

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(number, forKey: "number")
  }
}
