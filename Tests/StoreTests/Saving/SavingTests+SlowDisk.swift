import EngineKit
import Foundation
@testable import StateRestoration
import Testing

/// An app on a disk that takes its time: nothing waits for it that has not asked to.
extension SavingTests {
  @MainActor
  private final class Counter: @MainActor Restorable {
    let restorationIdentifier: String? = "counter"
    @Restored var count = 0
  }

  @Test("turns, changes, events, scenes and a flush of limited time do not wait for a disk that flushes", .timeLimit(.minutes(1)))
  func waitsForNoDisk() async throws {
    let (system, clock, counter) = (SlowSystem(FaultySystem(SimulatedDisk())), VirtualClock(), Counter())
    var configuration = AppConfiguration(bundleIdentifier: "org.example.slow", bundleVersion: "1", folder: "/store")
    configuration.system = system
    (configuration.handlesSignals, configuration.recordsFatalSignals) = (false, false)
    let app = try AppRestoration(configuration, clock: clock, roots: { [counter] })
    try app.launch()
    counter.count = 1
    try app.saveNow()
    system.gate.close()
    counter.count = 2
    app.handle(.enteredBackground)
    // A thread of the store writes it, and waits for the disk.
    system.gate.awaitVisitor()
    counter.count = 3
    app.setNeedsSave()
    app.turn()
    app.handle(.willEnterForeground)
    app.handle(.becameActive)
    app.handle(.suspending)
    app.handle(.willEnterForeground)
    let scene = try app.openScene("other") { [] }
    #expect(scene.launch?.freshStart == .nothingSaved)
    let flush = Task { await app.flush(within: .seconds(1)) }
    while !clock.hasSleeper(until: clock.now.offset + .seconds(1)) { await Task.yield() }
    clock.advance(by: .seconds(1))
    #expect(await flush.value == .expired)
    system.gate.open()
    try app.saveNow()
    let disk = system.system.disk
    try app.endNow()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())), access: .reading)
    #expect(try store.load().archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count") == 3)
  }
}
