import ArchiveFormat

/// Content that salvage could not rescue, or could not put back in its place (Spec §7.6).
public struct SalvageLoss: Sendable, Equatable {
  /// The kind of lost content.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nodes, with their names and states, whose records are lost.
    case nodes
    /// The name of a node; the rest of the node was rescued.
    case identifier
    /// The place of a node; the rest of the node was rescued.
    case place
    /// The whole state record of a node: provider, attributes and state.
    case state
    /// The provider reference of a node.
    case provider
    /// One attribute of a node.
    case attribute
    /// All attributes of a node after a fault; their keys are lost too.
    case attributes
    /// The value under one key of a node's state.
    case value
    /// All entries of a node's state after a fault; their keys are lost too.
    case values
    /// An ancillary section.
    case section
    /// The volatile header: timestamp, system version and writer.
    case volatileHeader
  }

  /// The kind of lost content.
  public let kind: Kind
  /// The path of the node in the salvaged archive; for a lost node, the path of its placeholder, if it had descendants.
  public let path: RestorationPath?
  /// For lost nodes, the path of their parent in the salvaged archive, if known.
  public let parent: RestorationPath?
  /// The indexes of the node records in the damaged file.
  public let records: Range<Int>?
  /// The outermost key.
  public let key: String?
  /// The code of the section.
  public let section: String?
  /// The fault in the file that caused the loss.
  public let cause: ArchiveError

  init(
    _ kind: Kind, path: RestorationPath? = nil, parent: RestorationPath? = nil, records: Range<Int>? = nil, key: String? = nil,
    section: String? = nil, _ cause: ArchiveError
  ) {
    self.kind = kind
    self.path = path
    self.parent = parent
    self.records = records
    self.key = key
    self.section = section
    self.cause = cause
  }
}

extension SalvageLoss: CustomStringConvertible {
  /// A line that states the loss and its cause, safe to print.
  public var description: String {
    "\(words) (\(cause.code.rawValue)\(cause.offset.map { " at offset 0x\(String($0, radix: 16))" } ?? ""))"
  }

  private var words: String {
    switch kind {
    case .nodes: nodeWords
    case .identifier: "the identifier of node \(number), which is now \(place)"
    case .place: "the place of node \(number), which is now \(place)"
    case .state: "the state of \(place)"
    case .provider: "the provider of \(place)"
    case .attribute: "attribute \(name) of \(place)"
    case .attributes: "the attributes of \(place), from offset 0x\(String(cause.offset ?? 0, radix: 16)) on"
    case .value: "key \(name) of \(place)"
    case .values: "the state of \(place), from offset 0x\(String(cause.offset ?? 0, radix: 16)) on"
    case .section: "section \(section ?? "")"
    case .volatileHeader: "the timestamp, system version and writer"
    }
  }

  private var nodeWords: String {
    let first = records?.lowerBound ?? 0
    let count = records?.count ?? 0
    var words = count == 1 ? "node \(first)" : "nodes \(first) to \(first + count - 1)"
    if first == 0, count == 1 { return "the record of the application, and its state" }
    if let parent { words += " below \(parent.displayText)" }
    if let path { words += "; its descendants are now below \(path.displayText)" }
    return words
  }

  private var number: Int { records?.lowerBound ?? 0 }
  private var name: String { key?.escapedForDisplay ?? "" }
  private var place: String { path?.displayText ?? "(unknown)" }
}
