import FoundationEssentials
import StateRestoration
import Testing

#if canImport(Foundation)
  import Foundation
#endif

// The code of the guide "What happens when things go wrong", compiled and run.

@MainActor
private func useTheStore(
  folder: String, application: RestorableApplication, resolver: Resolver, now: Date, deadline: ContinuousClock.Instant
) async throws -> FlushOutcome {
  let store = try RestorationStore(folder: folder)
  let reason = try store.beginLaunch(bundleVersion: "42")
  let options = RestorationOptions(launch: RestorationLaunch(reason: reason, now: now))
  let restored = try store.restore(application, with: resolver, options: options)
  print(restored.plan.reason)
  print(restored.report?.summary ?? "nothing to restore")

  let queue = SaveQueue(store: store)
  let cycle = SaveCycle(queue: queue) {
    try application.preserve(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
  }
  cycle.setNeedsSave()

  store.launchDidSettle()
  let outcome = await cycle.flush(until: deadline, clock: .continuous)
  store.endLaunch()
  return outcome
}

@MainActor
@Suite struct StoreGuideTests {
  @Test func comesBack() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for launch in 1...3 {
      let counter = Counter()
      let application = RestorableApplication(roots: [counter])
      if launch > 1 { counter.count = -1 }
      let now = Date(timeIntervalSinceReferenceDate: Double(launch))
      try await awaitStore(folder)
      // A deadline that no test lives to see: others may take all threads for minutes.
      let outcome = try await useTheStore(
        folder: folder, application: application, resolver: Resolver {}, now: now, deadline: .now + .seconds(100_000))
      #expect(outcome == (launch == 1 ? .saved : .unchanged))
      #expect(counter.count == 0)
    }
  }

  /// Waits until nobody has the store: within one process the task that wrote the last save lets go of it a moment after saying so.
  private func awaitStore(_ folder: String) async throws {
    while true {
      do throws(StoreError) {
        _ = try RestorationStore(folder: folder)
        return
      } catch {
        guard case .inUse = error else { throw error }
        await Task.yield()
      }
    }
  }

  @Test("every line of code in the guide is compiled here")
  func isTheSameText() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appendingPathComponent("Sources/StateRestoration/StateRestoration.docc/WhenThingsGoWrong.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for block in blocks {
      let indented = block.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
      #expect(source.contains(indented), "\(block)")
    }
  }
}
