import FoundationValues
import Locking
public import RestorationArchive

/// The outcome of every node in an archive, with the reasons.
///
///     print(report)                           // restored 41 of 43; 2 not: …
///     print(report.why("root/editors/2"))     // restored by type "Editor" after upgrade 1 -> 2
///
/// The report contains no archived value, so it can be logged.
public struct RestorationReport: Sendable {
  /// The outcome of one node.
  public struct NodeResult: Sendable {
    /// The path, after aliases.
    public let path: RestorationPath
    /// The path in the archive, if an alias moved the node.
    public let archivedPath: RestorationPath?
    /// The type tag, if the node has one.
    public let type: String?
    /// The name of the provider, if the node has one and nothing else made an object for it.
    let provider: String?
    /// The outcome.
    public let outcome: RestorationOutcome
    /// The rule that found, created or refused the object.
    public let rule: ResolutionRule?
    /// The first and last schema version of the upgrade.
    public let upgrade: ClosedRange<Int>?
    /// Whether the state is written again at the next save, because no object has taken it in.
    public let isCarriedOver: Bool
    /// Whether an object stands at the path that did not take the state in: it is then written again until the object
    /// changes, and the file that has it is kept after that.
    public let isKept: Bool
    /// Whether the node is in no archive: an upgrade of its parent moved values there.
    public let isAdded: Bool
    /// The error message, or what to do: the upgrade or alias to add, or when a quarantined node is tried again.
    public let error: String?
    /// All resolution steps, if they were traced.
    public let trace: [String]
    /// The build that saved the node, if it is newer than this one and nothing made an object for it.
    var newerBuild: String?
  }

  /// An event outside the outcome of a single node.
  public typealias Note = ReportNote<NoteKind>

  /// The kind of a note.
  public enum NoteKind: String, Sendable, CaseIterable {
    /// A node is unreadable because the archive is damaged there.
    case unreadable
    /// A saved reference could not be resolved and was decoded as nil.
    case reference
    /// The identifier of an object differs from that of its node.
    case identifier
    /// State cannot be carried over.
    case lost
    /// State was saved with a newer schema version than this build has; keys that this build does not know are kept.
    case newerSchema = "newer-schema"
    /// Saved keys were read by nothing: noted by a coverage of old archives, and where an object reads nothing of its state, as
    /// happens if the name of its `decodeRestorableState(with:)` is mistyped; once for each type.
    case unread
    /// Nothing was saved of the state that an object reads, as happens if the name of its `encodeRestorableState(with:)` is
    /// mistyped, or if its class had no state before; noted once for each type.
    case emptyState = "empty-state"
    /// Restoring was completed more often than it was extended.
    case excessCompletion = "excess-completion"
  }

  /// The decision about the archive as a whole.
  public let decision: RestoreDecision
  /// The reason why the archive was not restored.
  public let refusal: String?
  /// The outcome of the application state.
  public let application: RestorationOutcome
  /// The error message for the application state.
  public let applicationError: String?
  /// The first and last schema version of the application state's upgrade.
  public let applicationUpgrade: ClosedRange<Int>?
  /// Events outside the outcome of a single node.
  public let notes: [Note]
  let nodeList: NodeList
  /// Whether the application state is written again at the next save, because the delegate did not take it in.
  let isApplicationKept: Bool

  /// All nodes, parents first, siblings in saved order.
  ///
  /// - Complexity: O(n) on first access, then O(1).
  public var nodes: [NodeResult] { nodeList.nodes }

  /// Whether saved state was not restored to a live object and would be lost with the next save, so that the old
  /// archive should be kept.
  public var isDegraded: Bool {
    application.isFailure && !isApplicationKept || notes.contains { $0.kind == .unreadable || $0.kind == .lost } || nodeList.hasLosses
  }

  /// Returns the node at a path, before or after aliases.
  ///
  /// - Complexity: O(n).
  public func node(at path: RestorationPath) -> NodeResult? {
    // Of two nodes for one path, the one that has it.
    nodes.first { $0.path == path && $0.outcome != .skipped(.superseded) } ?? nodes.first { $0.path == path }
      ?? nodes.first { $0.archivedPath == path }
  }

  /// Returns the outcome of a node and the reason, in one sentence.
  ///
  /// Text that a user has typed becomes a path by `RestorationPath(_:)`.
  public func why(_ path: RestorationPath) -> String {
    if path.isEmpty {
      let sentence = application.sentence(rule: nil, error: applicationError ?? refusal)
      return applicationUpgrade.map { "\(sentence) after upgrade \($0.lowerBound) -> \($0.upperBound)" } ?? sentence
    }
    if let node = node(at: path) { return node.sentence(refusal: refusal) }
    if let note = notes.first(where: { $0.kind == .unreadable && $0.path?.contains(path) == true }) {
      return "perhaps lost: \(note.message)"
    }
    return "the archive has no node at \(path.textForDisplay)"
  }
}

extension RestorationReport {
  /// The nodes of a report, computed on first access, because most launches only check for losses.
  final class NodeList: Sendable {
    /// Whether the state of a node was neither restored to a live object nor carried over.
    let hasLosses: Bool
    /// Whether a state is kept that nothing took in by mistake, or that is quarantined.
    let hasKeptStates: Bool
    /// Returns the nodes; holds the archive until it is called.
    private let compute: Lock<@Sendable () -> [NodeResult]>

    init(hasLosses: Bool, hasKeptStates: Bool, _ compute: @escaping @Sendable () -> [NodeResult]) {
      (self.hasLosses, self.hasKeptStates) = (hasLosses, hasKeptStates)
      self.compute = Lock(compute)
    }

    var nodes: [NodeResult] {
      compute.withLock { compute in
        let nodes = compute()
        compute = { nodes }
        return nodes
      }
    }
  }
}

extension RestorationReport: CustomStringConvertible {
  /// A one-line count of the restored nodes and of the reasons for the others; failed application state is counted as a
  /// node.
  public var summary: String {
    if let refusal { return "restored nothing (\(decision.rawValue)): \(refusal)" }
    let hasFailed = application.isFailure || application == .quarantined
    let count = nodes.count + (hasFailed ? 1 : 0)
    let failures = nodes.filter { !$0.outcome.isSuccess }
    let failureCount = failures.count + (hasFailed ? 1 : 0)
    if count == 0, application.isSuccess { return "restored the application state" }
    if failureCount == 0 { return "restored \(count) of \(count)" }
    let counts = Dictionary(failures.map { ($0.outcome.words, 1) }, uniquingKeysWith: +)
    var seen: Set<String> = []
    let reasons = failures.map(\.outcome.words).filter { seen.insert($0).inserted }
    let list = (reasons.map { "\(counts[$0] ?? 0) \($0)" } + (hasFailed ? ["the application state"] : [])).joined(separator: ", ")
    let keptCount = failures.count(where: \.isCarriedOver) + (isApplicationKept ? 1 : 0)
    let kept =
      switch keptCount {
      case 0: ""
      case failureCount: failureCount == 1 ? "; its state is kept" : "; their state is kept"
      default: "; the state of \(keptCount) is kept"
      }
    return "restored \(count - failureCount) of \(count); \(failureCount) not: \(list)\(kept)"
  }

  /// The summary, then one line for each node that was not restored and for each note, then the lines missing from the
  /// resolver.
  public var description: String {
    var lines = [summary]
    if application.isFailure || application == .quarantined { lines.append("(application): \(why(.application))") }
    if refusal == nil {
      for node in nodes where !node.outcome.isSuccess { lines.append("\(node.path.textForDisplay): \(node.sentence(refusal: nil))") }
    }
    for note in notes { lines.append(note.description) }
    let missing = resolverLines
    if !missing.isEmpty {
      lines.append("to restore them, add to the resolver:")
      lines += missing.map { "  \($0)" }
    }
    return lines.joined(separator: "\n")
  }

  /// A line about the saved state that nothing took in by mistake, or that is quarantined, and that is kept; nil if there is none.
  var keptLine: String? {
    guard nodeList.hasKeptStates else { return nil }
    let kept = nodes.filter { $0.isCarriedOver && ($0.outcome.isMistake || $0.outcome == .quarantined) }
    var reasons = kept.prefix(3).map { "\($0.path.textForDisplay): \($0.sentence(refusal: nil))" }
    if kept.count > 3 { reasons.append("and \(kept.count - 3) more") }
    if isApplicationKept { reasons.insert("the application state: \(why(.application))", at: 0) }
    return "saved state was not taken in, and is kept: \(reasons.joined(separator: "; "))"
  }

  /// The source lines that add the missing factories to the resolver.
  package var resolverLines: [String] {
    var seen: Set<String> = []
    return nodes.filter { $0.outcome == .skipped(.noFactory) && $0.newerBuild == nil }.map(\.line).filter { seen.insert($0).inserted }
  }
}

extension RestorationReport: Encodable {
  /// Encodes the report, using the keys of its JSON form.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "summary": summary, "decision": decision.rawValue, "refusal": refusal, "application": application.name,
      "applicationError": applicationError, "applicationUpgradedFrom": applicationUpgrade?.lowerBound,
      "applicationUpgradedTo": applicationUpgrade?.upperBound, "isDegraded": isDegraded, "nodes": nodes, "notes": notes,
    ])
  }

  /// Returns the report as JSON with sorted keys, for logs and programs.
  public func json() -> String { ReportJSON.text(of: self) }
}

extension RestorationReport.NodeResult: Encodable {
  /// Encodes the node, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "path": path.description, "archivedPath": archivedPath?.description, "type": type, "outcome": outcome.name,
      "rule": rule?.description, "place": rule?.place?.description, "upgradedFrom": upgrade?.lowerBound, "upgradedTo": upgrade?.upperBound,
      "isCarriedOver": isCarriedOver ? true : nil, "isKept": isKept ? true : nil, "isAdded": isAdded ? true : nil, "error": error,
      "why": sentence(refusal: nil), "trace": trace.isEmpty ? nil : trace,
    ])
  }
}
