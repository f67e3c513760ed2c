import StateRestoration

/// How often the engine came to each of its outcomes on one input: what its property compares inputs of the corpus by.
///
/// Its text has a line for each, sorted: `node restored: 3`.
public final class EngineTally: CustomStringConvertible {
  /// By name of an outcome: how often it was met.
  public private(set) var counts: [String: Int] = [:]

  init() {}

  func note(_ name: String, _ count: Int = 1) {
    if count > 0 { counts[name, default: 0] += count }
  }

  /// Notes what became of the nodes of an archive.
  func note(_ report: RestorationReport) {
    note("archive \(report.decision.rawValue)")
    note("application \(report.application.name)")
    for node in report.nodes {
      note("node \(node.outcome.name)")
      if let rule = node.rule { note("rule \(Self.name(of: rule))") }
      if node.upgrade != nil { note(node.outcome == .failed ? "upgrade of a failed node" : "upgrade") }
      if node.archivedPath != nil { note("alias") }
      if node.isAdded { note("added by an upgrade") }
      if node.isCarriedOver { note("carried over \(node.outcome.name)") }
    }
    for note in report.notes { self.note("note \(note.kind.rawValue)") }
  }

  /// Notes what became of live objects, and how many nodes were saved.
  func note(_ report: PreservationReport) {
    note("saved", report.nodeCount)
    for finding in report.findings { note("save \(finding.kind.rawValue)") }
  }

  private static func name(of rule: ResolutionRule) -> String {
    switch rule {
    case .path: "path"
    case .type: "type"
    case .pattern: "pattern"
    case .delegate: "delegate"
    case .liveObject: "live-object"
    case .provider: "provider"
    }
  }

  /// What the inputs of the corpus reach between them.
  public static let expectedSomewhere: [String] =
    [
      "an archive of anything", "an archive of an app", "a damaged archive", "a salvaged archive", "registrations refused", "alias",
      "upgrade", "discarded",
    ]
    + ["added by an upgrade", "archive restore", "archive not-now", "archive never"]
    + ["path", "type", "pattern", "delegate", "live-object", "provider"].map { "rule \($0)" }
    + outcomes.map { "node \($0.name)" } + ["none", "data", "failed"].map { "registered late \($0)" }
    + ["skipped-no-factory", "skipped-declined", "later", "quarantined", "failed"].map { "carried over \($0)" }
    + RestorationReport.Note.Kind.allCases.filter { ![.excessCompletion, .lost].contains($0) }.map { "note \($0.rawValue)" }
    + PreservationReport.Finding.Kind.allCases.filter { ![.notSaved, .tooDeep, .lost, .quarantineEnded].contains($0) }.map {
      "save \($0.rawValue)"
    }

  private static let outcomes: [RestorationOutcome] =
    [.restored, .located, .notAdopted, .later, .failed, .quarantined, .placeholder, .notDecoded(.otherType), .notDecoded(.reason)]
    // What is closed is closed after restoring: the reports of saves say so.
    + RestorationOutcome.Skip.allCases.filter { $0 != .closed }.map { .skipped($0) }

  /// A line for each outcome, sorted.
  public var description: String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
  }
}
