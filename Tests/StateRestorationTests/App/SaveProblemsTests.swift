import EngineKit
import Foundation
import ProcessKit
import PropertyKit
import Testing

@testable import StateRestoration

/// The problems that an app learns of: state that could not be saved, files that could not be used.
extension AppRestorationTests {
  @Test("failing saves are reported once and retried, without further reports")
  func retries() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    let store = folder.url("state/deep/store")
    // A file in place of the store's folder makes saving fail.
    try FileManager.default.removeItem(at: store)
    try Data().write(to: store)
    counter.count = 1
    await app.advance(.milliseconds(500))
    while app.log.lines.isEmpty { await Task.yield() }
    #expect(app.log.lines.count == 1 && app.log.lines[0].hasPrefix("application could not be saved"))
    #expect(restoration.lastError is StoreError)
    try FileManager.default.removeItem(at: store)
    try await app.advance { restoration.lastError == nil }
    #expect(try generations(restoration) == 1)
    #expect(app.log.lines.count == 1)
  }

  @Test("saving goes on in a new folder if the store's is removed, and those above it", arguments: ["state/deep/store", "state"])
  func makesFoldersAgain(_ removed: String) async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    counter.count = 1
    #expect(await restoration.flush() == .saved)
    try FileManager.default.removeItem(at: folder.url(removed))
    counter.count = 2
    #expect(await restoration.flush() == .saved)
    #expect(try generations(restoration) == 1 && app.log.lines.isEmpty)
  }

  @Test("an app that lets go of its AppRestoration while it runs is told so; one that has ended, or was not launched, is not")
  func reportsRelease() async throws {
    let folder = try TemporaryFolder()
    for (isLaunched, isEnded) in [(true, false), (true, true), (false, false)] {
      let lines = ProblemLog()
      do {
        let app = App(folder)
        let restoration = try await app.start { $0.reportProblem = { lines.add($0) } }
        if isLaunched { try restoration.launch() }
        if isEnded { await restoration.end() }
      }
      // A task may hold it a moment longer.
      while isLaunched, !isEnded, lines.lines.isEmpty { await Task.yield() }
      #expect(lines.lines.allSatisfy { $0.hasPrefix("the AppRestoration was released while the app runs") })
      #expect(lines.lines.count == (isLaunched && !isEnded ? 1 : 0))
    }
  }

  /// An object with a secret, whose errors quote it.
  @MainActor
  private final class Diary: @MainActor Restorable {
    let restorationIdentifier: String?
    @Restored var text = ""
    var fails: (encoding: Bool, decoding: Bool) = (false, false)

    init(_ identifier: String, _ text: String = "") {
      restorationIdentifier = identifier
      self.text = text
    }

    struct Quoting: Error, CustomStringConvertible { let description: String }

    func encodeRestorableState(with coder: StateEncoder) throws {
      if fails.encoding { throw Quoting(description: "cannot write \(text)") }
      try encodeRestoredProperties(with: coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try decodeRestoredProperties(with: coder)
      if fails.decoding { throw Quoting(description: "cannot read \(text)") }
    }
  }

  @Test("69: the lines that an app gets, the text of a launch and of its offers, and the last error show no saved value")
  func showsNoValues() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder, Diary("a", "hunter2"), Diary("b", "hunter2 too"))
      try await app.launch().end()
    }
    var texts: [String] = []
    func note(_ launch: AppLaunch, _ app: App) {
      texts += [launch.description, launch.summary] + MarkedArchive.texts(of: launch) + launch.offers.map(\.description)
      texts += app.log.lines
    }
    do {
      // Neither decoding nor encoding works, and the folder goes.
      let (reading, writing) = (Diary("a"), Diary("b"))
      (reading.fails, writing.fails) = ((false, true), (true, false))
      let app = App(folder, reading, writing)
      let restoration = try await app.start()
      let launch = try restoration.launch()
      reading.text = "hunter2 again"
      writing.text = "hunter2 again"
      try restoration.saveNow()
      let store = folder.url("state/deep/store")
      try FileManager.default.moveItem(at: store, to: folder.url("kept"))
      try Data().write(to: store)
      reading.text = "hunter2 at last"
      #expect(throws: StoreError.self) { try restoration.saveNow() }
      note(launch, app)
      texts += MarkedArchive.texts(of: restoration.lastError as Any)
      let kinds = ["a: failed: Quoting", "b: encoding failed", "application could not be saved"]
      for kind in kinds { #expect(app.log.lines.contains { $0.contains(kind) }, "\(kind): \(app.log.lines)") }
      try FileManager.default.removeItem(at: store)
      try FileManager.default.moveItem(at: folder.url("kept"), to: store)
    }
    let app = App(folder, Diary("a"), Diary("b"))
    let restoration = try await app.start { $0.isSafeMode = true }
    let launch = try restoration.launch()
    #expect(launch.offers.count == 1)
    note(launch, app)
    for text in texts { if let sign = MarkedArchive.sign(in: text) { Issue.record("\(sign): \(text)") } }
    await restoration.end()
  }

  @Test("a flush that fails has the reason as the last error, until a save succeeds")
  func tellsWhyAFlushFailed() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    let store = folder.url("state/deep/store")
    try FileManager.default.removeItem(at: store)
    try Data().write(to: store)
    counter.count = 1
    #expect(await restoration.flush() == .failed)
    #expect(restoration.lastError is StoreError)
    #expect(throws: StoreError.self) { try restoration.saveNow() }
    #expect(restoration.lastError is StoreError)
    try FileManager.default.removeItem(at: store)
    #expect(await restoration.flush() == .saved)
    #expect(restoration.lastError == nil)
  }

  @Test("a flush while the storage is unavailable is deferred, with unsaved changes or without")
  func defersFlushes() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    counter.count = 1
    #expect(await restoration.flush() == .saved)
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    counter.count = 2
    #expect(await restoration.flush() == .deferred)
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    // The state that was deferred may be on the disk already.
    let outcome = await restoration.flush()
    #expect(outcome == .saved || outcome == .unchanged)
    #expect(try restoration.store.load().archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count") == 2)
  }

  @Test("an app that never yields its actor is reported, once")
  func tellsAboutBusyActors() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    counter.count = 1
    // This loop never suspends, like an app that blocks its actor.
    var spins = 0
    while app.log.lines.isEmpty {
      app.clock.advance(by: .seconds(1))
      spins += 1
      guard spins < 100_000_000 else { break }
    }
    #expect(app.log.lines.count == 1 && app.log.lines.first?.contains("turn()") == true)
    await app.advance(.seconds(60))
    #expect(app.log.lines.count == 1)
    #expect(try generations(restoration) == 1)
  }

  @Test("an app that saves itself is not reported for a busy actor")
  func acceptsAppsThatSaveThemselves() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    counter.count = 1
    try restoration.saveNow()
    await app.advance(.seconds(60))
    #expect(app.log.lines == [])
    #expect(try generations(restoration) == 1)
  }

  @Test("objects that cannot be saved are reported once, and each capture has a report")
  func reportsUnsavedObjects() async throws {
    let folder = try TemporaryFolder()
    let app = App(folder, Counter("a"), Counter("a"), Counter(String(repeating: "b", count: 1100)))
    let restoration = try await app.start()
    var reports: [PreservationReport] = []
    restoration.onPreserve = { archive, report in
      #expect(archive == .application)
      reports.append(report)
    }
    try restoration.launch()
    for _ in 0..<3 { try restoration.saveNow() }
    #expect(reports.count == 3 && reports.allSatisfy { $0.nodeCount == 1 })
    #expect(app.log.lines.count == 2)
    #expect(app.log.lines.first?.contains("a: ") == true && app.log.lines.first?.contains("have the same path") == true)
    #expect(app.log.lines.last?.contains("an identifier of 1100 bytes") == true)
  }

  @Test("an archive over its budget is saved, and reported once")
  func reportsExcesses() async throws {
    let folder = try TemporaryFolder()
    let counter = Counter("a")
    let app = App(folder, counter, Counter("b"))
    let restoration = try await app.launch { $0.budget = try? SizeBudget(parsing: "(each node): 1") }
    try restoration.saveNow()
    while app.log.lines.count < 2 { await Task.yield() }
    // A longer state is the same problem.
    counter.count = 1 << 40
    try restoration.saveNow()
    await app.advance(.seconds(60))
    #expect(app.log.lines.count == 2 && app.log.lines.allSatisfy { $0.contains("is over its budget") })
    #expect(try restoration.store.load().archive?.reader.nodeCount == 2)
  }

  @Test("the launch says which newer file it could not use, or all if there is no other", arguments: [false, true])
  func namesUnusableFiles(_ isEvery: Bool) async throws {
    let folder = try TemporaryFolder()
    let counter = Counter()
    do {
      let app = App(folder, counter)
      let restoration = try await app.launch { $0.limits.links = 0 }
      for count in 1...2 {
        counter.count = count
        try restoration.saveNow()
      }
      await restoration.end()
      for generation in try restoration.store.generations() where isEvery || generation.number == 2 {
        let file = folder.url("state/deep/store").appendingPathComponent(generation.fileName)
        var bytes = try Data(contentsOf: file)
        for place in bytes.indices { bytes[place] ^= 0x55 }
        try bytes.write(to: file)
      }
    }
    let again = Counter()
    let app = App(folder, again)
    let launch = try await app.start().launch()
    #expect(again.count == (isEvery ? 0 : 1))
    let text =
      isEvery ? "no saved file can be read; generation 2: damaged: " : "restored 1 of 1; newer state cannot be used: generation 2: damaged"
    #expect(launch.description.hasPrefix(text), "\(launch)")
    #expect(launch.description.contains("; generation 1: damaged") == isEvery, "\(launch)")
  }

  @Test("a launch whose record of earlier launches is damaged says so")
  func reportsDamagedLedger() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      await restoration.end()
    }
    let ledger = folder.url("state/deep/store/ledger.rsta")
    var bytes = try Data(contentsOf: ledger)
    for place in bytes.indices { bytes[place] ^= 0x55 }
    try bytes.write(to: ledger)
    for isFirst in [true, false] {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      #expect(app.log.lines.count == (isFirst ? 1 : 0))
      await restoration.end()
    }
  }
}
