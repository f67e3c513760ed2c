import Dispatch
import StateRestoration

/// An app that receives a request to end while it runs.
@MainActor
enum WaitingProbe {
  static func run(_ folder: String, isStuck: Bool) async throws {
    let store = try RestorationStore(folder: folder)
    _ = try store.beginLaunch(bundleVersion: "1")
    let app = App(store, number: try store.load().archive.map { try StoreProbe.number(in: $0.reader) } ?? 0)
    let signals = TerminationSignals(store: store, within: isStuck ? .milliseconds(50) : .seconds(5)) { await app.save() }
    app.number += 1
    if isStuck {
      // The last state that this actor captures before it blocks.
      app.submit()
      StoreProbe.say("ready")
      blockForEver()
    }
    app.number += 1
    StoreProbe.say("ready")
    try await Task.sleep(for: .seconds(1_000_000))
    withExtendedLifetime(signals) {}
  }

  private static func blockForEver() {
    DispatchSemaphore(value: 0).wait()
  }

  /// An app whose state is a number.
  @MainActor
  private final class App {
    let store: RestorationStore
    var number: Int

    init(_ store: RestorationStore, number: Int) { (self.store, self.number) = (store, number) }

    @discardableResult
    func submit() -> UInt64? { (try? StoreProbe.archive(number)).map { store.submit(EncodedArchive($0)) } }

    func save() async {
      guard let last = submit() else { return }
      _ = await store.outcome(of: last, until: .now + .seconds(4), clock: .continuous)
    }
  }
}
