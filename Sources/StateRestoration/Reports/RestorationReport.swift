public import RestorationArchive

/// What became of every node of an archive, and why.
///
///     print(report)                           // restored 41 of 43; 2 not: …
///     print(report.why("root/editors/2"))     // restored by type "Editor" after upgrade 1 -> 2
///
/// It holds no archived value, so it can be logged.
public struct RestorationReport: Sendable {
  /// What became of one node.
  public struct Node: Sendable {
    /// Its path, after aliases.
    public let path: RestorationPath
    /// Its path in the archive, if an alias moved it.
    public let archivedPath: RestorationPath?
    /// The tag of its type, if it has one.
    public let type: String?
    /// What became of it.
    public let outcome: RestorationOutcome
    /// By which rule its object was found, made or refused.
    public let rule: ResolutionRule?
    /// From which schema version to which its state was brought.
    public let upgrade: ClosedRange<Int>?
    /// Whether its state is written again at the next save, because nobody took it.
    public let isCarriedOver: Bool
    /// Whether it is in no archive: an upgrade of the node above moved values there.
    public let isAdded: Bool
    /// What went wrong, in words.
    public let error: String?
    /// Everything that was asked, if that was to be noted.
    public let trace: [String]
  }

  /// Something that does not belong to one node's outcome.
  public struct Note: Sendable, Hashable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
      /// A node that cannot be read, because the archive is damaged there.
      case unreadable
      /// A reference that is nil.
      case reference
      /// An object whose identifier is not that of its node.
      case identifier
      /// State that cannot be carried over.
      case lost
      /// More completions of restoring than beginnings.
      case excessCompletion = "excess-completion"
    }

    /// What it is about.
    public let kind: Kind
    /// The node concerned, if there is one.
    public let path: RestorationPath?
    /// In words.
    public let message: String

    /// Makes a note.
    public init(kind: Kind, path: RestorationPath?, message: String) {
      self.kind = kind
      self.path = path
      self.message = message
    }
  }

  /// What was decided about the archive as a whole.
  public let decision: RestoreDecision
  /// Why it was not restored.
  public let refusal: String?
  /// What became of the application state.
  public let application: RestorationOutcome
  /// What went wrong with the application state.
  public let applicationError: String?
  /// From which schema version to which the application state was brought.
  public let applicationUpgrade: ClosedRange<Int>?
  /// What does not belong to one node's outcome.
  public let notes: [Note]
  let nodeList: NodeList

  /// Every node, parents first, siblings in saved order.
  ///
  /// - Complexity: O(n) where it is first asked for, then O(1).
  public var nodes: [Node] { nodeList.nodes }

  /// Whether state that was saved has not arrived in a live object, so that saving its object loses it: the old archive should be kept.
  public var isDegraded: Bool {
    application == .failed || notes.contains { $0.kind == .unreadable || $0.kind == .lost } || nodeList.hasLosses
  }

  /// The node at a path, before or after aliases.
  ///
  /// - Complexity: O(n).
  public func node(at path: RestorationPath) -> Node? {
    nodes.first { $0.path == path } ?? nodes.first { $0.archivedPath == path }
  }

  /// What became of a node, and why, in a sentence.
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
