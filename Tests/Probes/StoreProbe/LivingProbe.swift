import StateRestoration

/// A small app that is killed at any moment of its launches: it restores, works, saves, and prints its state.
///
///     launch killed 7 [9 3] 0      the last exit, the restored state (without quarantined nodes), the offers, the number of
///                                  files ended by a limit
///     saved 8                      the state on disk
///     stable
///
/// It accepts the best offer, and declines offers that are no better than its own state.
enum LivingProbe {
  final class Counter: Restorable {
    static let restorationType = "Counter"
    static let tracksChanges = true
    let restorationIdentifier: String?
    var number = 0 {
      didSet { setNeedsSave() }
    }
    /// Makes a link shorter than an archive.
    let filler = String(repeating: "filler ", count: 2000)

    init(_ identifier: String) {
      restorationIdentifier = identifier
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      LivingProbe.work()
      try coder.encode(number, forKey: "number")
      if unsafe LivingProbe.savesChanges, restorationIdentifier == LivingProbe.names.last { try coder.encode(filler, forKey: "filler") }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      LivingProbe.work()
      number = try coder.decode(Int.self, forKey: "number")
      LivingProbe.work()
    }

    func applicationFinishedRestoringState(_ state: RestoredState) { LivingProbe.work() }
  }

  private static let names = ["a", "b", "c", "d", "filler"]
  /// Whether it saves what has changed, in links of which a few are folded.
  nonisolated(unsafe) private static var savesChanges = false

  /// Takes some time, so that the process is likely to be killed here.
  private static func work() {
    var sum = 0
    for number in 0..<Int.random(in: 0..<200_000) { sum &+= number }
    if sum == 1 { StoreProbe.say("never") }
  }

  static func run(_ folder: String, savesChanges: Bool) throws {
    unsafe self.savesChanges = savesChanges
    let store = try RestorationStore(
      folder: folder, launch: LaunchOptions(bundleVersion: "1", recordsFatalSignals: true),
      limits: StoreLimits(links: savesChanges ? 4 : 0))
    let counters = names.map { Counter($0) }
    let application = RestorableTree(roots: counters)
    let resolver = try Resolver {}
    let restored = try store.restore(application, with: resolver)
    // The state of a node that has killed the app twice is kept, and offered after the next save.
    let quarantined = Set((restored.report?.nodes ?? []).filter { $0.outcome == .quarantined }.map(\.path.description))
    var number = counters.dropLast().filter { !quarantined.contains($0.restorationIdentifier ?? "") }.map(\.number).min() ?? 0
    let offers = try restored.offers.map { ($0, try Self.number(in: store.contents(of: $0))) }
    let texts = offers.map { "\($0.1)" }.joined(separator: " ")
    StoreProbe.say("launch \(restored.lastExit?.rawValue ?? "none") \(number) [\(texts)] \(restored.endedFiles.count)")
    for (offer, offered) in offers where offered <= number { try store.decline(offer) }
    if let best = offers.filter({ $0.1 > number }).max(by: { $0.1 < $1.1 }) {
      // The kills are no fault of the state.
      _ = try store.accept(
        best.0, evenIfDiedTwice: true, into: application, with: resolver,
        replacing: application.preserve(header: ArchiveHeader(bundleVersion: "1")))
      number = counters.dropLast().map(\.number).min() ?? 0
    }
    for step in 1... {
      number += 1
      for counter in counters.dropLast() { counter.number = number }
      try store.save(
        application.preserve(
          header: ArchiveHeader(bundleVersion: "1"), options: PreservationOptions(encodesOnlyChanges: savesChanges)))
      StoreProbe.say("saved \(number)")
      if step == 12 {
        store.markStable()
        StoreProbe.say("stable")
      }
    }
  }

  private static func number(in archive: ArchiveReader) throws -> Int {
    try names.dropLast().map { try archive.decoder(at: RestorationPath(components: [$0])).decode(Int.self, forKey: "number") }.min() ?? 0
  }
}
