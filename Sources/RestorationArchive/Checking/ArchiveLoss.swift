/// What a damaged part of an archive costs.
///
/// All nodes that are not named here can still be read by their paths.
public struct ArchiveLoss: Sendable, Equatable {
  /// A node that cannot be found any more, because its record or its identifier is damaged.
  public struct Node: Sendable, Equatable {
    /// The path of its parent, if that is known.
    public let parent: RestorationPath?
    /// The number of its record.
    public let record: Int
  }

  /// The damaged part, as offsets in the file.
  public let range: Range<Int>
  /// The nodes of which the state is lost, and nothing else.
  public internal(set) var states: [RestorationPath] = []
  /// The nodes that are lost themselves.
  public internal(set) var nodes: [Node] = []
  /// How many nodes are intact but lie below lost ones, so that no path leads to them.
  public internal(set) var unreachableCount = 0

  /// Whether the damage costs no node and no state: it lies in a section that this format does not define.
  public var isHarmless: Bool { states.isEmpty && nodes.isEmpty }
}
