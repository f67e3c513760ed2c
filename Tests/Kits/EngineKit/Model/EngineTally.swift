import StateRestoration

/// The number of times the engine reached each of its outcomes on one input, by which the corpus inputs are compared.
///
/// The text has a line for each outcome, sorted: `node restored: 3`.
public final class EngineTally: CustomStringConvertible {
  /// The number of times each outcome was reached, by its name.
  public private(set) var counts: [String: Int] = [:]

  init() {}

  func note(_ name: String, _ count: Int = 1) {
    if count > 0 { counts[name, default: 0] += count }
  }

  /// Counts the outcomes of an archive's nodes.
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

  /// Counts the saved nodes, and the notes on a save.
  func note(_ report: PreservationReport) {
    note("saved", report.nodeCount)
    for saved in report.notes { note("save \(saved.kind.rawValue)") }
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

  /// The outcomes that the corpus inputs together must reach.
  public static let expectedSomewhere: [String] =
    [
      "an archive of anything", "an archive of an app", "a damaged archive", "a salvaged archive", "registrations refused", "alias",
      "upgrade", "discarded",
    ]
    + ["added by an upgrade", "archive restore", "archive not-now", "archive never"]
    + ["path", "type", "pattern", "delegate", "live-object", "provider"].map { "rule \($0)" }
    + outcomes.map { "node \($0.name)" } + ["none", "data", "failed"].map { "registered late \($0)" }
    + ["skipped-no-factory", "skipped-declined", "later", "quarantined", "failed"].map { "carried over \($0)" }
    + RestorationReport.NoteKind.allCases.filter { ![.excessCompletion, .lost, .unread, .emptyState].contains($0) }.map {
      "note \($0.rawValue)"
    }
    + PreservationReport.NoteKind.allCases.filter {
      ![.notSaved, .tooDeep, .lost, .quarantineEnded, .withoutChildren, .withoutProperties, .repeatedKey].contains($0)
    }.map {
      "save \($0.rawValue)"
    }

  private static let outcomes: [RestorationOutcome] =
    [.restored, .located, .notAdopted, .later, .failed, .quarantined, .placeholder, .notDecoded(.otherType), .notDecoded(.reason)]
    // Objects are closed after restoring, so only the reports of saves contain this outcome.
    + RestorationOutcome.Skip.allCases.filter { $0 != .closed }.map { .skipped($0) }

  /// A line for each outcome, sorted.
  public var description: String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
  }
}
