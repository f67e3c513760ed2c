/// The loss caused by one damaged part of an archive.
///
/// All nodes not listed here can still be read by path.
public struct ArchiveLoss: Sendable {
  /// A node that can no longer be found because its record or identifier is damaged.
  public struct LostNode: Sendable, Equatable {
    /// The path of the parent, if known.
    public let parent: RestorationPath?
    /// The index of the node's record.
    public let record: Int
  }

  /// A list of paths or nodes, each created on access because a file may have many long ones.
  public struct List<Element: Sendable>: RandomAccessCollection, Sendable {
    private let records: [Int32]
    private let element: @Sendable (Int) -> Element

    init(_ records: [Int32], _ element: @escaping @Sendable (Int) -> Element) {
      self.records = records
      self.element = element
    }

    /// The position of the first element.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { records.count }

    /// The element at `position`.
    public subscript(position: Int) -> Element { element(Int(records[position])) }
  }

  /// The damaged part, as offsets in the file.
  public let range: Range<Int>
  /// The paths of the nodes that lost only their state.
  public let states: List<RestorationPath>
  /// The lost nodes.
  public let nodes: List<LostNode>
  /// The number of intact nodes below lost ones, which no path leads to.
  public let unreachableCount: Int

  init(_ loss: NodeSurvey.Loss, in survey: NodeSurvey) {
    range = loss.range
    states = List(loss.states) { survey.path(of: $0) ?? .application }
    nodes = List(loss.nodes) { LostNode(parent: survey.pathOfParent(of: $0), record: $0) }
    unreachableCount = loss.unreachableCount
  }

  /// Whether the damage affects no node and no state: it lies in a section that this format does not define.
  public var isHarmless: Bool { states.isEmpty && nodes.isEmpty }
}
