/// A node of the model that all formats encode.
///
/// Contenders go through its arrays by index: a value is then copied once, where `for` copies it with its key and `switch` copies it again.
final class BenchNode {
  let identifier: String
  let type: String
  let entries: [BenchEntry]
  let children: [BenchNode]

  init(identifier: String, type: String, entries: [BenchEntry], children: [BenchNode]) {
    self.identifier = identifier
    self.type = type
    self.entries = entries
    self.children = children
  }

  /// Makes a node of a draft, with all that is below it.
  ///
  /// The object is there before what it refers to, and so comes first in memory too; see ``PreorderCopy``.
  init(inPreorder draft: DraftNode) {
    identifier = PreorderCopy.copy(draft.identifier)
    type = draft.type
    entries = draft.entries.map(PreorderCopy.copy)
    children = draft.children.map(BenchNode.init(inPreorder:))
  }
}
