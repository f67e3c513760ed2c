import Foundation
import StateRestoration
import Testing

#if canImport(Foundation)
  import Foundation
#endif

// The code of the guide "What happens when things go wrong", compiled and run.

/// A user's response to an offer.
private enum Answer {
  case all, safe, never, later
}

private func ask(_ offer: StoreOffer, _ contents: ArchiveReader) -> Answer { .all }

private func configuration(_ folder: String) -> AppConfiguration {
  AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42", folder: folder)
}

@MainActor
private func useTheStore(
  folder: String, tree: RestorableTree, resolver: Resolver, now: Date, deadline: ContinuousClock.Instant
) async throws -> SaveOutcome {
  let header = ArchiveHeader(bundleVersion: "42", timestamp: now)
  let store = try RestorationStore(AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42", folder: folder))
  let options = RestorationOptions(launch: LaunchContext(now: now))
  let launch = try store.restore(tree, with: resolver, options: options)
  print(launch)

  for offer in launch.offers {
    switch ask(offer, try store.contents(of: offer)) {
    case .all: _ = try store.accept(offer, into: tree, with: resolver, replacing: tree.preserve(header: header))
    case .safe:
      let suspects = Set(offer.suspects)
      _ = try store.accept(offer, without: suspects, into: tree, with: resolver, replacing: tree.preserve(header: header))
    case .never: try store.decline(offer)
    case .later: break
    }
  }

  store.submit(try tree.preserve(header: ArchiveHeader(bundleVersion: "42", timestamp: now)))

  let last = try tree.preserve(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
  var outcome = SaveOutcome.unchanged
  if let number = store.submit(last) { outcome = await store.outcome(of: number, until: deadline, clock: .continuous) }
  store.endLaunch()
  return outcome
}

/// A window with its own scene.
private final class SettingsWindow: Restorable {
  let restorationIdentifier: String? = "settings"
  @Restored var tab = 0
}

@MainActor
private func saveInALoop(_ store: RestorationStore, _ tree: RestorableTree, _ header: ArchiveHeader, now: Date) throws {
  func edit(_ line: String) {}
  store.markStable()
  while let line = readLine() {
    edit(line)
    try store.save(tree.preserve(header: header), now: now)
  }
}

@MainActor
private func openAndCloseAScene(_ store: RestorationStore, _ resolver: Resolver, _ header: ArchiveHeader) throws {
  guard let name = ArchiveName.scene("settings") else { return }
  let settings = RestorableTree(roots: [SettingsWindow()])
  _ = try store.restore(settings, as: name, with: resolver)
  store.submit(try settings.preserve(header: header), as: name)
  try store.remove(name)  // closed for good
}

@MainActor
@Suite struct WhenThingsGoWrongGuideTests {
  @Test func comesBack() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for launch in 1...3 {
      let counter = Counter()
      let tree = RestorableTree(roots: [counter])
      if launch > 1 { counter.count = -1 }
      let now = Date(timeIntervalSinceReferenceDate: Double(launch))
      try await awaitStore(folder)
      // A deadline that no test reaches: other tests may occupy all threads for minutes.
      let outcome = try await useTheStore(
        folder: folder, tree: tree, resolver: Resolver {}, now: now, deadline: .now + .seconds(100_000))
      // At the first launch, another thread may have written the same state already.
      #expect(outcome == .unchanged || launch == 1 && outcome == .saved)
      #expect(try RestorationStore(configuration(folder), isReadOnly: true).load().archive != nil)
      #expect(counter.count == 0)
    }
  }

  @Test func closesAScene() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try RestorationStore(configuration(folder))
    try openAndCloseAScene(store, Resolver {}, ArchiveHeader(bundleVersion: "42"))
    #expect(try store.archives() == [])
  }

  /// Waits until the store is free: within one process, the task of the last save releases it shortly after it reports
  /// the outcome.
  private func awaitStore(_ folder: String) async throws {
    while true {
      do {
        _ = try RestorationStore(configuration(folder))
        return
      } catch StoreError.inUse {
        await Task.yield()
      }
    }
  }
}
