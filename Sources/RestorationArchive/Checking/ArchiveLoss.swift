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

  /// The damaged part, as offsets in the file.
  public let range: Range<Int>
  /// The paths of the nodes that lost only their state.
  public let states: ComputedList<RestorationPath>
  /// The lost nodes.
  public let nodes: ComputedList<LostNode>
  /// The number of intact nodes below lost ones, which no path leads to.
  public let unreachableCount: Int

  init(_ loss: NodeSurvey.Loss, in survey: NodeSurvey) {
    range = loss.range
    let (states, nodes) = (loss.states, loss.nodes)
    self.states = ComputedList(count: states.count) { survey.path(of: Int(states[$0])) ?? .application }
    self.nodes = ComputedList(count: nodes.count) { position in
      let record = Int(nodes[position])
      return LostNode(parent: survey.pathOfParent(of: record), record: record)
    }
    unreachableCount = loss.unreachableCount
  }

  /// Whether the damage affects no node and no state: it lies in a section that this format does not define.
  public var isHarmless: Bool { states.isEmpty && nodes.isEmpty }
}
