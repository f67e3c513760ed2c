import Foundation
import ProcessKit
import StateRestoration
import TestStage
import Testing

/// A removed archive, for example one whose scene was closed, does not return (Behaviours 66).
extension SavingTests {
  private static func scene() throws -> ArchiveName { try #require(.scene("closed")) }

  /// Runs `body` on this thread without stopping at the gate.
  private func pastTheGate<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Writer.$isHere.withValue(true) { try body() }
  }

  /// Ways to remove an archive.
  enum Removal: CaseIterable, Sendable {
    case remove, forgetEverything, savedDecision
  }

  private func remove(_ scene: ArchiveName, by removal: Removal) throws {
    try pastTheGate {
      switch removal {
      case .remove: try store.remove(scene)
      case .forgetEverything: try store.forget()
      case .savedDecision: try store.save(Self.forgetting(), as: scene)
      }
    }
  }

  @Test("a pending save does not bring back an archive removed since; a later save is written", arguments: Removal.allCases)
  func waitingSavesEnd(_ removal: Removal) async throws {
    let scene = try Self.scene()
    try store.save(SampleArchive.data(1), as: scene)
    try await occupyWriter()
    let earlier = store.submit(try SampleArchive.data(2), as: scene)
    try remove(scene, by: removal)
    gate.open()
    #expect(await store.outcome(of: earlier, as: scene, until: .farAway, clock: .continuous) == .forgotten)
    #expect(try store.generations(of: scene).isEmpty)
    let later = store.submit(try SampleArchive.data(3), as: scene)
    #expect(await store.outcome(of: later, as: scene, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load(scene).number == 3)
  }

  @Test("a save in progress does not bring it back either", arguments: Removal.allCases)
  func savesUnderWayEnd(_ removal: Removal) async throws {
    let scene = try Self.scene()
    try store.save(SampleArchive.data(1), as: scene)
    gate.close()
    let earlier = store.submit(try SampleArchive.data(2), as: scene)
    await gate.visitor()
    try remove(scene, by: removal)
    let later = removal == .remove ? store.submit(try SampleArchive.data(3), as: scene) : nil
    gate.open()
    let outcome = await store.outcome(of: earlier, as: scene, until: .farAway, clock: .continuous)
    #expect(outcome == .forgotten || (later != nil && outcome == .saved))
    if let later { #expect(await store.outcome(of: later, as: scene, until: .farAway, clock: .continuous) == .saved) }
    #expect(try store.load(scene).number == (later == nil ? nil : 3))
    #expect(try store.generations(of: scene).count == (later == nil ? 0 : 1))
  }

  @Test("a deferred save does not bring it back either")
  func deferredSavesEnd() async throws {
    let scene = try Self.scene()
    try store.save(SampleArchive.data(1), as: scene)
    isReachable.isOn = false
    let earlier = store.submit(try SampleArchive.data(2), as: scene)
    #expect(await store.outcome(of: earlier, as: scene, until: .farAway, clock: .continuous) == .deferred)
    try store.remove(scene)
    isReachable.isOn = true
    #expect(try store.writeDeferred() == 0)
    #expect(try store.generations(of: scene).isEmpty)
  }

  @Test("a queued decision to forget ends the save before it, and not the one after it")
  func decisionsToForgetKeepTheirPlace() async throws {
    let scene = try Self.scene()
    gate.close()
    store.submit(try SampleArchive.data(1), as: scene)
    await gate.visitor()
    store.submit(try Self.forgetting(), as: scene)
    let last = store.submit(try SampleArchive.data(2), as: scene)
    gate.open()
    #expect(await store.outcome(of: last, as: scene, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load(scene).number == 2)
    #expect(try store.generations(of: scene).count == 1)
  }

  @Test("a queued removal does not remove what was saved directly since", arguments: [false, true])
  func queuedRemovalsKeepTheirPlace(_ isReopened: Bool) async throws {
    let scene = try Self.scene()
    try store.save(SampleArchive.data(1), as: scene)
    try await occupyWriter()
    let removal = store.submitRemoval(of: scene)
    try pastTheGate {
      try store.save(SampleArchive.data(2), as: scene)
      #expect(try store.load(scene).number == 2)
      #expect(try store.generations(of: scene).count == 1)
    }
    let last = isReopened ? store.submit(try SampleArchive.data(3), as: scene) : removal
    gate.open()
    // What was saved since is newer than the removal.
    #expect(await store.outcome(of: last, as: scene, until: .farAway, clock: .continuous) == .saved)
    #expect(try store.load(scene).number == (isReopened ? 3 : 2))
    #expect(try store.generations(of: scene).count == (isReopened ? 2 : 1))
  }

  @Test("with real threads, everything submitted before an archive was removed is gone in the end")
  func removesAmongThreads() async throws {
    let scene = try Self.scene()
    let store = store
    for round in 0..<TestStage.count(40, exhaustive: 1000) {
      let direct = Task.detached { _ = try? store.save(SampleArchive.bytes(round * 10), as: scene) }
      for number in 1...(1 + round % 3) { store.submit(try SampleArchive.data(round * 10 + number), as: scene) }
      // The saves are waiting, in progress, or written.
      if round % 4 == 0 { await Task.yield() }
      if round % 4 == 1 { await direct.value }
      let last = round % 2 == 0 ? store.submitRemoval(of: scene) : nil
      if last == nil { try store.remove(scene) }
      if let last {
        // The direct save may be the newer one.
        let outcome = await store.outcome(of: last, as: scene, until: .farAway, clock: .continuous)
        #expect(outcome == .forgotten || round % 4 != 1 && outcome == .saved)
      }
      if round % 4 == 1 { #expect(try store.generations(of: scene).isEmpty, "round \(round)") }
      await direct.value
      // A save that began late may have been submitted after the removal.
      try store.remove(scene)
      let end = store.submit(try SampleArchive.data(round), as: .application)
      #expect(await store.outcome(of: end, until: .farAway, clock: .continuous) != .expired)
      #expect(try store.generations(of: scene).isEmpty, "round \(round), in the end")
    }
  }

  @Test("a direct save that began before its archive was removed reports it")
  func directSavesEnd() async throws {
    let scene = try Self.scene()
    let store = store
    gate.close()
    let save = Task.detached { try store.save(SampleArchive.bytes(1), as: scene) }
    await gate.visitor()
    try pastTheGate { try store.remove(scene) }
    gate.open()
    #expect(try await save.value == .forgotten)
    #expect(try store.generations(of: scene).isEmpty)
  }
}
