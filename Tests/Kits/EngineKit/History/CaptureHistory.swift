import Locking
import PropertyKit
package import StateRestoration

/// Compares an app that saves its changes with one that captures everything.
///
/// Both make the same changes. The first is saved in a store in memory, as links wherever possible; now and then its disk
/// is full, and it is restarted. The second is not in a store: each of its captures is whole. Each capture of the first must be
/// byte for byte that of the second, and after each save the content that a reader of the store loads must be too.
package struct CaptureHistory {
  /// The events of the histories, so that a test can show that they occur.
  package struct Tally: Sendable {
    /// Captures by the decision of the delegate.
    package var captures: [SaveDecision: Int] = [:]
    /// Captures of changes alone.
    package var ofChanges = 0
    /// Saves by outcome.
    package var saves = (written: 0, unchanged: 0, failed: 0)
    /// Files that a reader applied links to.
    package var links = 0
    /// Nodes of restored archives, by outcome.
    package var nodes: [String: Int] = [:]

    /// Creates a tally of nothing.
    package init() {}
  }

  /// The reason why a history failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let seed: UInt64
  private let throwsAnywhere: Bool
  private var random: SeededGenerator
  private let links: Int
  /// The content that must be on disk; nil for none.
  private var expected: [UInt8]?
  private var build = "1"
  private var time = 0
  private var system: FaultySystem

  private init(seed: UInt64, throwsAnywhere: Bool) {
    (self.seed, self.throwsAnywhere) = (seed, throwsAnywhere)
    // Independent of the numbers that the apps draw.
    random = SeededGenerator(seed: seed ^ 0x5EED_CA97)
    links = 1 + random.below(6)
    system = FaultySystem(SimulatedDisk())
  }

  /// Checks the history of a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - saves: The number of saves of each life of the app; a few by default.
  ///   - throwsAnywhere: Whether objects may throw that have moved, or whose last capture was refused by the delegate.
  ///   - tally: Counts the events.
  /// - Throws: ``Failure``; any other error is a failure too.
  package static func check(seed: UInt64, saves: Int? = nil, throwsAnywhere: Bool = false, _ tally: inout Tally) throws {
    var history = CaptureHistory(seed: seed, throwsAnywhere: throwsAnywhere)
    for life in 0..<(1 + history.random.below(3)) { try history.live(seed: seed &* 4 &+ UInt64(life), saves, &tally) }
  }

  /// Runs the app from one start to its end.
  private mutating func live(seed: UInt64, _ saves: Int?, _ tally: inout Tally) throws {
    system = FaultySystem(system.disk.afterProcessDeath())
    if random.oneIn(4) { build = build == "1" ? "2" : "1" }
    let store = try RestorationStore(
      StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: build), boot: 1,
      limits: StoreLimits(links: links), linkPolicy: LinkPolicy(foldsConcurrently: false, isEager: true))
    let app = HistoryApp(seed: seed, throwsAnywhere: throwsAnywhere)
    let whole = HistoryApp(seed: seed, throwsAnywhere: throwsAnywhere)
    defer {
      app.end()
      whole.end()
    }
    do {
      try launch(app, store, whole, &tally)
      for _ in 0..<(saves ?? 2 + random.below(7)) {
        app.change()
        whole.change()
        try save(app, store, whole, &tally)
      }
    } catch {
      throw Failure(description: "\(error)\nafter: \(app.log.joined(separator: "; "))")
    }
    if random.oneIn(2) { store.endLaunch() }
  }

  private func launch(_ app: HistoryApp, _ store: RestorationStore, _ whole: HistoryApp, _ tally: inout Tally) throws {
    // What a reader loads has the expected content; its time is older if the last saves changed nothing.
    guard let reader = try loaded()?.reader else {
      try app.startFresh()
      try whole.startFresh()
      return
    }
    let tree = try ArchiveTree(decoding: reader)
    let (options, wholeOptions) = (app.prepareLaunch(of: tree), whole.prepareLaunch(of: tree))
    let result = try store.restore(app.application, with: app.resolver(), options: options, isolation: nil)
    let report = try whole.application.restore(from: reader, with: whole.resolver(), options: wholeOptions)
    // A death after this says nothing about the state.
    store.markStable()
    guard result.report?.summary == report.summary else {
      throw Failure(description: "restored \(result.report?.summary ?? result.plan.reason) and not \(report.summary)")
    }
    for node in report.nodes { tally.nodes[node.outcome.name, default: 0] += 1 }
  }

  private mutating func save(_ app: HistoryApp, _ store: RestorationStore, _ whole: HistoryApp, _ tally: inout Tally) throws {
    time += 1
    let captured = try app.capture(onlyChanges: true, build: build, at: time)
    let everything = try whole.capture(onlyChanges: false, build: build, at: time)
    tally.captures[captured.decision, default: 0] += 1
    if captured.isOfChanges { tally.ofChanges += 1 }
    if let (found, wanted) = try captured.archive.flatMap({ found in try everything.archive.map { (found, $0) } }), found != wanted {
      let texts = try [found, wanted].map { try text(ArchiveReader($0)) }
      throw Failure(description: "captured\n\(texts[0])\nand not\n\(texts[1])")
    }
    let before = expected
    switch everything.decision {
    case .save: expected = try everything.archive.map { [UInt8]($0) }
    case .forget: expected = nil
    case .keepPrevious: break
    }
    system.isFull = random.oneIn(15)
    let result = Result { () throws(StoreError) in try store.save(captured) }
    let wasFull = system.isFull
    system.isFull = false
    switch result {
    case .success(.saved): tally.saves.written += 1
    case .success: tally.saves.unchanged += 1
    case .failure(let error):
      guard wasFull else { throw error }
      tally.saves.failed += 1
      // Either the old or the new state is on disk, and the next save is of everything that has changed since.
      if try load(&tally) == before.flatMap({ digest($0) }) { expected = before }
    }
    try compare(after: "\(captured.decision)\(wasFull ? " on a full disk" : "")", &tally)
  }

  private func compare(after save: String, _ tally: inout Tally) throws {
    let (found, wanted) = (try load(&tally), expected.flatMap { digest($0) })
    guard found != wanted else { return }
    let (foundText, wantedText) = (try text(loaded()?.reader), try text(expected.map { try ArchiveReader($0) }))
    throw Failure(description: "after \(save), a reader loads\n\(foundText)\nand not\n\(wantedText)")
  }

  /// Returns the digest of the content that a reader of the store loads; nil if there is none.
  private func load(_ tally: inout Tally) throws -> ContentDigest? {
    guard let archive = try loaded() else { return nil }
    if archive.isPartial || archive.lostLinks != nil { throw Failure(description: "the archive is damaged: \(archive)") }
    let files = system.disk.state.withLock { $0.names.keys.compactMap { GenerationFile(fileName: $0) } }
    if files.contains(where: { $0.isLink && $0.base == archive.generation }) {
      tally.links += 1
    }
    return archive.reader.contentDigest
  }

  private func loaded() throws -> StoreLoad.Archive? {
    let reading = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(system.disk)), access: .reading)
    let load = try reading.load()
    if load.archive == nil, load.reason != .nothingSaved { throw Failure(description: "nothing can be loaded: \(load.candidates)") }
    return load.archive
  }

  private func digest(_ bytes: [UInt8]) -> ContentDigest? { try? ArchiveReader(bytes).contentDigest }

  private func text(_ reader: ArchiveReader?) throws -> String {
    try reader.map { String(decoding: try ArchiveTree(decoding: $0).json(), as: UTF8.self) } ?? "nothing"
  }
}
