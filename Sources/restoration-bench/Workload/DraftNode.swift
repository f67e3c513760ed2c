/// A node while the tree is being made, level by level.
final class DraftNode {
  let identifier: String
  let type: String
  let entries: [BenchEntry]
  var children: [DraftNode] = []

  init(identifier: String, type: String, entries: [BenchEntry]) {
    self.identifier = identifier
    self.type = type
    self.entries = entries
  }
}
