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
    /// Saved keys were read by nothing; only noted by a coverage of old archives.
    case unread
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
    nodes.first { $0.path == path } ?? nodes.first { $0.archivedPath == path }
  }

  /// Returns the outcome of a node and the reason, in one sentence.
  public func why(_ path: RestorationPath) -> String {
    if path.isEmpty {
      let sentence = Self.sentence(application, rule: nil, error: applicationError ?? refusal)
      return applicationUpgrade.map { "\(sentence) after upgrade \($0.lowerBound) -> \($0.upperBound)" } ?? sentence
    }
    if let node = node(at: path) { return node.sentence(refusal: refusal) }
    if let note = notes.first(where: { $0.kind == .unreadable && $0.path?.contains(path) == true }) {
      return "perhaps lost: \(note.message)"
    }
    return "the archive has no node at \(path.textForDisplay)"
  }
}
