/// What a damaged part of an archive costs.
///
/// All nodes that are not named here can still be read by their paths.
public struct ArchiveLoss: Sendable {
  /// A node that cannot be found any more, because its record or its identifier is damaged.
  public struct Node: Sendable, Equatable {
    /// The path of its parent, if that is known.
    public let parent: RestorationPath?
    /// The number of its record.
    public let record: Int
  }

  /// Paths or nodes, each made when it is asked for: a file may have many that are long.
  public struct List<Element: Sendable>: RandomAccessCollection, Sendable {
    private let records: [Int32]
    private let element: @Sendable (Int) -> Element

    init(_ records: [Int32], _ element: @escaping @Sendable (Int) -> Element) {
      self.records = records
      self.element = element
    }

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place behind the last one.
    public var endIndex: Int { records.count }

    /// What is at a place.
    public subscript(position: Int) -> Element { element(Int(records[position])) }
  }

  /// The damaged part, as offsets in the file.
  public let range: Range<Int>
  /// The nodes of which the state is lost, and nothing else.
  public let states: List<RestorationPath>
  /// The nodes that are lost themselves.
  public let nodes: List<Node>
  /// How many nodes are intact but lie below lost ones, so that no path leads to them.
  public let unreachableCount: Int

  init(_ loss: NodeSurvey.Loss, in survey: NodeSurvey) {
    range = loss.range
    states = List(loss.states) { survey.path(of: $0) ?? .application }
    nodes = List(loss.nodes) { Node(parent: survey.pathOfParent(of: $0), record: $0) }
    unreachableCount = loss.unreachableCount
  }

  /// Whether the damage costs no node and no state: it lies in a section that this format does not define.
  public var isHarmless: Bool { states.isEmpty && nodes.isEmpty }
}
